/** What fails after a command has written something: the failure must not hide what is done. */

import { hasCode } from "../error.ts";
import { NotConfirmed, ServiceError } from "../service.ts";
import { Interrupted } from "../terminal/interrupted.ts";
import type { Command } from "./command.ts";
import { FailedAfterWrite } from "./failure.ts";
import { DryRunEnd, isNoAnswer, type Watch } from "./watched-service.ts";

/**
 * Does the next step of a command. Where the service or a person refuses it, `lead` says what is done and what is not: `the draft
 * is saved as ver_…, but not published`.
 */
export async function refusedAfter<T>(lead: string, next: () => Promise<T>): Promise<T> {
  try {
    return await next();
  } catch (error) {
    const isRefused = (error instanceof ServiceError && !isNoAnswer(error)) || hasCode(error, "CONSENT_MISSING");
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
    hasCode(cause, "LIST_INCOMPLETE") ||
    (cause instanceof Error && failedReads.has(cause));
  const lead = own?.lead ?? stoppedAfter(`${done.join(", ")} is done`);
  return new FailedAfterWrite({ done: [...done], lead, isStopped }, cause);
}

/** A command that works on the local store itself has done its work when its answer can't be printed. */
export function withStoreWork({ done }: Pick<Command, "done">, result: unknown, error: unknown): unknown {
  const work = done?.(result);
  if (!work) return error;
  const hint = hasCode(error, "OUTPUT_UNWRITABLE") && work.hint !== undefined ? { hint: work.hint } : {};
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
