/** Recognizes the URL of a store on a database server, and prints stores without passwords. */

import { resolve } from "node:path";
import { FormctlError } from "./error.ts";

/**
 * Also matches mistyped URLs, such as `postgres:/host`. Otherwise a mistyped URL would count as the path of a file.
 * Messages print paths unchanged, and would print the password of the URL.
 */
const SCHEME = /^\s*postgres(?:ql)?:/i;

const URL_START = /^postgres(?:ql)?:\/\//i;

/** Whether a store is on a PostgreSQL server. Any other text is the path of a SQLite file. */
export function isStoreUrl(text: string): boolean {
  return SCHEME.test(text);
}

/**
 * Whether the URL contains a password. In a URL that can't be parsed, any text between `:` and `@` counts as a
 * password.
 */
export function hasPassword(text: string): boolean {
  const parsed = parse(text);
  if (!parsed) return isStoreUrl(text) && /:.*@/s.test(text.replace(SCHEME, ""));
  return parsed.password !== "" || parsed.searchParams.has("password");
}

/**
 * What a path of a file does not contain, but an address with a password may: `jdbc:postgresql://u:PW@host/db`,
 * `postgres//u:PW@host/db`, `host=db.example password=PW`, `PGPASSWORD=PW`, `postgres%3A%2F%2Fu%3APW%40host`.
 */
const ADDRESS = /:\/\/|%3a%2f|:.*@|(?:passw(?:or)?d|\b(?:pass|pwd))\s*=/is;

/** The start of a path on Windows, such as `C:\`. */
const DRIVE = /^[a-z]:[\\/]/i;

/** Whether a text is an address, or a mistyped one. Such a text is never used or printed as the path of a file. */
function isAddress(text: string): boolean {
  return isStoreUrl(text) || ADDRESS.test(text.replace(DRIVE, ""));
}

/**
 * Refuses an address that is not the URL of a PostgreSQL database. The message does not quote it, because it may contain
 * a password.
 *
 * @throws SETTING_INVALID
 */
export function refuseMistypedUrl(text: string): void {
  if (isStoreUrl(text) || !isAddress(text)) return;
  const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text) ?? [];
  throw new FormctlError(
    "SETTING_INVALID",
    scheme === undefined
      ? "the store is neither the path of a file nor the URL of a PostgreSQL database. It is not shown, because it may contain a password"
      : `unsupported database ${scheme}://…: a store is a SQLite file or a PostgreSQL database`,
    "Specify the path of a file, or postgres://USER@HOST/DATABASE",
  );
}

/**
 * Returns a store, a server or a name as text without a password. Of the parameters in the URL of a store, only
 * `schema` is kept: `postgres://user@host:5432/database`. An address that can't be parsed is not shown. Other text is
 * returned unchanged.
 */
export function hidePassword(text: string): string {
  if (!isAddress(text)) return text;
  const parsed = parse(text);
  if (!parsed) return isStoreUrl(text) ? "postgres://…" : isPlainServer(text) ? text : "[address]";
  const { username, host, pathname, searchParams } = parsed;
  const schema = searchParams.get("schema");
  const user = username === "" ? "" : `${username}@`;
  return `postgres://${user}${host}${pathname}${schema === null ? "" : `?schema=${encodeURIComponent(schema)}`}`;
}

/** Whether a text is the URL of a server, without a user, a query or a fragment. */
function isPlainServer(text: string): boolean {
  return /^https?:\/\/[^@?#]*$/i.test(text) && URL.canParse(text);
}

/** Returns the text that identifies a store. This is an absolute path, or a URL without its password. */
export function storeLocation(cwd: string, store: string): string {
  return isAddress(store) ? hidePassword(store) : resolve(cwd, store);
}

/** Returns the parsed URL; undefined for the path of a file, and for an invalid URL. */
export function parseStoreUrl(text: string): URL | undefined {
  return isStoreUrl(text) ? parse(text) : undefined;
}

/**
 * Returns undefined for an invalid URL, and for a URL with an `@` after the host. The text before this `@` probably
 * belongs to a password with an unencoded `/`, `?` or `#`. Messages would print this text as the name of a database.
 */
function parse(text: string): URL | undefined {
  if (!URL_START.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  return [url.pathname, url.search, url.hash].some((part) => part.includes("@")) ? undefined : url;
}
