/**
 * Damages copies of a store, reads each copy, and prints the answers that differ from the stored content. For the
 * control, the manner `raw` reads columns without verification.
 */

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import sql, { raw } from "sql-template-tag";
import { hasCode } from "../../../src/base/error.ts";
import { ServiceError } from "../../../src/service.ts";
import { openSqlite } from "../../../src/store/sqlite.ts";
import { PAGE_SIZE } from "../../../src/store/sqlite-schema.ts";
import { ConstraintViolation, StoreError } from "../../../src/store/store.ts";
import { knownIds, openService, type Reading, readings } from "../damage-stage.ts";
import { generator } from "../loop.ts";

const [path = "", times = "0", seed = "1", manner = "service"] = process.argv.slice(2);
const random = generator(Number(seed));
const bytes = readFileSync(path);
/** The offsets of all bytes that are not zero. Pages are partly empty, and damage of an empty part changes nothing. */
const used = Array.from(bytes.keys()).filter((at) => bytes[at] !== 0);
const copy = `${path}.damaged`;
const violations: string[] = [];
const facts = { answered: 0, refused: 0, missing: 0, unopened: 0 };

const local = openService(path);
const known = await knownIds(local);
const expected = new Map<string, Map<string, string>>();
for (const reading of await (manner === "raw" ? rawReadings(path) : readings(local, known)))
  expected.set(reading.name, asText(await reading.read()));
await local.close();

for (let time = 0; time < Number(times); time++) {
  const what = writeDamaged();
  try {
    await readAll(what);
  } catch (error) {
    if (error instanceof StoreError || error instanceof ServiceError) facts.unopened++;
    else complain(what, "opening it", error);
  }
  for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(copy + suffix, { force: true });
}
process.stdout.write(JSON.stringify({ violations, facts }));

/**
 * Writes a damaged copy: with some changed bits, a range of zeros, a range of random bytes, or a page in place of
 * another page.
 */
function writeDamaged(): string {
  const damaged = Buffer.from(bytes);
  const kind = random(8);
  const at = used[random(used.length)]!;
  const length = 1 + random(64);
  if (kind === 0) damaged.fill(0, at, Math.min(at + length, bytes.length));
  else if (kind === 1)
    for (let next = at; next < Math.min(at + length, bytes.length); next++) damaged[next] = random(256);
  else if (kind === 2) bytes.copy(damaged, pageStart(), ...pageRange());
  else
    for (let flips = 1 + random(8); flips > 0; flips--) {
      const flipped = used[random(used.length)]!;
      damaged[flipped] = damaged[flipped]! ^ (1 << random(8));
    }
  writeFileSync(copy, damaged);
  return `damage ${kind} at ${at} (seed ${seed})`;
}

function pageStart(): number {
  return PAGE_SIZE * random(bytes.length / PAGE_SIZE);
}

function pageRange(): [start: number, end: number] {
  const start = pageStart();
  return [start, start + PAGE_SIZE];
}

async function readAll(what: string): Promise<void> {
  const damagedLocal = openService(copy);
  try {
    for (const { name, read } of await (manner === "raw" ? rawReadings(copy) : readings(damagedLocal, known))) {
      try {
        compare(what, name, asText(await read()));
      } catch (error) {
        if (error instanceof StoreError || error instanceof ConstraintViolation) facts.refused++;
        else if (error instanceof ServiceError || hasCode(error, "ORGANIZATION_UNCLEAR")) facts.missing++;
        else complain(what, name, error);
      }
    }
  } finally {
    await damagedLocal.close();
  }
}

/**
 * Compares an answer with the stored records. A record with another content or an unknown id is a violation. A missing
 * record is not.
 */
function compare(what: string, name: string, found: Map<string, string>): void {
  for (const [id, text] of expected.get(name)!) {
    const answered = found.get(id);
    if (answered === undefined) facts.missing++;
    else if (answered === text) facts.answered++;
    else violations.push(`${what}: ${name} answers of ${id} what was not stored: ${difference(text, answered)}`);
  }
  for (const id of found.keys())
    if (!expected.get(name)!.has(id)) violations.push(`${what}: ${name} answers the unknown ${id}`);
}

function difference(stored: string, answered: string): string {
  let at = 0;
  while (stored[at] === answered[at]) at++;
  return `${stored.slice(Math.max(0, at - 30), at + 20)} became ${answered.slice(Math.max(0, at - 30), at + 20)}`;
}

function complain(what: string, where: string, error: unknown): void {
  violations.push(`${what}: ${where} throws ${(error as Error).stack?.slice(0, 400)}`);
}

function asText(answer: Map<string, unknown>): Map<string, string> {
  return new Map([...answer].map(([id, value]) => [id, JSON.stringify(value)]));
}

async function rawReadings(store: string): Promise<Reading[]> {
  const columns = [
    ["forms", "config"],
    ["layouts", "metadata"],
    ["layouts", "target"],
    ["layout_versions", "validation"],
    ["layout_versions", "supported_modes"],
  ];
  return columns.map(([table, column]) => ({
    name: `${table}.${column}`,
    read: async () => {
      const opened = openSqlite(store, { create: false });
      try {
        const rows = await opened.read((tx) =>
          tx.all<{ id: string; text: string | null }>(sql`
            SELECT id, ${raw(column!)} AS text FROM ${raw(table!)} ORDER BY id`),
        );
        const wanted = expected.get(`${table}.${column}`);
        return new Map(
          rows.filter(({ id }) => !wanted || wanted.has(id)).map(({ id, text }) => [id, JSON.parse(text ?? "null")]),
        );
      } finally {
        await opened.close();
      }
    },
  }));
}
