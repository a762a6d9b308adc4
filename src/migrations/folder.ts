/** Lists the migration files of a project with their checksums. Reads bytes and executes nothing. */

import { readdir, stat } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { MAX_FILE_BYTES } from "../base/file-limits.ts";
import { readWithin } from "../disk/read-file.ts";
import pMap from "p-map";
import { asUnreadable, unfitFile } from "../disk/file-errors.ts";
import { staysInside, statOf } from "../disk/links.ts";
import { refusePlanted } from "../disk/owners.ts";
import { FormctlError } from "../base/error.ts";
import { sha256 } from "../base/sha256.ts";

/** A migration file. Its name without extension identifies the migration on every target. */
export type MigrationFile = {
  name: string;
  /** The absolute path. */
  path: string;
  /** The SHA-256 of the file in hexadecimal, see {@link checksumOf}. */
  checksum: string;
};

/** The extensions of migration files. `formctl migrate new` uses the first extension by default. */
export const MIGRATION_EXTENSIONS = [".ts", ".js", ".mjs", ".yaml", ".yml"] as const;

/**
 * Names begin with a digit, so that they sort by time. A file whose name does not begin with a digit is refused. Such a
 * file may be a module that migrations import. It must not run as a migration.
 */
const NAME = /^\d[A-Za-z0-9_-]{0,119}$/;
const NAME_RULE =
  "starts with a digit and has only letters, digits, - and _, such as 20261122-1000-replace-pay-rate.ts";

const FILES_AT_ONCE = 16;

/**
 * Returns the migrations of a folder, sorted by the code units of their names. This order is the same on each system. A
 * missing folder has no migrations. Folders, hidden files and files with other extensions are ignored.
 *
 * @param root the root of the project, which no link may leave
 * @throws MIGRATION_INVALID with every unsuitable file name, and every name that two files have
 * @throws FILE_UNFIT if the folder or a file can't be read
 * @throws FILE_UNFIT if the folder or a file is a link that points outside the project
 * @throws FILE_UNFIT if another user may have planted a file
 */
export async function readMigrationFolder({
  root,
  folder,
}: {
  root: string;
  folder: string;
}): Promise<MigrationFile[]> {
  const names = await listFiles(root, folder);
  refuseUnsuitable(folder, names);
  const files = await pMap(
    names.toSorted(byCodeUnits),
    async (file): Promise<MigrationFile> => {
      const path = join(folder, file);
      return { name: nameOf(file), path, checksum: checksumOf(await readBytes(root, path)) };
    },
    { concurrency: FILES_AT_ONCE },
  );
  return files.toSorted((a, b) => byCodeUnits(a.name, b.name));
}

/**
 * Returns the SHA-256 of a migration file. Line ends count as LF, because Git may convert line ends. A checkout on
 * another system must not look like an edited migration.
 */
export function checksumOf(bytes: Uint8Array): string {
  // In Latin-1, each byte is one character.
  const text = Buffer.from(bytes).toString("latin1").replaceAll("\r\n", "\n");
  return sha256(Buffer.from(text, "latin1"));
}

/** Compares names by code units. Migrations are in this order. */
export function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

async function listFiles(root: string, folder: string): Promise<string[]> {
  const stats = await statOf(folder);
  if (!stats) return [];
  if (!staysInside(root, folder)) throw leadsOut(folder);
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter((entry) => !entry.isDirectory())
      .map(({ name }) => name)
      .filter(isMigrationFile);
  } catch (error) {
    throw asUnreadable(folder, error);
  }
}

function isMigrationFile(file: string): boolean {
  return !file.startsWith(".") && MIGRATION_EXTENSIONS.some((extension) => extension === extname(file));
}

function nameOf(file: string): string {
  return basename(file, extname(file));
}

/**
 * Refuses all unsuitable names together. Two names that differ only in case are refused, because some systems can't
 * distinguish them.
 */
function refuseUnsuitable(folder: string, files: readonly string[]): void {
  const unsuitable = files.filter((file) => !NAME.test(nameOf(file)));
  const sameName = [...Map.groupBy(files, (file) => nameOf(file).toLowerCase()).values()].filter(
    (each) => each.length > 1,
  );
  const [first] = sameName;
  if (unsuitable.length > 0) {
    throw new FormctlError(
      "MIGRATION_INVALID",
      `not the name of a migration: ${unsuitable.map((file) => join(folder, file)).join(", ")}`,
      `A name ${NAME_RULE}. Rename the file, or move a file that migrations import into a folder in ${folder}.`,
    );
  }
  if (first) {
    throw new FormctlError(
      "MIGRATION_INVALID",
      `several files have the name of one migration: ${sameName
        .flat()
        .map((file) => join(folder, file))
        .join(", ")}`,
      "Rename or delete one of them. The extension is not a part of the name.",
    );
  }
}

async function readBytes(root: string, path: string): Promise<Uint8Array> {
  try {
    if (!staysInside(root, path)) throw leadsOut(path);
    refusePlanted(path);
    // Reading a FIFO would block.
    if (!(await stat(path)).isFile()) throw unfitFile(`${path} is not a file`);
    return readWithin(path, MAX_FILE_BYTES);
  } catch (error) {
    throw asUnreadable(path, error);
  }
}

function leadsOut(path: string): FormctlError {
  return unfitFile(`${path} points outside the project through a link; it is not read`, {
    hint: "Replace it with a file of the project.",
  });
}
