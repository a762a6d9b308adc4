/**
 * Finds the constructs of SQL that PostgreSQL has, and that Citus, CockroachDB, YugabyteDB or a pooler in transaction mode
 * refuse or ignore.
 */

import { vi } from "vitest";
import { Connection } from "../../src/store/postgres/connection.ts";

/** The constructs that a statement can contain, by their names. */
const CONSTRUCTS: Record<string, RegExp> = {
  "advisory lock": /pg_(try_)?advisory/i,
  trigger: /\bCREATE (CONSTRAINT )?TRIGGER\b/i,
  "function of the database": /\bCREATE (OR REPLACE )?FUNCTION\b/i,
  collation: /\bCOLLATE\b/i,
  "lock of rows": /\bFOR (NO KEY )?(UPDATE|SHARE)\b|\bFOR KEY SHARE\b/i,
  "lock of a table": /^LOCK\b/i,
  "subquery in the values of an INSERT": /^INSERT INTO .*\bVALUES\b.*\(\s*SELECT\b/i,
  "INSERT of selected rows": /^INSERT INTO \w+ (\([^)]*\) )?SELECT\b/i,
  "write inside a query": /^WITH\b.*\(\s*(INSERT|UPDATE|DELETE)\b/i,
  "next number from a maximum": /\bMAX\([\w.]+\)\s*(, 0\)\s*)?\+/i,
  sequence: /\bnextval\b|\bSERIAL\b|\bGENERATED\b/i,
  "temporary table": /\bCREATE TEMP|\bsearch_path = pg_temp\b/i,
  "state of a session":
    /^(SET (?!LOCAL\b|TRANSACTION\b)|RESET|LISTEN|PREPARE|DISCARD)|set_config\([^)]*, false\)|WITH HOLD/i,
};

const IN_TRANSACTION = {
  cursor: "cursor outside of a read-only transaction",
  ddl: "DDL in one transaction with data",
};

type Found = { construct: string; statement: string };

const oneLine = (text: string) => text.replaceAll(/\s+/g, " ").trim();

/** Returns the constructs of a statement. */
export function constructsOf(text: string): string[] {
  const statement = oneLine(text);
  return Object.entries(CONSTRUCTS).flatMap(([name, pattern]) => (pattern.test(statement) ? [name] : []));
}

/** Returns the constructs of the transactions in a sequence of statements of one connection. */
export function constructsOfTransactions(statements: readonly string[]): Found[] {
  const found: Found[] = [];
  let isReadOnly = false;
  let isOpen = false;
  let [hasDdl, hasData] = [false, false];
  for (const statement of statements.map(oneLine)) {
    if (/^BEGIN\b/i.test(statement)) {
      [isOpen, isReadOnly] = [true, /\bREAD ONLY\b/i.test(statement)];
      [hasDdl, hasData] = [false, false];
    }
    if (/^(COMMIT|ROLLBACK)$/i.test(statement)) isOpen = false;
    if (/^DECLARE\b/i.test(statement) && !isReadOnly) found.push({ construct: IN_TRANSACTION.cursor, statement });
    if (!isOpen) continue;
    hasDdl ||= /^(CREATE|ALTER|DROP)\b/i.test(statement);
    hasData ||= /^(INSERT|UPDATE|DELETE)\b/i.test(statement);
    if (hasDdl && hasData) {
      found.push({ construct: IN_TRANSACTION.ddl, statement });
      [hasDdl, hasData] = [false, false];
    }
  }
  return found;
}

/** The beginning of a statement, which names what it creates, writes or calls. */
function subjectOf(statement: string): string {
  const subject = /^(CREATE \w+|INSERT INTO|DECLARE|SELECT|SET LOCAL) (\w+\.)?[a-z_]+/i.exec(statement);
  return subject ? subject[0].replace("pg_temp.", "") : statement;
}

/** Records what all connections of this process send. The caller stops the recorder. */
export function recordStatements() {
  const { query, queryAll } = Object.getOwnPropertyDescriptors(Connection.prototype);
  const byConnection = new Map<Connection, string[]>();
  const record = (connection: Connection, text: string) => {
    const known = byConnection.get(connection);
    if (known) known.push(text);
    else byConnection.set(connection, [text]);
    // A spy keeps the values and results of all calls.
    for (const spy of spies) spy.mockClear();
  };
  const spies = [
    vi.spyOn(Connection.prototype, "query").mockImplementation(function (this: Connection, text, values) {
      record(this, text);
      return query.value!.call(this, text, values);
    }),
    vi.spyOn(Connection.prototype, "queryAll").mockImplementation(function (this: Connection, text) {
      for (const each of text.split("; ")) record(this, each);
      return queryAll.value!.call(this, text);
    }),
  ];
  const all = () => new Set([...byConnection.values()].flat());
  return {
    /** Returns the number of different statements. */
    count: () => all().size,
    /** Returns the subjects of the statements with a construct, by the name of the construct. */
    found(): Record<string, string[]> {
      const inStatements = [...all()].flatMap((statement) =>
        constructsOf(statement).map((construct) => ({ construct, statement: oneLine(statement) })),
      );
      const inTransactions = [...byConnection.values()].flatMap((each) => constructsOfTransactions(each));
      const byConstruct = Map.groupBy([...inStatements, ...inTransactions], ({ construct }) => construct);
      return Object.fromEntries(
        [...byConstruct].map(([construct, each]) => [
          construct,
          [...new Set(each.map(({ statement }) => subjectOf(statement)))].toSorted(),
        ]),
      );
    },
    stop() {
      for (const spy of spies) spy.mockRestore();
    },
  };
}
