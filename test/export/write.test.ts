/** What an export does to the files of a folder when another user changes the store too. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { DraftContent } from "../../src/schemas/draft.ts";
import { slugOf } from "../../src/base/slug.ts";
import { fileNameOf, newFiles } from "../../src/export/new-files.ts";
import type { Exported } from "../../src/export/exported.ts";
import { carryOutWrites } from "../../src/export/write.ts";
import { EDITOR_SCHEMAS, writeEditorSchemas } from "../../src/export/editor-files.ts";
import { type Lock, openLock } from "../../src/state/lock.ts";
import { type Cli, openCli } from "../commands/cli.ts";
import { temporaryFolders } from "../temporary.ts";
import { turns } from "../state/turns.ts";

const newFolder = temporaryFolders("on disk");
const OBJECT = "staffing/candidate";
const key = { moduleKey: "staffing", objectKey: "candidate" };

const block = (id: string, label: string) =>
  `    - { id: ${id}, type: field, source: dynamic_field, ref: { fieldKey: ${id} }, regionKey: main, config: { label: ${label} } }\n`;
const layout = (...blocks: string[]) =>
  `layout:\n  schemaVersion: 1\n  regions:\n    - { key: main, label: Main, layout: grid, columns: 12 }\n  blocks:\n${blocks.join("")}`;
const form = (name: string, more: string) => `kind: Form\nobject: ${OBJECT}\nname: ${name}\ntypes: [VIEW]\n${more}`;

async function applied(files: Record<string, string>): Promise<Cli & { read: (path: string) => string }> {
  const cli = await openCli();
  for (const [path, text] of Object.entries(files)) cli.file(`forms/${path}`, text);
  const { code, stderr, stdout } = await cli.run("apply", "forms", "--yes", "--json");
  expect({ code, stderr: code === 0 ? "" : stderr + stdout }).toEqual({ code: 0, stderr: "" });
  return Object.assign(cli, { read: (path: string) => readFileSync(join(cli.cwd, "forms", path), "utf8") });
}

/** Changes the layout of a form on the target, as another user does. */
async function publish(cli: Cli, name: string, change: (content: DraftContent) => void): Promise<void> {
  await cli.behind(async (service) => {
    const { data } = await service.listForms({ ...key });
    const { viewLayoutId: layoutId } = data.find((each) => each.name === name)!;
    const [latest] = await service.listVersions({ layoutId });
    const { regions, blocks, stagedFieldDefinitions, scriptBindings, metadata } = structuredClone(latest!);
    const content = { schemaVersion: 1 as const, regions, blocks, stagedFieldDefinitions, scriptBindings, metadata };
    change(content);
    const { draftVersionId } = await service.saveDraft({
      layoutId,
      body: { clientMutationId: `${latest!.id} save`, ...content },
    });
    await service.publishLayout({ layoutId, body: { clientMutationId: `${latest!.id} publish`, draftVersionId } });
  });
}

const into = (cli: Cli, ...more: string[]) => cli.run("export", OBJECT, "--into", "forms", "--json", ...more);
const filesOf = (outcome: { json: () => unknown }) =>
  (outcome.json() as { files: { path: string; status: string; conflicts: { path: string; message: string }[] }[] })
    .files;

describe("without a lock", () => {
  const text = form("Card", layout(block("full_name", "Name"), block("phone", "Phone")));

  it("the stamp is the base, so changes of the file stay", async () => {
    const cli = await applied({ "card.yaml": text });
    rmSync(join(cli.cwd, ".formctl"), { recursive: true });
    await publish(cli, "Card", ({ blocks }) => (blocks[0]!.config = { label: "Name there" }));
    cli.file("forms/card.yaml", text.replace("label: Phone", "label: Phone here"));
    expect(await into(cli)).toMatchObject({ code: 0 });
    const both = text.replace("label: Phone", "label: Phone here").replace("label: Name", "label: Name there");
    expect(cli.read("card.yaml")).toBe(both);
  });

  it("and without a stamp, differences are conflicts unless --overwrite is given", async () => {
    const cli = await openCli();
    const there = text.replace("types: [VIEW]\n", "types: [VIEW]\nconfig: { title: One }\n");
    cli.file("forms/card.yaml", there);
    await cli.run("apply", "forms", "--yes", "--no-stamp");
    rmSync(join(cli.cwd, ".formctl"), { recursive: true });
    const here = there.replace("label: Phone", "label: Phone here").replace("One", "Here");
    cli.file("forms/card.yaml", here);
    const read = () => readFileSync(join(cli.cwd, "forms/card.yaml"), "utf8");
    for (const _again of [1, 2]) {
      const outcome = await into(cli);
      expect(outcome.code).toBe(6);
      expect(filesOf(outcome)[0]!.conflicts).toEqual(
        ["config", "layout"].map((path) => ({ path, message: expect.stringContaining("--overwrite") as string })),
      );
      expect(read()).toBe(here);
    }
    expect((await cli.run("export", OBJECT, "--into", "forms")).stderr).toContain("To resolve a conflict");
    expect(await into(cli, "--overwrite")).toMatchObject({ code: 0 });
    expect(read()).toBe(there);
    expect(filesOf(await into(cli))).toMatchObject([{ status: "unchanged" }]);
  });

  it("and without a stamp, a layout is one conflict, even if a placeholder in it differs too", async () => {
    const cli = await openCli();
    cli.env["LABEL"] = "Here";
    cli.file("forms/card.yaml", text);
    await cli.run("apply", "forms", "--yes", "--no-stamp");
    rmSync(join(cli.cwd, ".formctl"), { recursive: true });
    cli.file("forms/card.yaml", text.replace("label: Phone", "label: '${LABEL}'").replace("Name", "Other"));
    expect(filesOf(await into(cli))[0]!.conflicts.map(({ path }) => path)).toEqual(["layout"]);
  });

  it("what is equal on both sides becomes the base", async () => {
    const cli = await applied({ "card.yaml": text });
    rmSync(join(cli.cwd, ".formctl"), { recursive: true });
    expect(await into(cli)).toMatchObject({ code: 0 });
    cli.file("forms/card.yaml", text.replace("types: [VIEW]", "types: [VIEW, EDIT]"));
    expect(await into(cli)).toMatchObject({ code: 0 });
    expect(cli.read("card.yaml")).toContain("[VIEW, EDIT]");
  });
});

describe("with a lock", () => {
  it("whose base is not in the history, a layout that both sides have changed is one conflict", async () => {
    const cli = await applied({ "card.yaml": form("Card", layout(block("phone", "Phone"))) });
    const lock = join(cli.cwd, ".formctl/runs/lock.json");
    writeFileSync(lock, readFileSync(lock, "utf8").replace(/"content": "\w+"/, `"content": "${"0".repeat(64)}"`));
    await publish(cli, "Card", ({ blocks }) => (blocks[0]!.config = { label: "There" }));
    cli.file("forms/card.yaml", cli.read("card.yaml").replace("label: Phone", "label: Here"));
    const outcome = await into(cli);
    expect(outcome.code).toBe(6);
    const message =
      "was changed in the file and on the target, and their common base is not in the version history. To take it from the target, add --overwrite";
    expect(filesOf(outcome)[0]).toMatchObject({ status: "conflict", conflicts: [{ path: "layout", message }] });
    expect(cli.read("card.yaml")).toContain("label: Here");
    expect(await into(cli, "--overwrite")).toMatchObject({ code: 0 });
    expect(cli.read("card.yaml")).toContain("label: There");
  });

  it("a member that both sides have changed is a conflict in each export until it is resolved", async () => {
    const cli = await applied({ "card.yaml": form("Card", "isPublic: false\nconfig: { title: One }\n") });
    await cli.run("forms", "update", `${OBJECT}/Card`, "--title", "There", "--public");
    cli.file("forms/card.yaml", cli.read("card.yaml").replace("One", "Here"));
    for (const _again of [1, 2]) {
      const outcome = await into(cli);
      expect(outcome.code).toBe(6);
      const { conflicts } = filesOf(outcome)[0]!;
      expect(conflicts).toEqual([
        { path: "config", message: expect.stringMatching(/^was changed .*\. It differs in title$/) },
      ]);
      expect(cli.read("card.yaml")).toBe(form("Card", "isPublic: true\nconfig: { title: Here }\n"));
    }
    cli.file("forms/card.yaml", cli.read("card.yaml").replace("Here", "There"));
    expect(await into(cli)).toMatchObject({ code: 0 });
  });
});

describe("a value with a placeholder", () => {
  it("stays if its value is that of the target, and else is a conflict", async () => {
    const cli = await openCli();
    Object.assign(cli.env, { TITLE: "Candidates", ACTIVE: "true", SPAN: "6" });
    const text = form(
      "Card",
      "isActive: ${ACTIVE}\nconfig: { title: '${TITLE}', description: '${MORE:-none}' }\n" +
        layout(block("phone", "Phone")).replace("config:", "grid: { colSpan: '${SPAN}' }, config:"),
    );
    cli.file("forms/card.yaml", text);
    expect(await cli.run("apply", "forms", "--yes")).toMatchObject({ code: 0 });
    expect(await into(cli)).toMatchObject({ code: 0 });
    expect(readFileSync(join(cli.cwd, "forms/card.yaml"), "utf8")).toBe(text);

    await cli.run("forms", "update", `${OBJECT}/Card`, "--title", "Candidates", "--description", "${other}");
    await publish(cli, "Card", ({ blocks }) => (blocks[0]!.grid = { colSpan: 4 }));
    const outcome = await into(cli);
    expect(outcome.code).toBe(6);
    expect(filesOf(outcome)[0]!.conflicts.map(({ path }) => path)).toEqual([
      "config.description",
      "layout.blocks[0].grid.colSpan",
    ]);
    expect(readFileSync(join(cli.cwd, "forms/card.yaml"), "utf8")).toBe(text);
  });
});

describe("a file", () => {
  it("keeps its other documents, its byte order mark and its CRLF line ends", async () => {
    const one = form("One", layout(block("phone", "Phone")));
    const two = form("Two", layout(block("email", "Mail")));
    const text = `\uFEFF# forms\n${one}---\n# second\n${two}`.replaceAll("\n", "\r\n");
    const cli = await applied({ "all.yml": text });
    await publish(cli, "Two", ({ blocks }) => (blocks[0]!.config = { label: "E-mail" }));
    expect(filesOf(await into(cli))).toEqual([{ path: "forms/all.yml", status: "updated", lines: 1, conflicts: [] }]);
    expect(cli.read("all.yml")).toBe(text.replace("label: Mail", "label: E-mail"));
  });

  it("of JSON stays JSON", async () => {
    const value = {
      kind: "Form",
      object: OBJECT,
      name: "Card",
      types: ["VIEW"],
      access: { users: [], roles: [{ role: "recruiter", types: ["VIEW"] }] },
    };
    const cli = await applied({ "card.json": JSON.stringify(value, null, 2) });
    await cli.run("forms", "access", "grant", `${OBJECT}/Card`, "--member", "ana@northwind.example", "--types", "VIEW");
    expect(await into(cli)).toMatchObject({ code: 0 });
    // The role keeps its name in the file.
    value.access.users = [{ member: "ana@northwind.example", types: ["VIEW"] }] as never;
    expect(cli.read("card.json")).toBe(JSON.stringify(value, null, 2));
  });

  it("that two manifests share as their layout file is a conflict if their layouts differ", async () => {
    const shared = layout(block("phone", "Phone")).replace("layout:\n", "").replace(/^ {2}/gm, "");
    const cli = await applied({
      "one.yaml": form("One", "layout: ./shared.layout.yaml\n"),
      "two.yaml": form("Two", "layout: ./shared.layout.yaml\n"),
      "shared.layout.yaml": shared,
    });
    await publish(cli, "Two", ({ blocks }) => (blocks[0]!.config = { label: "Other" }));
    for (const _again of [1, 2]) {
      const outcome = await into(cli);
      expect(outcome.code).toBe(6);
      expect(filesOf(outcome).find(({ status }) => status === "conflict")).toMatchObject({
        path: "forms/shared.layout.yaml",
        conflicts: [{ message: expect.stringContaining("share") as string }],
      });
      expect(cli.read("shared.layout.yaml")).toBe(shared);
    }
    await publish(cli, "One", ({ blocks }) => (blocks[0]!.config = { label: "Other" }));
    expect(await into(cli)).toMatchObject({ code: 0 });
    expect(cli.read("shared.layout.yaml")).toBe(shared.replace("label: Phone", "label: Other"));
  });

  it("keeps staged changes that are carried out", async () => {
    const text = form(
      "Card",
      layout(
        "    - { id: new, type: field, source: draft_custom_field, ref: { draftFieldDefinitionId: d_nick }, regionKey: main, config: { label: Nick } }\n",
      ) +
        "  stagedFieldDefinitions:\n    - { draftId: d_nick, action: create, key: nickname, name: Nickname, type: TEXT }\n",
    );
    const cli = await applied({ "card.yaml": text });
    expect(await into(cli)).toMatchObject({ code: 0 });
    expect(cli.read("card.yaml")).toBe(text);
    await publish(cli, "Card", ({ blocks }) => (blocks[0]!.config = { label: "Nickname" }));
    expect(await into(cli)).toMatchObject({ code: 0 });
    expect(cli.read("card.yaml")).toBe(text.replace("label: Nick }", "label: Nickname }"));
    expect(await cli.run("plan", "forms", "--detailed-exitcode")).toMatchObject({ code: 0 });
  });

  it("of a layout takes its name, metadata and assignments", async () => {
    const text =
      "kind: Layout\nname: Contractor card\nsurface: CONTRACTOR\nsupportedModes: [VIEW]\ntarget: {}\nmetadata: { a: 1 }\n" +
      "assignments:\n  roles:\n    # first\n    - { role: Recruiter }\n    - { role: account_manager, priority: 5 }\n" +
      "layout:\n  schemaVersion: 1\n  regions:\n    - { key: main, layout: grid, columns: 12 }\n  blocks: []\npublish: false\n";
    const cli = await applied({ "card.yaml": text });
    const all = () => cli.run("export", "--all-layouts", "--into", "forms", "--json");
    expect(filesOf(await all())).toMatchObject([{ status: "unchanged" }]);
    await cli.behind(async (service) => {
      const [page] = await service.listLayouts({});
      await service.updateLayout({ layoutId: page!.id, body: { name: "Card", metadata: { a: 1, b: "${x}" } } });
      const roles = page!.assignments.map(({ roleId, priority }) => ({ roleId: roleId!, priority: priority * 2 }));
      const body = { clientMutationId: "roles", organizationDefault: true, roles };
      await service.replaceAssignments({ layoutId: page!.id, body });
    });
    expect(await all()).toMatchObject({ code: 0 });
    expect(cli.read("card.yaml")).toBe(
      text
        .replace("name: Contractor card", "name: Card")
        .replace("{ a: 1 }", () => "{ a: 1, b: '$${x}' }")
        .replace("priority: 5", "priority: 10")
        .replace("assignments:\n", "assignments:\n  organizationDefault: true\n"),
    );
    expect(await cli.run("plan", "forms", "--detailed-exitcode")).toMatchObject({ code: 0 });
  });
});

describe("the name of a new file", () => {
  const named = (name: string, moduleKey = "staffing") =>
    fileNameOf({
      kind: "Form",
      name,
      address: `${moduleKey}/candidate/${name}`,
      object: { moduleKey, objectKey: "candidate" },
    } as Exported);

  it.each([
    ["Candidate profile", "candidate-profile"],
    ["  Ünïcödé & more!  ", "unicode-more"],
    ["../../etc/passwd", "etc-passwd"],
    ["🦊", ""],
    ["x".repeat(300), "x".repeat(60)],
  ])("for %j has the words of the form's name", (name, slug) => {
    expect(slugOf(name, 60)).toBe(slug);
  });

  it.each(["CON", "nul", "com1", "formctl", "🦊", "x".repeat(300), ".."])(
    "for %j has a hash, because its words are not a valid name",
    (name) => {
      const { plain, unique } = named(name);
      expect(plain).toBe(unique);
      expect(plain).toMatch(/^staffing\/candidate\/[a-z0-9-]+-[0-9a-f]{8}$/);
    },
  );

  it.each(["con", "a.", "node_modules", "x".repeat(128)])("for the module %j has a folder with a hash", (moduleKey) => {
    expect(named("Card", moduleKey).plain).toMatch(/^[a-z0-9-]+-[0-9a-f]{8}\/candidate\/card$/);
  });
});

it("plans no two files of the same path, also in folders with capital letters", () => {
  const exported = (name: string) => {
    const object = { moduleKey: "staffing", objectKey: "Candidate" };
    const address = `staffing/Candidate/${name}`;
    return { kind: "Form", name, address, object, members: {}, layout: undefined } as unknown as Exported;
  };
  const forms = [exported("Card"), exported("card")];
  // Both forms have the same plain name, so they get their unique names. The third form has one of these as its name.
  const third = exported(basename(fileNameOf(forms[0]!).unique));
  const folder = newFolder();
  const { files } = newFiles([...forms, third], { into: "forms", real: folder, schemas: folder });
  const names = [...forms, third].map((each) => `${fileNameOf(each).unique}.yaml`);
  expect(files.map(({ path }) => relative(folder, path))).toEqual(names);
});

it("leaves the complete old or new file when it is killed", async () => {
  const script = fileURLToPath(new URL("./scripts/write-again.ts", import.meta.url));
  const folder = newFolder();
  mkdirSync(join(folder, "forms"));
  const path = join(folder, "forms", "card.yaml");
  const texts = ["a", "b"].map((letter) => `${letter}: ${"x".repeat(300_000)}\n`);
  writeFileSync(path, texts[0]!);
  for (let round = 0; round < 6; round++) {
    const child = spawn(process.execPath, [script, path], { stdio: ["ignore", "pipe", "inherit"] });
    await once(child.stdout, "data");
    await setTimeout(round * 6);
    child.kill("SIGKILL");
    await once(child, "close");
    expect(texts).toContain(readFileSync(path, "utf8"));
    expect(readdirSync(join(folder, "forms")).filter((name) => name.endsWith(".yaml"))).toEqual(["card.yaml"]);
  }
});

it("writes no manifest if the layout file that it references can't be written", async () => {
  const folder = newFolder();
  const [path, layoutPath] = [join(folder, "card.yaml"), join(folder, "card.layout.yaml")];
  const manifest = { path, text: () => "kind: Form\n", before: undefined, layoutFile: "card.layout.yaml" };
  const layoutFile = { path: layoutPath, text: () => "blocks: []\n", before: undefined };
  const plan = { outcomes: [], locked: new Map(), fresh: new Map(), missing: [], notes: [] };
  const lock = { get: () => undefined, set: () => undefined, setFile: () => undefined } as unknown as Lock;
  const write = () => carryOutWrites({ ...plan, files: [manifest, layoutFile] }, folder, lock);
  writeFileSync(layoutPath, "of another process\n");
  await expect(write()).rejects.toMatchObject({ code: "FILE_UNFIT" });
  expect(readdirSync(folder)).toEqual(["card.layout.yaml"]);
  expect(readFileSync(layoutPath, "utf8")).toBe("of another process\n");
  rmSync(layoutPath);
  await write();
  expect(readdirSync(folder)).toEqual(["card.layout.yaml", "card.yaml"]);
});

it("keeps the lock entry of a manifest in another folder, but not an entry without a base", async () => {
  const folder = newFolder();
  const lock = await openLock(folder, "here", turns);
  const [empty, known, fresh] = [{}, { name: "0".repeat(64) }, { name: "1".repeat(64) }].map((base) => ({
    layoutId: "lay_1",
    base,
  }));
  lock.set("CONTRACTOR/Card", empty!);
  lock.set("CONTRACTOR/Other", known!);
  const entries = ["Card", "Other"].map(
    (name) => [`CONTRACTOR/${name}`, { file: `${name}.yaml`, resource: fresh! }] as const,
  );
  const writes = { outcomes: [], files: [], locked: new Map(), fresh: new Map(entries), missing: [], notes: [] };
  await carryOutWrites(writes, folder, lock);
  expect([lock.get("CONTRACTOR/Card"), lock.get("CONTRACTOR/Other")]).toEqual([{ ...fresh, file: "Card.yaml" }, known]);
});

it("deletes the files that a killed export left next to the editor schemas", async () => {
  const folder = join(newFolder(), "schemas");
  for (const name of [".formctl-old123", ".formctl-new123"]) mkdirSync(join(folder, name), { recursive: true });
  const yesterday = new Date(Date.now() - 24 * 60 * 60 * 1000);
  utimesSync(join(folder, ".formctl-old123"), yesterday, yesterday);
  await writeEditorSchemas(folder);
  expect(readdirSync(folder).toSorted()).toEqual([".formctl-new123", ...Object.values(EDITOR_SCHEMAS).toSorted()]);
});
