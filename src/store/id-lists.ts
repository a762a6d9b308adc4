/** Queries rows by a list of ids of any length. */

import { join, type Sql } from "sql-template-tag";
import type { Tx } from "./store.ts";

/**
 * The maximum number of ids in one query. SQLite allows 32,766 parameters. The ids on a page of a list fit into one
 * query.
 */
const MAX_IDS = 500;

/** Returns all rows of `query`, which receives the ids as a list for `IN (…)`. If there are no ids, no query runs. */
export async function selectByIds<Row>(tx: Tx, ids: readonly string[], query: (list: Sql) => Sql): Promise<Row[]> {
  const rows: Row[] = [];
  for (let start = 0; start < ids.length; start += MAX_IDS) {
    const part = await tx.all<Row>(query(join(ids.slice(start, start + MAX_IDS))));
    for (const row of part) rows.push(row);
  }
  return rows;
}
