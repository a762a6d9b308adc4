/**
 * Repeats exports of a layout that changes on the target. After each export, a plan of the files must have no changes.
 */

import { execFileSync } from "node:child_process";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contentOf } from "../../src/lists/versions.ts";
import type { Block, DraftContent } from "../../src/schemas/draft.ts";
import { anyLayoutEdits, editedLayout, numbered } from "../arbitraries/layout-edits.ts";
import { type Cli, openCli } from "../commands/cli.ts";
import { reasonWithout, skipTests } from "../skip.ts";

skipTests(reasonWithout("git"));

const OBJECT = "staffing/candidate";
const key = { moduleKey: "staffing", objectKey: "candidate" };

const field = (id: string, regionKey: string): Block => {
  return { id, type: "field", source: "dynamic_field", ref: { fieldKey: id }, regionKey, config: { label: id } };
};
const start = contentOf({
  regions: [
    { key: "main", label: "Main", layout: "grid", columns: 12 },
    { key: "side", label: "Side", layout: "sidebar", columns: 4 },
  ],
  blocks: [
    field("full_name", "main"),
    field("email", "main"),
    field("phone", "main"),
    { id: "sec", type: "section", source: "system", regionKey: "main", children: [field("notes", "main")] },
  ],
});

/** Changes an edited content so that it can be published. */
function sound(content: DraftContent): DraftContent {
  let count = 0;
  const complete = (blocks: readonly Block[]): Block[] =>
    blocks.map((block) => ({
      ...block,
      regionKey: block.regionKey ?? "main",
      ...(block.type === "custom_html" && { id: `html_${count++}` }),
      ...(block.children && { children: complete(block.children) }),
    }));
  return content.blocks.length < 2 ? start : { ...content, blocks: complete(content.blocks) };
}

/** A form that was created on the target and exported into a git repository. */
async function exported(): Promise<{ cli: Cli; publish: (content: DraftContent) => Promise<void> }> {
  const cli = await openCli();
  let count = 0;
  const publish = (content: DraftContent) =>
    cli.behind(async (service) => {
      const { data } = await service.listForms({ ...key });
      const { viewLayoutId: layoutId } =
        data.find(({ name }) => name === "Card") ??
        (await service.createForm({ ...key, body: { name: "Card", types: ["VIEW"] } }));
      const body = { clientMutationId: `save ${count}`, ...content, schemaVersion: 1 as const };
      const { draftVersionId } = await service.saveDraft({ layoutId, body });
      await service.publishLayout({ layoutId, body: { clientMutationId: `publish ${count++}`, draftVersionId } });
    });
  await publish(start);
  expect(await cli.run("export", OBJECT, "--into", "forms", "--json")).toMatchObject({ code: 0 });
  execFileSync("git", ["init", "-q"], { cwd: cli.cwd });
  return { cli, publish };
}

type Files = { files: { path: string; status: string; lines: number }[] };

/**
 * Exports into the folder.
 *
 * @returns the number of changed lines of the layout file, as reported and as git counts them
 */
async function exportAgain(cli: Cli): Promise<{ reported: number; counted: number }> {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: cli.cwd, encoding: "utf8" });
  git("add", "-A", "forms");
  const outcome = await cli.run("export", OBJECT, "--into", "forms", "--json");
  expect(outcome).toMatchObject({ code: 0 });
  const reported = (outcome.json() as Files).files.find(({ path }) => path.endsWith(".layout.yaml"))!.lines;
  const [line = ""] = git("diff", "--numstat", "--minimal", "--", "forms/staffing/candidate/card.layout.yaml").split(
    "\n",
  );
  const counted = Math.max(0, ...line.split("\t").slice(0, 2).map(Number));
  expect(await cli.run("plan", "forms", "--detailed-exitcode")).toMatchObject({ code: 0 });
  return { reported, counted };
}

describe("an export into the folder of an earlier one", () => {
  const [one, two, three, four] = start.blocks as [Block, Block, Block, Block];
  it.each<[string, Partial<DraftContent>]>([
    ["of reordered blocks", { blocks: [two, one, three, four] }],
    [
      "of a new block between others",
      { blocks: [one, { id: "new", type: "custom_html", source: "system", regionKey: "main" }, two, three, four] },
    ],
    ["of a block that was recreated with another id", { blocks: [one, { ...two, id: "new" }, three, four] }],
    ["of a deleted block", { blocks: [one, three, four] }],
    ["of reordered regions", { regions: start.regions.toReversed() }],
    [
      "of a section that moved to another region with its children",
      { blocks: [one, two, three, { ...four, regionKey: "side", children: [field("notes", "side")] }] },
    ],
  ])("%s updates the file, with and without displayOrder", async (_what, change) => {
    const { cli, publish } = await exported();
    for (const content of [numbered({ ...start, ...change }), numbered(start), { ...start, ...change }]) {
      await publish(content);
      const { reported, counted } = await exportAgain(cli);
      expect(reported).toBe(counted);
      expect(reported).toBeGreaterThan(0);
    }
  });

  it("updates the file after any edit", async () => {
    const { cli, publish } = await exported();
    let content = start;
    await fc.assert(
      fc.asyncProperty(anyLayoutEdits, fc.boolean(), async (edits, isNumbered) => {
        const after = sound(editedLayout(content, edits));
        content = isNumbered ? numbered(after) : after;
        await publish(content);
        const { reported, counted } = await exportAgain(cli);
        expect(reported).toBe(counted);
      }),
      { numRuns: 20, endOnFailure: true },
    );
  });
});
