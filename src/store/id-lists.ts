/** One query for many ids: a list is cut where a database would refuse so many parameters. */

import { join, type Sql } from "sql-template-tag";
import type { Tx } from "./store.ts";

/** Far below the 32,766 parameters of SQLite, and enough that a page of a list is one query. */
const MAX_IDS = 500;

/** All rows of `query`, which is given the ids as a list for `IN (…)`; nothing is asked for no ids. */
export async function selectByIds<Row>(tx: Tx, ids: readonly string[], query: (list: Sql) => Sql): Promise<Row[]> {
  const rows: Row[] = [];
  for (let start = 0; start < ids.length; start += MAX_IDS) {
    const part = await tx.all<Row>(query(join(ids.slice(start, start + MAX_IDS))));
    for (const row of part) rows.push(row);
  }
  return rows;
}
