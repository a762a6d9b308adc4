/** `formctl layouts draft push --watch`: pushes a file on each save until Ctrl-C. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { Interrupted } from "../../src/terminal/interrupted.ts";
import type { Cli, Outcome } from "./cli.ts";
import { fixture, openScene, PROFILE, withoutMutationId } from "./layouts-scene.ts";

let cli: Cli;
beforeEach(async () => {
  cli = await openScene();
});

const FILE = "a.yaml";
const labelled = (label: string) =>
  withoutMutationId(fixture("candidate-profile.yaml")).replace("label: Notes}", `label: ${label}}`);
const save = (label: string) => cli.file(FILE, labelled(label));

/** Starts the watch. `stop` ends the watch like Ctrl-C. */
function start(...more: string[]) {
  const outcome: Promise<Outcome> = cli.run("layouts", "draft", "push", PROFILE, FILE, "--watch", ...more);
  return { outcome, stop: () => cli.ending.abort(new Interrupted()) };
}

const saved = async () => (await cli.run("layouts", "draft", "show", PROFILE, "--json")).stdout;
const expectSaved = async (label: string) => {
  await expect.poll(saved, { interval: 100 }).toContain(`"${label}"`);
};
const expectPrinted = async (text: string) => {
  await expect.poll(() => cli.printed().stderr).toContain(text);
};

it("pushes at once and after each save, and prints a line for each push or the problems of the file", async () => {
  save("One");
  const { outcome, stop } = start();
  await expectSaved("One");
  save("Two");
  await expectSaved("Two");
  cli.file(FILE, "schemaVersion: 1\nblocks: ]\n");
  await expectPrinted("YAML_SYNTAX");
  save("Three");
  await expectSaved("Three");
  stop();
  const { code, stdout, stderr } = await outcome;
  expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  expect(stderr.match(/^\d\d:\d\d:\d\d Saved draft ver_\w+ \(version \d+\): valid\.$/gm)).toHaveLength(3);
  expect(stderr).toMatch(/^a\.yaml:2:\d+ {2}error {2}YAML_SYNTAX/m);
  expect(stderr).toContain("Watching a.yaml. Stop with Ctrl-C.\n");
});

it("prints the last push as the document, and does not push a file again that has the same content", async () => {
  save("One");
  const { outcome, stop } = start("--json");
  await expectSaved("One");
  cli.file(FILE, `# only a comment\n${labelled("One")}`);
  await new Promise((resolve) => setTimeout(resolve, 500));
  stop();
  const { json, stderr } = await outcome;
  expect(stderr.match(/Saved draft/g)).toHaveLength(1);
  expect(await saved()).toContain('"One"');
  expect(json()).toMatchObject({ validation: { state: "valid" }, draftVersionId: expect.any(String) });
});

it("stops with exit code 6 if another user changes the draft", async () => {
  save("One");
  const { outcome } = start();
  await expectSaved("One");
  cli.file("theirs.yaml", labelled("Theirs"));
  await cli.run("layouts", "draft", "push", PROFILE, "theirs.yaml", "--allow-replace");
  save("Two");
  const { code, stderr } = await outcome;
  expect(code).toBe(6);
  expect(stderr).toContain("error: stopped watching a.yaml: ");
  expect(await saved()).toContain('"Theirs"');
  expect(readFileSync(join(cli.cwd, FILE), "utf8")).toContain("Two");
});

it("publishes each valid draft with --publish", async () => {
  save("One");
  const { outcome, stop } = start("--publish");
  const published = async () => (await cli.run("layouts", "versions", "get", PROFILE, "latest", "--json")).stdout;
  const expectPublished = async (label: string) => {
    await expect.poll(published, { interval: 100 }).toContain(`"${label}"`);
  };
  await expectPublished("One");
  save("Two");
  await expectPublished("Two");
  stop();
  expect((await outcome).stderr).toMatch(/valid\. Published it as version \d+\.\n/);
});

it("reports a file that does not exist, and waits for it", async () => {
  const { outcome, stop } = start();
  await expectSaved("Notes");
  stop();
  await outcome;
  cli.ending = new AbortController();
  const missing = cli.run("layouts", "draft", "push", PROFILE, "later.yaml", "--watch");
  await expectPrinted("can't read later.yaml");
  cli.file("later.yaml", labelled("Later"));
  await expectSaved("Later");
  cli.ending.abort(new Interrupted());
  expect((await missing).stderr).toContain("error: can't read later.yaml: the file or its folder does not exist");
});

it.each([
  [["--dry-run"], "--dry-run"],
  [["--client-mutation-id", "m"], "--client-mutation-id"],
])("refuses %j", async (more, name) => {
  const { code, error } = await cli.run("layouts", "draft", "push", PROFILE, FILE, "--watch", ...more, "--json");
  expect(code).toBe(64);
  expect(error().message).toBe(`--watch and ${name} can't be combined`);
});

it("refuses standard input", async () => {
  expect((await cli.run("layouts", "draft", "push", PROFILE, "-", "--watch")).code).toBe(64);
});
