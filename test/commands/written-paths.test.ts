/**
 * A repository may contain symbolic links. No option and no argument that names a file to write follows such a link out
 * of the project.
 */

import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { GLOBAL_OPTIONS } from "../../src/commands/global-flags.ts";
import { allCommands } from "./all-commands.ts";
import { type Cli, openCli } from "./cli.ts";
import { layoutText } from "./manifests-scene.ts";

const FORM = "kind: Form\nobject: staffing/candidate\nname: Profile\ntypes: [VIEW]\n";
const LAYOUT = "staffing/candidate/Profile";

/**
 * The options and arguments that name a file or folder to write, with a command line. `LINK` is a link in the project to
 * a folder outside. `STORE` is a store outside the project.
 */
const WRITES: Readonly<Record<string, string>> = {
  "codemod PATH": "codemod titles LINK --yes",
  "doctor --save <file>": "doctor --contract --from recording.har --save LINK/contract.json",
  "export --into <folder>": "export staffing/candidate --into LINK",
  "init --into <folder>": "init --demo --into LINK",
  "layouts draft scaffold --out <file>": `layouts draft scaffold ${LAYOUT} --out LINK/new.yaml`,
  "layouts preview --out <file>": `layouts preview ${LAYOUT} --out LINK/page.html`,
  "--har <file>": "currencies list --har LINK/out.har",
  "local backup FILE": "local backup LINK/backup.db",
  "local init --into <folder>": "local init --demo --into .",
  "local copy TO": "local copy STORE LINK/copy.db",
  "migrate plan --out <file>": "migrate plan --out LINK/plan.json",
  "plan --html <file>": "plan forms --html LINK/page.html",
  "plan --out <file>": "plan forms --out LINK/plan.json",
  "promote --out <file>": "promote --from STORE#northwind --to STORE#contoso --out LINK/plan.json",
  "promote --to <target>": "promote --from STORE#northwind --to LINK/store.db#contoso --yes",
  "schema --into <folder>": "schema --into LINK",
  "validate --out <file>": "validate forms --format junit --out LINK/report.xml",
  "--store <path>": "local init --store LINK/new.db",
};

/** The options and arguments that name a file to read, or that are no paths. */
const READS = [
  "--token-file <file>",
  "api -d, --data <data>",
  "api PATH",
  "apply --organization-file <file>",
  "apply PATH",
  "diff --from <target>",
  "doctor --compare <file>",
  "doctor --from <file>",
  "diff --from-token-file <file>",
  "diff --to <target>",
  "forms access set -f, --file <file>",
  "forms create -f, --file <file>",
  "forms list -f, --file <file>",
  "forms update -f, --file <file>",
  "forms update --config <file>",
  "init --manifests <folder>",
  "layouts assignments set -f, --file <file>",
  "layouts create -f, --file <file>",
  "layouts create --metadata <file>",
  "layouts draft push FILE",
  "layouts preview --organization-file <file>",
  "layouts preview SHOWN",
  "layouts update -f, --file <file>",
  "layouts update --metadata <file>",
  "local copy FROM",
  "local restore FILE",
  "local seed FILE",
  "local uploads add FILE",
  "migrate run PLAN",
  "plan --organization-file <file>",
  "plan PATH",
  "promote --from <target>",
  "promote --from-token-file <file>",
  "promote --organization-file <file>",
  "rehearse --organization-file <file>",
  "rehearse FILE",
  "serve --tls-cert <file>",
  "serve --tls-key <file>",
  "status --organization-file <file>",
  "status PATH",
  "validate --organization-file <file>",
  "validate PATH",
];

/** Whether an option or argument may name a file, judged by its name, its prompt and its description. */
function mayBePath(name: string, choose: unknown, about: string): boolean {
  const isPathChoice = ["path", "file", "layoutOrPath"].some((each) => each === choose);
  return (
    isPathChoice || /<(?:file|folder|path|target)>/.test(name) || /\b(?:files?|folders?|path|store)\b/i.test(about)
  );
}

/** About words that mention a file, a folder or a store, without naming one. */
const OTHERS =
  /--object|--layout|--concurrency|--role|--member|ADDRESS|--local$|--organization <key>|^migrate \w+ (?:--to|NAME)/;

it("lists each option and argument that may name a file", async () => {
  const found = (await allCommands()).flatMap(({ name, command: { args, options } }) => [
    ...Object.values(args)
      .filter(({ name: own, choose, about }) => mayBePath(own, choose, about))
      .map(({ name: own }) => `${name} ${own}`),
    ...Object.values(options)
      .filter(({ kind, flags, choose, about }) => kind !== "flag" && mayBePath(flags, choose, about))
      .map(({ flags }) => `${name} ${flags}`),
  ]);
  const general = GLOBAL_OPTIONS.filter(([flags, about]) => flags.includes("<") && mayBePath(flags, "", about));
  const all = [...found, ...general.map(([flags]) => flags)].filter((each) => !OTHERS.test(each));
  expect(all.toSorted()).toEqual([...Object.keys(WRITES), ...READS].toSorted());
});

async function openProject(): Promise<{ cli: Cli; outside: string }> {
  const cli = await openCli();
  mkdirSync(join(cli.cwd, ".git"));
  cli.file("forms/profile.yaml", `${FORM}layout: ./profile.layout.yaml\n`);
  cli.file("forms/profile.layout.yaml", layoutText("phone"));
  expect((await cli.run("apply", "forms", "--yes")).code).toBe(0);
  cli.file(
    "migrations/20260101-0000-titles.mjs",
    "export default { form: (form) => ({ ...form, config: { a: 1 } }) };\n",
  );
  const request = { method: "GET", url: "https://forms.example.com/v1/currencies" };
  const response = { status: 200, content: { mimeType: "application/json", text: '{"data":[]}' } };
  cli.file("recording.har", { log: { version: "1.2", entries: [{ request, response }] } });
  const outside = join(cli.home, "own");
  mkdirSync(outside);
  writeFileSync(join(outside, "form.yaml"), FORM.replace("Profile", "Other"));
  for (const name of ["link", "northwind"]) symlinkSync(outside, join(cli.cwd, name));
  return { cli, outside };
}

/** The names of all files in a folder, with their texts. */
const contentOf = (folder: string) =>
  readdirSync(folder).map((name) => `${name}\n${readFileSync(join(folder, name), "utf8")}`);

describe("a link in the repository that leads out", () => {
  it.each(Object.entries(WRITES))("is not written through: %s", async (_, line) => {
    const { cli, outside } = await openProject();
    const words = line.replaceAll("STORE", join(cli.home, "local.db")).replaceAll("LINK", "link").split(" ");
    const before = contentOf(outside);
    const { code, stderr } = await cli.run(...words);
    expect({ written: contentOf(outside).filter((name) => !before.includes(name)), code, stderr }).toEqual({
      written: [],
      code: 3,
      stderr: expect.stringMatching(/through a link|outside the project/) as unknown,
    });
  });

  it("is not followed to a store that FORMCTL_STORE names", async () => {
    const { cli, outside } = await openProject();
    cli.env["FORMCTL_STORE"] = join("link", "new.db");
    const { code, stderr } = await cli.run("local", "init");
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining("through a link") as unknown });
    expect(readdirSync(outside)).toEqual(["form.yaml"]);
  });
});
