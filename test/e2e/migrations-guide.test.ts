/**
 * Tests that docs/migrations.md and examples/migrations/README.md show the real output of the program. To update them:
 * `npx vitest run test/e2e/migrations-guide.test.ts -u`.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { tier } from "../effort.ts";
import { ROOT } from "./program.ts";
import { rerunDocument } from "./rerun-document.ts";
import { serveStore } from "./served-store.ts";

const GUIDE = join(ROOT, "docs", "migrations.md");
const EXAMPLES = join(ROOT, "examples", "migrations");
const README = join(EXAMPLES, "README.md");
const guide = readFileSync(GUIDE, "utf8");
const readme = readFileSync(README, "utf8");

describe("docs/migrations.md", () => {
  it("shows what the program prints, block by block in one store", async () => {
    await expect(await rerunDocument(guide, { tier })).toMatchFileSnapshot(GUIDE);
  });

  it("shows parts of files in examples", () => {
    const files = ["migrations/code", "migrations/yaml", "ci"].flatMap((folder) =>
      readdirSync(join(ROOT, "examples", folder)).map((name) => join(ROOT, "examples", folder, name)),
    );
    const texts = files.map((file) => readFileSync(file, "utf8"));
    const blocks = [...guide.matchAll(/^```(?:ts|yaml)\n([^]*?)^```$/gm)].map((match) => match[1]!);
    expect(blocks.length).toBeGreaterThan(3);
    expect(blocks.filter((block) => !texts.some((text) => text.includes(block)))).toEqual([]);
  });

  it("points only at files that exist", () => {
    for (const [file, text] of [
      [GUIDE, guide],
      [README, readme],
    ] as const) {
      const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map((match) => match[1]!);
      expect(links.length).toBeGreaterThan(2);
      expect(links.filter((link) => !existsSync(join(dirname(file), link)))).toEqual([]);
    }
  });
});

describe("examples/migrations/README.md", () => {
  it("shows what the program prints on a local store", async () => {
    await expect(await rerunDocument(readme, { tier })).toMatchFileSnapshot(README);
  });

  it("shows what the program prints on a server", async () => {
    const shown = await rerunDocument(readme, { tier, connect: serveStore });
    // The plan of a server differs: it starts from the current state of the server. It also lists the facts that the
    // rehearsal does not know.
    const plan = /(?<=^\$ formctl migrate plan.*\n)[^]*?(?=^\$ )/m;
    expect(shown.replace(plan, "")).toBe(readme.replace(plan, ""));
    const [planned = ""] = plan.exec(shown) ?? [];
    for (const part of ["rename-skills (transform)", "split-section (transform)", "add-referral-form (script)"])
      expect(planned).toContain(part);
    expect(planned).toContain("Not known to the rehearsal");
  });
});
