/**
 * Tests that docs/layouts-as-code.md shows the real output of the program. To update the document:
 * `npx vitest run test/e2e/layouts-as-code-guide.test.ts -u`.
 */

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { EXIT_CODES } from "../../src/base/exit-codes.ts";
import { tier } from "../effort.ts";
import { ROOT } from "./program.ts";
import { rerunDocument } from "./rerun-document.ts";

const GUIDE = join(ROOT, "docs", "layouts-as-code.md");
const guide = readFileSync(GUIDE, "utf8");

describe("docs/layouts-as-code.md", () => {
  it("shows what the program prints, block by block in one store", async () => {
    await expect(await rerunDocument(guide, { tier })).toMatchFileSnapshot(GUIDE);
  });

  it("lists only existing exit codes", () => {
    const codes = [...guide.matchAll(/^\| (\d+) \|/gm)].map((match) => match[1]!);
    expect(codes.length).toBeGreaterThan(5);
    expect(codes.filter((code) => !(code in EXIT_CODES))).toEqual([]);
  });

  it("points only at files that there are", () => {
    const links = [...guide.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map((match) => match[1]!);
    expect(links.length).toBeGreaterThan(2);
    expect(links.filter((link) => !existsSync(join(dirname(GUIDE), link)))).toEqual([]);
  });
});
