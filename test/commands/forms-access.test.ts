/** Tests `formctl forms access` through command lines. */

import { describe, expect, it } from "vitest";
import { resolveSubject } from "../../src/commands/local-names.ts";
import { type Cli, openCli } from "./cli.ts";
import { accessNow, aForm, giveAccess, people, PROFILE } from "./forms-scene.ts";

const ACCESS = ["forms", "access"] as const;

/**
 * Creates the form "Candidate profile". Its access has a row for ana (VIEW, EDIT), dana (VIEW) and the role recruiter
 * (VIEW).
 */
async function aSharedForm(cli: Cli) {
  const form = await aForm(cli, "Candidate profile", ["VIEW", "EDIT"]);
  const ids = (await people(cli)) as Record<"ana" | "bo" | "dana" | "recruiter" | "account_manager", string>;
  const rows = {
    ana: { membershipId: ids.ana, types: ["VIEW" as const, "EDIT" as const] },
    dana: { membershipId: ids.dana, types: ["VIEW" as const] },
    recruiter: { roleId: ids.recruiter, types: ["VIEW" as const] },
  };
  const matrix = { users: [rows.ana, rows.dana], roles: [rows.recruiter] };
  await giveAccess(cli, form, matrix);
  return { form, ids, rows, matrix };
}

describe("forms access show", () => {
  it("shows who has which mode, by name where names are known", async () => {
    const cli = await openCli();
    const { ids, matrix } = await aSharedForm(cli);
    const { code, stdout } = await cli.run(...ACCESS, "show", PROFILE);
    expect(code).toBe(0);
    expect(stdout.split("\n").map((line) => line.replace(/ {2,}/g, " | "))).toEqual([
      "WHO | NAME | ID | VIEW | EDIT",
      `user | Ana Ito <ana@northwind.example> | ${ids.ana} | yes | yes`,
      `user | Dana Roy <dana@northwind.example> | ${ids.dana} | yes | -`,
      `role | Recruiter | ${ids.recruiter} | yes | -`,
      "",
    ]);
    expect((await cli.run(...ACCESS, "show", PROFILE, "--json")).json()).toEqual(matrix);
    const names = await cli.run(...ACCESS, "show", PROFILE, "-o", "name");
    expect(names.stdout).toBe(`${ids.ana}\n${ids.dana}\n${ids.recruiter}\n`);
  });

  it("reports that there are no access rows", async () => {
    const cli = await openCli();
    await aForm(cli, "Candidate profile", ["VIEW"]);
    const { stdout, stderr } = await cli.run(...ACCESS, "show", PROFILE);
    expect(stdout).toBe("");
    expect(stderr).toContain("No member or role");
  });
});

describe("forms access grant", () => {
  it("adds modes and rows, and removes none", async () => {
    const cli = await openCli();
    const { form, ids, rows } = await aSharedForm(cli);
    const who = ["--role", "recruiter", "--role", "Account Manager", "--member", "DANA@northwind.example"];
    const outcome = await cli.run(...ACCESS, "grant", PROFILE, ...who, "--types", "edit", "--json");
    expect(outcome.code).toBe(0);
    expect(outcome.json()).toEqual({
      users: [rows.ana, { membershipId: ids.dana, types: ["VIEW", "EDIT"] }],
      roles: [
        { roleId: ids.recruiter, types: ["VIEW", "EDIT"] },
        { roleId: ids.account_manager, types: ["EDIT"] },
      ],
    });
    expect(await accessNow(cli, form)).toEqual(outcome.json());
  });

  it("accepts ids, and grants a role that is named twice once", async () => {
    const cli = await openCli();
    const { ids } = await aSharedForm(cli);
    const who = ["--member", ids.bo, "--role", ids.account_manager, "--role", "account_manager"];
    const { json } = await cli.run(...ACCESS, "grant", PROFILE, ...who, "--types", "VIEW", "--json");
    expect(json()).toMatchObject({ users: [{}, {}, { membershipId: ids.bo }], roles: [{}, { types: ["VIEW"] }] });
  });

  it("sends nothing when all of it is granted already", async () => {
    const cli = await openCli();
    await aSharedForm(cli);
    const outcome = await cli.run(...ACCESS, "grant", PROFILE, "--role", "Recruiter", "--types", "VIEW");
    expect(outcome.code).toBe(0);
    expect(outcome.stderr).toBe("Nothing to change.\n");
    expect(outcome.stdout).toContain("Recruiter");
  });

  it.each<[options: string[], code: number, message: string, hint: string]>([
    [["--types", "VIEW"], 64, "specify --role or --member", "--role: account_manager"],
    [["--role", "recruiter"], 64, "missing option --types", "--types: CREATE, VIEW, EDIT"],
    [
      ["--role", "recruiter", "--types", "CREATE"],
      3,
      '"Candidate profile" does not support CREATE',
      "It has VIEW, EDIT",
    ],
    [["--role", "recruter", "--types", "VIEW"], 5, 'the role "recruter"', 'Did you mean "recruiter"?'],
    [["--role", "Nurse", "--types", "VIEW"], 5, 'the role "Nurse"', "formctl local show"],
    [["--member", "bob@northwind.example", "--types", "VIEW"], 5, "the member", 'mean "bo@northwind.example"?'],
    [["--member", "recruiter", "--types", "VIEW"], 5, 'the member "recruiter"', "formctl local show"],
  ])("refuses %j and changes nothing", async (options, code, message, hint) => {
    const cli = await openCli();
    const { form, matrix } = await aSharedForm(cli);
    const outcome = await cli.run(...ACCESS, "grant", PROFILE, ...options, "--json");
    expect(outcome.code).toBe(code);
    expect(outcome.error().message).toContain(message);
    expect(outcome.error().hint).toContain(hint);
    expect(await accessNow(cli, form)).toEqual(matrix);
  });

  it("prints the whole matrix with --dry-run, and sends nothing", async () => {
    const cli = await openCli();
    const { form, ids, rows, matrix } = await aSharedForm(cli);
    const options = ["--member", "bo@northwind.example", "--types", "VIEW", "--dry-run", "--json"];
    const dry = await cli.run(...ACCESS, "grant", PROFILE, ...options);
    expect(dry.json()).toEqual({
      dryRun: true,
      requests: [
        {
          method: "PUT",
          path: `/v1/custom-modules/staffing/objects/candidate/forms/${form.id}/access`,
          body: { users: [rows.ana, rows.dana, { membershipId: ids.bo, types: ["VIEW"] }], roles: [rows.recruiter] },
        },
      ],
    });
    expect(await accessNow(cli, form)).toEqual(matrix);
  });
});

describe("forms access revoke", () => {
  it("removes a mode, and the row with its last mode", async () => {
    const cli = await openCli();
    const { ids, rows } = await aSharedForm(cli);
    const who = ["--member", "ana@northwind.example", "--role", "Recruiter"];
    const { json } = await cli.run(...ACCESS, "revoke", PROFILE, ...who, "--types", "VIEW", "--json");
    expect(json()).toEqual({ users: [{ membershipId: ids.ana, types: ["EDIT"] }, rows.dana], roles: [] });
  });

  it("removes the whole row without --types", async () => {
    const cli = await openCli();
    const { ids, rows } = await aSharedForm(cli);
    const { json } = await cli.run(...ACCESS, "revoke", PROFILE, "--member", ids.ana, "--json");
    expect(json()).toEqual({ users: [rows.dana], roles: [rows.recruiter] });
  });

  it("sends nothing where there is nothing to take", async () => {
    const cli = await openCli();
    await aSharedForm(cli);
    const outcome = await cli.run(...ACCESS, "revoke", PROFILE, "--role", "account_manager");
    expect(outcome).toMatchObject({ code: 0, stderr: "Nothing to change.\n" });
    expect((await cli.run(...ACCESS, "revoke", PROFILE)).code).toBe(64);
  });
});

describe("forms access set", () => {
  it("replaces the whole matrix from a file, with names or ids", async () => {
    const cli = await openCli();
    const { form, ids } = await aSharedForm(cli);
    const file = cli.file(
      "access.yaml",
      `users:\n  - { member: bo@northwind.example, types: [EDIT] }\nroles:\n  - { roleId: ${ids.recruiter}, types: [VIEW] }\n`,
    );
    const unasked = await cli.run(...ACCESS, "set", PROFILE, "-f", file, "--json");
    expect(unasked.code).toBe(8);
    expect(unasked.error().message).toContain("access of user Ana Ito <ana@northwind.example>: VIEW, EDIT");
    expect(unasked.error().message).toContain("access of user Dana Roy <dana@northwind.example>: VIEW");
    expect(unasked.error().message).not.toContain("Recruiter");
    const done = await cli.run(...ACCESS, "set", PROFILE, "-f", file, "--yes", "--json");
    expect(done.json()).toEqual({
      users: [{ membershipId: ids.bo, types: ["EDIT"] }],
      roles: [{ roleId: ids.recruiter, types: ["VIEW"] }],
    });
    expect(await accessNow(cli, form)).toEqual(done.json());
  });

  it("requires no confirmation if no access is removed", async () => {
    const cli = await openCli();
    const { ids, matrix } = await aSharedForm(cli);
    const roles = [...matrix.roles, { role: "account_manager", types: ["VIEW"] }];
    const file = cli.file("access.json", { ...matrix, roles });
    const outcome = await cli.run(...ACCESS, "set", PROFILE, "-f", file, "--json");
    expect(outcome.code).toBe(0);
    expect(outcome.json()).toMatchObject({ roles: [{}, { roleId: ids.account_manager }] });
  });

  it("accepts the output of show, and changes nothing", async () => {
    const cli = await openCli();
    await aSharedForm(cli);
    cli.stdin = (await cli.run(...ACCESS, "show", PROFILE, "-o", "yaml")).stdout;
    const outcome = await cli.run(...ACCESS, "set", PROFILE, "-f", "-");
    expect(outcome).toMatchObject({ code: 0, stderr: "Nothing to change.\n" });
  });

  it("asks for confirmation at a terminal", async () => {
    const cli = await openCli();
    const { form, matrix } = await aSharedForm(cli);
    const file = cli.file("none.yaml", "{users: [], roles: []}");
    const declined = await cli.answering([false], ...ACCESS, "set", PROFILE, "-f", file);
    expect(declined).toMatchObject({ code: 8, asked: ['Replace the access rows of "Candidate profile"?'] });
    expect(await accessNow(cli, form)).toEqual(matrix);
    await cli.answering([true], ...ACCESS, "set", PROFILE, "-f", file);
    expect(await accessNow(cli, form)).toEqual({ users: [], roles: [] });
  });

  it.each<[what: string, content: string, message: RegExp]>([
    ["one list only", "users: []", /a\.yaml:1:1 .*roles is required/],
    ["no types", "users: []\nroles: [{role: Recruiter, types: []}]", /a\.yaml:2:27 .*roles\[0\]\.types must name/],
    [
      "an unknown mode",
      "users: []\nroles: [{role: Recruiter, types: [SEE]}]",
      /a\.yaml:2:35 .*types\[0\] must be one of/,
    ],
    [
      "an unsupported mode",
      "users: []\nroles: [{role: Recruiter, types: [CREATE]}]",
      /a\.yaml:2:35 .*Modes: VIEW, EDIT/,
    ],
    [
      "a role that is not there",
      "users: []\nroles: [{role: Recruter, types: [VIEW]}]",
      /a\.yaml:2:16 .*Did you mean "recruiter"/,
    ],
    [
      "a member that is not there",
      "users: [{membershipId: mem_1, types: [VIEW]}]\nroles: []",
      /a\.yaml:1:24 .*the member "mem_1" does not exist/,
    ],
    ["neither name nor id", "users: [{types: [VIEW]}]\nroles: []", /a\.yaml:1:9 .*either membershipId or member/],
    [
      "a name and an id",
      "users: []\nroles: [{role: a, roleId: b, types: [VIEW]}]",
      /a\.yaml:2:9 .*either roleId or role/,
    ],
    [
      "one role by two names",
      "users: []\nroles:\n  - {role: Recruiter, types: [VIEW]}\n  - {role: recruiter, types: [EDIT]}",
      /a\.yaml:4:12 .*roles\[1\]\.role repeats "recruiter"/,
    ],
    ["an unknown member", "users: []\nroles: []\nteams: []", /a\.yaml:3:1 .*teams is not a known member/],
  ])("refuses a file with %s", async (_what, content, message) => {
    const cli = await openCli();
    const { form, matrix } = await aSharedForm(cli);
    const outcome = await cli.run(...ACCESS, "set", PROFILE, "-f", cli.file("a.yaml", content), "--yes");
    expect(outcome).toMatchObject({ code: 3, stdout: "" });
    expect(outcome.stderr).toMatch(message);
    expect(await accessNow(cli, form)).toEqual(matrix);
  });

  it("needs a file", async () => {
    const cli = await openCli();
    const outcome = await cli.run(...ACCESS, "set", PROFILE);
    expect(outcome.code).toBe(64);
    expect(outcome.stderr).toContain("missing option --file");
  });
});

describe("forms access clear", () => {
  it("shows which access is removed, and removes every row after confirmation", async () => {
    const cli = await openCli();
    const { form } = await aSharedForm(cli);
    const unasked = await cli.run(...ACCESS, "clear", PROFILE, "--json");
    expect(unasked.code).toBe(8);
    expect(unasked.error().message).toContain("access of role Recruiter: VIEW");
    const done = await cli.run(...ACCESS, "clear", PROFILE, "--yes", "--json");
    expect(done.json()).toEqual({ users: [], roles: [] });
    expect(await accessNow(cli, form)).toEqual({ users: [], roles: [] });
    expect((await cli.run(...ACCESS, "clear", PROFILE)).code).toBe(0);
  });
});

describe("without known names", () => {
  it("accepts ids, and refuses names", () => {
    expect(resolveSubject(undefined, "role", "rol_1", [])).toEqual({ kind: "role", id: "rol_1" });
    expect(() => resolveSubject(undefined, "role", "Account Manager", [])).toThrow(
      '"Account Manager" is not a valid role id',
    );
  });

  it("refuses an ambiguous name", () => {
    const twins = ["rol_1", "rol_2"].map((id) => ({ id, names: [id, "Twin"], shown: "Twin" }));
    expect(() => resolveSubject({ role: twins, user: [] }, "role", "twin", [])).toThrow(
      '2 roles are named "twin": rol_1, rol_2',
    );
  });
});
