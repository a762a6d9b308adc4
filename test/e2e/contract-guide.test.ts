/**
 * Tests that docs/contract.md shows the real output of the program. To update the document:
 * `npx vitest run test/e2e/contract-guide.test.ts -u`.
 */

import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { tier } from "../effort.ts";
import { demoHome, ROOT } from "./program.ts";
import { rerunDocument } from "./rerun-document.ts";
import { serveStore } from "./served-store.ts";

const GUIDE = join(ROOT, "docs", "contract.md");
const guide = readFileSync(GUIDE, "utf8");

describe("docs/contract.md", () => {
  it("shows what the program prints for a recording, and then for a server", async () => {
    const shown = await rerunDocument(guide, {
      tier,
      home: await demoHome(),
      beforeBlock(block, cwd) {
        if (block === 1) copyFileSync(join(ROOT, "examples/contract/other-server.har"), join(cwd, "other-server.har"));
      },
      connect: serveStore,
    });
    await expect(shown).toMatchFileSnapshot(GUIDE);
  });

  it("points only at files that exist", () => {
    const links = [...guide.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map((match) => match[1]!);
    expect(links.length).toBeGreaterThan(2);
    expect(links.filter((link) => !existsSync(join(dirname(GUIDE), link)))).toEqual([]);
  });
});
