/** Tests the reports of plan, apply and status: the target, missing references and permissions, Markdown. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readDocument } from "../../src/documents/document.ts";
import { type Cli, openCli } from "./cli.ts";
import { openRemoteScene } from "./remote-scene.ts";

const form = (name: string, more = "") =>
  `kind: Form\nobject: staffing/candidate\nname: ${name}\ntypes: [VIEW]\nisActive: true\nisPublic: false\n${more}`;

function twoForms(cli: Cli): Cli {
  cli.file("forms/a.yaml", form("First"));
  cli.file("forms/b.yaml", form("Sec|ond"));
  return cli;
}

it("plan names its target first", async () => {
  const cli = twoForms(await openCli());
  const { stdout } = await cli.run("plan", "forms");
  expect(stdout).toMatch(/^Plan for the local store \S+local\.db, organization northwind\n\n\+ create form/);
});

const MEMBERS = {
  users: ["{ member: eve@b.example, types: [VIEW] }"],
  ids: { members: { "eve@b.example": "MEMBER_ID" } },
};
const ROLES = { roles: ["{ role: Auditor, types: [VIEW] }"], ids: { roles: { Auditor: "ROLE_ID" } } };

it.each([
  ["members and roles", { ...MEMBERS, ...ROLES, ids: { ...ROLES.ids, ...MEMBERS.ids } }],
  ["members alone", { roles: [], ...MEMBERS }],
  ["roles alone", { users: [], ...ROLES }],
])("prints the references that the project file lacks, ready to paste: %s", async (_kinds, { users, roles, ids }) => {
  const { cli } = await openRemoteScene();
  cli.file("forms/a.yaml", form("First", `access: { users: [${users.join()}], roles: [${roles.join()}] }\n`));
  const { code, stdout, stderr } = await cli.run("plan", "forms");
  expect([code, stdout]).toEqual([3, ""]);
  const [, hint = ""] = stderr.split("hint: ");
  expect(hint).toMatch(/^Add the ids of this server to formctl\.yaml\. The API can't look up ids by name\.\n/);
  const pasted = hint.slice(hint.indexOf("\n") + 1);
  const origin = new URL(cli.env["FORMCTL_BASE_URL"]!).origin;
  expect(readDocument(pasted, "formctl.yaml").value).toEqual({
    references: { [origin]: ids },
  });
  // The control: with the pasted lines, the plan finds the names.
  cli.file("formctl.yaml", pasted);
  expect((await cli.run("plan", "forms")).code).toBe(0);
});

it("reports a missing permission once for all resources", async () => {
  const { cli, newToken } = await openRemoteScene();
  cli.env["FORMCTL_TOKEN"] = await newToken(["api.custom_forms.read", "api.view_layouts.read"]);
  twoForms(cli);
  const { code, stderr } = await cli.run("apply", "forms", "--yes");
  expect(code).toBe(4);
  expect(stderr.match(/api\.custom_forms\.manage is required/g)).toHaveLength(1);
  expect(stderr).toContain(
    "In 2 resources, staffing/candidate/First, staffing/candidate/Sec|ond: createForm failed\nerror: ",
  );
});

it("apply --format markdown prints the outcome and a row for each changed resource", async () => {
  const cli = twoForms(await openCli());
  const { code, stdout } = await cli.run("apply", "forms", "--yes", "--format", "markdown");
  expect(code).toBe(0);
  const lines = stdout.split("\n");
  expect(lines[0]).toBe("### formctl apply");
  expect(lines[2]).toMatch(/^\*\*<code>Applied to the local store .*: 2 created\.<\/code>\*\*$/);
  expect(lines.slice(4, 8)).toEqual([
    "| Action | Resource | Steps done | Error |",
    "| --- | --- | --- | --- |",
    "| <code>create</code> | <code>staffing/candidate/First</code> | <code>1 of 1</code> |  |",
    "| <code>create</code> | <code>staffing/candidate/Sec&#124;ond</code> | <code>1 of 1</code> |  |",
  ]);
});

it("status --format markdown prints the counts and a row for each resource that is not in sync", async () => {
  const cli = twoForms(await openCli());
  await cli.run("apply", "forms/a.yaml", "--yes");
  const status = ["status", "forms", "--format", "markdown", "--detailed-exitcode"];
  const { code, stdout } = await cli.run(...status);
  expect(code).toBe(2);
  expect(stdout).toMatch(
    /^### formctl status of <code>the local store [^\n]+<\/code>\n\n\*\*1 in sync, 1 missing\*\*\n/,
  );
  expect(stdout).toContain("| <code>missing</code> | <code>staffing/candidate/Sec&#124;ond</code> |");
  expect(stdout).not.toContain("First");
  await cli.run("apply", "forms", "--yes");
  expect((await cli.run(...status)).stdout).toMatch(/\n\n\*\*2 in sync\*\*\n$/);
});

it("status --format markdown shows a name with Markdown as text", async () => {
  const cli = await openCli();
  cli.file("forms/a.yaml", form("'*New* [link](https://evil.example) ~x~'"));
  const { stdout } = await cli.run("status", "forms", "--format", "markdown");
  expect(stdout).toContain("&#42;New&#42; &#91;link&#93;(https://evil.example) &#126;x&#126;</code>");
});

it.each(["plan", "apply", "status"])("%s refuses --format markdown with -o json before any work", async (command) => {
  const cli = twoForms(await openCli());
  const { code, stdout, stderr } = await cli.run(command, "forms", "--yes", "--format", "markdown", "-o", "json");
  expect([code, stdout]).toEqual([64, ""]);
  expect(stderr).toContain("--format markdown and -o json can't be combined");
  expect(existsSync(join(cli.cwd, ".formctl"))).toBe(false);
});

it.each(["plan", "apply", "status"])(
  "%s --format markdown prints the problems of invalid manifests",
  async (command) => {
    const cli = twoForms(await openCli());
    cli.file("forms/c.yaml", form("Third", "isOpen: true\naccess: { users: {} }\n"));
    const { code, stdout, stderr } = await cli.run(command, "forms", "--format", "markdown");
    expect(code).toBe(3);
    expect(stdout).toMatch(
      new RegExp(`^### <code>formctl ${command} for the local store [^\n]+</code> failed\n\n[*]{2}3 errors[*]{2}\n`),
    );
    const rows = stdout.split("\n").filter((line) => line.startsWith("| <code>"));
    expect(rows).toHaveLength(3);
    expect(rows[0]).toMatch(
      /^\| <code>forms\/c\.yaml:7<\/code> \| <code>error<\/code> \| <code>MANIFEST&#95;INVALID<\/code> \| <code>.*isOpen.*<\/code> \|$/,
    );
    expect(stderr).toContain("forms/c.yaml:7");
  },
);

it("plan --format markdown prints the error and the next step when the target refuses the requests", async () => {
  const { cli, newToken } = await openRemoteScene();
  cli.env["FORMCTL_TOKEN"] = await newToken(["api.view_layouts.read"]);
  twoForms(cli);
  const { code, stdout } = await cli.run("plan", "forms", "--format", "markdown");
  expect(code).toBe(4);
  expect(stdout).toContain("api.custom&#95;forms.read is required");
  expect(stdout).toMatch(/\n```\n[^`]+\n```\n$/);
});

it("plan and status --format markdown print the warnings of the manifests", async () => {
  const cli = await openCli();
  cli.file("forms/a.yaml", form("First"));
  cli.file("forms/b.yaml", form("FIRST"));
  for (const command of ["plan", "status"]) {
    const { code, stdout } = await cli.run(command, "forms", "--format", "markdown");
    expect(code).toBe(0);
    expect(stdout).toContain("| <code>warning</code> | <code>NAME&#95;TWIN</code> |");
  }
});

it("plan --format markdown marks changes with characters that viewers colour", async () => {
  const cli = await openCli();
  cli.file("forms/a.yaml", form("First"));
  await cli.run("apply", "forms", "--yes");
  cli.file("forms/a.yaml", form("First").replace("isActive: true", "isActive: false").replace("VIEW", "VIEW, EDIT"));
  const { stdout } = await cli.run("plan", "forms", "--format", "markdown");
  const [, block = ""] = /```diff\n([^]*?)\n```/.exec(stdout) ?? [];
  expect(block.split("\n")).toEqual(expect.arrayContaining(["- isActive: true", "+ isActive: false"]));
  expect(block).not.toMatch(/^[~>]/m);
});

it("plan suggests the export of a change on the target, not an apply that would revert it", async () => {
  const cli = twoForms(await openCli());
  await cli.run("apply", "forms", "--yes");
  await cli.run("forms", "update", "staffing/candidate/First", "--add-type", "EDIT");
  for (const out of [[], ["--out", "plan.json"]]) {
    const { stderr } = await cli.run("plan", "forms", ...out);
    expect(stderr).toContain(
      "Next: formctl export staffing/candidate/First --into forms  # writes the changes on the target into the files\n",
    );
    expect(stderr).not.toContain("formctl apply");
  }
  await cli.run("export", "staffing/candidate/First", "--into", "forms");
  expect((await cli.run("plan", "forms")).stdout).toContain("0 to change");
});
