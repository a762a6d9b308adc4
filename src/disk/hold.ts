/** What one process at a time may hold. Who died holding it is told from who lives, and followed by one other and not two. */

import { link, readdir, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { FormctlError } from "../error.ts";
import { RunHolder } from "../schemas/run.ts";
import { readOwnFile, unfitFile } from "./unfit-file.ts";
import { asUnwritable } from "./unwritable-file.ts";

/** This process, and how to ask after another one. */
export type Processes = { self: RunHolder; isRunning(holder: RunHolder): boolean };

/** `number` is higher than every one before. */
export type Hold = { number: number; release(): Promise<void> };

/** @param what the other process does: "another apply is at work" */
export function heldError(
  code: "FILE_HELD" | "RUN_IN_PROGRESS",
  what: string,
  { holder, path, self }: HeldBy,
): FormctlError {
  const isHere = areTogether(holder, self);
  const where = holder.host === self.host ? `in another container on ${holder.host}` : `on ${holder.host}`;
  return new FormctlError(
    code,
    `${what}: process ${holder.pid}${isHere ? "" : ` ${where}`}`,
    isHere
      ? "Wait until it has finished."
      : `Wait until it has finished. If it is gone, which can't be seen from here, delete ${path}.`,
  );
}

export type HeldBy = { holder: RunHolder; path: string; self: RunHolder };

/** The number of a process says something to those of the same machine and container alone. */
function areTogether(one: RunHolder, other: RunHolder): boolean {
  return one.host === other.host && one.namespace === other.namespace;
}

/**
 * Holds `name` in a folder. Holds are numbered files, and the highest number counts. Whoever wants to follow one that was let
 * go, or whose holder is gone, makes the next number, which only one can; the highest file is never removed, so that no
 * number comes twice. Who made a number that others have passed meanwhile sees so afterwards, and begins again.
 *
 * @param spent the number that another file of the folder has been given under a hold: somebody may have deleted the hold's own
 * @throws FILE_UNFIT where something else stands in its place; FILE_UNWRITABLE
 */
export async function hold(
  folder: string,
  name: string,
  processes: Processes,
  spent: (file: string) => number | undefined = () => undefined,
): Promise<Hold | HeldBy> {
  const { self } = processes;
  const pathOf = (number: number) => join(folder, `${name}-${number}`);
  try {
    for (;;) {
      const { files, numbers } = await look(folder, name);
      const highest = Math.max(0, ...numbers);
      const holder = highest > 0 ? await holderOf(pathOf(highest)) : undefined;
      if (holder && (!areTogether(holder, self) || processes.isRunning(holder)))
        return { holder, path: pathOf(highest), self };
      const mine = Math.max(highest, ...files.map((file) => spent(file) ?? 0)) + 1;
      if (!(await place(pathOf(mine), `${JSON.stringify(self)}\n`, self.pid))) continue;
      const now = await look(folder, name);
      if (now.numbers.some((number) => number > mine)) {
        await rm(pathOf(mine), { force: true });
        continue;
      }
      for (const number of now.numbers) if (number < mine) await rm(pathOf(number), { force: true });
      // Of those that were killed. Who is about to place one finds out that this one was faster.
      for (const draft of now.drafts) await rm(join(folder, draft), { force: true });
      return { number: mine, release: () => release(pathOf(mine)) };
    }
  } catch (error) {
    throw asUnwritable(folder, error);
  }
}

/** @throws FILE_UNFIT where a hold is no file */
async function look(folder: string, name: string): Promise<{ files: string[]; numbers: number[]; drafts: string[] }> {
  const entries = await readdir(folder, { withFileTypes: true });
  const files = entries.map((entry) => entry.name);
  const numberOf = (file: string) => new RegExp(`^${name}-(\\d{1,15})$`).exec(file)?.[1];
  const odd = entries.find((entry) => numberOf(entry.name) !== undefined && !entry.isFile());
  if (odd) throw unfitFile(`${join(folder, odd.name)} is not a file`, { hint: "Remove it." });
  return {
    files,
    numbers: files.flatMap((file) => Number(numberOf(file) ?? [])),
    drafts: files.filter((file) => file.startsWith(`${name}-`) && file.endsWith(".tmp")),
  };
}

/** An empty file is held by nobody. Making it so takes no room, which there may be none of. */
async function release(path: string): Promise<void> {
  try {
    await truncate(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw asUnwritable(path, error);
  }
}

/** Undefined: nobody holds it any more. */
async function holderOf(path: string): Promise<RunHolder | undefined> {
  const text = await readOwnFile(path);
  try {
    return text === undefined ? undefined : RunHolder.parse(JSON.parse(text));
  } catch {
    // It was placed whole: what can't be read was let go, or has been damaged since, and names nobody.
    return undefined;
  }
}

let drafts = 0;

/** Makes a file with all of its text at once. @returns false where somebody else was faster */
async function place(path: string, text: string, pid: number): Promise<boolean> {
  const draft = `${path}.${pid}.${++drafts}.tmp`;
  try {
    await writeFile(draft, text, { flag: "wx", mode: 0o600 });
    await link(draft, path);
    return true;
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    // Another container has processes of the same numbers; and who was faster has cleared the drafts away.
    if (code === "EEXIST" || (code === "ENOENT" && syscall === "link")) return false;
    if (syscall !== "link" || (code !== "EPERM" && code !== "ENOTSUP" && code !== "ENOSYS")) throw error;
    // Some file systems have no links.
    return await writeFile(path, text, { flag: "wx", mode: 0o600 }).then(
      () => true,
      (wrong: NodeJS.ErrnoException) => {
        if (wrong.code === "EEXIST") return false;
        throw wrong;
      },
    );
  } finally {
    await rm(draft, { force: true });
  }
}
