/**
 * Tests that docs/failures.md shows the real output of the program. To update it:
 * `npx vitest run test/e2e/--mode full test/e2e/failures-guide.full.test.ts -u`.
 */

import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parseFault } from "../../src/schemas/fault.ts";
import { ROOT } from "./program.ts";
import { rerunDocument } from "./rerun-document.ts";

const GUIDE = join(ROOT, "docs", "failures.md");
const guide = readFileSync(GUIDE, "utf8");

it("docs/failures.md shows what the program prints", async () => {
  const beforeBlock = (_block: number, cwd: string) =>
    cpSync(join(ROOT, "examples", "failures"), join(cwd, "failures"), { recursive: true });
  await expect(await rerunDocument(guide, { tier: "full", beforeBlock })).toMatchFileSnapshot(GUIDE);
});

it("docs/failures.md names faults that can be read", () => {
  const faults = [...guide.matchAll(/^- `([^`]+:[^`]+)`/gm)].map(([, text]) => text!);
  expect(faults.length).toBeGreaterThan(4);
  for (const fault of faults) expect(parseFault(fault).text).toBe(fault);
});
