/**
 * Measures a store on SQLite: `node bench/store.ts [--forms 100000] [--rounds 3] [--check]`.
 *
 * - The backup and the check of a large store are compared to SQLite's commands on the same file.
 * - The writes of 64 concurrent callers are compared to the same statements. There, each write has its own commit.
 * - The calls of one caller are compared to equivalent statements on the raw driver.
 *
 * The compared runs take turns, so that the speed of the machine affects them equally. Each ratio is a ratio of
 * medians. With `--check`, the run fails if a ratio misses its target. Everything runs in this process, so the times
 * exclude start-up.
 *
 * The run also fails if the check finds no damage in a damaged store, or if a measured write is not in the store.
 */

import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { parseArgs } from "node:util";
import { type NewId, randomId } from "../src/engine/ids.ts";
import { createStore, openLocal } from "../src/composition/local-store.ts";
import { backupStore } from "../src/store/backup.ts";
import { openSqliteForServing } from "../src/store/sqlite.ts";
import { inTurn, missedTargets, report, time } from "./figures.ts";
import { copyForm } from "./fill-store.ts";
import { creations, type FormRows, formRows } from "./form-writes.ts";
import { benchOrganization } from "./manifest-folder.ts";
import { measureCalls, OBJECT, type RawDriver, writeStatements } from "./store-calls.ts";

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
/**
 * The number of writes in a turn. `SHARED` is the sum over the 64 concurrent callers. `SINGLE` is for one caller that
 * commits each write.
 */
const SHARED = 2_048;
const SINGLE = 256;

/** The settings of formctl for a connection. */
const SETTINGS = "PRAGMA synchronous = FULL; PRAGMA cache_size = -32768; PRAGMA temp_store = MEMORY";

const root = mkdtempSync(join(tmpdir(), "formctl-bench-store-"));
const path = join(root, "store.db");
const count = forms.toLocaleString("en");

try {
  const rows = await fill();
  await measureCopies();
  await measureWrites(rows);
  await measureOneCaller(rows);
  await requireFoundDamage(rows.form.id);
} finally {
  rmSync(root, { recursive: true, force: true });
}
if (values.check && missedTargets() > 0) process.exitCode = 1;

/** Creates a store with the forms. @returns the rows of one form */
async function fill(): Promise<FormRows> {
  await createStore(path);
  const local = openLocal(path, () => new Date());
  await local.seed(benchOrganization);
  const service = await local.service("bench");
  const { id } = await service.createForm({ ...OBJECT, body: { name: "Form", types: ["VIEW", "EDIT"] } });
  await local.close();
  copyForm(path, id, forms - 1);
  const db = new DatabaseSync(path);
  const rows = await formRows(async (query) => db.prepare(query.sql).all(...(query.values as string[])), id);
  db.close();
  return rows;
}

function withDatabase<T>(work: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(path);
  try {
    db.exec(SETTINGS);
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
            await writeStatements(store, rows.form.org_id, write);
          }
        };
        return SHARED / (await time(() => Promise.all(Array.from({ length: CALLERS }, writeAll))));
      },
      single: async () => {
        const writes = await creations(rows, SINGLE);
        const taken = withDatabase((db) => {
          const raw = rawSqlite(db);
          const start = performance.now();
          for (const write of writes) void raw.commit(write);
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

async function measureOneCaller(rows: FormRows): Promise<void> {
  const store = openSqliteForServing(path);
  const local = openLocal(path, () => new Date(), { serves: true });
  const service = await local.service("bench");
  const db = new DatabaseSync(path);
  db.exec(SETTINGS);
  const before = countForms();
  const name = `a store of ${count} forms`;
  const { figures, written } = await measureCalls({ name, store, service, raw: rawSqlite(db), rows }, rounds);
  db.close();
  await local.close();
  await store.close();
  requireEqual(countForms() - before, written, "the forms that one caller wrote");
  for (const figure of figures) report(figure);
}

/** Returns the raw driver. It prepares each statement once. */
function rawSqlite(db: DatabaseSync): RawDriver {
  db.exec("PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON");
  const prepared = new Map<string, StatementSync>();
  const prepare = (text: string) => {
    const statement = prepared.get(text) ?? db.prepare(text);
    prepared.set(text, statement);
    return statement;
  };
  return {
    commit: (statements) => {
      prepare("BEGIN IMMEDIATE").run();
      for (const { sql, values: sqlValues } of statements) prepare(sql).run(...(sqlValues as string[]));
      prepare("COMMIT").run();
    },
    all: ({ sql, values: sqlValues }) => prepare(sql).all(...(sqlValues as string[])),
  };
}

/** Returns the size of one commit in bytes. The commit creates a form for each caller. */
async function bytesOfCommit(rows: FormRows, newId: NewId): Promise<number> {
  const writes = await creations(rows, CALLERS, newId);
  return withDatabase((db) => {
    db.exec("PRAGMA wal_autocheckpoint = 0; PRAGMA wal_checkpoint(TRUNCATE)");
    void rawSqlite(db).commit(writes.flat());
    return statSync(`${path}-wal`).size;
  });
}

function countForms(): number {
  return withDatabase((db) => Number(db.prepare("SELECT count(*) AS forms FROM forms").get()!["forms"]));
}

/** The control: changes a form without its hash. Requires that the check reports exactly this form. */
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
