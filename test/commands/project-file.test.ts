/** Tests the project file: the settings for manifests and names, and refused settings. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadSettings } from "../../src/config/settings.ts";
import { openCli } from "./cli.ts";
import { turns } from "../state/turns.ts";

const settingsOf = (cwd: string, home: string) =>
  loadSettings({ host: { ...turns, env: { FORMCTL_HOME: home }, cwd }, flags: {} });

it("sets the folder of the manifests, and the ids of names", async () => {
  const cli = await openCli(null);
  cli.file(
    "formctl.yaml",
    `profile: prod
manifests: ./forms
migrations: changes/2026
references:
  prod: { roles: { Recruiter: rol_1, "Account / Manager": rol_2 }, members: { dana@northwind.example: mem_1 } }
  https://forms.example.com: { roles: { Recruiter: rol_9 } }
`,
  );
  const settings = await settingsOf(cli.cwd, cli.home);
  expect(settings.root).toBe(cli.cwd);
  expect(settings.manifests).toBe(join(cli.cwd, "forms"));
  expect(settings.migrations).toBe(join(cli.cwd, "changes", "2026"));
  expect(settings.references).toEqual({
    prod: {
      roles: { Recruiter: "rol_1", "Account / Manager": "rol_2" },
      members: { "dana@northwind.example": "mem_1" },
    },
    "https://forms.example.com": { roles: { Recruiter: "rol_9" }, members: {} },
  });
});

it("sets what a promotion keeps, and the ids of further records", async () => {
  const cli = await openCli(null);
  cli.file(
    "formctl.yaml",
    `references: { prod: { scripts: { guard: scr_1 }, fields: { CONTRACTOR/risk: fld_1 }, modules: { A: a }, others: { Q: q } } }
promote:
  keep:
    "*": [isActive]
    staffing/candidate/*: [config.title, 'layout.blocks[help].config.url', 'layout.metadata["a b"]']
`,
  );
  const { references, keep } = await settingsOf(cli.cwd, cli.home);
  expect(references).toEqual({
    prod: {
      roles: {},
      members: {},
      scripts: { guard: "scr_1" },
      fields: { "CONTRACTOR/risk": "fld_1" },
      modules: { A: "a" },
      others: { Q: "q" },
    },
  });
  expect(keep).toEqual({
    "*": ["isActive"],
    "staffing/candidate/*": ["config.title", "layout.blocks[help].config.url", 'layout.metadata["a b"]'],
  });
});

it("uses the repository or the working directory as the root", async () => {
  const cli = await openCli(null);
  const deep = join(cli.cwd, "a", "b");
  mkdirSync(deep, { recursive: true });
  expect((await settingsOf(deep, cli.home)).root).toBe(deep);
  mkdirSync(join(cli.cwd, ".git"));
  expect(await settingsOf(deep, cli.home)).toMatchObject({ root: cli.cwd, manifests: undefined, references: {} });
  cli.file("a/formctl.json", {});
  const settings = await settingsOf(deep, cli.home);
  expect(settings).toMatchObject({ root: join(cli.cwd, "a"), migrations: join(cli.cwd, "a", "migrations") });
});

it.each([
  ["manifests: ../other", "1:12 manifests must be a folder below the project file, relative to it"],
  ["manifests: a/../../b", "1:12 manifests must be a folder below the project file, relative to it"],
  ["manifests: /srv/forms", "1:12 manifests must be a folder below the project file, relative to it"],
  [String.raw`manifests: 'C:\forms'`, "1:12 manifests must be a folder below the project file, relative to it"],
  ["manifests: [a]", "1:1 manifests must be a folder, such as `manifests: forms`"],
  ["migrations: ../other", "1:13 migrations must be a folder below the project file, relative to it"],
  ["migrations: []", "1:1 migrations must be a folder, such as `migrations: changes`"],
  ["references: [a]", "1:1 references must map a profile or the origin of a server to its roles and members"],
  ["references: { prod: x }", "1:21 references.prod must have roles or members"],
  ["references: { prod: { rolse: {} } }", "1:23 unknown member references.prod.rolse. Valid members: roles, members"],
  ["references: { prod: { roles: [a] } }", "1:23 references.prod.roles must map names to ids"],
  ["references: { prod: { roles: { Lead: 7 } } }", "1:38 references.prod.roles.Lead must be an id"],
  ['references: { prod: { members: { "a b": "x/y" } } }', '1:41 references.prod.members["a b"] must be an id'],
  ["references: { prod: { scripts: { a: x/y } } }", "1:37 references.prod.scripts.a must be an id"],
  ["promote: keep", "1:10 promote must have keep, which maps addresses to paths"],
  ["promote: { kept: {} }", "1:12 unknown member promote.kept. Valid members: keep"],
  ["promote: { keep: { a: access } }", "1:23 promote.keep.a must be a list of paths, such as [isActive]"],
  [
    "promote: { keep: { a: [name] } }",
    "1:24 promote.keep.a[0] must start with one of config, metadata, layout, access",
  ],
  ["promote: { keep: { a: [access.roles] } }", "1:24 promote.keep.a[0] must name access as a whole"],
  ["promote: { keep: { a: [7] } }", "1:24 promote.keep.a[0] must be a path, such as config.title"],
  ["promote: { keep: { a: ['layout.blocks[b]'] } }", "1:24 promote.keep.a[0] must end with a member of an item"],
  ["baseUrl: https://evil.example.com", "1:10 baseUrl belongs in a profile. Use: formctl profiles add"],
  ["references: {}\ntoken: x", '2:8 unknown setting "token". Valid settings:'],
])("is refused at its place: %s", async (text, message) => {
  const cli = await openCli(null);
  cli.file("formctl.yaml", text);
  const { code, error } = await cli.run("config", "list", "-o", "json");
  expect(code).toBe(3);
  const { problems } = error() as unknown as { problems: { line: number; column: number; message: string }[] };
  expect(problems.map((problem) => `${problem.line}:${problem.column} ${problem.message}`)).toEqual([
    expect.stringContaining(message),
  ]);
});

it("is the only file with these settings: the user file refuses them", async () => {
  const cli = await openCli(null);
  cli.cwd = cli.home;
  const path = (await cli.run("config", "path", "-o", "json")).json() as { kind: string; path: string }[];
  cli.file(path.find(({ kind }) => kind === "user")!.path, "manifests: forms");
  const { code, error } = await cli.run("config", "list", "-o", "json");
  expect(code).toBe(3);
  expect(error().message).toContain("manifests belongs in the project file, formctl.yaml");
});

it("is one file: a second one is refused, not ignored", async () => {
  const cli = await openCli();
  cli.file("formctl.yaml", "manifests: forms\n");
  cli.file("formctl.json", { manifests: "others" });
  const { code, error } = await cli.run("plan", "-o", "json");
  expect(code).toBe(3);
  expect(error().message).toContain("formctl.json:1:1: a project has one settings file, and formctl.yaml exists too");
  expect((await cli.run("config", "path")).code).toBe(0);
});
