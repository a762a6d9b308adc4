/** Finds the password of a database: PGPASSWORD, or the password file of libpq (`~/.pgpass`). */

import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { FormctlError } from "../../base/error.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

type Login = { host: string; port: number; database: string; user: string };

/**
 * Returns the password of a login; undefined if there is none.
 *
 * @throws CREDENTIALS_UNUSABLE if the password is in a password file that other users can read
 */
export function findPassword(login: Login, env: Environment): string | undefined {
  if (env["PGPASSWORD"]) return env["PGPASSWORD"];
  const path = env["PGPASSFILE"] || defaultPath(env);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
  const found = text.split(/\r?\n/).find((line) => matches(line, login));
  if (found === undefined) return undefined;
  // Windows has no file modes.
  if (process.platform !== "win32" && (statSync(path).mode & 0o077) !== 0) {
    throw new FormctlError(
      "CREDENTIALS_UNUSABLE",
      `other users can read the passwords in ${path}`,
      `Restrict the file to yourself: chmod 600 ${path}`,
    );
  }
  return membersOf(found)[4];
}

function defaultPath(env: Environment): string {
  return process.platform === "win32"
    ? join(env["APPDATA"] ?? homedir(), "postgresql", "pgpass.conf")
    : join(env["HOME"] || homedir(), ".pgpass");
}

/** Compares `host:port:database:user:password` with a login. `*` matches everything. */
function matches(line: string, { host, port, database, user }: Login): boolean {
  if (line.startsWith("#")) return false;
  const members = membersOf(line);
  const asked = [host, String(port), database, user];
  return members.length === 5 && asked.every((value, index) => members[index] === "*" || members[index] === value);
}

/** Splits a line at its colons. Within a member, a backslash precedes each colon and each backslash. */
function membersOf(line: string): string[] {
  return [...line.matchAll(/((?:\\.|[^:\\])*)(?::|$)/g)]
    .slice(0, 5)
    .map(([, member = ""]) => member.replaceAll(/\\(.)/g, "$1"));
}
