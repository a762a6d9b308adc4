/** Tests `formctl export` on a local store and on a server. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readDocuments } from "../../src/documents/document.ts";
import type { DraftContent } from "../../src/schemas/draft.ts";
import { eachObject } from "../proxy/manners.ts";
import { insertProxy } from "../proxy/proxy.ts";
import { reasonAsRoot, reasonWithout } from "../skip.ts";
import { type Cli, openCli } from "./cli.ts";
import { newPage } from "./layouts-scene.ts";
import { behindNorthwind, openManifestsScene } from "./manifests-scene.ts";
import { openRemoteScene } from "./remote-scene.ts";

const OBJECT = "staffing/candidate";
const PROFILE = `${OBJECT}/Candidate profile`;
const FIXTURES = join(import.meta.dirname, "../fixtures/export");
const key = { moduleKey: "staffing", objectKey: "candidate" };

const fixture = (name: string) => readFileSync(join(FIXTURES, name), "utf8");

type Example = { read: (path: string) => string };

/** Creates the files of the annotated example, and applies them. */
async function openExample(cli: Cli): Promise<Example> {
  cli.env["CONTACT"] = "desk@northwind.example";
  cli.file("formctl.yaml", "manifests: forms\n");
  for (const name of ["profile.yaml", "profile.layout.yaml"]) cli.file(`forms/${name}`, fixture(name));
  expect(await cli.run("apply", "--yes", "--json")).toMatchObject({ code: 0 });
  return { read: (path) => readFileSync(join(cli.cwd, path), "utf8") };
}

const withoutGit = reasonWithout("git");

/** Creates the example, and commits it in a new repository. */
async function openRepository(cli: Cli): Promise<Example & { git: (...args: string[]) => string }> {
  const example = await openExample(cli);
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args], {
      cwd: cli.cwd,
      encoding: "utf8",
      env: { PATH: process.env["PATH"], GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" },
    });
  git("init", "-q");
  git("add", "forms");
  git("commit", "-qm", "as applied");
  return { ...example, git };
}

/** Changes the layout on the server and publishes the change, like another user. */
async function publishThere(cli: Cli, change: (content: DraftContent) => void): Promise<void> {
  await cli.behind(async (service) => {
    const { data } = await service.listForms({ ...key });
    const { viewLayoutId: layoutId } = data.find(({ name }) => name === "Candidate profile")!;
    const [latest] = await service.listVersions({ layoutId });
    const { schemaVersion, regions, blocks, stagedFieldDefinitions, scriptBindings, metadata } = latest!;
    const content = structuredClone({ regions, blocks, stagedFieldDefinitions, scriptBindings, metadata });
    change(content as DraftContent);
    const id = `${Math.random()}`;
    const body = { clientMutationId: `save ${id}`, schemaVersion: schemaVersion as 1, ...content };
    const { draftVersionId } = await service.saveDraft({ layoutId, body });
    await service.publishLayout({ layoutId, body: { clientMutationId: `publish ${id}`, draftVersionId } });
  });
}

async function changeForm(cli: Cli, body: Record<string, unknown>): Promise<void> {
  await cli.behind(async (service) => {
    const { data } = await service.listForms({ ...key });
    await service.updateForm({ ...key, formId: data.find(({ name }) => name === "Candidate profile")!.id, body });
  });
}

const PLACES: [string, () => Promise<Cli>][] = [
  ["a local store", () => openCli()],
  [
    "a server",
    async () => {
      const { cli } = await openRemoteScene();
      const local = cli.behind.bind(cli);
      // The store of the server has several organizations, so the direct service needs an organization.
      cli.behind = async (use) => {
        cli.env["FORMCTL_ORGANIZATION"] = "northwind";
        try {
          return await local(use);
        } finally {
          delete cli.env["FORMCTL_ORGANIZATION"];
        }
      };
      return cli;
    },
  ],
];

describe.each(PLACES)("on %s", (place, open) => {
  it("prints the same bytes twice, with the current state", async () => {
    const cli = await open();
    await openExample(cli);
    const pageId = await newPage(cli, "Help: ${page}");
    const first = await cli.run("export", OBJECT, pageId);
    expect(first).toMatchObject({ code: 0, stderr: "" });
    expect((await cli.run("export", pageId, OBJECT)).stdout).toBe(first.stdout);
    const documents = readDocuments(first.stdout, "stdout").map(({ value }) => value);
    expect(documents).toMatchObject([
      {
        kind: "Form",
        object: OBJECT,
        name: "Candidate profile",
        types: ["VIEW", "EDIT"],
        layout: { schemaVersion: 1 },
      },
      { kind: "Layout", name: "Help: $${page}", surface: "ORGANIZATION", layout: { blocks: [{ id: "help" }] } },
    ]);
    expect((await cli.run("export", OBJECT, pageId, "-o", "json")).json()).toEqual(documents);
    expect(JSON.stringify(documents)).not.toContain("sha256");
  });

  it("writes files whose plan is empty", async () => {
    const cli = await open();
    await openExample(cli);
    const pageId = await newPage(cli, "Help page");
    const exported = await cli.run("export", OBJECT, pageId, "--into", "out/new", "--json");
    expect(exported.json()).toMatchObject({
      exitCode: 0,
      files: [
        { path: "out/new/layouts/organization/help-page.layout.yaml", status: "written" },
        { path: "out/new/layouts/organization/help-page.yaml", status: "written" },
        { path: "out/new/staffing/candidate/candidate-profile.layout.yaml", status: "written" },
        { path: "out/new/staffing/candidate/candidate-profile.yaml", status: "written" },
      ],
    });
    const file = readFileSync(join(cli.cwd, "out/new/staffing/candidate/candidate-profile.yaml"), "utf8");
    expect(file.split("\n")[0]).toBe(
      "# yaml-language-server: $schema=../../../../.formctl/schemas/manifest.schema.json",
    );
    expect(file).toContain("layout: ./candidate-profile.layout.yaml\n");
    expect(await cli.run("validate", "out/new")).toMatchObject({ code: 0 });
    const plan = await cli.run("plan", "out/new", "--detailed-exitcode");
    expect(plan).toMatchObject({ code: 0 });
    const again = await cli.run("export", OBJECT, pageId, "--into", "out/new", "--json");
    expect((again.json() as { files: { status: string }[] }).files.every(({ status }) => status === "unchanged")).toBe(
      true,
    );
  });

  it("exports everything with --all, without a name", async () => {
    const cli = await open();
    await openExample(cli);
    await newPage(cli, "Help page");
    await cli.run("forms", "create", "staffing/placement", "--name", "Desk", "--types", "VIEW");
    const all = await cli.run("export", "--all");
    expect(all.code).toBe(0);
    expect(all.stdout).toBe((await cli.run("export", "staffing/placement", OBJECT, "--all-layouts")).stdout);
    expect((await cli.run("export", "--all", "-o", "name")).stdout).toBe(
      [PROFILE, "staffing/placement/Desk", "ORGANIZATION/Help page"].map((address) => `${address}\n`).join(""),
    );
    const documents = readDocuments(all.stdout, "stdout").map(({ value }) => value);
    expect((await cli.run("export", "--all", "-o", "json")).json()).toEqual(documents);

    const written = await cli.run("export", "--all", "--into", "out", "-o", "json");
    expect(written.json()).toMatchObject({
      exitCode: 0,
      files: Array.from({ length: 5 }, () => ({ status: "written" })),
    });
    expect(await cli.run("plan", "out", "--detailed-exitcode")).toMatchObject({ code: 0 });
  });

  it.each(["json", "jsonl", "yaml", "name"])("prints one document with --all -o %s, as with names", async (format) => {
    const cli = await open();
    await openExample(cli);
    const pageId = await newPage(cli, "Help page");
    const all = await cli.run("export", "--all", "-o", format);
    expect(all).toMatchObject({ code: 0, stderr: "" });
    expect(all.stdout).toBe((await cli.run("export", OBJECT, pageId, "-o", format)).stdout);
    const into = await cli.run("export", "--all", "--into", "out", "--dry-run", "-o", format);
    expect(into.stdout).toBe(
      (await cli.run("export", OBJECT, pageId, "--into", "out", "--dry-run", "-o", format)).stdout,
    );
  });

  it("reports with --all what only the files have", async () => {
    const cli = await open();
    await openExample(cli);
    await newPage(cli, "Help page");
    expect((await cli.run("export", "--all", "--into", "out")).code).toBe(0);
    const page = readFileSync(join(cli.cwd, "out/layouts/organization/help-page.yaml"), "utf8");
    cli.file("out/other.yaml", page.replaceAll("Help page", "Old page").replace(/^layout: .*$/m, ""));
    cli.file("out/gone.yaml", "kind: Form\nobject: staffing/gone\nname: Gone\ntypes: [VIEW]\n");
    const again = await cli.run("export", "--all", "--into", "out");
    expect(again.code).toBe(0);
    expect(again.stderr).toContain("staffing/gone: the project names this object, but it does not exist");
    expect(again.stderr).toContain("staffing/gone/Gone no longer exists; out/gone.yaml was left unchanged");
    expect(again.stderr).toContain("ORGANIZATION/Old page no longer exists; out/other.yaml was left unchanged");
  });

  it("keeps the ids of the resources in new files, as an apply does", async () => {
    const cli = await open();
    await openExample(cli);
    const lock = place === "a server" ? ".formctl/lock.json" : ".formctl/runs/lock.json";
    const ids = () => {
      const text = readFileSync(join(cli.cwd, lock), "utf8");
      return text.match(/"(?:formId|layoutId)": ".+"/g);
    };
    const applied = ids();
    expect(applied).toHaveLength(2);
    for (const path of [".formctl", "forms"]) rmSync(join(cli.cwd, path), { recursive: true });
    expect(await cli.run("export", PROFILE, "--into", "forms")).toMatchObject({ code: 0 });
    expect(ids()).toEqual(applied);
  });

  it("edits only the lines of what changed on the target, and the next plan is empty", async ({ skip }) => {
    skip(withoutGit !== undefined, withoutGit);
    const cli = await open();
    const { git, read } = await openRepository(cli);
    expect(await cli.run("export", OBJECT, "--into", "forms")).toMatchObject({ code: 0 });
    expect(git("status", "--porcelain", "forms")).toBe("");

    await publishThere(cli, (content) => {
      const [contact, notes] = content.blocks;
      contact!.children![1]!.config = { label: "Work e-mail" };
      notes!.config = { ...notes!.config, placeholder: "Nothing\nin ${particular}\n" };
      contact!.children!.push({ id: "f_phone", type: "field", source: "dynamic_field", ref: { fieldKey: "phone" } });
      content.blocks.push(content.blocks.splice(0, 1)[0]!);
    });
    await changeForm(cli, {
      config: { title: "Profile", description: "Write to desk@northwind.example", successMessage: "Ok" },
    });
    const exported = await cli.run("export", OBJECT, "--into", "forms", "--json");
    expect(exported).toMatchObject({ code: 0, stderr: "" });
    expect(git("diff", "--numstat").trim().split("\n")).toEqual([
      expect.stringMatching(/^\d+\t\d+\tforms\/profile\.layout\.yaml$/),
      "1\t0\tforms/profile.yaml",
    ]);
    expect(git("diff", "-U0", "forms/profile.yaml")).toContain("\n+  successMessage: Ok\n");
    const lines = git("diff", "-U0", "forms/profile.layout.yaml").split("\n");
    const changed = lines.filter((line) => /^(?:[-+](?![-+]{2} )|@@)/.test(line));
    expect(changed.map((line) => line.replace(/^(@@.*@@).*/, "$1")).join("\n")).toBe(
      fixture("expected.diff").trimEnd(),
    );
    for (const name of ["profile.yaml", "profile.layout.yaml"]) {
      const comments = fixture(name).match(/#.*$/gm)!;
      const after = read(`forms/${name}`);
      expect(comments.filter((comment) => !after.includes(comment))).toEqual([]);
    }
    expect(read("forms/profile.yaml")).toContain("${CONTACT:-nobody}");
    expect(await cli.run("plan", "--detailed-exitcode")).toMatchObject({ code: 0 });
  });

  it("takes changes of the target, keeps changes of the file, and reports conflicts", async ({ skip }) => {
    skip(withoutGit !== undefined, withoutGit);
    const cli = await open();
    const { git, read } = await openRepository(cli);
    await publishThere(cli, (content) => {
      content.blocks[0]!.children![0]!.config = { label: "Name there" };
      content.blocks[1]!.requiredPolicy = "required";
    });
    await changeForm(cli, { config: { title: "There", description: "Write to somebody else" } });
    const layout = read("forms/profile.layout.yaml");
    writeFileSync(
      join(cli.cwd, "forms/profile.layout.yaml"),
      layout.replace("label: Full name", "label: Name here").replace("label: Remarks", "label: Notes here"),
    );
    const exported = await cli.run("export", OBJECT, "--into", "forms", "--json");
    expect(exported.code).toBe(6);
    expect(exported.json()).toMatchObject({
      exitCode: 6,
      files: [
        {
          path: "forms/profile.layout.yaml",
          status: "conflict",
          conflicts: [{ path: "blocks[0].children[0].config.label" }],
        },
        { path: "forms/profile.yaml", status: "conflict", conflicts: [{ path: "config.description" }] },
      ],
    });
    const after = read("forms/profile.layout.yaml");
    expect(after).toContain("label: Name here");
    expect(after).toContain("label: Notes here");
    expect(after).toContain("required");
    expect(read("forms/profile.yaml")).toContain("Write to ${CONTACT:-nobody}");
    expect(read("forms/profile.yaml")).toContain("title: There");
    expect(git("diff", "--stat")).toContain("2 files changed");
  });

  it("never writes outside the folder, whatever the name of a form is", async () => {
    const cli = await open();
    const names = [
      "../x",
      "..",
      "CON",
      "🦊",
      "a/b\\c",
      "x".repeat(200),
      "Same name",
      "same-NAME",
      "formctl",
      "nul.",
      "Ünïcödé",
    ];
    await cli.behind(async (service) => {
      for (const name of names) await service.createForm({ ...key, body: { name, types: ["VIEW"] } });
    });
    expect(await cli.run("export", OBJECT, "--into", "forms", "--json")).toMatchObject({ code: 0 });
    const all = readdirSync(cli.cwd, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".yaml"));
    expect(all).toHaveLength(names.length);
    expect(all.every((name) => /^forms\/staffing\/candidate\/[a-z0-9-]+(\.layout)?\.yaml$/.test(name))).toBe(true);
    expect(new Set(all.map((name) => name.toLowerCase())).size).toBe(all.length);
    expect(all.every((name) => name.length < 120)).toBe(true);
    expect(readdirSync(cli.home).filter((name) => name.endsWith(".yaml"))).toEqual([]);
    expect(await cli.run("plan", "forms", "--detailed-exitcode")).toMatchObject({ code: 0 });
    const again = await cli.run("export", OBJECT, "--into", "forms", "--json");
    expect(new Set((again.json() as { files: { status: string }[] }).files.map(({ status }) => status))).toEqual(
      new Set(["unchanged"]),
    );
  });
});

describe("export", () => {
  it("reports a deleted form, and leaves its file", async () => {
    const cli = await openCli();
    const { read } = await openExample(cli);
    await cli.run("forms", "delete", PROFILE, "--allow-delete", "--clear-defaults");
    const { code, stderr } = await cli.run("export", OBJECT, "--into", "forms");
    expect(code).toBe(0);
    expect(stderr).toContain(
      "staffing/candidate/Candidate profile no longer exists; forms/profile.yaml was left unchanged",
    );
    expect(read("forms/profile.yaml")).toBe(fixture("profile.yaml"));
  });

  it("follows a form that was renamed on the target", async ({ skip }) => {
    skip(withoutGit !== undefined, withoutGit);
    const cli = await openCli();
    const { git } = await openRepository(cli);
    await changeForm(cli, { name: "Candidate card" });
    expect(await cli.run("export", OBJECT, "--into", "forms")).toMatchObject({ code: 0 });
    expect(git("diff", "--numstat")).toBe("1\t1\tforms/profile.yaml\n");
    expect(await cli.run("plan", "--detailed-exitcode")).toMatchObject({ code: 0 });
  });

  it("follows a form that was applied with another profile of the same server, and renamed", async () => {
    const { cli, url } = await openRemoteScene();
    const text = `kind: Form\nobject: ${OBJECT}\nname: Card\ntypes: [VIEW]\n`;
    cli.file("forms/card.yaml", text);
    expect((await cli.run("apply", "forms", "--yes")).code).toBe(0);
    await behindNorthwind(cli, async (service) => {
      const path = { moduleKey: "staffing", objectKey: "candidate" };
      const form = (await service.listForms(path)).data.find(({ name }) => name === "Card")!;
      await service.updateForm({ ...path, formId: form.id, body: { name: "Face" } });
    });
    await cli.run("profiles", "add", "same", "--base-url", url);
    delete cli.env["FORMCTL_BASE_URL"];
    cli.env["FORMCTL_PROFILE"] = "same";
    expect(await cli.run("export", `${OBJECT}/Face`, "--into", "forms")).toMatchObject({ code: 0 });
    expect(readFileSync(join(cli.cwd, "forms/card.yaml"), "utf8")).toBe(text.replace("Card", "Face"));
  });

  it("leaves a rename in the file, and members that the file leaves out", async () => {
    const cli = await openCli();
    await openExample(cli);
    const text = `kind: Form\nobject: ${OBJECT}\nname: Candidate card\nrenamedFrom: Candidate profile\ntypes: [EDIT, VIEW]\n`;
    cli.file("other/a.yaml", text);
    await changeForm(cli, { isPublic: true });
    expect(await cli.run("export", OBJECT, "--into", "other")).toMatchObject({ code: 0 });
    expect(readFileSync(join(cli.cwd, "other/a.yaml"), "utf8")).toBe(text);
    expect(readdirSync(join(cli.cwd, "other"))).toEqual(["a.yaml"]);
  });

  it("writes nothing with --dry-run, and lists the files", async () => {
    const cli = await openCli();
    await openExample(cli);
    const { stdout, code } = await cli.run("export", OBJECT, "--into", "new", "--dry-run");
    expect(code).toBe(0);
    expect(stdout).toContain("would be written  new/staffing/candidate/candidate-profile.yaml\n");
    expect(existsSync(join(cli.cwd, "new"))).toBe(false);
  });

  it("refuses a read-only folder before the first request, but not with --dry-run", async ({ skip }) => {
    skip(reasonAsRoot !== undefined, reasonAsRoot);
    const cli = await openCli();
    await openExample(cli);
    mkdirSync(join(cli.cwd, "new"), { mode: 0o500 });
    const refused = await cli.run("export", `${OBJECT}/Missing`, "--into", "new", "-o", "json");
    expect(refused.error().code).toBe("FILE_UNWRITABLE");
    expect(await cli.run("export", OBJECT, "--into", "new", "--dry-run")).toMatchObject({ code: 0 });
  });

  it("writes through no link", async () => {
    const cli = await openCli();
    await openExample(cli);
    mkdirSync(join(cli.home, "secret"));
    mkdirSync(join(cli.cwd, "new"));
    symlinkSync(join(cli.home, "secret"), join(cli.cwd, "new/staffing"));
    const { code, stderr } = await cli.run("export", OBJECT, "--into", "new");
    expect(code).toBe(3);
    expect(stderr).toContain("link");
    expect(readdirSync(join(cli.home, "secret"))).toEqual([]);
  });

  it("refuses a folder with invalid manifests before the first write", async () => {
    const cli = await openCli();
    await openExample(cli);
    cli.file("forms/broken.yaml", "kind: Form\nobject: [\n");
    const { code, stderr } = await cli.run("export", OBJECT, "--into", "forms");
    expect(code).toBe(3);
    expect(stderr).toContain("forms/broken.yaml:");
  });

  it("refuses a folder below a file before the first request, and a file in the place of a folder", async () => {
    const cli = await openCli();
    await openExample(cli);
    cli.file("note", "mine");
    for (const [folder, words] of [
      ["note", "note is not a folder"],
      ["note/x/y", "note, a parent of note/x/y, is not a folder"],
    ] as const) {
      const refused = await cli.run("export", OBJECT, "--into", folder);
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(`can't write ${folder}: ${words}`)]);
    }
    const pageId = await newPage(cli, "Help page");
    cli.file("new/staffing", "mine");
    const below = await cli.run("export", OBJECT, pageId, "--into", "new");
    expect([below.code, below.stderr]).toEqual([3, expect.stringContaining("new/staffing is not a folder")]);
    expect(below.stderr).toContain("hint: Remove it, or put a folder in its place.");
    expect(readdirSync(join(cli.cwd, "new"))).toEqual(["staffing"]);
  });

  it("states the next step for two forms of one name", async () => {
    const cli = await openCli();
    const ids = await cli.behind(async (service) => {
      const forms = [1, 2].map(() => service.createForm({ ...key, body: { name: "Twin", types: ["VIEW"] } }));
      return (await Promise.all(forms)).map(({ id }) => id);
    });
    for (const names of [[OBJECT], ids.map((id) => `${OBJECT}/${id}`)]) {
      const { code, stderr } = await cli.run("export", ...names);
      expect([code, stderr]).toEqual([6, expect.stringContaining("Twin")]);
      const [, address = ""] = /hint: .*formctl forms update (\S+) --name/.exec(stderr) ?? [];
      expect(ids.map((id) => `${OBJECT}/${id}`)).toContain(address);
    }
    const [, id = ""] = ids;
    expect(await cli.run("forms", "update", `${OBJECT}/${id}`, "--name", "Other")).toMatchObject({ code: 0 });
    expect(await cli.run("export", OBJECT)).toMatchObject({ code: 0 });
  });

  it("reports an empty result, and suggests the object that a word can mean", async () => {
    const cli = await openCli();
    for (const words of [[], ["--into", "out"]]) {
      const { code, stdout, stderr } = await cli.run("export", "staffing/candidate", ...words);
      expect([code, stdout, stderr]).toEqual([0, "", "Nothing to export.\n"]);
    }
    expect(await cli.run("export", "--all")).toMatchObject({ code: 0, stdout: "", stderr: "Nothing to export.\n" });
    expect((await cli.run("export", "--all", "-o", "json")).json()).toEqual([]);
    for (const words of ["staffing", "candidate", "staffing.candidate"]) {
      const { code, stderr } = await cli.run("export", words);
      expect([code, stderr]).toEqual([64, expect.stringContaining("Did you mean staffing/candidate")]);
    }
  });

  it("exports a form by its name, its id or the id of its layout", async () => {
    const cli = await openCli();
    await openExample(cli);
    const [form] = await cli.behind(async (service) => (await service.listForms({ ...key })).data);
    const byName = await cli.run("export", PROFILE);
    expect(byName.stdout).toContain("name: Candidate profile");
    expect((await cli.run("export", `${OBJECT}/${form!.id}`)).stdout).toBe(byName.stdout);
    expect((await cli.run("export", form!.viewLayoutId)).stdout).toBe(byName.stdout);
  });

  it.each([
    [["export"], 64, "specify at least one of NAME, --all, --all-layouts"],
    [["export", "--all", OBJECT], 64, "NAME and --all can't be combined"],
    [["export", "staffing/nothing"], 5, "staffing/nothing"],
    [["export", `${OBJECT}/Nobody`], 5, "Nobody"],
    [["export", "lay_nothing"], 5, "lay_nothing"],
  ])("refuses %j", async (argv, code, words) => {
    const cli = await openCli();
    const outcome = await cli.run(...argv);
    expect(outcome.code).toBe(code);
    expect(outcome.stderr).toContain(words);
  });
});

describe("export from a server with values that manifests don't support", () => {
  it("leaves out and reports what no manifest supports, and writes files that can be planned", async () => {
    const { cli } = await openManifestsScene("a server");
    expect((await cli.run("apply", "manifests", "--yes")).code).toBe(0);
    await insertProxy(cli, {
      answer: (reply) => ({
        ...reply,
        body: eachObject(reply.body, (record) => ({
          ...record,
          ...(record["name"] === "Card" && { supportedModes: ["VIEW", "EDIT", "WORKSPACE"] }),
          ...(record["id"] === "f_title" && { type: "kanban" }),
        })),
      }),
    });
    const names = ["staffing/placement", "--all-layouts"];
    const { code, stdout, stderr } = await cli.run("export", ...names, "--into", "out");
    expect(code).toBe(0);
    expect(stdout).toBe("written    out/staffing/placement/desk.yaml\n");
    expect(stderr).toContain('must be one of CREATE, VIEW, EDIT, not "WORKSPACE"');
    expect(stderr).toContain(
      "CONTRACTOR/Card: manifests do not support it, so it is omitted: supportedModes[2] must be",
    );
    expect(stderr).toContain("staffing/placement/Desk: layout files do not support the layout, so it is omitted");
    expect(stderr).toContain("blocks[0].type must be one of");
    expect(await cli.run("plan", "out", "--detailed-exitcode")).toMatchObject({ code: 0 });

    // An existing manifest of the omitted layout isn't reported as deleted.
    const again = await cli.run("export", ...names, "--into", "manifests");
    expect(again.stderr).not.toContain("no longer exists");
    expect(again).toMatchObject({ code: 0, stdout: expect.not.stringContaining("updated") as string });
  });
});
