/**
 * Stores with a planted fault, for controls. Each store omits a statement on which a rule of the service depends.
 */

import type { Store, Tx } from "../../src/store/store.ts";
import type { Place } from "./databases.ts";

/** The statement that is not executed: a read finds no rows, and a write changes none. */
type Fault = RegExp;

/** Faults by the rule that the service then breaks. */
export const FAULTS: Record<string, Fault> = {
  "a default form may lose its mode (R75)": /SELECT mode, form_id FROM form_defaults/,
  "an access row stays without modes (R74)": /DELETE FROM access_\w+_rows\s.*NOT EXISTS/s,
  "an archived layout stays the default": /DELETE FROM assignment_defaults/,
  "no response is stored": /INSERT INTO mutations/,
  "responses do not expire": /DELETE FROM mutations\s.*(created_at <|AND client_mutation_id)/s,
  "a published version is not archived": /SET status = 'ARCHIVED'/,
  "a form keeps its old name": /UPDATE forms SET name/,
};

export function withFault({ name, open }: Place, fault: Fault): Place {
  return {
    name: `${name} with a fault`,
    async open(connections) {
      const database = await open(connections);
      return { ...database, stores: database.stores.map((store) => spoiledStore(store, fault)) };
    },
  };
}

function spoiledStore(store: Store, fault: Fault): Store {
  const spoiled = (tx: Tx): Tx => ({
    ...tx,
    all: async (query) => (fault.test(query.sql) ? [] : tx.all(query)),
    first: async (query) => (fault.test(query.sql) ? undefined : tx.first(query)),
    run: async (query) => (fault.test(query.sql) ? 0 : tx.run(query)),
    write: async (query) => (fault.test(query.sql) ? undefined : tx.write(query)),
  });
  return {
    read: (work, ...rest) => store.read((tx) => work(spoiled(tx)), ...rest),
    write: (work, ...rest) => store.write((tx) => work(spoiled(tx)), ...rest),
    close: () => store.close(),
  };
}
