/** Tests `formctl layouts draft scaffold` through command lines. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { DraftContent } from "../../src/schemas/draft.ts";
import type { SavedDraft } from "../../src/schemas/layout.ts";
import { DESK, openScene, PROFILE, REVIEW } from "./layouts-scene.ts";

type Cli = Awaited<ReturnType<typeof openScene>>;

const CARD =
  "layouts create --surface DYNAMIC_OBJECT --name Card --target moduleKey=staffing --target objectKey=placement_milestone".split(
    " ",
  );

const stateOf = async (cli: Cli, layout: string) => {
  const { code, json } = await cli.run("layouts", "draft", "push", layout, "-", "--publish", "--json");
  return [code, (json() as SavedDraft).validation.state];
};

describe("layouts draft scaffold", () => {
  it.each([PROFILE, DESK, REVIEW])("writes a draft of %s that is valid as it is", async (layout) => {
    const cli = await openScene();
    const { code, stdout } = await cli.run("layouts", "draft", "scaffold", layout);
    expect(code).toBe(0);
    cli.stdin = stdout;
    expect(await stateOf(cli, layout)).toEqual([0, "valid"]);
  });

  it.each([["VIEW"], ["CREATE"], ["CREATE,VIEW,EDIT"]])("is valid for a subordinate object in %s", async (modes) => {
    const cli = await openScene();
    const { stdout } = await cli.run(...CARD, "--modes", modes, "-o", "name");
    const id = stdout.trim();
    cli.stdin = (await cli.run("layouts", "draft", "scaffold", id, "--json")).stdout;
    expect(await stateOf(cli, id)).toEqual([0, "valid"]);
  });

  it("writes a block for every field in order, relations as tables, and keeps required fields required", async () => {
    const cli = await openScene();
    const { json } = await cli.run("layouts", "draft", "scaffold", DESK, "--json");
    const { blocks, regions } = json() as DraftContent;
    expect(regions.map(({ key }) => key)).toEqual(["main"]);
    expect(blocks.map(({ type, ref }) => `${type} ${ref?.fieldKey ?? ref?.relationFieldKey}`)).toEqual([
      "field title",
      "field candidate_id",
      "field client_name",
      "field start_date",
      "field end_date",
      "field bill_rate",
      "field pay_rate",
      "field status",
      "relation_table milestones",
    ]);
    expect(blocks.filter(({ requiredPolicy }) => requiredPolicy === "required")).toHaveLength(6);
  });

  it("writes custom fields and built-in blocks for other surfaces", async () => {
    const cli = await openScene();
    const create = ["layouts", "create", "--surface", "CONTRACTOR", "--modes", "VIEW,EDIT", "--name", "Page"];
    const id = (await cli.run(...create, "-o", "name")).stdout.trim();
    const { stdout, json } = await cli.run("layouts", "draft", "scaffold", id, "--json");
    expect((json() as DraftContent).blocks).toMatchObject([
      { type: "builtin", ref: { componentKey: "contractor.details" } },
      { type: "field", source: "custom_field", ref: { fieldKey: "risk_class" } },
    ]);
    cli.stdin = stdout;
    expect(await stateOf(cli, id)).toEqual([0, "valid"]);
  });

  it("writes a new file with --out, and never overwrites a file", async () => {
    const cli = await openScene();
    const { code, stdout, stderr } = await cli.run("layouts", "draft", "scaffold", REVIEW, "--out", "review.yaml");
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Wrote review.yaml: 7 blocks in 1 region.\n" });
    expect(stderr).toContain(`Next: formctl layouts draft push '${REVIEW}' review.yaml`);
    const path = join(cli.cwd, "review.yaml");
    writeFileSync(path, `# mine\n${readFileSync(path, "utf8")}`);
    const again = await cli.run("layouts", "draft", "scaffold", REVIEW, "--out", "review.yaml");
    expect(again.code).toBe(3);
    expect(again.stderr).toContain("review.yaml already exists\nhint: Specify a new file with --out.");
    expect(readFileSync(path, "utf8")).toMatch(/^# mine\n/);
    expect((await cli.run("layouts", "draft", "scaffold", REVIEW, "--out", "no/such/folder.yaml")).code).toBe(1);
    expect(existsSync(join(cli.cwd, "no"))).toBe(false);
  });

  it("refuses a missing layout", async () => {
    const cli = await openScene();
    expect((await cli.run("layouts", "draft", "scaffold", "staffing/candidate/None")).code).toBe(5);
    expect((await cli.run("layouts", "draft", "scaffold", "lay_none")).code).toBe(5);
  });
});
