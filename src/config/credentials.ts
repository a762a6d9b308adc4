/**
 * Stores one token for each origin, in the keychain of the system or in a file. Only the owner of the file may read it.
 */

import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { FormctlError } from "../base/error.ts";
import type { Host, Keychain } from "../base/host.ts";
import { reasonOf } from "../disk/file-errors.ts";
import type { LockHost } from "../disk/process-lock.ts";
import { isJsonObject } from "../schemas/json.ts";
import { Secret } from "../base/secret.ts";

export type TokenStorage = "keychain" | "file";
export type StoredToken = { origin: string; token: Secret; storage: TokenStorage };

export type Credentials = {
  path: string;
  find(origin: string): Promise<StoredToken | undefined>;
  /** Saves the token in the keychain, or in the file if the keychain is missing or locked. */
  save(origin: string, token: Secret): Promise<TokenStorage>;
  /** @returns false if no token was stored */
  remove(origin: string): Promise<boolean>;
  origins(): Promise<string[]>;
};

/** The entry of an origin in the file. It has the token, or states that the keychain has the token. */
type Entry = { token: string } | { keychain: true };

/** Opens the stored credentials. The keychain is opened only to read, save or remove a token. */
export function openCredentials(path: string, host: LockHost & Pick<Host, "keychain">): Credentials {
  /** @param change returns the new entries, or undefined to keep the current ones */
  const update = async (
    change: (entries: Record<string, Entry>) => Promise<Record<string, Entry> | undefined>,
  ): Promise<void> => {
    const { changePrivateFile } = await import("../disk/write-file.ts");
    const { toYaml } = await import("../documents/write-yaml.ts");
    await changePrivateFile(path, host, async () => {
      const entries = await change(await readEntries(path));
      return entries && (Object.keys(entries).length === 0 ? "{}\n" : toYaml(entries));
    });
  };
  const withoutKeychain = (origin: string) =>
    new FormctlError(
      "CREDENTIALS_UNUSABLE",
      `the token for ${origin} is in the keychain, which can't be opened`,
      "Unlock the keychain, or log in again: formctl auth login",
    );
  return {
    path,
    async find(origin) {
      const entry = (await readEntries(path))[origin];
      if (!entry) return undefined;
      if ("token" in entry) return { origin, token: new Secret(entry.token), storage: "file" };
      const keychain = await host.keychain();
      if (!keychain) throw withoutKeychain(origin);
      const token = keychain.get(origin);
      return token === null ? undefined : { origin, token: new Secret(token), storage: "keychain" };
    },
    async save(origin, token) {
      let isSaved = false;
      await update(async (entries) => {
        const keychain = await host.keychain();
        isSaved = keychain !== undefined && isSavedIn(keychain, origin, token);
        return { ...entries, [origin]: isSaved ? { keychain: true } : { token: token.reveal() } };
      });
      return isSaved ? "keychain" : "file";
    },
    async remove(origin) {
      if (!(await readEntries(path))[origin]) return false;
      let isRemoved = false;
      await update(async ({ [origin]: entry, ...others }) => {
        if (!entry) return undefined;
        if ("keychain" in entry) {
          const keychain = await host.keychain();
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

/** Saves a token in the keychain. Returns false if the keychain is locked, or unusable in this session. */
function isSavedIn(keychain: Keychain, origin: string, token: Secret): boolean {
  try {
    keychain.set(origin, token.reveal());
    return keychain.get(origin) === token.reveal();
  } catch {
    return false;
  }
}

/** Reads the entries of the file. Messages never quote the file, because any part of it could be a token. */
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
      `${path} is not valid YAML`,
      "Remove the file, then log in again: formctl auth login",
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

/**
 * @returns the content. Undefined if the file does not exist
 * @throws CREDENTIALS_UNUSABLE in these cases:
 * - The file is a link or can't be read.
 * - The file belongs to another user.
 * - The permissions of the file give other users access.
 */
function readPrivateFile(path: string): Buffer | undefined {
  let file: number;
  try {
    // The checks below use the descriptor. Otherwise the file could be replaced between a check and the read.
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    if (code === "ELOOP")
      throw new FormctlError("CREDENTIALS_UNUSABLE", `${path} is a link: tokens are read only from a plain file`);
    throw new FormctlError("CREDENTIALS_UNUSABLE", `can't read ${path}: ${reasonOf(error)}`);
  }
  try {
    const { mode, uid } = fstatSync(file);
    const owner = process.getuid?.();
    if (owner !== undefined && uid !== owner)
      throw new FormctlError("CREDENTIALS_UNUSABLE", `${path} belongs to another user`);
    if (owner !== undefined && (mode & 0o077) !== 0)
      throw new FormctlError(
        "CREDENTIALS_UNUSABLE",
        `other users may read ${path}`,
        `Restrict its permissions: chmod 600 ${path}`,
      );
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}
