/** What the operations of a project share: its folders and target, and the functions that touch the outside world. */

import { join } from "node:path";
import type { Processes } from "../../host.ts";
import { type Bases, basesOf, type BasesOptions } from "../bases.ts";
import { type Lock, openLock } from "../lock.ts";
import type { ProjectTarget } from "./target.ts";

export type ProjectHost = {
  /** The variables that `${NAME}` in a manifest means; FORMCTL_REF, GITHUB_SHA or CI_COMMIT_SHA is the commit in stamps. */
  env: Readonly<Record<string, string | undefined>>;
  /** The bytes of a file, relative to the project's `cwd`; `-` is standard input. */
  readFile(path: string): Promise<Uint8Array>;
  now(): Date;
  /** Waits milliseconds, or until `signal` is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** This process, and a way to find out whether another one still runs. */
  processes(): Promise<Processes>;
};

export type Progress =
  | { stage: "reading"; done: number; total: number | undefined }
  /** A step has ended. `done` of `total` steps have. */
  | { stage: "applying"; done: number; total: number; step?: { address: string; operation: string; status: string } }
  /** No request is sent until then. `isAsked`: the service asked for the pause; otherwise it accepts no more requests (429). */
  | { stage: "waiting"; done: number; total: number; until: Date; isAsked: boolean }
  /** The stage has ended, successfully or not. */
  | { stage: "ended" };

/** Something that does not stop the operation. `cause` is the error that led to it. */
export type Warning = { message: string; cause?: unknown };

export type ProjectContext = {
  root: string;
  cwd: string;
  /** The folder of manifests that a request without paths means. */
  manifests: string | undefined;
  target: ProjectTarget;
  organizationFile: string | undefined;
  variables: readonly string[] | undefined;
  concurrency: number;
  host: ProjectHost;
  onProgress: (progress: Progress) => void;
  onWarning: (warning: Warning) => void | Promise<void>;
};

/** The folder of what formctl keeps about a project. */
export function stateFolder({ root }: Pick<ProjectContext, "root">): string {
  return join(root, ".formctl");
}

export function runsFolder(context: Pick<ProjectContext, "root">): string {
  return join(stateFolder(context), "runs");
}

/** @param key of the target @throws what `openLock` throws */
export function openProjectLock(context: Pick<ProjectContext, "root" | "host">, key: string): Promise<Lock> {
  return openLock(join(stateFolder(context), "lock.json"), key, context.host);
}

/** The lock as seen by the files of manifests. @throws what `openLock` throws */
export async function openBases(
  context: ProjectContext,
  key: string,
  seenBy: Pick<BasesOptions, "files" | "manifests">,
): Promise<Bases> {
  const { root, cwd } = context;
  return basesOf(await openProjectLock(context, key), { root, cwd, ...seenBy });
}

/** A write to `.formctl` after the work is done: its failure is a warning, because the work is still reported. */
export async function keepOrWarn(
  { onWarning }: Pick<ProjectContext, "onWarning">,
  message: string,
  keep: () => Promise<void>,
): Promise<void> {
  try {
    await keep();
  } catch (cause) {
    await onWarning({ message, cause });
  }
}
