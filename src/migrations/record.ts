/**
 * The record of migrations: which migrations ran on a target. A local store keeps the record in a table, and a server
 * in an unpublished layout. If a server can't hold the record, the record is a file in the repository.
 */

import type { Json } from "../schemas/json.ts";

/** A step of a script that is done, with its answer. */
export type RecordedStep = { name: string; answer: Json; at: string };

/** The suffix of the name of a step that finds ids. The step runs before the step in YAML that needs these ids. */
const FINDING = ": find";

/** Returns the name of the step that finds the ids for the step `name`. */
export function findingStep(name: string): string {
  return `${name}${FINDING}`;
}

/** Returns the names of the steps in the migration's file. Steps that find ids are left out. */
export function stepNames(steps: readonly RecordedStep[]): string[] {
  return steps.map(({ name }) => name).filter((name) => !name.endsWith(FINDING));
}

/** The former state of a resource that a transform changed. */
export type Replaced = {
  address: string;
  kind: "Form" | "Layout";
  layoutId: string;
  formId?: string;
  /**
   * The id of the version that was published before the transform. Null if no version was published, or if only members
   * of the form changed.
   */
  publishedVersionId: string | null;
  /** The members of the form that the transform changed, with ids instead of names. */
  members?: { [member: string]: Json };
  /** The former content of the draft. Present if the transform changed a draft and did not publish it. */
  draft?: Json;
  /**
   * The former draft of a published layout, which the transform saves again. Present until it is saved. A run after an
   * interruption may find the draft only here.
   */
  rebased?: FormerDraft;
  /**
   * The former draft of a published layout, for `down`. Present if the transform publishes this draft, or has saved it
   * again.
   */
  formerDraft?: FormerDraft;
  /**
   * The digest of the former content, with which `down` verifies the restored content. Absent if there was no content,
   * or if only members changed.
   */
  sha256?: string;
  /** Digests of what the transform wrote. They show whether another user has changed the resource since. */
  written: { sha256?: string; members?: { [member: string]: string } };
  /** What can't come back, such as the values of a deleted field. */
  lost?: readonly string[];
};

/** `sha256` is the digest of the former draft, `written` the digest of what the transform makes of it. */
export type FormerDraft = { draft: Json; sha256: string; written: string };

export type MigrationEntry = {
  /** The file name without extension. */
  name: string;
  /** The SHA-256 of the file, in hexadecimal. */
  checksum: string;
  /**
   * - `running`: the migration began and has not ended; a process runs it, or the run was interrupted
   * - `done`: the migration ran
   * - `baseline`: the migration was declared as done without running
   * - `reverting`: `down` began and has not ended
   */
  state: "running" | "done" | "baseline" | "reverting";
  /** ISO 8601, UTC. */
  startedAt: string;
  endedAt?: string;
  /** The user and machine, such as `ana@build-7`. */
  by: string;
  /**
   * Identifies the folder and machine that run the migration. A lock file allows only one run in a folder. An
   * unfinished entry with the holder of this run therefore belongs to a process that has ended.
   */
  holder: string;
  /**
   * The end of the lease. Before this time, no other holder may continue the migration. ISO 8601, UTC. Renewed with
   * each write of the entry.
   */
  heldUntil?: string;
  /** The steps of a script that are done, in their order. */
  steps: readonly RecordedStep[];
  /** The steps of the script's `down` that are done. */
  downSteps?: readonly RecordedStep[];
  /** @internal */
  replaced: readonly Replaced[];
};

/** All entries, in the order in which the migrations began. */
export type RecordState = {
  entries: readonly MigrationEntry[];
  /** Identifies this state for `write`. Null if there is no record yet. */
  revision: string | null;
};

/** Which answers of steps this folder recorded, or its user accepted. */
export type AnswerMemory = {
  /** Returns the steps of the entry whose answers are not known. A step without an answer is left out. */
  foreign(entry: MigrationEntry): Promise<RecordedStep[]>;
  /** Remembers answers. Called before they are in the record. @throws FILE_UNWRITABLE */
  add(entry: Pick<MigrationEntry, "name" | "startedAt">, steps: readonly RecordedStep[]): Promise<void>;
};

export type MigrationRecord = {
  /** Where the record is, for messages: `the local store`, `the layout "formctl migrations" (lay_…)`, a path. */
  where: string;
  /** @throws MIGRATION_RECORD_LOST if there was a record, and it is no longer found */
  read(): Promise<RecordState>;
  /**
   * Whether a former record may have been deleted: at the last `read` there was no record, or only one that
   * `setNew(true)` marked. Then a run creates no form or layout whose name exists. Absent for a record that can't be lost.
   */
  isNew?: boolean;
  /** Marks the record, or removes the mark, with the next `write`. */
  setNew?(isNew: boolean): void;
  /** Present for a record that other users can change: the layout on a server. */
  answers?: AnswerMemory | undefined;
  /** Remembers in this folder that the target has the record that was last read. Absent for a record that can't be lost. */
  remember?(): Promise<void>;
  /** Begins a new record after MIGRATION_RECORD_LOST. Absent for a record that can't be lost. */
  renew?(): Promise<void>;
  /**
   * Replaces all entries, if the record still has the given revision.
   *
   * @returns the new revision
   * @throws MIGRATIONS_CHANGED if another process has written the record since
   */
  write(entries: readonly MigrationEntry[], revision: string | null): Promise<string>;
};
