/** The memory of commands that read the lists of a hostile server. */

import { describe, expect, it, onTestFinished } from "vitest";
import { countOf } from "../effort.ts";
import { reasonElsewhereThanLinux, skipTests } from "../skip.ts";
import { measure, measureAgain, measureNode, PAGES, startEndlessLists } from "./list-memory.ts";
import { emptyHome } from "./program.ts";

/** The target for every list. */
const MOST_MIB = 400;

const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  "forms list": ["forms", "list", "staffing/candidate"],
  "layouts list": ["layouts", "list"],
  "layouts versions list": ["layouts", "versions", "list", "lay_1"],
  export: ["export", "staffing/candidate", "--into", "manifests"],
  "api --paginate": ["api", "GET", "/v1/view-layouts", "--paginate"],
};

const NAMES = Object.keys(COMMANDS);

/** Returns the commands that read a kind of pages: in a full run two of them, so that each command has several kinds. */
function commandsFor(kind: number): string[] {
  return Array.from({ length: countOf("commands that read each list without end") }, (_, index) => {
    return NAMES[(kind + 2 * index) % NAMES.length]!;
  });
}

describe("a list without end", () => {
  skipTests(reasonElsewhereThanLinux);

  it("is measured by the largest memory of the process (control)", async () => {
    const { mib } = await measureNode(["-e", "globalThis.held = Buffer.alloc(450 * 2 ** 20, 1)"], emptyHome());
    expect(mib).toBeGreaterThan(450);
  });

  it.each(Object.keys(PAGES).flatMap((pages, kind) => commandsFor(kind).map((command) => [pages, command])))(
    "of %s is limited in %s",
    async (pages, command) => {
      const { url, server } = await startEndlessLists(PAGES[pages]!);
      onTestFinished(() => {
        server.closeAllConnections();
        server.close();
      });
      const run = () => measure(COMMANDS[command]!, emptyHome(), url);
      const { code, signal, mib } = await measureAgain(run, MOST_MIB);
      expect([6, 7]).toContain(code);
      expect(signal).toBeNull();
      expect(Math.round(mib)).toBeLessThan(MOST_MIB);
    },
  );
});
