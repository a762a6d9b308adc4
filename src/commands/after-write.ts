/** What fails after a command has written something: the failure must not hide what is done. */

import { IncompleteList, NotConfirmed, ServiceError } from "../service.ts";
import { Interrupted } from "../terminal/interrupted.ts";
import { UnwritableOutput } from "../terminal/write-all.ts";
import { type Command, ConsentError } from "./command.ts";
import { DryRunEnd, isNoAnswer, type Watch } from "./watched-service.ts";

/**
 * A command failed after it had written something. exit.ts prints the lead, then what failed; the exit code is that of what
 * failed, or 7 where the command was stopped: a read failed, or a signal came before the next write.
 */
export class FailedAfterWrite extends Error {
  override readonly name = "FailedAfterWrite";
  /** The writes that are done. */
  readonly done: readonly string[];
  /** The beginning of the message: what is done, in words. */
  readonly lead: string;
  readonly isStopped: boolean;
  /** What to do about what is done, in the place of what to do about the failure. */
  readonly hint: string | undefined;

  constructor(
    {
      done,
      lead,
      isStopped,
      hint,
    }: { done: readonly string[]; lead: string; isStopped: boolean; hint?: string | undefined },
    cause: unknown,
  ) {
    super(`${lead}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.done = done;
    this.lead = lead;
    this.isStopped = isStopped;
    this.hint = hint;
  }
}

/**
 * Does the next step of a command. Where the service or a person refuses it, `lead` says what is done and what is not: `the draft
 * is saved as ver_…, but not published`.
 */
export async function refusedAfter<T>(lead: string, next: () => Promise<T>): Promise<T> {
  try {
    return await next();
  } catch (error) {
    const isRefused = (error instanceof ServiceError && !isNoAnswer(error)) || error instanceof ConsentError;
    throw isRefused ? new FailedAfterWrite({ done: [], lead, isStopped: false }, error) : error;
  }
}

/** The failure of a command, with what it had written before. @param error what the command threw */
export function withDone(error: unknown, watch: Pick<Watch, "done" | "failedReads">): unknown {
  const { done, failedReads } = watch;
  if (done.length === 0) return error;
  const own = error instanceof FailedAfterWrite ? error : undefined;
  const cause = own ? own.cause : error;
  const isStopped =
    cause instanceof Interrupted ||
    cause instanceof IncompleteList ||
    (cause instanceof Error && failedReads.has(cause));
  const lead = own?.lead ?? stoppedAfter(`${done.join(", ")} is done`);
  return new FailedAfterWrite({ done: [...done], lead, isStopped }, cause);
}

/** A command that works on the local store itself has done its work when its answer can't be printed. */
export function withStoreWork({ done }: Pick<Command, "done">, result: unknown, error: unknown): unknown {
  const work = done?.(result);
  if (!work) return error;
  const hint = error instanceof UnwritableOutput && work.hint !== undefined ? { hint: work.hint } : {};
  return new FailedAfterWrite({ done: [work.text], lead: stoppedAfter(work.text), isStopped: false, ...hint }, error);
}

const stoppedAfter = (done: string) => `${done}; then it could not go on`;

/** A write before the last one of a command: once it is accepted the command goes on, confirmed or not. */
export async function accepted(write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!(error instanceof NotConfirmed)) throw error;
  }
}

/**
 * What is read after a write only to be shown. The command has succeeded whether or not it can be read: undefined where not.
 */
export async function ifReadable<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof DryRunEnd) throw error;
    return undefined;
  }
}
