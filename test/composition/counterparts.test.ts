/** The functions of the library that do what commands do: render layouts, change manifests, back up stores. */

import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { backupStore, codemod, defineMigration, openLocal, renderLayout, restoreStore } from "../../src/index.ts";
import { TEST_ORGANIZATION, testOrganization } from "../../src/testing.ts";
import { temporaryFolders } from "../temporary.ts";

const newFolder = temporaryFolders("on disk");

const notes = {
  id: "n",
  type: "field",
  source: "dynamic_field",
  regionKey: "main",
  ref: { fieldKey: "notes" },
  config: { label: "Remarks" },
} as const;
const content = {
  schemaVersion: 1,
  regions: [{ key: "main", label: "Main", layout: "grid" as const, columns: 12 }],
  blocks: [notes],
};

describe("renderLayout", () => {
  const object = { moduleKey: "crm", objectKey: "contact" };

  it("returns a page, a text without colors, and no problems", async () => {
    await using test = await testOrganization();
    const { organization } = test;
    const options = { title: "Desk", modes: ["EDIT", "VIEW"] as const, organization, object };
    const { html, text, problems } = await renderLayout(content, options);
    expect(problems).toEqual([]);
    expect(html).toMatch(/^<!doctype html>[^]*Desk[^]*Remarks/);
    expect(text).toContain("Remarks");
    expect(text).not.toContain("\u001B");
  });

  it("shows the problems, the differences, and one mode", async () => {
    await using test = await testOrganization();
    const { organization } = test;
    const missing = { ...notes, id: "m", ref: { fieldKey: "missing" }, mode: "VIEW" as const };
    const changed = { ...content, blocks: [notes, missing] };
    const compareWith = { content, name: "version 1" };
    const all = await renderLayout(changed, {
      modes: ["VIEW", "EDIT"],
      organization,
      object,
      compareWith,
      ascii: true,
    });
    expect(all.problems.map(({ severity }) => severity)).toContain("error");
    expect(all.text).toContain("compared with version 1");
    expect(Buffer.byteLength(all.text)).toBe(all.text.length);
    await expect(renderLayout(content, { modes: ["VIEW"], mode: "CREATE" })).rejects.toMatchObject({
      code: "INVALID_VALUE",
      hint: "Supported modes: VIEW",
    });
  });

  it("refuses an invalid content at its path", async () => {
    const invalid = { ...content, blocks: [{ type: "field" }] } as never;
    await expect(renderLayout(invalid)).rejects.toThrow("the content is invalid: blocks[0]");
  });
});

describe("codemod", () => {
  const manifest = `# The desk.
kind: Form
object: crm/contact
name: Desk
types: [VIEW]
layout:
  schemaVersion: 1
  regions:
    - { key: main, label: Main, layout: grid, columns: 12 }
  blocks:
    - { id: n, type: field, source: dynamic_field, regionKey: main, ref: { fieldKey: notes }, config: { label: Notes } } # kept
`;
  const label = defineMigration({
    match: { showsField: "notes" },
    layout: (draft) => ({
      ...draft,
      blocks: draft.blocks.map((block) => ({ ...block, config: { label: "Remarks" } })),
    }),
  });

  function project() {
    const root = newFolder();
    mkdirSync(join(root, "forms"));
    const path = join(root, "forms/desk.yaml");
    writeFileSync(path, manifest);
    return { root, path };
  }

  it("changes only the lines of changed values, with a transform of the program", async () => {
    const { root, path } = project();
    const planned = await codemod({ root, migration: label, paths: ["forms"], dryRun: true });
    expect(planned).toMatchObject({
      outcome: "would change",
      matched: 1,
      files: [{ name: "forms/desk.yaml", lines: 1 }],
    });
    expect(readFileSync(path, "utf8")).toBe(manifest);
    expect(await codemod({ root, migration: label })).toMatchObject({ outcome: "changed" });
    expect(readFileSync(path, "utf8")).toBe(manifest.replace("label: Notes", "label: Remarks"));
    expect(await codemod({ root, migration: label })).toMatchObject({ outcome: "unchanged", files: [] });
  });

  it("loads a migration of the folder by a part of its name", async () => {
    const { root, path } = project();
    mkdirSync(join(root, "changes"));
    writeFileSync(
      join(root, "changes/20261122-1000-label-notes.ts"),
      `import { defineMigration, codemod } from "formctl";
       export default defineMigration({ layout: (content) => ({ ...content, metadata: { by: typeof codemod } }) });`,
    );
    const { outcome } = await codemod({ root, migration: "label", folder: "changes", paths: ["forms"] });
    expect(outcome).toBe("changed");
    expect(readFileSync(path, "utf8")).toContain("by: function");
    await expect(codemod({ root, migration: "other", folder: "changes" })).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("refuses a script, and a path that leads out of the project through a link", async () => {
    const { root } = project();
    const script = defineMigration({ run: async () => undefined });
    await expect(codemod({ root, migration: script as never })).rejects.toMatchObject({ code: "INVALID_VALUE" });
    symlinkSync(newFolder(), join(root, "out"));
    await expect(codemod({ root, migration: label, paths: ["out"] })).rejects.toMatchObject({ code: "FILE_UNFIT" });
  });
});

describe("a backup", () => {
  it("has the records of the store, and replaces it", async () => {
    const folder = newFolder();
    const [store, copy] = [join(folder, "formctl.db"), join(folder, "backup.db")];
    {
      await using local = await openLocal(store, { create: true });
      await local.seed(TEST_ORGANIZATION);
    }
    expect(await backupStore(store, copy)).toMatchObject({ path: copy, counts: { organizations: 1 } });
    await expect(backupStore(store, copy)).rejects.toMatchObject({ code: expect.stringMatching(/^STORE_/) });
    {
      await using local = await openLocal(store);
      await local.seed({ organizations: [{ key: "other", name: "Other" }] });
    }
    expect(await restoreStore(copy, store)).toEqual({
      counts: expect.objectContaining({ organizations: 1 }),
      damaged: undefined,
    });
    await using local = await openLocal(store);
    expect((await local.show()).organizations.map(({ key }) => key)).toEqual(["acme"]);
  });

  it("is refused for a store on a database server or in memory, and of a file that is no backup", async () => {
    const folder = newFolder();
    const url = "postgres://formctl@db.example.com/formctl";
    await expect(backupStore(url, join(folder, "a.db"))).rejects.toMatchObject({ code: "USAGE" });
    for (const call of [backupStore(":memory:", join(folder, "a.db")), restoreStore(join(folder, "a.db"), ":memory:")])
      await expect(call).rejects.toMatchObject({ code: "INVALID_VALUE" });
    await expect(restoreStore(join(folder, "missing.db"), join(folder, "a.db"))).rejects.toMatchObject({
      code: "STORE_MISSING",
    });
  });
});
