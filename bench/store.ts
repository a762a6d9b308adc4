/**
 * Measures the local store: `npm run bench:store [-- --forms 100000] [-- --rounds 3] [-- --check]`.
 *
 * The backup and the check of a large store are compared to the commands of SQLite on the same file. The writes of 64
 * concurrent callers are compared to the same statements with a commit for each write. The compared runs take turns, so
 * that the speed of the machine cancels out; each ratio is a ratio of medians. With `--check`, the run fails if a ratio
 * misses its target.
 *
 * Everything runs in this process, so the times exclude start-up. The run fails if the check finds no damage in a
 * damaged store, or if a measured write is not in the store.
 */

import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { parseArgs } from "node:util";
import type { Sql } from "sql-template-tag";
import { type NewId, randomId } from "../src/engine/ids.ts";
import { createStore, openLocal } from "../src/local-store.ts";
import { insertAudit } from "../src/store/audit.ts";
import { backupStore } from "../src/store/backup.ts";
import { type FormRecord, insertForm, replaceFormTypes } from "../src/store/forms.ts";
import { insertLayout, type LayoutRecord } from "../src/store/layouts.ts";
import { openSqliteForServing } from "../src/store/sqlite.ts";
import { inOrganization, type Tx } from "../src/store/store.ts";
import { insertDraft, type VersionRecord } from "../src/store/versions.ts";
import { inTurn, missedTargets, report, time } from "./figures.ts";
import { copyForm } from "./fill-store.ts";
import { benchOrganization } from "./manifest-folder.ts";

const { values } = parseArgs({
  options: {
    forms: { type: "string", default: "100000" },
    rounds: { type: "string", default: "3" },
    check: { type: "boolean", default: false },
  },
});
const forms = Number(values.forms);
const rounds = Number(values.rounds);

const CALLERS = 64;
/** The writes of a round: 32 commits of all callers, and a commit for each write of one caller. */
const SHARED = 2_048;
const SINGLE = 256;

const root = mkdtempSync(join(tmpdir(), "formctl-bench-store-"));
const path = join(root, "store.db");
const count = forms.toLocaleString("en");

/** The rows of a form: those from which the measured writes are made. */
type FormRows = { form: FormRecord; layout: LayoutRecord; version: VersionRecord };

try {
  const rows = await fill();
  await measureCopies();
  await measureWrites(rows);
  await requireFoundDamage(rows.form.id);
} finally {
  rmSync(root, { recursive: true, force: true });
}
if (values.check && missedTargets() > 0) process.exitCode = 1;

/** Creates a store with the forms. @returns the rows of one of them */
async function fill(): Promise<FormRows> {
  await createStore(path);
  const local = openLocal(path, () => new Date());
  await local.seed(benchOrganization);
  const service = await local.service("bench");
  const object = { moduleKey: "bench", objectKey: "object_0" };
  const { id } = await service.createForm({ ...object, body: { name: "Form", types: ["VIEW", "EDIT"] } });
  await local.close();
  copyForm(path, id, forms - 1);
  return withDatabase((db) => {
    const row = (text: string, key: string): unknown => db.prepare(text).get(key);
    const form = row("SELECT * FROM forms WHERE id = ?", id) as FormRecord;
    const layout = row("SELECT * FROM layouts WHERE owner_form_id = ?", id) as LayoutRecord;
    const version = row(
      "SELECT v.*, c.content FROM layout_versions v JOIN layout_contents c USING (layout_id) WHERE v.layout_id = ?",
      layout.id,
    ) as VersionRecord;
    return { form, layout, version };
  });
}

function withDatabase<T>(work: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(path);
  try {
    // The same settings as those of formctl.
    db.exec("PRAGMA synchronous = FULL; PRAGMA cache_size = -32768; PRAGMA temp_store = MEMORY");
    return work(db);
  } finally {
    db.close();
  }
}

async function measureCopies(): Promise<void> {
  const copy = join(root, "copy.db");
  const fresh = async (work: () => unknown) => {
    rmSync(copy, { force: true });
    return time(work);
  };
  const local = openLocal(path, () => new Date());
  const times = await inTurn(
    {
      vacuum: () => fresh(() => withDatabase((db) => db.prepare("VACUUM INTO ?").run(copy))),
      backup: () => fresh(() => backupStore(path, copy)),
      sqlite: () => time(() => withDatabase(checkOfSqlite)),
      check: () => time(async () => requireEqual((await local.check()).length, 0, "the violations of an intact store")),
    },
    rounds,
  );
  await local.close();
  report({
    name: `local backup, ${count} forms`,
    value: `${(times.backup / 1000).toFixed(2)} s`,
    yardstick: "VACUUM INTO",
    ratio: times.backup / times.vacuum,
    target: { most: 3 },
  });
  report({
    name: `local check, ${count} forms`,
    value: `${(times.check / 1000).toFixed(2)} s`,
    yardstick: "SQLite's integrity and foreign-key check",
    ratio: times.check / times.sqlite,
    target: { most: 3 },
  });
}

function checkOfSqlite(db: DatabaseSync): void {
  const pages = db.prepare("PRAGMA integrity_check").all();
  requireEqual(JSON.stringify(pages), '[{"integrity_check":"ok"}]', "the integrity check");
  requireEqual(db.prepare("PRAGMA foreign_key_check").all().length, 0, "the missing rows");
}

async function measureWrites(rows: FormRows): Promise<void> {
  const store = openSqliteForServing(path);
  const before = countForms();
  const rates = await inTurn(
    {
      shared: async () => {
        const writes = await creations(rows, SHARED);
        const writeAll = async () => {
          for (let write = writes.pop(); write; write = writes.pop()) {
            const statements = write;
            await store.write(async (tx) => {
              for (const each of statements) await tx.run(each);
            });
          }
        };
        return SHARED / (await time(() => Promise.all(Array.from({ length: CALLERS }, writeAll))));
      },
      single: async () => {
        const writes = await creations(rows, SINGLE);
        const taken = withDatabase((db) => {
          const commit = committer(db);
          const start = performance.now();
          for (const write of writes) commit([write]);
          return performance.now() - start;
        });
        return SINGLE / taken;
      },
    },
    rounds,
  );
  await store.close();
  requireEqual(countForms() - before, (SHARED + SINGLE) * (rounds + 1), "the written forms");
  report({
    name: `${CALLERS} concurrent writers, a store of ${count} forms`,
    value: `${Math.round(rates.shared * 1000).toLocaleString("en")}/s`,
    yardstick: "the raw driver, a commit for each write",
    ratio: rates.shared / rates.single,
    target: { least: 5 },
  });
  const bytes = await inTurn(
    {
      ours: () => bytesOfCommit(rows, randomId),
      random: () => bytesOfCommit(rows, (kind) => randomId(kind).slice(0, 4) + randomId("publicToken").slice(4)),
    },
    5,
  );
  report({
    name: `a commit of ${CALLERS} new forms, a store of ${count}`,
    value: `${(bytes.ours / 2 ** 20).toFixed(2)} MiB`,
    yardstick: "the same with completely random ids",
    ratio: bytes.ours / bytes.random,
  });
}

/** Returns the statements of `number` writes that create a form each, as the engine would. */
async function creations(rows: FormRows, number: number, newId: NewId = randomId): Promise<Sql[][]> {
  const writes: Sql[][] = [];
  for (let index = 0; index < number; index++) {
    const statements: Sql[] = [];
    const record = { run: async (statement: Sql) => statements.push(statement) } as unknown as Tx;
    const tx = inOrganization(record, rows.form.org_id);
    const at = new Date().toISOString();
    const times = { created_at: at, updated_at: at };
    const form = { ...rows.form, ...times, id: newId("form") };
    const target = { target: named(rows.layout.target, form.id), target_key: named(rows.layout.target_key, form.id) };
    const layout = { ...rows.layout, ...times, ...target, id: newId("layout"), owner_form_id: form.id };
    await insertForm(tx, form);
    await replaceFormTypes(tx, form, ["VIEW", "EDIT"]);
    await insertLayout(tx, layout);
    await insertDraft(tx, { ...rows.version, id: newId("version"), layout_id: layout.id, created_at: at });
    const request = { clientMutationId: null, requestId: null, tokenId: null };
    await insertAudit(tx, { ...request, at, operation: "createForm", target: "/v1/bench" });
    writes.push(statements);
  }
  return writes;

  function named(target: string, formId: string): string {
    return target.replace(rows.form.id, formId);
  }
}

/** Returns a function that commits writes with prepared statements and without anything else. */
function committer(db: DatabaseSync): (writes: readonly (readonly Sql[])[]) => void {
  db.exec("PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON");
  const prepared = new Map<string, StatementSync>();
  const run = (text: string, sqlValues: readonly unknown[] = []) => {
    const statement = prepared.get(text) ?? db.prepare(text);
    prepared.set(text, statement);
    statement.run(...(sqlValues as string[]));
  };
  return (writes) => {
    run("BEGIN IMMEDIATE");
    for (const { sql, values: sqlValues } of writes.flat()) run(sql, sqlValues);
    run("COMMIT");
  };
}

/** Returns how many bytes one commit writes that creates a form for each caller. */
async function bytesOfCommit(rows: FormRows, newId: NewId): Promise<number> {
  const writes = await creations(rows, CALLERS, newId);
  return withDatabase((db) => {
    db.exec("PRAGMA wal_autocheckpoint = 0; PRAGMA wal_checkpoint(TRUNCATE)");
    committer(db)(writes);
    return statSync(`${path}-wal`).size;
  });
}

function countForms(): number {
  return withDatabase((db) => Number(db.prepare("SELECT count(*) AS forms FROM forms").get()!["forms"]));
}

/** The control: changes a form without its hash, and requires that the check reports this form and no other record. */
async function requireFoundDamage(formId: string): Promise<void> {
  withDatabase((db) => db.prepare("UPDATE forms SET is_public = 0, config = '{}' WHERE id = ?").run(formId));
  const local = openLocal(path, () => new Date());
  const found = (await local.check()).map(({ invariant, record }) => `${invariant} ${record}`);
  await local.close();
  requireEqual(found.join(), `I32 ${formId}`, "the control: the violations of a damaged store");
}

function requireEqual<T extends string | number>(found: T, expected: T, what: string): void {
  if (found !== expected) throw new Error(`${what}: ${found} instead of ${expected}`);
}
