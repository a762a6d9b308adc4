/**
 * Defines what the operations of a project share: folders, target, desired state, and access to files, clock and
 * processes.
 */

import type { Processes } from "../base/host.ts";
import type { LayoutCatalog } from "../schemas/catalog.ts";
import type { Located } from "../schemas/diagnostic.ts";
import type { SeedOrganization } from "../schemas/organization.ts";
import type { Reader } from "../state/reader.ts";
import { type Lock, type ManifestFiles, openLock, unstoredLock } from "../state/lock.ts";
import type { Manifest, Wanted } from "../manifests/manifest.ts";
import type { ManifestSet } from "../manifests/read/read-manifests.ts";
import type { Current } from "../state/state.ts";
import type { Rehearse } from "../rehearsal/rehearsal.ts";
import { type ProjectTarget, stateFolder } from "../state/target.ts";

/**
 * The clock, files and processes that a project uses. `env` has the values of `${NAME}` in manifests. `env` may also
 * have the commit for the metadata of drafts: FORMCTL_REF, GITHUB_SHA or CI_COMMIT_SHA. `readFile` takes paths relative
 * to the project's `cwd`.
 */
export type ProjectHost = {
  env: Readonly<Record<string, string | undefined>>;
  /** Returns the content of a file; `-` is standard input. */
  readFile(path: string): Promise<Uint8Array>;
  now(): Date;
  /** Waits the given time. Ends early when `until` is aborted. */
  sleep(milliseconds: number, until?: AbortSignal): Promise<void>;
  processes(): Promise<Processes>;
};

export type Progress =
  /** `validate` has read and checked `done` of `total` files. */
  | { stage: "validating"; done: number; total: number }
  | { stage: "reading"; done: number; total: number | undefined }
  /** `plan` has executed `done` of `total` steps on a copy of the target. */
  | { stage: "rehearsing"; done: number; total: number }
  /**
   * Reported at the start and after each step. `done` is the number of steps that are done: other steps have failed,
   * have an unknown outcome, or were skipped. `step` is the step that ended last; absent at the start.
   */
  | { stage: "applying"; done: number; total: number; step?: { address: string; operation: string; status: string } }
  /**
   * No request is sent until the time `until`. `isAsked` is true if the service stated how long to wait. `isAsked` is
   * false after a refusal (429) without a time.
   */
  | { stage: "waiting"; done: number; total: number; until: Date; isAsked: boolean }
  /** The stage has ended, successfully or not. */
  | { stage: "ended" };

/** A problem that does not stop the operation. `cause` is the error that led to it. */
export type Warning = { message: string; cause?: unknown };

export type ProjectContext = {
  root: string;
  cwd: string;
  /** The default folder of manifests, for requests without paths. */
  manifests: string | undefined;
  target: ProjectTarget;
  /** Absent if the desired state is in manifest files. */
  desired?: DesiredState;
  organizationFile: string | undefined;
  variables: readonly string[] | undefined;
  concurrency: number;
  /** Rehearses plans. Absent if plans can't be rehearsed. */
  rehearse?: Rehearse;
  host: ProjectHost;
  onProgress: (progress: Progress) => void;
  onWarning: (warning: Warning) => void | Promise<void>;
};

export type LoadedManifests = {
  set: ManifestSet;
  /** The problems found by reading and by checking, in the order of files and lines. */
  problems: readonly Located[];
  /** The problems in the contents of well-formed layouts, each with the address of its manifest. */
  ofContents: ReadonlyMap<Located, string>;
  /** The checks that could not run, each with its reason and its manifests. */
  notRun: readonly string[];
  /** Returns what is known about the layout of a manifest. */
  knownOf: (manifest: Manifest) => LayoutCatalog;
  /**
   * The organization in an organization file. Absent without such a file. Also absent if there are several
   * organizations, and none has the key of the target's organization.
   */
  organization?: SeedOrganization;
};

/** A desired state that a migration or promotion computes. No manifest files are read. */
export type DesiredState = {
  /**
   * Returns the manifests. The `file` of each manifest is a description, such as `promotion of staging`. It is never a
   * path, so the lock keeps the entries of manifest files.
   */
  load(): Promise<LoadedManifests>;
  /**
   * Whether the lock in `.formctl` is read and written, and drafts get a stamp. A stamp is metadata that identifies
   * what formctl saved (`Stamp`). If false, forms and layouts are found by name only. The plan then does not know what
   * was applied last.
   */
  usesLock: boolean;
  /** Returns the reader of the last `load`. Absent if `load` reads nothing of the target. */
  reader?(): Reader;
  /** Returns the addresses of forms without a manifest that `prune` must not delete. Absent if no such form exists. */
  described?(): ReadonlySet<string>;
  /**
   * Adds values of the current state to the manifests. Called before the plan is computed. Absent if no values are
   * added.
   */
  complete?(wanted: readonly Wanted[], current: Current): Wanted[];
};

/** Opens the lock of the project. @param key the key of the target @throws what `openLock` throws */
export async function openProjectLock(
  context: Pick<ProjectContext, "root" | "target" | "cwd" | "host" | "desired">,
  key: string,
  read?: Pick<ManifestFiles, "files" | "manifests">,
): Promise<Lock> {
  const { root, cwd, host, desired } = context;
  if (desired?.usesLock === false) return unstoredLock();
  const lock = await openLock(stateFolder(context), key, host, read && { root, cwd, ...read });
  return desired ? keepingOwners(lock) : lock;
}

/**
 * Returns a lock in which an applied manifest does not become the owner of another file's base (lock.ts). Used for a
 * computed desired state, which has no file. After its apply, `status` reports that the target differs from the
 * manifest file. It does not report that the manifest file has changed.
 */
export function keepingOwners(lock: Lock): Lock {
  return { ...lock, set: (address, resource) => lock.set(address, resource) };
}

/** Writes to `.formctl` after the work is done. A failure is only a warning, so that the work is still reported. */
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
