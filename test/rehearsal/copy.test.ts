/** Copies of stores: private, complete, and deleted with their process. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import type { CopyPart } from "../../src/local-service.ts";
import { createStore, openLocal } from "../../src/composition/local-store.ts";
import { copyDatabase, emptyDatabase } from "../../src/store/scratch.ts";
import { StoreError } from "../../src/store/store.ts";
import { contractOrganizations } from "../contract/organizations.ts";
import { reasonOnWindows } from "../skip.ts";
import { temporaryFolders } from "../temporary.ts";

const newFolder = temporaryFolders();
const CANDIDATE = { moduleKey: "staffing", objectKey: "candidate" };
const now = () => new Date("2026-03-02T09:00:00.000Z");

/** A store with a public form, and a file that was uploaded through this form. The form is not a default. */
async function openScene() {
  const path = join(newFolder(), "store.db");
  await createStore(path);
  const local = openLocal(path, now);
  await local.seed(contractOrganizations);
  const service = await local.service("northwind");
  const form = await service.createForm({ ...CANDIDATE, body: { name: "Intake", types: ["CREATE"], isPublic: true } });
  await local.addUpload({ formId: form.id, fileName: "cv.pdf", bytes: new Uint8Array(3) });
  return { path, local, service, form };
}

function filesNextTo(path: string): string[] {
  return readdirSync(dirname(path), { recursive: true, encoding: "utf8" }).toSorted((a, b) => (a < b ? -1 : 1));
}

describe("the copy of a local store", () => {
  it("has everything that was committed, and its writes do not reach the store", async () => {
    const { path, local, service, form } = await openScene();
    const files = filesNextTo(path);
    const log = await local.log({ limit: 100 });
    const copy = await local.copy();
    const copied = await copy.service("northwind");
    expect(await copied.getForm({ ...CANDIDATE, formId: form.id })).toEqual(form);
    expect(await copy.listUploads(form.id)).toHaveLength(1);
    await copied.deleteForm({ ...CANDIDATE, formId: form.id });
    await copied.createForm({ ...CANDIDATE, body: { name: "Other", types: ["VIEW"] } });
    await copy.close();

    expect((await service.listForms({ ...CANDIDATE, query: {} })).data.map(({ name }) => name)).toEqual(["Intake"]);
    expect(await local.listUploads(form.id)).toHaveLength(1);
    expect(await local.log({ limit: 100 })).toEqual(log);
    expect(await local.check()).toEqual([]);
    expect(filesNextTo(path)).toEqual(files);
    await local.close();
  });

  it("can be made while another connection holds the write lock, without its uncommitted writes", async () => {
    const { path, local, form } = await openScene();
    const writer = new DatabaseSync(path);
    writer.exec("BEGIN IMMEDIATE; DELETE FROM forms");
    const copy = await local.copy();
    const { data } = await (await copy.service("northwind")).listForms({ ...CANDIDATE, query: {} });
    expect(data.map(({ id }) => id)).toEqual([form.id]);
    writer.exec("ROLLBACK");
    writer.close();
    await copy.close();
    await local.close();
  });

  it("can't be made of a missing store", async () => {
    const local = openLocal(join(newFolder(), "none.db"), now);
    await expect(local.copy()).rejects.toMatchObject({ code: "STORE_MISSING" });
    await local.close();
  });

  it("is refused for a file that is not a store", async () => {
    const path = join(newFolder(), "other.db");
    const other = new DatabaseSync(path);
    other.exec("CREATE TABLE t (a)");
    other.close();
    await expect(copyDatabase(path)).rejects.toBeInstanceOf(StoreError);
  });
});

describe("an empty store that is not durable", () => {
  it.each([0, 2 ** 30])("can be written and read if %o bytes are to be added", async (growth) => {
    const db = await emptyDatabase(growth);
    db.exec("INSERT INTO organizations VALUES ('o', 'o', 'O')");
    expect(db.prepare("SELECT id FROM organizations").all()).toEqual([{ id: "o" }]);
    db.close();
  });
});

describe("the copy of a part of a store", () => {
  /** A store with three forms. One form is the default of its object. */
  async function openForms() {
    const { path, local, service, form } = await openScene();
    const body = { types: ["VIEW" as const] };
    const other = await service.createForm(
      { ...CANDIDATE, body: { ...body, name: "Other" } },
      { idempotencyKey: "k1" },
    );
    const usual = await service.createForm({ ...CANDIDATE, body: { ...body, name: "Usual" } });
    await service.updateFormDefaults({ ...CANDIDATE, body: { defaultViewFormId: usual.id } });
    const part = {
      organization: "northwind",
      objects: [{ ...CANDIDATE, formIds: [form.id], names: [] }],
      creations: [],
    };
    const formsOf = async (wanted: CopyPart) => {
      const copy = await local.copy(0, wanted);
      const { data } = await (await copy.service("northwind")).listForms({ ...CANDIDATE, query: {} });
      expect(await copy.check()).toEqual([]);
      await copy.close();
      return data;
    };
    return { path, local, form, other, usual, part, formsOf };
  }

  it("has the needed forms and the default forms, as they are in the store", async () => {
    const { local, form, other, usual, part, formsOf } = await openForms();
    const names = async (wanted: CopyPart) => (await formsOf(wanted)).map(({ name }) => name).toSorted();
    const { data } = await (await local.service("northwind")).listForms({ ...CANDIDATE, query: {} });
    expect(await formsOf(part)).toEqual(data.filter(({ id }) => id !== other.id));
    expect(await names(part)).toEqual([form.name, usual.name]);
    const byName = { ...part, objects: [{ ...CANDIDATE, formIds: [], names: [other.name, "None"] }] };
    expect(await names(byName)).toEqual([other.name, usual.name]);
    expect(await names({ ...byName, organization: undefined, objects: [] })).toHaveLength(3);
    await local.close();
  });

  it("is a copy of the whole store if a creation has a stored response", async () => {
    const { local, part, formsOf } = await openForms();
    expect(await formsOf({ ...part, creations: ["k2"] })).toHaveLength(2);
    expect(await formsOf({ ...part, creations: ["k2", "k1"] })).toHaveLength(3);
    await local.close();
  });
});

describe("the copy of a large store", () => {
  const script = join(import.meta.dirname, "scripts", "hold-copy.ts");

  /** Starts a process with its own folder of temporary files. The process copies the store to a file. */
  async function startHolder(path: string) {
    const temporary = join(newFolder(), "temporary");
    mkdirSync(temporary);
    const child = spawn(process.execPath, [script, path], {
      env: { ...process.env, TMPDIR: temporary },
      stdio: ["pipe", "pipe", "inherit"],
    });
    const [line] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
    return { child, line: line.trim(), files: () => readdirSync(temporary) };
  }

  it("leaves no file, even if the process is killed", async ({ skip }) => {
    skip(reasonOnWindows !== undefined, reasonOnWindows);
    const { path, local } = await openScene();
    await local.close();
    const { child, line, files } = await startHolder(path);
    // The process has written to its copy and read it again.
    expect(line).toBe("forms: 0");
    expect(files()).toEqual([]);
    child.kill("SIGKILL");
    await once(child, "close");
    expect(files()).toEqual([]);
    const live = new DatabaseSync(path);
    expect(live.prepare("SELECT count(*) AS forms FROM forms").get()).toEqual({ forms: 1 });
    live.close();
  });
});
