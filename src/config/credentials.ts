/** Tokens at rest: each belongs to one exact origin, in the system's keychain or in a file that only its owner may read. */

import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { FormctlError } from "../error.ts";
import type { Turns } from "../disk/hold-in-turn.ts";
import { isJsonObject } from "../schemas/json.ts";
import { Secret } from "../schemas/secret.ts";

/** The system's keychain, as far as it is used. */
export type Keychain = {
  get(origin: string): string | null;
  set(origin: string, token: string): void;
  remove(origin: string): void;
};

export type TokenPlace = "keychain" | "file";
export type StoredToken = { origin: string; token: Secret; place: TokenPlace };

export type Credentials = {
  path: string;
  find(origin: string): Promise<StoredToken | undefined>;
  /** Into the keychain, or into the file where there is none. */
  save(origin: string, token: Secret): Promise<TokenPlace>;
  /** @returns whether there was one */
  remove(origin: string): Promise<boolean>;
  origins(): Promise<string[]>;
};

/** What the file says of an origin: its token, or that the keychain has it. */
type Entry = { token: string } | { keychain: true };

/**
 * @param openKeychain undefined where the system has none; asked only when it is needed
 * @param turns by which it is one's turn to change the file
 */
export function openCredentials(
  path: string,
  openKeychain: () => Promise<Keychain | undefined>,
  turns: Turns,
): Credentials {
  /** @param change of what the file says when no other process changes it; undefined: it stays */
  const update = async (
    change: (entries: Record<string, Entry>) => Promise<Record<string, Entry> | undefined>,
  ): Promise<void> => {
    const { changePrivateFile } = await import("./private-file.ts");
    const { toYaml } = await import("../documents/write-yaml.ts");
    await changePrivateFile(path, turns, async () => {
      const entries = await change(await readEntries(path));
      return entries && (Object.keys(entries).length === 0 ? "{}\n" : toYaml(entries));
    });
  };
  const withoutKeychain = (origin: string) =>
    new FormctlError(
      "CREDENTIALS_UNUSABLE",
      `the token for ${origin} is in the keychain, which can't be opened now`,
      "Unlock it, or log in again: formctl auth login",
    );
  return {
    path,
    async find(origin) {
      const entry = (await readEntries(path))[origin];
      if (!entry) return undefined;
      if ("token" in entry) return { origin, token: new Secret(entry.token), place: "file" };
      const keychain = await openKeychain();
      if (!keychain) throw withoutKeychain(origin);
      const token = keychain.get(origin);
      return token === null ? undefined : { origin, token: new Secret(token), place: "keychain" };
    },
    async save(origin, token) {
      let isKept = false;
      await update(async (entries) => {
        const keychain = await openKeychain();
        isKept = keychain !== undefined && isKeptBy(keychain, origin, token);
        return { ...entries, [origin]: isKept ? { keychain: true } : { token: token.reveal() } };
      });
      return isKept ? "keychain" : "file";
    },
    async remove(origin) {
      if (!(await readEntries(path))[origin]) return false;
      let isRemoved = false;
      await update(async ({ [origin]: entry, ...others }) => {
        if (!entry) return undefined;
        if ("keychain" in entry) {
          const keychain = await openKeychain();
          if (!keychain) throw withoutKeychain(origin);
          keychain.remove(origin);
        }
        isRemoved = true;
        return others;
      });
      return isRemoved;
    },
    origins: async () => Object.keys(await readEntries(path)),
  };
}

/** A keychain that is there may still be locked, or belong to a session that has none. */
function isKeptBy(keychain: Keychain, origin: string, token: Secret): boolean {
  try {
    keychain.set(origin, token.reveal());
    return keychain.get(origin) === token.reveal();
  } catch {
    return false;
  }
}

/** What is complained about is never quoted: it could be a token. */
async function readEntries(path: string): Promise<Record<string, Entry>> {
  const bytes = readPrivateFile(path);
  if (!bytes) return {};
  const { readDocument } = await import("../documents/document.ts");
  let value: unknown;
  try {
    ({ value } = readDocument(bytes, path));
  } catch {
    throw new FormctlError(
      "CREDENTIALS_UNUSABLE",
      `${path} can't be read: it is no YAML`,
      "Remove it, and log in again.",
    );
  }
  const entries: Record<string, Entry> = {};
  for (const [origin, entry] of Object.entries(isJsonObject(value) ? value : {})) {
    if (!isJsonObject(entry)) continue;
    if (typeof entry["token"] === "string") entries[origin] = { token: entry["token"] };
    else if (entry["keychain"] === true) entries[origin] = { keychain: true };
  }
  return entries;
}

/** The bytes of a file that is its owner's alone, or nothing where there is none. @throws CREDENTIALS_UNUSABLE */
function readPrivateFile(path: string): Buffer | undefined {
  let file: number;
  try {
    // Opened without following a link, and asked about afterwards: what was looked at is what is read.
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    if (code === "ELOOP")
      throw new FormctlError("CREDENTIALS_UNUSABLE", `${path} is a link: tokens are read from a plain file only`);
    throw new FormctlError("CREDENTIALS_UNUSABLE", `${path} can't be read: ${message}`);
  }
  try {
    const { mode, uid } = fstatSync(file);
    const owner = process.getuid?.();
    if (owner !== undefined && uid !== owner)
      throw new FormctlError("CREDENTIALS_UNUSABLE", `${path} belongs to somebody else`);
    if (owner !== undefined && (mode & 0o077) !== 0)
      throw new FormctlError(
        "CREDENTIALS_UNUSABLE",
        `others may read ${path}`,
        `Keep it to yourself: chmod 600 ${path}`,
      );
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}
