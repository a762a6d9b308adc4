/** Tests `formctl layouts preview` through command lines. */

import { cpSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Preview } from "../../src/preview/model.ts";
import { type Cli, openCli } from "./cli.ts";
import { DESK, droppingPayRate, newPage, openScene, PROFILE, publishTwice, REVIEW } from "./layouts-scene.ts";

const NORTHWIND = join(import.meta.dirname, "..", "..", "examples", "northwind");
const DRAWINGS = join(import.meta.dirname, "..", "fixtures", "drawings");

function withNorthwind(cli: Cli): Cli {
  cpSync(NORTHWIND, join(cli.cwd, "northwind"), { recursive: true });
  return cli;
}

const preview = (cli: Cli, ...words: string[]) => cli.run("layouts", "preview", ...words);

describe("a layout on the target", () => {
  it("draws the draft, or else the published version, with the fields of the object", async () => {
    const cli = await openScene();
    await cli.run("layouts", "draft", "push", PROFILE, "a.yaml", "--publish");
    const published = await preview(cli, PROFILE);
    expect(published.code).toBe(0);
    expect(published.stdout).toContain("DYNAMIC_OBJECT · VIEW, EDIT · version 1 (published)");
    expect(published.stdout).toContain("full_name · TEXT");
    cli.file("new.yaml", droppingPayRate());
    await cli.run("layouts", "draft", "push", DESK, "new.yaml");
    expect((await preview(cli, DESK)).stdout).toContain("(draft)");
  });

  it("draws a layout by its id", async () => {
    const cli = await openScene();
    const layoutId = await newPage(cli, "Organization page");
    expect((await preview(cli, layoutId)).stdout).toMatch(/^Organization page\nORGANIZATION · VIEW · version 1/);
  });

  it("compares with a version, and compares two versions", async () => {
    const cli = await openScene();
    await publishTwice(cli);
    const { stdout } = await preview(cli, PROFILE, "--compare", "1");
    expect(stdout).toContain("compared with version 1 (archived)");
    expect(stdout).toContain('label: "Notes" → "Remarks"');
    const reverse = await preview(cli, PROFILE, "--compare", "latest", "--compare", "1");
    expect(reverse.stdout).toContain("version 1 (archived)\ncompared with version 2 (published)");
    expect(reverse.stdout).toContain('label: "Remarks" → "Notes"');
    expect((await preview(cli, PROFILE, "--compare", "2")).stdout).toContain("no changes since version 2 (published)");
    expect((await preview(cli, PROFILE, "--compare", "9")).code).toBe(5);
  });

  it("refuses unknown layouts, and options that only a file supports", async () => {
    const cli = await openScene();
    expect((await preview(cli, "staffing/candidate/Nothing")).code).toBe(5);
    const layout = await preview(cli, PROFILE, "--layout", DESK);
    expect(layout).toMatchObject({ code: 64, stderr: expect.stringContaining("--layout is only for a draft file") });
    const watched = await preview(cli, PROFILE, "--watch");
    expect(watched).toMatchObject({ code: 64, stderr: expect.stringContaining("--watch needs a file or a folder") });
    const thrice = ["--compare", "1", "--compare", "1", "--compare", "1"];
    expect((await preview(cli, PROFILE, ...thrice)).code).toBe(64);
  });
});

describe("a draft file", () => {
  it("draws the file without a store, and names what is unknown", async () => {
    const cli = withNorthwind(await openCli(null));
    const { code, stdout, stderr } = await preview(cli, "northwind/drafts/candidate-profile.yaml");
    expect(code).toBe(0);
    expect(stdout).toContain("╭─ Full name * ─");
    expect(stderr).toContain("Not checked: fields, modes and scripts, because the layout of the file is unknown.");
  });

  it("checks the file against its layout, shows problems at their blocks with lines, and exits with 3", async () => {
    const cli = withNorthwind(await openScene());
    const file = "northwind/drafts/document-review-broken.yaml";
    const { code, stdout } = await preview(cli, file, "--layout", REVIEW);
    expect(code).toBe(3);
    expect(stdout).toMatch(/╭─ Expires ─[^]*│ ✗ line 9: unknown field/);
    expect(stdout).toContain("REQUIRED_FIELD_MISSING\nnorthwind/drafts/document-review-broken.yaml:6:1\n2 errors");
  });

  it("compares the file with a version of its layout", async () => {
    const cli = await openScene();
    await publishTwice(cli);
    const { stdout } = await preview(cli, "a.yaml", "--layout", PROFILE, "--compare", "latest");
    expect(stdout).toContain('label: "Remarks" → "Notes"');
    expect(await preview(cli, "a.yaml", "--compare", "latest")).toMatchObject({
      code: 64,
      stderr: expect.stringContaining("--layout LAYOUT"),
    });
    expect((await preview(cli, "a.yaml", "--compare", "1", "--compare", "2")).code).toBe(64);
  });

  it("reads standard input", async () => {
    const cli = await openScene();
    cli.stdin = droppingPayRate();
    expect((await preview(cli, "-", "--layout", DESK)).stdout).toContain("Placement desk\n");
  });

  it("reports a broken or missing file with its position", async () => {
    const cli = await openScene();
    cli.file("broken.yaml", "schemaVersion: 1\nregions: []\nblocks:\n  - {type: field}\n");
    expect(await preview(cli, "broken.yaml")).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/broken.yaml:4:/),
    });
    expect(await preview(cli, "none.yaml")).toMatchObject({ code: 3, stderr: expect.stringContaining("none.yaml") });
  });

  it("can't be watched without a terminal", async () => {
    const cli = await openScene();
    expect(await preview(cli, "a.yaml", "--watch")).toMatchObject({
      code: 64,
      stderr: expect.stringContaining("--watch needs a terminal"),
    });
  });
});

describe("manifests", () => {
  it("draws each layout of a folder, with the fields of an organization file", async () => {
    const cli = withNorthwind(await openCli(null));
    const words = ["northwind/manifests", "--organization-file", "northwind/organization.yaml"];
    const { code, stdout } = await preview(cli, ...words);
    expect(code).toBe(0);
    for (const title of [PROFILE, "staffing/candidate/Candidate intake", "CONTRACTOR/Contractor card"])
      expect(stdout).toContain(`${title}\n`);
    expect(stdout).toContain("day_rate · CURRENCY");
    expect(stdout).toContain("! line 53: the section has no label.");
  });

  it("draws a layout file that a manifest next to it references, with the fields of the manifest's object", async () => {
    const cli = withNorthwind(await openScene());
    const { stdout } = await preview(cli, "northwind/manifests/candidate-profile.layout.yaml");
    expect(stdout).toContain(`${PROFILE}\nDYNAMIC_OBJECT · VIEW, EDIT`);
    expect(stdout).toContain("full_name · TEXT");
  });

  it("compares each layout with its version on the target, and marks a new layout as added", async () => {
    const cli = withNorthwind(await openScene());
    await publishTwice(cli);
    const { stdout } = await preview(cli, "northwind/manifests/candidate.yaml", "--compare", "latest");
    expect(stdout).toContain('label: "Remarks" → "Notes"');
    expect(stdout).toMatch(/Candidate intake\n[^]*compared with nothing[^]*╭─ \+ Your name \* ─/);
  });

  it("draws the valid manifests, and reports the problems of the others", async () => {
    const cli = withNorthwind(await openScene());
    cli.file("northwind/manifests/broken.yaml", "kind: Form\nobject: staffing/candidate\nname: Broken\nlayout: {}\n");
    const { code, stdout } = await preview(cli, "northwind/manifests");
    expect(code).toBe(3);
    expect(stdout).toContain(`${PROFILE}\n`);
    expect(stdout).toMatch(/broken.yaml:\d+:\d+ {2}error/);
  });

  it("refuses a file without a layout", async () => {
    const cli = await openScene();
    cli.file("other.yaml", "name: other\nversion: 1\n");
    expect((await preview(cli, "other.yaml")).stderr).toContain("error: other.yaml contains no layout");
    cli.file("form.yaml", "kind: Form\nobject: staffing/candidate\nname: Bare\ntypes: [VIEW]\n");
    expect(await preview(cli, "form.yaml")).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("form.yaml contains no layout"),
    });
  });
});

describe("modes and documents", () => {
  it("draws the blocks of one mode, and refuses a mode that the layout does not support", async () => {
    const cli = withNorthwind(await openScene());
    const file = "northwind/drafts/candidate-profile.yaml";
    const view = await preview(cli, file, "--layout", PROFILE, "--mode", "view");
    expect(view.stdout).toContain("Available from");
    expect(view.stdout).not.toContain("only VIEW");
    const edit = await preview(cli, file, "--layout", PROFILE, "--mode", "EDIT");
    expect(edit.stdout).not.toContain("Available from");
    const create = await preview(cli, file, "--layout", PROFILE, "--mode", "CREATE");
    expect(create).toMatchObject({ code: 3, stderr: expect.stringContaining("Supported modes: VIEW, EDIT") });
  });

  it("prints the previews as a document, also for a single layout", async () => {
    const cli = await openScene();
    const outcome = await preview(cli, "a.yaml", "--layout", PROFILE, "--json");
    const [shown] = outcome.json() as Preview[];
    expect(shown).toMatchObject({ title: "Candidate profile", modes: ["VIEW", "EDIT"], origin: "a.yaml" });
    expect(shown?.regions[0]?.blocks[0]).toMatchObject({
      path: "blocks[0]",
      field: { type: "TEXT" },
      isRequired: true,
    });
    expect((await preview(cli, "a.yaml", "--layout", PROFILE, "-o", "name")).stdout).toBe("Candidate profile\n");
  });
});

describe("drawings of northwind layouts", () => {
  const layouts = ["candidate-profile.layout.yaml", "placement-desk.layout.yaml", "pages/ops-board.yaml"];
  const variants = ["plain", "colour", "ascii"] as const;
  const cases = layouts.flatMap((layout) =>
    [40, 80, 200].flatMap((columns) => variants.map((variant) => [layout, columns, variant] as const)),
  );

  it.each(cases)("draws %s at %i columns (%s)", async (layout, columns, variant) => {
    const cli = withNorthwind(await openCli(null));
    cli.columns = columns;
    const colour = variant === "colour" ? "--color" : "--no-color";
    const words = [`northwind/manifests/${layout}`, "--organization-file", "northwind/organization.yaml", colour];
    const { stdout } = await preview(cli, ...words, ...(variant === "ascii" ? ["--ascii"] : []));
    const name = layout.replace(/^pages\/|(?:\.layout)?\.yaml$/g, "");
    await expect(stdout).toMatchFileSnapshot(join(DRAWINGS, `${name}-${columns}-${variant}.txt`));
  });

  it("uses only ASCII characters with --ascii", async () => {
    const cli = withNorthwind(await openCli(null));
    const { stdout } = await preview(cli, "northwind/manifests", "--ascii");
    expect(stdout).toMatch(/^[\x20-\x7e\n]*$/);
  });
});
