/** `formctl plan` and `formctl status`: differences as text, JSON and markdown. */

import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.ts";
import { openRemoteScene } from "./remote-scene.ts";

const CANDIDATE = { moduleKey: "staffing", objectKey: "candidate" };

const PROFILE = `kind: Form
object: staffing/candidate
name: Profile
types: [VIEW, EDIT]
defaultFor: [VIEW]
access: { users: [], roles: [{ role: Recruiter, types: [VIEW] }] }
layout:
  schemaVersion: 1
  regions: [{ key: main, label: Main, layout: grid, columns: 12 }]
  blocks:
    - { type: field, source: dynamic_field, ref: { fieldKey: phone }, regionKey: main }
`;

/** An organization file in which candidates have no field phone. */
const WITHOUT_PHONE = `organizations:
  - key: northwind
    name: Northwind
    roles: [{ key: recruiter, name: Recruiter }]
    modules:
      - key: staffing
        name: Staffing
        objects: [{ key: candidate, name: Candidate, fields: [{ key: full_name, name: Name, type: TEXT }] }]
`;

type Document = { exitCode: number; summary: Record<string, number>; resources: { address: string; state?: string }[] };

/** The targets of the tests: a local store, and a server. The manifests are the same. */
const targets: [string, () => Promise<Cli>][] = [
  ["a local store", async () => openCli()],
  [
    "a server",
    async () => {
      const { cli } = await openRemoteScene();
      cli.env["FORMCTL_ORGANIZATION"] = "northwind";
      const { organizations } = await cli.behind((__, local) => local.show());
      delete cli.env["FORMCTL_ORGANIZATION"];
      const northwind = organizations.find(({ key }) => key === "northwind")!;
      const recruiter = northwind.roles.find(({ name }) => name === "Recruiter")!.id;
      const references = { [cli.env["FORMCTL_BASE_URL"]!]: { roles: { Recruiter: recruiter }, members: {} } };
      cli.file("formctl.json", { references });
      return cli;
    },
  ],
];

describe.each(targets)("plan for %s", (_, open) => {
  it("reads many files, and is stopped by an error in the last one", async () => {
    const cli = await open();
    const names = Array.from({ length: 40 }, (__, index) => `Form ${index + 10}`);
    for (const name of names)
      cli.file(`many/${name}.yaml`, PROFILE.replace("Profile", name).replace("[VIEW]\n", "[]\n"));
    const { code, stdout } = await cli.run("plan", "many", "-o", "json");
    expect(code).toBe(0);
    const { resources } = JSON.parse(stdout) as Document;
    expect(resources.map(({ address }) => address)).toEqual(names.map((name) => `staffing/candidate/${name}`));

    cli.file("many/Last.yaml", PROFILE.replace("phone", "fone").replace("kind: Form", "kind: From"));
    const refused = await cli.run("plan", "many");
    expect(refused).toMatchObject({ code: 3, stdout: "" });
    expect(refused.stderr).toContain("many/Last.yaml:1");
  });

  it("refuses a default for a form that is inactive on the target, at its line", async () => {
    const cli = await open();
    cli.file("profile.yaml", PROFILE.replace("defaultFor: [VIEW]\n", "isActive: false\n"));
    expect((await cli.run("apply", "profile.yaml", "--yes")).code).toBe(0);
    cli.file("profile.yaml", PROFILE);
    for (const command of [["plan"], ["apply", "--yes"]]) {
      const { code, stdout, stderr } = await cli.run(...command, "profile.yaml");
      expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
      expect(stderr).toContain(
        "profile.yaml:5:1  error  DEFAULT_INACTIVE  defaultFor is set, but the form is inactive",
      );
      expect(stderr).toContain("Add isActive: true");
    }
    cli.file("profile.yaml", PROFILE.replace("defaultFor", "isActive: true\ndefaultFor"));
    expect((await cli.run("apply", "profile.yaml", "--yes")).code).toBe(0);
    expect((await cli.run("plan", "profile.yaml", "--detailed-exitcode")).code).toBe(0);
  });

  it("is stopped by an error in a layout only if the layout would be written", async () => {
    const cli = await open();
    const other = PROFILE.replace("name: Profile", "name: Card").replace("[VIEW]\n", "[]\n");
    cli.file("forms/profile.yaml", PROFILE);
    cli.file("forms/card.yaml", other);
    expect((await cli.run("apply", "forms", "--yes")).code).toBe(0);
    // Deletes a field that the unchanged layouts show.
    cli.file("organization.yaml", WITHOUT_PHONE);
    const run = (...words: string[]) => cli.run(...words, "forms", "--organization-file", "organization.yaml");

    const inSync = await run("plan", "--detailed-exitcode");
    expect(inSync).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Plan for .+\n\n0 to create, 0 to change, 0 to delete; 2 in sync\n$/) as string,
    });
    expect(inSync.stderr).toContain("forms/profile.yaml:11:62  warning  FIELD_UNKNOWN");
    expect(inSync.stderr).not.toContain("error  FIELD_UNKNOWN");
    expect((await run("apply", "--yes")).code).toBe(0);
    expect(await run("status", "--detailed-exitcode")).toMatchObject({ code: 0 });
    // `plan --strict` stops at the warning. `validate` still reports an error.
    expect(await run("plan", "--strict")).toMatchObject({ code: 3, stdout: "" });
    expect((await run("validate")).code).toBe(3);

    // Changes of other members are planned.
    cli.file("forms/profile.yaml", PROFILE.replace("layout:", "config: { title: Candidate }\nlayout:"));
    const beside = await run("apply", "--yes");
    expect(beside).toMatchObject({ code: 0 });
    expect(beside.stdout).toContain("1 updated");

    cli.file("forms/profile.yaml", PROFILE.replace("regionKey: main }", "regionKey: main, config: { label: Tel } }"));
    for (const words of [["plan"], ["apply", "--yes"], ["plan", "--target", "staffing/candidate/Profile"]]) {
      const { code, stdout, stderr } = await run(...words);
      expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
      expect(stderr).toContain("forms/profile.yaml:11:62  error  FIELD_UNKNOWN");
      expect(stderr).toContain("forms/card.yaml:11:62  warning  FIELD_UNKNOWN");
    }
    expect((await run("plan", "--target", "staffing/candidate/Card")).code).toBe(0);
    const status = await run("status", "--detailed-exitcode");
    expect(status.code).toBe(2);
    expect(status.stdout).toContain("changed in files");
    expect(status.stderr).toContain("forms/profile.yaml:11:62  error  FIELD_UNKNOWN");
  });

  it("reports a missing store as missing, and not its names as unknown", async () => {
    const cli = await open();
    cli.file("profile.yaml", PROFILE);
    for (const command of ["plan", "status"]) {
      const { code, stderr } = await cli.run(command, "profile.yaml", "--store", "none.db", "-o", "json");
      expect({ code, stderr }).toMatchObject({ code: 5, stderr: expect.stringContaining("STORE_MISSING") as string });
      expect(stderr).not.toContain("ROLE_UNKNOWN");
    }
    const { code, stderr } = await cli.run("validate", "profile.yaml", "--store", "none.db");
    expect(code).toBe(0);
    expect(stderr).toMatch(/the fields of the object are unknown \(the local store \S*none\.db does not exist/);
    cli.file("profile.yaml", PROFILE.replace("kind: Form", "kind: From"));
    expect(await cli.run("plan", "profile.yaml", "--store", "none.db")).toMatchObject({ code: 3 });
  });

  it("refuses a manifest with an invalid shape, as status does", async () => {
    const cli = await open();
    cli.file("profile.yaml", PROFILE.replace("regionKey: main", "regionKey: [main]"));
    for (const command of ["plan", "status"]) {
      expect(await cli.run(command, "profile.yaml")).toMatchObject({ code: 3, stdout: "" });
    }
  });

  it("knows from the lock what was applied under the former name of a manifest", async () => {
    const cli = await open();
    const draft = PROFILE.replace("types: [VIEW, EDIT]", "types: [VIEW, EDIT]\npublish: false");
    cli.file("profile.yaml", draft);
    expect((await cli.run("apply", "profile.yaml", "--no-stamp", "--yes")).code).toBe(0);
    // The draft has no stamp, so only the lock shows that it is not another user's draft. The replacement of another
    // user's draft would require a confirmation.
    cli.file(
      "profile.yaml",
      draft.replace("name: Profile", "name: Card\nrenamedFrom: Profile").replace("phone", "email"),
    );
    expect(await cli.run("apply", "profile.yaml", "--yes")).toMatchObject({ code: 0 });
    expect((await cli.run("plan", "profile.yaml", "--detailed-exitcode")).code).toBe(0);
  });

  it("prunes no form that a neighboring manifest describes, and none if such a file can't be read", async () => {
    const cli = await open();
    cli.file("forms/profile.yaml", PROFILE);
    cli.file("forms/card.yaml", PROFILE.replace("name: Profile", "name: Card").replace("[VIEW]\n", "[]\n"));
    cli.file("forms/old.yaml", PROFILE.replace("name: Profile", "name: Old").replace("[VIEW]\n", "[]\n"));
    expect((await cli.run("apply", "forms", "--yes")).code).toBe(0);
    const deletions = async (...words: string[]) => {
      const { code, stdout, stderr } = await cli.run("plan", ...words, "--prune", "-o", "json");
      if (code !== 0) return stderr;
      const { resources } = JSON.parse(stdout) as { resources: { action: string; address: string }[] };
      return resources
        .filter(({ action }) => action === "delete")
        .map(({ address }) => address)
        .toSorted();
    };
    rmSync(join(cli.cwd, "forms/old.yaml"));
    expect(await deletions("forms")).toEqual(["staffing/candidate/Old"]);
    expect(await deletions("forms/profile.yaml")).toEqual(["staffing/candidate/Old"]);
    cli.file("forms/compose.yaml", "services: {}\n");
    expect(await deletions("forms/profile.yaml")).toEqual(["staffing/candidate/Old"]);
    cli.file("forms/card.yaml", PROFILE.replace("name: Profile", "name: ${CARD}"));
    expect(await deletions("forms/profile.yaml")).toContain("forms/card.yaml");
    cli.env["CARD"] = "Card";
    expect(await deletions("forms/profile.yaml")).toEqual(["staffing/candidate/Old"]);
    cli.file("other/intake.yaml", PROFILE.replace("name: Profile", "name: Intake"));
    expect(await deletions("other")).toEqual(["Card", "Old", "Profile"].map((name) => `staffing/candidate/${name}`));
  });

  it("shows what would be created and the next command, and writes nothing", async () => {
    const cli = await open();
    cli.file("profile.yaml", PROFILE);
    const { code, stdout, stderr } = await cli.run("plan", "profile.yaml");
    expect(code).toBe(0);
    // The section "Not known to the rehearsal" depends on the target.
    const [known = ""] = stdout.split("\nNot known to the rehearsal\n");
    expect(known.replace(/^Plan for .+/, "Plan for TARGET")).toBe(
      [
        "Plan for TARGET",
        "",
        "+ create form staffing/candidate/Profile  profile.yaml:1",
        '    + types: ["VIEW","EDIT"]',
        '    + layout: "1 block in 1 region"',
        '    + access.roles.Recruiter: ["VIEW"]',
        '    ~ defaultFor: [] → ["VIEW"]',
        "",
        "1 to create, 0 to change, 0 to delete; 0 in sync",
        "",
        "Effects",
        "    ! staffing/candidate/Profile: VIEW, EDIT: no form → PUBLISHED",
        "    ! staffing/candidate: default for VIEW: none → Profile",
        "",
      ].join("\n"),
    );
    expect(stderr).toContain("Next: formctl apply profile.yaml");
    expect((await cli.run("forms", "list", "staffing/candidate", "-o", "json")).json()).toEqual([]);
  });

  it("has an exit code for pending changes, which is also in its document", async () => {
    const cli = await open();
    cli.file("profile.yaml", PROFILE);
    const { code, json } = await cli.run("plan", "profile.yaml", "--detailed-exitcode", "-o", "json");
    const { exitCode, summary } = json() as Document;
    expect([code, exitCode, summary]).toEqual([2, 2, { create: 1, update: 0, delete: 0, none: 0 }]);

    expect((await cli.run("apply", "profile.yaml", "--yes")).code).toBe(0);
    const after = await cli.run("plan", "profile.yaml", "--detailed-exitcode", "-o", "json");
    expect([after.code, (after.json() as Document).summary]).toEqual([0, { create: 0, update: 0, delete: 0, none: 1 }]);
  });

  it("saves a plan that only its owner can read, and apply refuses it when it is stale", async () => {
    const cli = await open();
    cli.file("profile.yaml", PROFILE);
    const planned = await cli.run("plan", "profile.yaml", "--out", "plan.json");
    expect(planned.stderr).toContain("Next: formctl apply plan.json");
    const path = join(cli.cwd, "plan.json");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, "utf8")).not.toContain(cli.env["FORMCTL_TOKEN"] ?? "no token");

    expect((await cli.run("apply", "plan.json", "--yes")).code).toBe(0);
    const again = await cli.run("apply", "plan.json", "--yes", "-o", "json");
    expect([again.code, again.error().code]).toEqual([6, "PLAN_STALE"]);
  });

  it("reports a missing object at its line", async () => {
    const cli = await open();
    cli.file("profile.yaml", PROFILE.replace("staffing/candidate", "staffing/candidat"));
    const { code, stderr } = await cli.run("plan", "profile.yaml");
    expect(code).toBe(5);
    expect(stderr).toContain("profile.yaml:2:9");
    expect(stderr).toContain("the object staffing/candidat does not exist");
  });

  it("reports an ambiguous name with the forms that have it", async () => {
    const cli = await open();
    cli.file("profile.yaml", PROFILE);
    for (let count = 0; count < 2; count++) {
      await cli.run(
        "forms",
        "create",
        "staffing/candidate",
        "--name",
        "Profile",
        "--types",
        "VIEW",
        "--allow-duplicate",
      );
    }
    const { code, error } = await cli.run("plan", "profile.yaml", "-o", "json");
    const { code: name, exitCode, location, message } = error();
    expect([code, name, exitCode, location]).toEqual([
      6,
      "AMBIGUOUS_NAME",
      6,
      { file: "profile.yaml", line: 3, column: 7 },
    ]);
    expect(message).toMatch(/2 records are named "Profile": frm_\w+, frm_\w+/);
  });

  it("is not stopped by ambiguous names outside --target or the manifests", async () => {
    const cli = await open();
    const plain = PROFILE.replace("[VIEW, EDIT]", "[VIEW]").replace("defaultFor: [VIEW]\n", "");
    const form = (name: string) => plain.replace("name: Profile", `name: ${name}`);
    cli.file("forms.yaml", [form("Profile"), form("Twin")].join("---\n"));
    for (const name of ["Twin", "Twin", "Nobody's", "Nobody's"]) {
      await cli.run("forms", "create", "staffing/candidate", "--name", name, "--types", "VIEW", "--allow-duplicate");
    }
    const target = ["--target", "staffing/candidate/Profile"];
    for (const words of [["plan"], ["status"], ["apply", "--yes"], ["plan", "--prune"]]) {
      const { code, stdout } = await cli.run(...words, "forms.yaml", ...target, "-o", "name");
      expect([code, stdout]).toEqual([0, words[1] === "--prune" ? "" : "staffing/candidate/Profile\n"]);
    }
    const twin = await cli.run("plan", "forms.yaml", "--target", "staffing/candidate/Twin", "-o", "json");
    expect([twin.code, twin.error().code]).toEqual([6, "AMBIGUOUS_NAME"]);
    expect((await cli.run("plan", "forms.yaml")).code).toBe(6);

    // It is unknown which of the two forms the manifest describes, so neither is pruned.
    const { json } = await cli.run("forms", "list", "staffing/candidate", "-o", "json");
    const twins = (json() as { id: string; name: string }[]).filter(({ name }) => name === "Twin");
    const address = `staffing/candidate/${twins[0]!.id}`;
    expect((await cli.run("plan", "forms.yaml", "--prune", "--target", address)).code).toBe(64);
  });

  it("shows what would be deleted and lost, and the required flag", async () => {
    const cli = await open();
    cli.file("profile.yaml", PROFILE);
    await cli.run("forms", "create", "staffing/candidate", "--name", "Old intake", "--types", "VIEW");
    const { stdout } = await cli.run("plan", "profile.yaml", "--prune");
    expect(stdout).toContain("- delete form staffing/candidate/Old intake\n");
    expect(stdout).toContain('? delete the form "Old intake", which no manifest names: requires --allow-delete\n');
    expect(stdout).toContain(
      'Will be deleted permanently: the form "Old intake", its layout with every version and draft\n',
    );
  });
});

describe("plan", () => {
  it("refuses an id that no role in the local store has", async () => {
    const cli = await openCli();
    const access = "access: { users: [], roles: [{ roleId: rol_nobody, types: [VIEW] }] }";
    cli.file("form.yaml", `kind: Form\nobject: staffing/candidate\nname: Card\ntypes: [VIEW]\n${access}\n`);
    for (const words of [["plan"], ["apply", "--yes"]]) {
      const { code, stderr } = await cli.run(...words, "form.yaml");
      expect(code).toBe(3);
      expect(stderr).toContain('access.roles[0].roleId is "rol_nobody", and the local store has no such role');
    }
    // `validate` accepts the id, which may be valid on another target.
    expect((await cli.run("validate", "form.yaml")).code).toBe(0);
  });

  it("plans only targets, and suggests the nearest address", async () => {
    const cli = await openCli();
    cli.file("profile.yaml", PROFILE);
    const { code, stderr } = await cli.run("plan", "profile.yaml", "--target", "staffing/candidate/Profil");
    expect(code).toBe(64);
    expect(stderr).toContain('Did you mean "staffing/candidate/Profile"?');
    const right = await cli.run("plan", "profile.yaml", "--target", "staffing/candidate/Profile", "-o", "name");
    expect(right.stdout).toBe("staffing/candidate/Profile\n");
  });

  it("stamps drafts with the commit of the environment", async () => {
    const cli = await openCli();
    cli.file("profile.yaml", PROFILE);
    const ref = async (env: Record<string, string>, ...flags: string[]) => {
      Object.assign(cli.env, env);
      await cli.run("plan", "profile.yaml", "--out", "plan.json", ...flags);
      return /"ref": "(\w+)"/.exec(readFileSync(join(cli.cwd, "plan.json"), "utf8"))?.[1];
    };
    expect(await ref({})).toBeUndefined();
    expect(await ref({ CI_COMMIT_SHA: "gitlab" })).toBe("gitlab");
    expect(await ref({ GITHUB_SHA: "github" })).toBe("github");
    expect(await ref({ FORMCTL_REF: "own" })).toBe("own");
    expect(await ref({}, "--no-stamp")).toBeUndefined();
    const environment = await cli.run("help", "environment");
    expect(environment.stdout).toMatch(/FORMCTL_REF/);
  });

  it("writes markdown that names from files can't break, within the length limit of a comment", async () => {
    const cli = await openCli();
    const evil = "`</code></details>@everyone <img src=x>```";
    cli.file("evil.yaml", PROFILE.replace("name: Profile", `name: ${JSON.stringify(evil)}`));
    const { stdout } = await cli.run("plan", "evil.yaml", "--format", "markdown");
    expect(stdout).toContain("**1 to create, 0 to change, 0 to delete; 0 in sync**");
    expect(stdout).not.toContain("<img");
    expect(stdout.match(/<\/details>/g)).toHaveLength(1);

    const forms = Array.from({ length: 600 }, (__, index) =>
      PROFILE.replace("Profile", `Form ${index}`).replace("[VIEW]\naccess", "[]\naccess"),
    );
    cli.file("many.yaml", forms.join("---\n"));
    const many = await cli.run("plan", "many.yaml", "--format", "markdown");
    expect(many.stdout.length).toBeLessThan(60_000);
    expect(many.stdout).toMatch(/… and \d+ more resources, which did not fit\.\n$/);
  });

  it("escapes names from a server", async () => {
    const cli = await openCli();
    cli.file("profile.yaml", PROFILE);
    await cli.behind((service) =>
      service.createForm({ ...CANDIDATE, body: { name: "Old \u001b[2J", types: ["VIEW"] } }),
    );
    const { stdout } = await cli.run("plan", "profile.yaml", "--prune");
    expect(stdout).not.toContain("\u001b");
    expect(stdout).toContain("\\u001b[2J");
  });

  it("refuses --format with -o, and --out with the path of a folder", async () => {
    const cli = await openCli();
    cli.file("profile.yaml", PROFILE);
    expect((await cli.run("plan", "profile.yaml", "--format", "markdown", "-o", "json")).code).toBe(64);
    expect((await cli.run("plan", "profile.yaml", "--format", "html")).code).toBe(64);
    const { code, stderr } = await cli.run("plan", "profile.yaml", "--out", ".");
    expect([code, stderr]).toEqual([3, expect.stringContaining("is a folder")]);
    expect(stderr).toContain("hint: Name another file, as in --out plan.json");
  });

  it("states how to repair a lock with merge conflicts", async () => {
    const cli = await openCli();
    cli.file("profile.yaml", PROFILE);
    cli.file(".formctl/runs/lock.json", '{\n  "version": 1,\n<<<<<<< HEAD\n');
    const { code, stderr } = await cli.run("plan", "profile.yaml");
    expect(code).toBe(3);
    expect(stderr).toMatch(/lock\.json:3:1/);
    expect(stderr).toContain(
      "contains merge conflict markers. Keep one version: git checkout --ours .formctl/lock.json, or --theirs",
    );
    cli.file(".formctl/runs/lock.json", '{\n  "version": 1,\n');
    expect((await cli.run("plan", "profile.yaml")).stderr).toContain("Restore it from your repository");
  });
});

describe("status", () => {
  it("suggests next commands for what it compared", async () => {
    const cli = await openCli();
    cli.file("our forms/profile.yaml", PROFILE);
    const typed = ["our forms", "--target", "staffing/candidate/Profile", "--no-publish"];
    expect((await cli.run("status", ...typed)).stderr).toContain(
      "Next: formctl plan 'our forms' --target staffing/candidate/Profile --no-publish\n",
    );
    expect((await cli.run("plan", ...typed, "--strict")).stderr).toContain(
      "Next: formctl apply 'our forms' --target staffing/candidate/Profile --no-publish --strict\n",
    );
  });

  it("prints everything on a narrow terminal", async () => {
    const cli = await openCli();
    cli.file("forms/profile.yaml", PROFILE.replace("Profile", "Profile of whoever has been with us before"));
    cli.columns = 50;
    const { stdout } = await cli.run("status", "forms", "--no-color");
    expect(stdout).not.toContain("\u2026");
    expect(stdout.replaceAll(/\s+/g, " ")).toContain("Profile of whoever has been with us before");
  });

  it("prints a line for each manifest, with the side that changed", async () => {
    const cli = await openCli();
    cli.file("forms/profile.yaml", PROFILE);
    expect((await cli.run("status", "forms")).stdout).toContain("missing  staffing/candidate/Profile");
    await cli.run("apply", "forms", "--yes");
    expect(existsSync(join(cli.cwd, ".formctl", "runs", "lock.json"))).toBe(true);
    const synced = await cli.run("status", "forms", "--detailed-exitcode", "-o", "json");
    expect([synced.code, (synced.json() as Document).resources[0]!.state]).toEqual([0, "in sync"]);

    writeFileSync(join(cli.cwd, "forms/profile.yaml"), PROFILE.replace("fieldKey: phone", "fieldKey: notes"));
    const here = await cli.run("status", "forms", "--detailed-exitcode", "-o", "json");
    expect([here.code, (here.json() as Document).exitCode, (here.json() as Document).resources[0]!.state]).toEqual([
      2,
      2,
      "changed in files",
    ]);

    await cli.run("forms", "access", "clear", "staffing/candidate/Profile", "--yes");
    const both = await cli.run("status", "forms");
    expect(both.stdout).toContain("conflict");
    expect(both.stdout).toContain("access: changed on target");
    expect(both.stderr).toContain("Next: formctl plan forms\n");
    // The change on the target may be intended, so an export is suggested too.
    const takeOver = "export staffing/candidate/Profile --into forms";
    expect(both.stderr).toContain(`Next: formctl ${takeOver}  # writes the changes on the target into the files\n`);
    expect((await cli.run("status", "forms/profile.yaml")).stderr).toContain(takeOver);
    expect(here.stderr).not.toContain("formctl export");
    expect(both.code).toBe(0);
  });

  it.each([
    ["on the target", "", "Renamed", "changed on target"],
    ["in the files", "Renamed", "Profile", "conflict"],
  ])(
    "names a form that was renamed %s by its name on the target, so that the export works",
    async (_, here, there, state) => {
      const cli = await openCli();
      cli.file("forms/profile.yaml", PROFILE);
      await cli.run("apply", "forms", "--yes");
      const renamed = PROFILE.replace("name: Profile", "name: Renamed\nrenamedFrom: Profile");
      if (here !== "") cli.file("forms/profile.yaml", renamed);
      const form = "staffing/candidate/Profile";
      const edited = here === "" ? ["update", form, "--name", "Renamed"] : ["access", "clear", form, "--yes"];
      expect((await cli.run("forms", ...edited)).code).toBe(0);
      const { stdout, stderr } = await cli.run("status", "forms");
      expect(stdout).toContain(state);
      const takeOver = ["export", `staffing/candidate/${there}`, "--into", "forms"];
      expect(stderr).toContain(`Next: formctl ${takeOver.join(" ")}  #`);
      expect((await cli.run(...takeOver)).stdout).toContain("updated    forms/profile.yaml");
      expect((await cli.run("status", "forms")).stdout).toContain(here === "" ? "in sync" : "changed in files");
    },
  );

  it("is followed by a plan that suggests an export, because an apply would revert the change", async () => {
    const cli = await openCli();
    cli.file("forms/profile.yaml", PROFILE);
    await cli.run("apply", "forms", "--yes");
    await cli.run("forms", "access", "clear", "staffing/candidate/Profile", "--yes");
    const takeOver = "export staffing/candidate/Profile --into forms";
    const changed = await cli.run("plan", "forms");
    expect(nextOf(changed.stderr)).toEqual([`${takeOver}  # writes the changes on the target into the files`]);

    // Without the lock, it is unknown which side changed.
    rmSync(join(cli.cwd, ".formctl"), { recursive: true });
    const unknown = await cli.run("plan", "forms");
    expect(`${unknown.stdout}${unknown.stderr}`).not.toContain("changed on the target");
    expect(nextOf(unknown.stderr)).toEqual([
      "apply forms  # if the files have the wanted state",
      `${takeOver} --overwrite  # if the target has the wanted state`,
    ]);
    expect((await cli.run(...takeOver.split(" "), "--overwrite")).code).toBe(0);
    expect((await cli.run("status", "forms")).stdout).toContain("in sync");
  });

  it("is followed by a plan whose next command has the required flags", async () => {
    const cli = await openCli();
    cli.file("forms/profile.yaml", PROFILE);
    cli.file("forms/card.yaml", PROFILE.replace("name: Profile", "name: Card").replace("[VIEW]\n", "[]\n"));
    await cli.run("apply", "forms", "--yes");
    rmSync(join(cli.cwd, "forms/card.yaml"));
    const { stderr } = await cli.run("plan", "forms", "--prune");
    expect(stderr).toContain("Next: formctl apply forms --prune --allow-delete\n");
    expect((await cli.run("plan", "forms", "--prune", "--out", "p.json")).stderr).toContain(
      "Next: formctl apply p.json --allow-delete\n",
    );
    expect((await cli.run("apply", "forms", "--prune", "--allow-delete", "--yes")).code).toBe(0);
  });
});

function nextOf(stderr: string): string[] {
  return [...stderr.matchAll(/^Next: formctl (.*)$/gm)].map(([, command = ""]) => command);
}
