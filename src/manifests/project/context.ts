/** What the operations of a project share: its folders and target, and the functions that touch the outside world. */

import { join } from "node:path";
import type { Host } from "../../host.ts";
import { type Lock, type ManifestFiles, openLock } from "../lock.ts";
import type { ProjectTarget } from "./target.ts";

/**
 * The clock, files and processes that a project uses. `env` has the values of `${NAME}` in manifests, and in FORMCTL_REF,
 * GITHUB_SHA or CI_COMMIT_SHA the commit that drafts are stamped with. `readFile` takes paths relative to the project's
 * `cwd`.
 */
export type ProjectHost = Pick<Host, "env" | "readFile" | "now" | "sleep" | "processes">;

export type Progress =
  | { stage: "reading"; done: number; total: number | undefined }
  /** A step has ended. `done` of `total` steps have. */
  | { stage: "applying"; done: number; total: number; step?: { address: string; operation: string; status: string } }
  /**
   * No request is sent until then. `isAsked`: the service asked for the pause; otherwise it accepts no more requests
   * (429).
   */
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
export function openProjectLock(
  context: Pick<ProjectContext, "root" | "cwd" | "host">,
  key: string,
  read?: Pick<ManifestFiles, "files" | "manifests">,
): Promise<Lock> {
  const { root, cwd, host } = context;
  return openLock(join(stateFolder(context), "lock.json"), key, host, read && { root, cwd, ...read });
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
