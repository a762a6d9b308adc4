/** A process that answers the requests of its parent (processes.ts). Each request names its store. */

import { ID_PREFIX, type NewId } from "../../src/engine/ids.ts";
import { openPostgres, SERVING } from "../../src/store/postgres/postgres.ts";
import { openSqliteForServing } from "../../src/store/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import type { Outcome } from "../model/model.ts";
import { connect, type Send } from "./engine-connection.ts";

/** A request. A message without `sent` closes the store. `id` distinguishes the messages of a parent. */
export type ToProcess = { id: number; location: string; sent?: SentText };
export type SentText = Omit<Parameters<Send>[0], "now"> & { now: string };
/** `outcome` is null if the connection was cut, or a store was closed. */
export type FromProcess = { id: number; outcome: Outcome | null } | { id: number; error: string };

const stores = new Map<string, { store: Store; send: Send }>();
let ids = 0;
// Different processes must create different ids.
const newId: NewId = (kind) => `${ID_PREFIX[kind]}_p${process.pid}n${++ids}`;

function storeAt(location: string): { store: Store; send: Send } {
  const known = stores.get(location);
  if (known) return known;
  const store = location.startsWith("postgres:") ? openPostgres(location, SERVING) : openSqliteForServing(location);
  const opened = { store, send: connect(store, newId) };
  stores.set(location, opened);
  return opened;
}

async function handle({ location, sent }: ToProcess): Promise<Outcome | null> {
  if (sent) return (await storeAt(location).send({ ...sent, now: new Date(sent.now) })) ?? null;
  await stores.get(location)?.store.close();
  stores.delete(location);
  return null;
}

process.on("message", (message: ToProcess) => {
  const { id } = message;
  handle(message).then(
    (outcome) => process.send!({ id, outcome } satisfies FromProcess),
    (error: Error) => process.send!({ id, error: String(error.stack) } satisfies FromProcess),
  );
});
