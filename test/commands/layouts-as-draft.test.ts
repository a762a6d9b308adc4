/** Tests `formctl layouts versions get --as-draft`. The command turns any version into a file for `draft push`. */

import * as fc from "fast-check";
import { expect, it } from "vitest";
import { soundDraft, wildDraft } from "../arbitraries/draft.ts";
import { DESK, droppingPayRate, openScene, PROFILE, publishTwice } from "./layouts-scene.ts";

const get = (version: string, ...more: string[]) => ["layouts", "versions", "get", PROFILE, version, ...more];

it("prints YAML, or JSON with -o json, and nothing else", async () => {
  const cli = await openScene();
  await publishTwice(cli);
  const { code, stdout, stderr } = await cli.run(...get("1", "--as-draft"));
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^schemaVersion: 1\nregions:\n {2}- key: /);
  expect((await cli.run(...get("1", "--as-draft", "-o", "yaml"))).stdout).toBe(stdout);
  const { json } = await cli.run(...get("1", "--as-draft", "--json"));
  expect(Object.keys(json() as object)).toEqual([
    "schemaVersion",
    "regions",
    "blocks",
    "stagedFieldDefinitions",
    "scriptBindings",
    "metadata",
  ]);
});

it("pushes to the same draft, whatever the draft is", async () => {
  const cli = await openScene();
  const shown = async () => (await cli.run("layouts", "draft", "show", PROFILE, "--json")).stdout;
  const drafts = fc.oneof(
    soundDraft.map(({ draft }) => draft),
    wildDraft,
  );
  const property = fc.asyncProperty(drafts, fc.constantFrom("yaml", "json"), async (draft, format) => {
    cli.stdin = JSON.stringify(draft);
    await cli.run("layouts", "draft", "push", PROFILE, "-");
    const before = await shown();
    cli.stdin = (await cli.run(...get("draft", "--as-draft", "-o", format))).stdout;
    await cli.run("layouts", "draft", "push", PROFILE, "a.yaml");
    const { code, stderr } = await cli.run("layouts", "draft", "push", PROFILE, "-");
    expect({ isSaved: code === 0 || code === 3, stderr }).toMatchObject({ isSaved: true });
    expect(await shown()).toBe(before);
  });
  await fc.assert(property, { numRuns: 25 });
});

it.each(["1", "2", "latest"])(
  "pushes to a draft that does not differ from the published version %s",
  async (version) => {
    const cli = await openScene();
    await publishTwice(cli);
    cli.stdin = (await cli.run(...get(version, "--as-draft"))).stdout;
    expect((await cli.run("layouts", "draft", "push", PROFILE, "-")).code).toBe(0);
    const { code, stdout } = await cli.run("layouts", "versions", "diff", PROFILE, version, "draft");
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  },
);

it("does not stage the fields again that a published version has staged", async () => {
  const cli = await openScene();
  cli.file("drop.yaml", droppingPayRate());
  await cli.run("layouts", "draft", "push", DESK, "drop.yaml");
  await cli.run("layouts", "publish", DESK, "--confirm-field-change", "d_pay");
  const { stdout } = await cli.run("layouts", "versions", "get", DESK, "latest", "--as-draft");
  expect(stdout).toContain("stagedFieldDefinitions: []");
  cli.stdin = stdout;
  expect((await cli.run("layouts", "draft", "push", DESK, "-")).code).toBe(0);
});

it("suggests how to edit a version", async () => {
  const cli = await openScene();
  await publishTwice(cli);
  const { stderr } = await cli.run(...get("1"));
  expect(stderr).toContain(`Next: formctl layouts versions get '${PROFILE}' 1 --as-draft > draft.yaml`);
  await cli.run("layouts", "draft", "push", PROFILE, "a2.yaml");
  expect((await cli.run(...get("draft"))).stderr).toBe(`Next: formctl layouts edit '${PROFILE}'\n`);
});
