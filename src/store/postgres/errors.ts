/** Translates errors of PostgreSQL (postgresql.org/docs/current/errcodes-appendix.html) and of connections. */

import { DatabaseError, escapeIdentifier } from "pg";
import { parseStoreUrl } from "../../base/database-url.ts";
import { ConstraintViolation, StoreError, type StoreErrorCode } from "../store.ts";

/** The oldest and the newest supported version of PostgreSQL (docs/operating.md). A newer version is not refused. */
export const OLDEST_POSTGRES = 14;
export const NEWEST_POSTGRES = 18;

/** The connection ended, does not answer, or sends what is no answer of PostgreSQL. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
}

/** The server did not answer a statement in time. The connection can't be used any more. */
export class AnswerTimeout extends ConnectionError {
  constructor(timeoutMs: number, options: ErrorOptions) {
    super(`the server did not answer a statement within ${timeoutMs / 1000} seconds`, options);
  }
}

/**
 * Whether the connection ended, or can't be used. Then the server rolls back the transaction. During a commit, the
 * outcome is unknown.
 */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return error instanceof ConnectionError;
  const { code = "", severity } = error;
  // Servers translate the severity. An error without a code is a message that pg does not know.
  return !/^[0-9A-Z]{5}$/.test(code) || /^(08|57P0[1-5])/.test(code) || severity === "FATAL" || severity === "PANIC";
}

/** Whether a statement was not sent, because the connection had already ended. */
export function isNotSent(error: unknown): boolean {
  return error instanceof Error && error.message.endsWith("is not queryable");
}

/** Whether a pooler has not kept a prepared statement of this process, or has kept it for another process. */
export function isStatementLost(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code === "26000" || error.code === "42P05");
}

/**
 * Whether concurrent transactions made the server roll back the transaction. Such a transaction can succeed if it runs
 * again.
 */
export function isConflict(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code === "40001" || error.code === "40P01");
}

/** Whether a new row has the same key as an existing row. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === "23505";
}

/** Whether another transaction has created the same table or schema, or a distributed database reports a conflict. */
export function isCreatedMeanwhile(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return false;
  return (
    /^(42P07|42P06)$/.test(error.code ?? "") ||
    isConflict(error) ||
    (isDuplicate(error) && error.schema === "pg_catalog")
  );
}

/**
 * Whether a table or column of formctl is missing. Then the database is empty, belongs to another program, or is
 * damaged.
 */
export function isMissingTable(error: unknown): boolean {
  return error instanceof DatabaseError && /^(42P01|42703)$/.test(error.code ?? "");
}

function errorMaker(cause: unknown) {
  return (code: StoreErrorCode, text: string, hint: string) => new StoreError(code, text, hint, { cause });
}

/**
 * Translates every error of a query to a StoreError or ConstraintViolation. Returns an error of formctl unchanged.
 *
 * @param name the URL of the store without its password
 */
export function toStoreError(name: string, error: unknown): unknown {
  if (isConnectionLost(error)) return connectionLost(name, error);
  if (!(error instanceof DatabaseError)) return error;
  const { code = "", message } = error;
  const made = errorMaker(error);
  if (code.startsWith("23")) return new ConstraintViolation(message, { cause: error });
  if (isMissingTable(error)) {
    return made("STORE_CORRUPT", `${name} is damaged: ${message}`, "List all damage: formctl local check");
  }
  switch (code) {
    case "40001":
    case "40P01":
      return made(
        "STORE_BUSY",
        `concurrent writes to ${name} conflict with this one`,
        "Try again. Nothing was changed.",
      );
    case "55P03":
    case "57014":
      return made("STORE_BUSY", `${name} is busy: ${message}`, "Try again. Nothing was changed.");
    case "53300":
      return made(
        "STORE_BUSY",
        `${name} has no free connection: ${message}`,
        "Try again, or raise max_connections of the server.",
      );
    case "25006":
      return made(
        "STORE_READ_ONLY",
        `${name} is read-only: the server is a replica, or accepts no writes`,
        "Connect to the primary server.",
      );
    case "42501":
      return denied(name, "use the tables", error);
    case "22021":
      // Only a copied record can contain U+0000. All other values are checked earlier.
      return made(
        "STORE_UNUSABLE",
        `${name} can't hold the character U+0000, which a record of the copied store contains`,
        "Find the record: formctl local check --store FROM",
      );
    case "3F000":
      return made(
        "STORE_UNUSABLE",
        `${name} has no schema for the tables`,
        "Name one, which is created if it does not exist: add schema=NAME to the URL.",
      );
    case "53100":
      return made("STORE_FULL", `the disk of ${name} is full`, "Free some space and try again. Nothing was changed.");
    case "XX001":
    case "XX002":
      return made("STORE_CORRUPT", `${name} is damaged: ${message}`, "Restore a backup of the database.");
    case "53200":
    case "53400":
      return made(
        "STORE_BUSY",
        `the server of ${name} lacks memory or another resource: ${message}`,
        "Try again. Nothing was changed. If the error stays, check the server.",
      );
    case "0A000":
    case "42601":
      return made(
        "STORE_UNUSABLE",
        `the server of ${name} does not support a statement: ${message}`,
        `Use PostgreSQL ${OLDEST_POSTGRES} or later.`,
      );
    default:
      return made(
        "STORE_UNUSABLE",
        `the server of ${name} reports error ${code}: ${message}`,
        "Check the log of the database server. Nothing was changed.",
      );
  }
}

type Names = { schema: string; database: string };

/** Permissions in the words of GRANT, by their use. */
const PERMISSIONS = {
  connect: ({ database }: Names) => `CONNECT ON DATABASE ${database}`,
  "use the tables": ({ schema }: Names) => `SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema}`,
  "use the schema": ({ schema }: Names) => `USAGE ON SCHEMA ${schema}`,
  "create the schema": ({ database }: Names) => `CREATE ON DATABASE ${database}`,
  "create tables": ({ schema }: Names) => `USAGE, CREATE ON SCHEMA ${schema}`,
  "create temporary tables": ({ database }: Names) => `TEMPORARY ON DATABASE ${database}`,
};

/** Whether the user of the database lacks a permission. */
export function isDenied(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && error.code === "42501";
}

/** Runs `work`. A refusal of the database then names the permission for `use`. */
export async function permitted<T>(name: string, use: keyof typeof PERMISSIONS, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isDenied(error) ? denied(name, use, error) : error;
  }
}

/** Returns the error for a user of the database without the permission for `use`. The hint grants it. */
export function denied(name: string, use: keyof typeof PERMISSIONS, cause?: DatabaseError): StoreError {
  const url = parseStoreUrl(name);
  const quoted = (text: string | undefined, unknown: string) =>
    text ? escapeIdentifier(decodeURIComponent(text)) : unknown;
  const permission = PERMISSIONS[use]({
    schema: escapeIdentifier(schemaOf(name)),
    database: quoted(url?.pathname.slice(1), "DATABASE"),
  });
  return new StoreError(
    "STORE_DENIED",
    `the user of ${name} lacks the permission to ${use} (${permission})${cause ? `: ${cause.message}` : ""}`,
    `As the administrator of the database, run: GRANT ${permission} TO ${quoted(url?.username, "USER")}`,
    { cause },
  );
}

/** Returns the schema in the URL of a store. By default, PostgreSQL uses `public`. */
export function schemaOf(name: string): string {
  return parseStoreUrl(name)?.searchParams.get("schema") ?? "public";
}

/** Returns the error for a connection that ended before the commit. */
function connectionLost(name: string, error: unknown): StoreError {
  return new StoreError(
    "STORE_UNREACHABLE",
    `the connection to ${name} ended: ${(error as Error).message}`,
    "Check the database server and try again. Nothing was changed.",
    { cause: error },
  );
}

/** Returns the error for a connection that ended while the transaction was committed. */
export function outcomeUnknown(name: string, error: unknown): StoreError {
  return new StoreError(
    "STORE_OUTCOME_UNKNOWN",
    `the connection to ${name} ended during a commit, so it is unknown whether the change is stored: ${(error as Error).message}`,
    "Read the record to see whether it was changed, before you try again.",
    { cause: error },
  );
}

/** How long a transaction waits for a connection, or for earlier writes of its organization, in milliseconds. */
export const CONNECT_TIMEOUT_MS = 5000;

export function busyOrganization(name: string): StoreError {
  return new StoreError(
    "STORE_BUSY",
    `other writes of the organization in ${name} took more than ${CONNECT_TIMEOUT_MS / 1000} seconds`,
    "Try again. Nothing was changed.",
  );
}

export function noFreeConnection(name: string): StoreError {
  return new StoreError(
    "STORE_BUSY",
    `other requests used all connections to ${name} for more than ${CONNECT_TIMEOUT_MS / 1000} seconds`,
    "Try again. Nothing was changed.",
  );
}

const CERTIFICATE = /CERT|SELF_SIGNED|LEAF_SIGNATURE|ALTNAME/;

/** Translates an error of an attempt to connect. */
export function toConnectError(name: string, error: unknown): unknown {
  const { message } = error as Error;
  const made = errorMaker(error);
  if (error instanceof DatabaseError) {
    switch (error.code) {
      case "3D000":
        return made("STORE_MISSING", `${name} does not exist`, "Create the database: createdb DATABASE");
      case "28P01":
      case "28000":
        return made(
          "STORE_UNUSABLE",
          `${name} refuses the user or the password: ${message}`,
          "Correct the user in the URL, and the password in PGPASSWORD, ~/.pgpass or FORMCTL_STORE.",
        );
      case "42501":
        return denied(name, "connect", error);
      case "53300":
        return toStoreError(name, error);
      default:
        return made("STORE_UNREACHABLE", `can't connect to ${name}: ${message}`, "Check the database server.");
    }
  }
  if (/does not support SSL/.test(message)) {
    return made(
      "STORE_UNREACHABLE",
      `${name} has no TLS`,
      "Enable TLS on the server, or add sslmode=disable to the URL if the network is trusted.",
    );
  }
  if (/password in plain text/.test(message)) {
    return made(
      "STORE_UNUSABLE",
      `${name} asks for the password in plain text, and no certificate proves which server it is`,
      "Use scram-sha-256 in pg_hba.conf of the server, or sslmode=verify-full in the URL of the store.",
    );
  }
  if (/SASL|password/i.test(message)) {
    return made("STORE_UNUSABLE", `${name} requires a password`, "Specify it: PGPASSWORD, ~/.pgpass or FORMCTL_STORE");
  }
  if (CERTIFICATE.test((error as NodeJS.ErrnoException).code ?? "")) {
    return made(
      "STORE_UNREACHABLE",
      `the certificate of ${name} is not trusted: ${message}`,
      "Specify the authority: sslrootcert=FILE in the URL of the store",
    );
  }
  // The error for a host with several addresses has no message.
  const reason = (error as NodeJS.ErrnoException).code ?? message;
  return made("STORE_UNREACHABLE", `can't connect to ${name}: ${reason}`, "Check the host, the port and the server.");
}
