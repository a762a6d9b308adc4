/** What `plan` and `status` say of what an earlier apply has left, of what is gone, and of drafts. */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { startServer } from "../client/table-server.ts";
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

describe("a draft that an apply has saved and was cut off before it was published", () => {
  /** Of B, beside the published A. */
  async function cutOff(): Promise<Cli> {
    const { cli, url } = await openRemoteScene();
    let isDown = false;
    const server = await startServer(async (received) => {
      const { method, url: path, headers, body } = received;
      if (isDown && path.endsWith("/publish")) return { status: 403, body: { error: { code: "NO", message: "no" } } };
      const authorization = headers.authorization ?? "";
      const init = { method, headers: { authorization, "content-type": "application/json" }, ...(body && { body }) };
      const response = await fetch(`${url}${path}`, init);
      return { status: response.status, body: await response.text() };
    });
    onTestFinished(() => server.close());
    cli.env["FORMCTL_BASE_URL"] = server.url;
    await applied(cli);
    // From here on it is known to be in place.
    expect(await plan(cli)).toContain("1 in sync");
    say(cli, "B");
    isDown = true;
    expect((await cli.run("apply", "forms", "--yes")).code).toBe(9);
    isDown = false;
    return cli;
  }

  it("is published as it is, replaced, or left alone, and the plan says which", async () => {
    const cli = await cutOff();
    const saved = "which an earlier apply has saved and not published";
    expect(await plan(cli)).toMatch(new RegExp(`i the draft ver_\\w+, ${saved}, is published as it is\n`));
    say(cli, "C");
    expect(await plan(cli)).toMatch(new RegExp(`i the draft ver_\\w+, ${saved}, is replaced\n`));
    say(cli, "A");
    for (const text of [await plan(cli), (await cli.run("status", "forms")).stdout]) {
      expect(text).toMatch(/an unpublished draft, ver_\w+, is left alone/);
      expect(text).toContain("an earlier apply has saved that draft and not published it");
    }
    // What is in place is known by then, and yet it is told again.
    expect(await plan(cli)).toContain("an earlier apply has saved that draft");
  });
});

describe("a draft that somebody else has saved", () => {
  it("is no earlier apply's, and what says the same is published as it is", async () => {
    const cli = await applied(await openCli());
    cli.file("draft.yaml", labelled("B"));
    expect((await cli.run("layouts", "draft", "push", ADDRESS, "draft.yaml")).code).toBe(0);
    expect(await plan(cli)).not.toContain("earlier apply");
    say(cli, "B");
    expect(await plan(cli)).toMatch(/i the draft ver_\w+, which says the same, is published as it is\n/);
    say(cli, "C");
    expect(await plan(cli)).toContain("requires --allow-replace");
    expect(await plan(cli)).not.toContain("earlier apply");
  });

  it("is shown, and not exported, where drafts are compared", async () => {
    const cli = await applied(await openCli());
    cli.file("draft.yaml", labelled("B"));
    await cli.run("layouts", "draft", "push", ADDRESS, "draft.yaml");
    const { stdout, stderr } = await cli.run("status", "forms", "--no-publish");
    expect(stdout).toContain("changed there");
    expect(stderr).toContain(`Next: formctl layouts draft show ${ADDRESS}  # `);
    expect(stderr).not.toContain("formctl export");
    expect((await cli.run("layouts", "draft", "show", ADDRESS)).code).toBe(0);
    // What else has been changed there is what an export is for.
    await cli.run("forms", "update", ADDRESS, "--add-type", "EDIT");
    const both = (await cli.run("status", "forms", "--no-publish")).stderr;
    expect(both).toContain(`formctl export ${ADDRESS} --into forms  # takes over`);
    expect(both).toContain("layouts draft show");
  });

  it("does not stand in the way of an export of what somebody has published", async () => {
    const cli = await applied(await openCli());
    cli.file("draft.yaml", labelled("B"));
    await cli.run("layouts", "draft", "push", ADDRESS, "draft.yaml", "--publish");
    const { stderr } = await cli.run("status", "forms", "--no-publish");
    expect(stderr).toContain("formctl export");
    expect(stderr).not.toContain("draft show");
  });
});

describe("what was there and is not any more", () => {
  it("is told of a form: that it was deleted, and not that there never was one", async () => {
    const cli = await applied(await openCli());
    const { id } = (await cli.run("forms", "get", ADDRESS, "-o", "json")).json() as { id: string };
    await cli.run("forms", "delete", ADDRESS, "--yes", "--allow-delete");
    const gone = `it was there when it was last applied or exported (${id}), and has been deleted since: it is made anew`;
    expect(await plan(cli)).toContain(`    i ${gone}\n`);
    expect((await cli.run("status", "forms")).stdout).toContain(`not there  ${ADDRESS}  ${gone}`);
    cli.file("forms/two.yaml", FORM.replace("One", "Two"));
    expect(await plan(cli, "--target", "staffing/candidate/Two")).not.toContain("it was there");
  });

  it("is told of a form that another manifest has by now", async () => {
    const cli = await applied(await openCli());
    await cli.run("forms", "update", ADDRESS, "--name", "Two");
    cli.file("forms/two.yaml", FORM.replace("One", "Two"));
    expect(await plan(cli)).toMatch(/i what it was, frm_\w+, is called "Two" there now\n/);
  });

  it("is told of a layout that was archived", async () => {
    const cli = await openCli();
    cli.file("forms/card.yaml", contractorCard("Risk"));
    await cli.run("apply", "forms", "--yes");
    const [id = ""] = (await cli.run("layouts", "list", "-o", "name")).stdout.trim().split("\n");
    expect((await cli.run("layouts", "archive", id, "--yes", "--allow-delete")).code).toBe(0);
    expect(await plan(cli)).toContain(`(${id}), and has been archived or deleted since`);
  });
});

describe("a lock that people have filled by a profile", () => {
  it("tells a pipeline, which names the server by its address, who has changed what", async () => {
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
    expect((await told()).resources).toMatchObject([{ address: ADDRESS, drift: { types: "there", name: "same" } }]);
    // Both know now what was changed there alone, so that it can be taken.
    expect((await cli.run("export", "staffing/candidate", "--into", "forms")).code).toBe(0);
    expect((await told()).resources).toMatchObject([{ address: ADDRESS, drift: { types: "same" } }]);
  });
});
