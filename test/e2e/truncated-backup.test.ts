/** A backup that becomes shorter while it is checked. The process ends with an exit code, and not with a signal. */

import { copyFileSync, readdirSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { demoHome, emptyHome, ending, FORMCTL, start } from "./program.ts";

it.each(["before", "during"])(
  "a backup that is truncated %s the check is refused, and the store is kept",
  async (when) => {
    const home = await demoHome();
    const name = readdirSync(home, { recursive: true, encoding: "utf8" }).find((path) => path.endsWith(".db"))!;
    const store = join(home, name);
    const backup = join(emptyHome(), "backup.db");
    copyFileSync(store, backup);
    const { size } = statSync(backup);
    const shorten = () => truncateSync(backup, 8 * 4096);
    if (when === "before") shorten();
    const words = [FORMCTL, "local", "restore", backup, "--yes"];
    const child = start(process.execPath, words, { home });
    child.stdin.end();
    // The file is shortened and restored again and again, until the process ends.
    const timer =
      when === "during" ? setInterval(() => (truncateSync(backup, 8 * 4096), truncateSync(backup, size))) : undefined;
    const { code, signal, stderr } = await ending(child);
    clearInterval(timer);
    expect({ signal, code, stderr }).toEqual({
      signal: null,
      code: 1,
      stderr: expect.stringMatching(/^error: .*damaged/),
    });
    expect(readdirSync(home, { recursive: true, encoding: "utf8" }).filter((path) => /damaged/.test(path))).toEqual([]);
  },
);
