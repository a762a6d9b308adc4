/** Recognizes the URL of a store on a database server, and prints it without its password. */

import { resolve } from "node:path";

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
 * Returns a store as text without a password: `postgres://user@host:5432/database`. Of the parameters in the URL, only
 * `schema` is kept. A path is returned unchanged.
 */
export function storeText(store: string): string {
  if (!isStoreUrl(store)) return store;
  const parsed = parse(store);
  if (!parsed) return "postgres://…";
  const { username, host, pathname, searchParams } = parsed;
  const schema = searchParams.get("schema");
  const user = username === "" ? "" : `${username}@`;
  return `postgres://${user}${host}${pathname}${schema === null ? "" : `?schema=${encodeURIComponent(schema)}`}`;
}

/** Returns the text that identifies a store. This is an absolute path, or a URL without its password. */
export function storeLocation(cwd: string, store: string): string {
  return isStoreUrl(store) ? storeText(store) : resolve(cwd, store);
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
