/** Failures after a write: they report which writes are done. */

import { IncompleteList, NotConfirmed, ServiceError } from "../service.ts";
import { Interrupted } from "../terminal/interrupted.ts";
import { UnwritableOutput } from "../terminal/write-all.ts";
import { type Command, ConsentError } from "./command.ts";
import { DryRunEnd, isNoAnswer, type Watch } from "./watched-service.ts";

/**
 * A command failed after a write. The message is the lead and the failure. The exit code is that of the failure, or 7 if the
 * command was stopped before the next write: by a failed read or a signal.
 */
export class FailedAfterWrite extends Error {
  override readonly name = "FailedAfterWrite";
  /** The requests that are done. */
  readonly done: readonly string[];
  /** The start of the message: what is done. */
  readonly lead: string;
  readonly isStopped: boolean;
  /** Replaces the hint of the failure. */
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
 * Runs the next step of a command. If the service refuses it or the user declines it, `lead` states what is done and what is not:
 * `the draft is saved as ver_…, but not published`.
 */
export async function refusedAfter<T>(lead: string, next: () => Promise<T>): Promise<T> {
  try {
    return await next();
  } catch (error) {
    const isRefused = (error instanceof ServiceError && !isNoAnswer(error)) || error instanceof ConsentError;
    throw isRefused ? new FailedAfterWrite({ done: [], lead, isStopped: false }, error) : error;
  }
}

/** Adds the writes that are done to the failure of a command. @param error the error that the command threw */
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

/** Adds the work that a command did in the local store, when printing its result failed. */
export function withStoreWork({ done }: Pick<Command, "done">, result: unknown, error: unknown): unknown {
  const work = done?.(result);
  if (!work) return error;
  const hint = error instanceof UnwritableOutput && work.hint !== undefined ? { hint: work.hint } : {};
  return new FailedAfterWrite({ done: [work.text], lead: stoppedAfter(work.text), isStopped: false, ...hint }, error);
}

const stoppedAfter = (done: string) => `${done}; then the command failed`;

/** Sends a write that is not the last one of a command: acceptance without confirmation is enough to continue. */
export async function accepted(write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!(error instanceof NotConfirmed)) throw error;
  }
}

/** Reads a value that is only shown; undefined if it can't be read. The write has succeeded in either case. */
export async function ifReadable<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof DryRunEnd) throw error;
    return undefined;
  }
}
