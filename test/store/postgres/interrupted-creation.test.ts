/** A creation of the tables that ends after any of its statements, in a database that commits each of them. */

import sql from "sql-template-tag";
import { expect, it } from "vitest";
import { type Connection, ConnectionPool } from "../../../src/store/postgres/connection.ts";
import { createStore } from "../../../src/store/postgres/migrate.ts";
import { createPostgres, openPostgres } from "../../../src/store/postgres/postgres.ts";
import { readSettings } from "../../../src/store/postgres/settings.ts";
import { countOf } from "../../effort.ts";
import { postgresOfFile } from "../../postgres.ts";

const serverOfFile = await postgresOfFile();

/** Creates the tables without a transaction, and ends before the statement `last`. @returns all statements */
async function createUntil(url: string, last: number): Promise<string[]> {
  const settings = readSettings(url, {});
  const pool = new ConnectionPool(settings, { max: 1, answerTimeoutsMs: { first: 10_000, others: 10_000 } });
  const connection = await pool.connect();
  const statements: string[] = [];
  const query: Connection["query"] = (text, values) => {
    if (/^(COMMIT|ROLLBACK)$/.test(text)) return connection.query("SELECT 1");
    if (/^(CREATE|INSERT)/.test(text) && statements.push(text) > last) throw new Error("interrupted");
    return connection.query(text, values);
  };
  const interrupted = { query, queryAll: async () => [] } as unknown as Connection;
  try {
    await createStore(interrupted, settings).catch((error: Error) => {
      if (error.message !== "interrupted") throw error;
    });
    return statements;
  } finally {
    connection.release(true);
    await pool.close();
  }
}

it("is finished by the next one", async () => {
  const server = serverOfFile();
  const newUrl = async () => server.url(await server.createDatabase());
  const all = await createUntil(await newUrl(), Infinity);
  expect(all.length).toBeGreaterThan(60);
  const rest = all.length - 4;
  const count = Math.min(countOf("moments of an interrupted creation"), rest);
  // The first moments, and others at equal distances.
  const moments = [1, 2, 3, ...Array.from({ length: count }, (_, index) => 4 + Math.floor((index * rest) / count))];
  for (const moment of moments) {
    const url = await newUrl();
    await createUntil(url, moment);
    // The next one is also interrupted.
    if (moment < 4) await createUntil(url, 3);
    const store = openPostgres(url);
    const read = store.read((tx) => tx.all(sql`SELECT id FROM organizations`));
    await expect(read).rejects.toMatchObject({
      code: "STORE_MISSING",
      message: expect.stringContaining("was interrupted") as string,
      hint: "Finish it: formctl local init",
    });
    expect([moment, await createPostgres(url)]).toEqual([moment, true]);
    expect([moment, await store.verify!()]).toEqual([moment, []]);
    expect(await createPostgres(url)).toBe(false);
    await store.close();
  }
});
