/** A draft of another user is overwritten only with the confirmation that `formctl apply` also asks for. */

import { beforeEach, expect, it } from "vitest";
import type { LayoutVersion } from "../../src/schemas/layout.ts";
import type { Cli } from "./cli.ts";
import { fixture, openScene, PROFILE, publishTwice, withoutMutationId } from "./layouts-scene.ts";
import { openRemoteScene } from "./remote-scene.ts";

const PUSH = ["layouts", "draft", "push", PROFILE, "mine.yaml"];
const RESTORE = ["layouts", "versions", "restore", PROFILE, "1"];
const labelled = (label: string) =>
  withoutMutationId(fixture("candidate-profile.yaml")).replace("label: Notes}", `label: ${label}}`);

let cli: Cli;
beforeEach(async () => {
  cli = await openScene();
  await publishTwice(cli);
  cli.file("mine.yaml", labelled("Mine"));
});

const versions = async () =>
  (await cli.run("layouts", "versions", "list", PROFILE, "--json")).json() as LayoutVersion[];

/** Saves a draft as another user. @returns its id */
async function saveTheirs(): Promise<string> {
  const { layoutId, regions, blocks } = (await versions())[0]!;
  const theirs = blocks.slice(0, 2);
  const body = { clientMutationId: "theirs", schemaVersion: 1 as const, regions, blocks: theirs };
  return (await cli.behind((service) => service.saveDraft({ layoutId, body }))).draftVersionId;
}

const draftId = async () => (await versions()).find(({ status }) => status === "DRAFT")?.id;

it.each([
  ["push", PUSH],
  ["push with --yes", [...PUSH, "--yes"]],
  ["push --watch", [...PUSH, "--watch"]],
  ["push --publish", [...PUSH, "--publish"]],
  ["restore", RESTORE],
  ["restore with --yes", [...RESTORE, "--yes"]],
])("refuses without --allow-replace: %s", async (_, words) => {
  const theirs = await saveTheirs();
  const { code, stdout, error } = await cli.run(...words, "--json");
  expect({ code, stdout }).toEqual({ code: 8, stdout: "" });
  expect(error()).toMatchObject({ code: "CONSENT_MISSING", hint: "To confirm, add --allow-replace." });
  expect(error().message).toMatch(
    new RegExp(
      `^confirmation required: overwrite the unpublished draft ${theirs}, which you did not save from this computer.*` +
        `the draft ${theirs}: 2 blocks in \\d+ regions?, \\d+ changes? compared with the published version`,
    ),
  );
  expect(await draftId()).toBe(theirs);
});

it.each([
  ["push", PUSH],
  ["restore", RESTORE],
])("overwrites it with --allow-replace: %s", async (_, words) => {
  const theirs = await saveTheirs();
  expect((await cli.run(...words, "--allow-replace")).code).toBe(0);
  expect(await draftId()).not.toBe(theirs);
});

it("asks on a terminal, and prints the command line that does the same", async () => {
  const theirs = await saveTheirs();
  const no = await cli.answering([false], ...PUSH);
  expect({ code: no.code, asked: no.asked }).toEqual({
    code: 8,
    asked: [`Overwrite the unpublished draft ${theirs}, which you did not save from this computer?`],
  });
  expect(no.stderr).toContain(`the draft ${theirs}: 2 blocks`);
  expect(await draftId()).toBe(theirs);
  const yes = await cli.answering([true], ...PUSH);
  expect(yes.code).toBe(0);
  expect(yes.stderr).toContain(`formctl layouts draft push '${PROFILE}' mine.yaml --allow-replace\n`);
});

it("shows the loss in a dry run", async () => {
  const theirs = await saveTheirs();
  const { code, stderr } = await cli.run(...PUSH, "--dry-run");
  expect(code).toBe(0);
  expect(stderr).toContain(`the draft ${theirs}: 2 blocks`);
  expect(await draftId()).toBe(theirs);
});

it("asks for no confirmation for a draft of an earlier push, of equal content, or that the command line names", async () => {
  expect((await cli.run(...PUSH)).code).toBe(0);
  cli.file("mine.yaml", labelled("Again"));
  expect((await cli.run(...PUSH)).code).toBe(0);
  const theirs = await saveTheirs();
  expect((await cli.run(...PUSH, "--expect-draft", theirs)).code).toBe(0);
  await saveTheirs();
  cli.file("mine.yaml", (await cli.run("layouts", "versions", "get", PROFILE, "draft", "--as-draft")).stdout);
  expect((await cli.run(...PUSH)).code).toBe(0);
});

it("warns if the token may not read the draft", async () => {
  const remote = await openRemoteScene();
  remote.cli.file("forms/form.yaml", "kind: Form\nobject: staffing/candidate\nname: Card\ntypes: [VIEW]\n");
  expect((await remote.cli.run("apply", "forms", "--yes")).code).toBe(0);
  const { json } = await remote.cli.run("forms", "get", "staffing/candidate/Card", "--json");
  const { viewLayoutId } = json() as { viewLayoutId: string };
  remote.cli.env["FORMCTL_TOKEN"] = await remote.newToken(["api.view_layouts.manage"]);
  remote.cli.file("draft.yaml", "schemaVersion: 1\nregions: []\nblocks: []\n");
  const { stdout, stderr } = await remote.cli.run("layouts", "draft", "push", viewLayoutId, "draft.yaml");
  expect(stdout).toContain("Saved draft");
  expect(stderr).toContain("The current draft can't be read.");
});
