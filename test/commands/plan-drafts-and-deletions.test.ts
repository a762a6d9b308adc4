/** Tests the reports of `plan` and `status` about interrupted applies, deleted resources and drafts. */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openProxy, refusal } from "../proxy/proxy.ts";
import { type Cli, openCli } from "./cli.ts";
import { contractorCard, layoutText } from "./manifests-scene.ts";
import { openRemoteScene } from "./remote-scene.ts";

const ADDRESS = "staffing/candidate/One";
const FORM = "kind: Form\nobject: staffing/candidate\nname: One\ntypes: [VIEW]\nlayout: ./one.layout.yaml\n";
const labelled = (label: string) => layoutText("phone").replace("label: phone", `label: ${label}`);

function say(cli: Cli, label: string): void {
  cli.file("forms/one.layout.yaml", labelled(label));
}

async function applied(cli: Cli): Promise<Cli> {
  say(cli, "A");
  cli.file("forms/one.yaml", FORM);
  expect((await cli.run("apply", "forms", "--yes")).code).toBe(0);
  return cli;
}

const plan = async (cli: Cli, ...words: string[]) => (await cli.run("plan", "forms", ...words)).stdout;

describe("a draft of an apply that was interrupted before the publication", () => {
  /** Publishes A, and then leaves an unpublished draft of B. */
  async function cutOff(): Promise<Cli> {
    const { cli, url } = await openRemoteScene();
    let isDown = false;
    const proxy = await openProxy(url, {
      request: ({ path }) => (isDown && path.endsWith("/publish") ? refusal(403) : undefined),
    });
    cli.env["FORMCTL_BASE_URL"] = proxy.url;
    await applied(cli);
    // The apply wrote the lock, which records that A is in sync.
    expect(await plan(cli)).toContain("1 in sync");
    say(cli, "B");
    isDown = true;
    expect((await cli.run("apply", "forms", "--yes")).code).toBe(9);
    isDown = false;
    return cli;
  }

  it("is published, replaced or left, as the plan states", async () => {
    const cli = await cutOff();
    const saved = "saved but not published by an earlier apply";
    expect(await plan(cli)).toMatch(new RegExp(`i the draft ver_\\w+, ${saved}, will be published as it is\n`));
    say(cli, "C");
    expect(await plan(cli)).toMatch(new RegExp(`i the draft ver_\\w+, ${saved}, will be replaced\n`));
    say(cli, "A");
    for (const text of [await plan(cli), (await cli.run("status", "forms")).stdout]) {
      expect(text).toMatch(/the unpublished draft ver_\w+ will not be changed/);
      expect(text).toContain("that draft was saved but not published by an earlier apply");
    }
    // The second plan repeats the note, even though the lock records that A is in sync.
    expect(await plan(cli)).toContain("that draft was saved but not published by an earlier apply");
  });
});

describe("a draft of another user", () => {
  it("is not taken for one of an earlier apply, and is published if it equals the manifest", async () => {
    const cli = await applied(await openCli());
    cli.file("draft.yaml", labelled("B"));
    expect((await cli.run("layouts", "draft", "push", ADDRESS, "draft.yaml")).code).toBe(0);
    expect(await plan(cli)).not.toContain("earlier apply");
    say(cli, "B");
    expect(await plan(cli)).toMatch(/i the draft ver_\w+, which has the same content, will be published as it is\n/);
    say(cli, "C");
    expect(await plan(cli)).toContain("requires --allow-replace");
    expect(await plan(cli)).not.toContain("earlier apply");
  });

  it("is shown and not exported with --no-publish", async () => {
    const cli = await applied(await openCli());
    cli.file("draft.yaml", labelled("B"));
    await cli.run("layouts", "draft", "push", ADDRESS, "draft.yaml");
    const { stdout, stderr } = await cli.run("status", "forms", "--no-publish");
    expect(stdout).toContain("changed on target");
    expect(stderr).toContain(`Next: formctl layouts draft show ${ADDRESS}  # `);
    expect(stderr).not.toContain("formctl export");
    expect((await cli.run("layouts", "draft", "show", ADDRESS)).code).toBe(0);
    // An export is suggested for another change on the target.
    await cli.run("forms", "update", ADDRESS, "--add-type", "EDIT");
    const both = (await cli.run("status", "forms", "--no-publish")).stderr;
    expect(both).toContain(`formctl export ${ADDRESS} --into forms  # writes the changes`);
    expect(both).toContain("layouts draft show");
  });

  it("does not prevent an export of a change that was published", async () => {
    const cli = await applied(await openCli());
    cli.file("draft.yaml", labelled("B"));
    await cli.run("layouts", "draft", "push", ADDRESS, "draft.yaml", "--publish");
    const { stderr } = await cli.run("status", "forms", "--no-publish");
    expect(stderr).toContain("formctl export");
    expect(stderr).not.toContain("draft show");
  });
});

describe("a deleted resource", () => {
  it("is reported as deleted, if it is a form", async () => {
    const cli = await applied(await openCli());
    const { id } = (await cli.run("forms", "get", ADDRESS, "-o", "json")).json() as { id: string };
    await cli.run("forms", "delete", ADDRESS, "--yes", "--allow-delete");
    const gone = `it existed at the last apply or export (${id}) and was deleted since: it will be created again`;
    expect(await plan(cli)).toContain(`    i ${gone}\n`);
    expect((await cli.run("status", "forms")).stdout).toContain(`missing  ${ADDRESS}  ${gone}`);
    cli.file("forms/two.yaml", FORM.replace("One", "Two"));
    expect(await plan(cli, "--target", "staffing/candidate/Two")).not.toContain("it existed");
  });

  it("is reported, if the form belongs to another manifest now", async () => {
    const cli = await applied(await openCli());
    await cli.run("forms", "update", ADDRESS, "--name", "Two");
    cli.file("forms/two.yaml", FORM.replace("One", "Two"));
    expect(await plan(cli)).toMatch(/i its former record, frm_\w+, is named "Two" now\n/);
  });

  it("is reported, if it is an archived layout", async () => {
    const cli = await openCli();
    cli.file("forms/card.yaml", contractorCard("Risk"));
    await cli.run("apply", "forms", "--yes");
    const [id = ""] = (await cli.run("layouts", "list", "-o", "name")).stdout.trim().split("\n");
    expect((await cli.run("layouts", "archive", id, "--yes", "--allow-delete")).code).toBe(0);
    expect(await plan(cli)).toContain(`(${id}) and was archived or deleted since`);
  });
});

describe("a lock with entries of a profile", () => {
  it("shows which side changed to a pipeline that names the server by its address", async () => {
    const { cli, url } = await openRemoteScene();
    await applied(cli);
    await cli.run("profiles", "add", "prod", "--base-url", url);
    delete cli.env["FORMCTL_BASE_URL"];
    rmSync(join(cli.cwd, ".formctl"), { recursive: true });
    expect((await cli.run("export", "staffing/candidate", "--into", "forms", "--profile", "prod")).code).toBe(0);
    const update = ["forms", "update", ADDRESS, "--add-type", "EDIT", "-q", "--profile", "prod"];
    expect((await cli.run(...update)).code).toBe(0);
    cli.env["FORMCTL_BASE_URL"] = url;
    const told = async () => (await cli.run("status", "forms", "-o", "json")).json() as { resources: object[] };
    expect((await told()).resources).toMatchObject([{ address: ADDRESS, drift: { types: "target", name: "same" } }]);
    // The lock shows that only the target changed, so the change can be exported.
    expect((await cli.run("export", "staffing/candidate", "--into", "forms")).code).toBe(0);
    expect((await told()).resources).toMatchObject([{ address: ADDRESS, drift: { types: "same" } }]);
  });
});
