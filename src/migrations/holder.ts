/**
 * Identifies the folder and machine that run migrations. Allows only one process at a time to run migrations in a
 * folder.
 */

import { randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { asUnwritable } from "../disk/file-errors.ts";
import { makeMachineFolder } from "../disk/folders.ts";
import { lockedError, takeLock } from "../disk/process-lock.ts";
import type { Host } from "../base/host.ts";
import type { MigrationsContext } from "./context.ts";
import { machineUser } from "./machine-user.ts";
import { sha256 } from "../base/sha256.ts";
import { runsFolder } from "../state/target.ts";

export type Holder = {
  /** The value of `holder` in the entries that runs in this folder write. */
  id: string;
  /** The user and machine, for messages: `ana@build-7`. */
  by: string;
  /** Lets other processes of the folder run migrations. */
  release(): Promise<void>;
};

type HeldFolder = Pick<MigrationsContext, "root" | "target">;

export type HolderHost = Pick<Host, "env" | "processes">;

/**
 * Takes the lock on migrations of the folder. Returns the holder for the entries of this run.
 *
 * @param context its `root` is the project folder
 * @throws MIGRATION_IN_PROGRESS if another process of this folder runs migrations
 * @throws FILE_UNWRITABLE, FILE_UNFIT if the folder `.formctl/runs` can't be used
 */
export async function takeHolder(context: HeldFolder, host: HolderHost): Promise<Holder> {
  const { root } = context;
  const folder = runsFolder(context);
  await makeMachineFolder(folder);
  const processes = await host.processes();
  const lock = await takeLock(folder, "migrate", processes);
  if ("holder" in lock)
    throw lockedError("MIGRATION_IN_PROGRESS", "another process runs migrations in this folder", lock);
  const { self } = processes;
  return {
    id: sha256(JSON.stringify([await folderId(folder), self.host, self.namespace ?? "", root])),
    by: await machineUser(host),
    release: () => lock.release(),
  };
}

/**
 * Returns the random id of a folder. The first run in the folder creates the id. Two virtual machines may have the same
 * name and path. Without the id, they would seem to be one holder.
 */
async function folderId(folder: string): Promise<string> {
  const path = join(folder, "folder-id");
  try {
    await writeFile(path, `${randomUUID()}\n`, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw asUnwritable(path, error);
  }
  return (await readFile(path, "utf8")).trim();
}
