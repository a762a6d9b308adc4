/** One run at a time in a folder. Who died holding it is told from who lives, and followed by one other and not two. */

import { link, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { RunHolder } from "../../schemas/run.ts";

/** This process, and how to ask after another one. */
export type Processes = { self: RunHolder; isRunning(holder: RunHolder): boolean };

/** Another run is at work in the same folder: exit 6. */
export class RunInProgress extends Error {
  override readonly name = "RunInProgress";
  readonly holder: RunHolder;
  readonly hint: string;

  constructor(holder: RunHolder, path: string, isHere: boolean) {
    const where = isHere ? "" : ` on ${holder.host}`;
    super(`another apply is at work in this folder: process ${holder.pid}${where}`);
    this.holder = holder;
    this.hint = isHere
      ? "Wait until it has finished."
      : `Wait until it has finished. If it is gone, which can't be seen from here, delete ${path}.`;
  }
}

/** `number` is higher than that of every lock before. */
export type RunLock = { number: number; release(): Promise<void> };

const LOCK = /^lock-(\d+)$/;
const RELEASED = "released\n";

/**
 * Locks are numbered, and the highest number counts. Whoever wants to follow a released lock, or one whose holder is
 * gone, makes the next number, which only one can; the highest file is never removed, so that no number comes twice. Who
 * made a number that others have passed meanwhile sees so afterwards, and begins again.
 *
 * @throws RunInProgress
 */
export async function takeRunLock(folder: string, processes: Processes): Promise<RunLock> {
  const { self } = processes;
  for (;;) {
    const highest = Math.max(0, ...(await numbers(folder)));
    if (highest > 0) {
      const path = join(folder, `lock-${highest}`);
      const holder = await holderOf(path);
      if (holder) {
        const isHere = holder.host === self.host;
        if (!isHere || processes.isRunning(holder)) throw new RunInProgress(holder, path, isHere);
      }
    }
    const mine = highest + 1;
    const path = join(folder, `lock-${mine}`);
    if (!(await place(path, `${JSON.stringify(self)}\n`, self.pid))) continue;
    const others = (await numbers(folder)).filter((number) => number !== mine);
    if (others.some((number) => number > mine)) {
      await rm(path, { force: true });
      continue;
    }
    for (const number of others) await rm(join(folder, `lock-${number}`), { force: true });
    return {
      number: mine,
      async release() {
        const draft = `${path}.${self.pid}.tmp`;
        await writeFile(draft, RELEASED, { mode: 0o600 });
        await rename(draft, path);
      },
    };
  }
}

async function numbers(folder: string): Promise<number[]> {
  return (await readdir(folder)).flatMap((name) => Number(LOCK.exec(name)?.[1] ?? []));
}

/** Undefined: nobody holds it any more. */
async function holderOf(path: string): Promise<RunHolder | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  if (text === RELEASED) return undefined;
  try {
    return RunHolder.parse(JSON.parse(text));
  } catch {
    // It was placed whole: what can't be read has been damaged since, and names nobody.
    return undefined;
  }
}

let drafts = 0;

/** Makes a file with all of its text at once. @returns false where there is one already */
async function place(path: string, text: string, pid: number): Promise<boolean> {
  const draft = `${path}.${pid}.${++drafts}.tmp`;
  await writeFile(draft, text, { flag: "wx", mode: 0o600 });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return false;
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "ENOSYS") throw error;
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
