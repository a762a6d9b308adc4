/** Reads the URL of a store on PostgreSQL: `postgres://user@host:5432/database?sslmode=verify-full`. */

import { readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { checkServerIdentity, type ConnectionOptions } from "node:tls";
import { reasonOf } from "../../disk/file-errors.ts";
import { FormctlError } from "../../base/error.ts";
import { nearest } from "../../base/nearest.ts";
import { hasPassword, parseStoreUrl, hidePassword } from "../../base/database-url.ts";
import { type Environment, findPassword } from "./password-file.ts";

/** How to connect to the database. `tls` is false for a connection without TLS. */
export type PostgresSettings = {
  /** The URL without its password, for messages. */
  name: string;
  /** A host name, an address, or the folder of a socket. */
  host: string;
  port: number;
  user: string;
  database: string;
  /** Undefined if no password is specified: some servers need none. */
  password: string | undefined;
  /** The schema of the tables. If undefined, the first schema in the search path of the user is used. */
  schema: string | undefined;
  tls: false | ConnectionOptions;
};

const PARAMETERS = ["sslmode", "sslrootcert", "schema"] as const;
const SSL_MODES = ["disable", "require", "verify-ca", "verify-full"] as const;
type SslMode = (typeof SSL_MODES)[number];

const DEFAULT_PORT = 5432;

/**
 * Reads the URL. If the URL contains no password, uses PGPASSWORD, or else the password file.
 *
 * `sslmode` has the same meaning as in libpq:
 *
 * - `require` encrypts, and trusts any certificate. With `sslrootcert`, it is the same as `verify-ca`.
 * - `verify-ca` requires a certificate of a trusted authority.
 * - `verify-full` also requires that the certificate is for the host.
 *
 * By default, a server on this machine is used without TLS. With `sslrootcert`, and for any other server, the default
 * is `verify-full`.
 *
 * @throws SETTING_INVALID for an invalid URL. The message contains no password
 * @throws CREDENTIALS_UNUSABLE if the password is in a password file that other users can read
 */
export function readSettings(text: string, env: Environment): PostgresSettings {
  const url = parseStoreUrl(text);
  if (!url) throw invalid("the URL of the store is invalid", "Specify postgres://USER@HOST/DATABASE");
  const parameters = readParameters(url);
  const name = hidePassword(text);
  const host = hostOf(url);
  const port = url.port === "" ? DEFAULT_PORT : Number(url.port);
  const user = decoded(url.username) || env["PGUSER"] || userInfo().username;
  const database = decoded(url.pathname.replace(/^\//, ""));
  if (database === "") throw invalid(`${name} names no database`, "Specify postgres://USER@HOST/DATABASE");
  const password = hasPassword(text)
    ? decoded(url.password)
    : findPassword({ host: isLocal(host) ? "localhost" : host, port, database, user }, env);
  return { name, host, port, user, database, password, schema: parameters.schema, tls: tlsOf(name, host, parameters) };
}

type Parameters = Partial<Record<(typeof PARAMETERS)[number], string>>;

function readParameters(url: URL): Parameters {
  const found: Parameters = {};
  for (const [key, value] of url.searchParams) {
    const known = PARAMETERS.find((each) => each === key);
    if (known === undefined) {
      const near = nearest(key, [...PARAMETERS]);
      throw invalid(
        `unknown parameter "${key}" in the URL of the store`,
        near === undefined ? `Valid parameters: ${PARAMETERS.join(", ")}` : `Did you mean ${near}?`,
      );
    }
    found[known] = value;
  }
  return found;
}

/** Returns the host: a name, an address, or the folder of a socket, such as `%2Frun%2Fpostgresql`. */
function hostOf(url: URL): string {
  // In a URL, an IPv6 address is in brackets, which are not part of the address.
  return decoded(url.hostname).replace(/^\[(.*)\]$/, "$1") || "localhost";
}

/** Whether the server is on this machine. Then no network can read the data. */
function isLocal(host: string): boolean {
  return host.startsWith("/") || host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

function tlsOf(name: string, host: string, { sslmode, sslrootcert }: Parameters): false | ConnectionOptions {
  const mode = sslmode === undefined ? defaultMode(host, sslrootcert) : sslMode(sslmode);
  if (mode === "disable") {
    if (sslrootcert === undefined) return false;
    throw invalid(`${name} has sslrootcert, but no TLS`, "Remove sslrootcert, or add sslmode=verify-full.");
  }
  if (host.startsWith("/"))
    throw invalid("a server has no TLS on a socket of this machine", "Remove sslmode from the URL of the store.");
  const ca = sslrootcert === undefined || sslrootcert === "system" ? {} : { ca: readAuthority(sslrootcert) };
  // As in libpq, `require` verifies the certificate if the URL specifies an authority.
  if (mode === "require" && sslrootcert === undefined) return { rejectUnauthorized: false };
  return {
    ...ca,
    rejectUnauthorized: true,
    // Node would compare the certificate with "localhost" if the host is an address.
    checkServerIdentity: (_host, certificate) =>
      mode === "verify-full" ? checkServerIdentity(host, certificate) : undefined,
  };
}

function defaultMode(host: string, sslrootcert: string | undefined): SslMode {
  return isLocal(host) && sslrootcert === undefined ? "disable" : "verify-full";
}

function sslMode(text: string): SslMode {
  const mode = SSL_MODES.find((each) => each === text);
  if (mode !== undefined) return mode;
  if (text === "prefer" || text === "allow") {
    throw invalid(
      `sslmode=${text} is not supported: the connection would be unencrypted if the server has no TLS`,
      "Use sslmode=verify-full, or sslmode=disable in a trusted network.",
    );
  }
  throw invalid(`sslmode must be one of ${SSL_MODES.join(", ")}, not "${text}"`);
}

/** Reads the certificates of the trusted authorities. @throws SETTING_INVALID */
function readAuthority(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw invalid(`can't read ${path}: ${reasonOf(error)}`, "Correct sslrootcert in the URL of the store.");
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid("the URL of the store contains an invalid % sequence", "Write % as %25.");
  }
}

function invalid(message: string, hint?: string): FormctlError {
  return new FormctlError("SETTING_INVALID", message, hint);
}
