/** Measures the calls of one caller on a store. Each call is compared to equivalent statements on the raw driver. */

import sql, { type Sql } from "sql-template-tag";
import type { FullService } from "../src/service.ts";
import type { Store } from "../src/store/store.ts";
import { type Figure, inTurn, time } from "./figures.ts";
import { creations, type FormRows } from "./form-writes.ts";

/** The object that has all forms of the measured stores. */
export const OBJECT = { moduleKey: "bench", objectKey: "object_0" };

/** One connection to the database, without the store. */
export type RawDriver = {
  /** Runs the statements in one durable transaction. */
  commit: (statements: readonly Sql[]) => void | Promise<void>;
  all: (query: Sql) => unknown;
};

export type MeasuredStore = {
  /** The name of the database in the figures. */
  name: string;
  store: Store;
  service: FullService;
  raw: RawDriver;
  rows: FormRows;
};

/** The number of calls in a turn. */
const WRITES = 50;
const READS = 200;
const LONG_READS = 20;

/**
 * Measures a write, and reads of a form and of lists.
 *
 * @returns the figures, and the number of written forms
 */
export async function measureCalls(
  { name, store, service, raw, rows }: MeasuredStore,
  rounds: number,
): Promise<{ figures: Figure[]; written: number }> {
  const figures: Figure[] = [];
  const compare = async (
    what: string,
    yardstick: string,
    works: { ours: () => number | Promise<number>; raw: () => number | Promise<number> },
  ) => {
    const times = await inTurn(works, rounds);
    figures.push({
      name: `${name}, one caller: ${what}`,
      value: `${times.ours.toFixed(2)} ms`,
      yardstick,
      ratio: times.ours / times.raw,
    });
  };
  const each = async (calls: number, call: () => unknown) =>
    (await time(async () => {
      for (let index = 0; index < calls; index++) await call();
    })) / calls;

  const { form } = rows;
  const writeAll = async (commit: (statements: readonly Sql[]) => unknown) => {
    const writes = await creations(rows, WRITES);
    return each(WRITES, () => commit(writes.pop()!));
  };
  await compare("write a form", "the raw driver, the same statements", {
    ours: () => writeAll((statements) => writeStatements(store, form.org_id, statements)),
    raw: () => writeAll(raw.commit),
  });
  await compare("get a form", "the raw driver, its row alone", {
    ours: () => each(READS, () => service.getForm({ ...OBJECT, formId: form.id })),
    raw: () => each(READS, () => raw.all(sql`SELECT * FROM forms WHERE org_id = ${form.org_id} AND id = ${form.id}`)),
  });
  const inObject = sql`FROM forms WHERE org_id = ${form.org_id} AND object_id = ${form.object_id}`;
  await compare("list 20 forms", "the raw driver, their rows alone", {
    ours: () => each(READS, () => service.listForms({ ...OBJECT, query: { limit: 20, count: "none" } })),
    raw: () => each(READS, () => raw.all(sql`SELECT * ${inObject} ORDER BY created_at, id LIMIT 20`)),
  });
  await compare("list 1 form with the total", "the raw driver, the total alone", {
    ours: () => each(LONG_READS, () => service.listForms({ ...OBJECT, query: { limit: 1 } })),
    raw: () => each(LONG_READS, () => raw.all(sql`SELECT count(*) AS total ${inObject}`)),
  });
  return { figures, written: 2 * WRITES * (rounds + 1) };
}

/** Runs the statements in one transaction of the store. */
export function writeStatements(store: Store, orgId: string, statements: readonly Sql[]): Promise<void> {
  return store.write(async (tx) => {
    for (const each of statements) await tx.run(each);
  }, orgId);
}
