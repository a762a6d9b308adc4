/** Adds context to the error of a command: the writes that are done, the address, and the server. */

import { hasCode } from "../base/error.ts";
import { NotConfirmed, ServiceError } from "../service.ts";
import { Interrupted } from "../terminal/interrupted.ts";
import type { Command, Server } from "./command.ts";
import {
  FailedAfterWrite,
  FailedWithKeptFile,
  type AskedServer,
  RefusedCommand,
  type CommandSubject,
} from "./failure.ts";
import { DryRunEnd, mayBeDoneDespite, type Watch } from "./watched-service.ts";
import type { Target } from "../config/target.ts";
import { formText, type LayoutAddress, layoutText } from "./addresses.ts";
import type { FormAddress } from "../lists/forms.ts";
import { objectText, type ObjectKey } from "../lists/addresses.ts";

/**
 * Runs the next step of a command. If the service refuses the step, or the user declines it, the error starts with
 * `lead`. `lead` states what is done and what is not: `the draft is saved as ver_…, but not published`.
 */
export async function refusedAfter<T>(lead: string, next: () => Promise<T>): Promise<T> {
  try {
    return await next();
  } catch (error) {
    const isRefused = (error instanceof ServiceError && !mayBeDoneDespite(error)) || hasCode(error, "CONSENT_MISSING");
    throw isRefused ? new FailedAfterWrite({ done: [], lead, isStopped: false }, error) : error;
  }
}

/** Adds the completed writes to the error of a command. @param error the error that the command threw */
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

/** Adds the completed work in the local store to an error. The error occurred while the result was printed. */
export function withStoreWork({ done }: Pick<Command, "done">, result: unknown, error: unknown): unknown {
  const work = done?.(result);
  if (!work) return error;
  const hint = hasCode(error, "OUTPUT_UNWRITABLE") && work.hint !== undefined ? { hint: work.hint } : {};
  return new FailedAfterWrite({ done: [work.text], lead: stoppedAfter(work.text), isStopped: false, ...hint }, error);
}

const stoppedAfter = (done: string) => `${done}; then the command failed`;

/**
 * Sends a write that is not the last one of a command. Returns even if the server accepts the write without confirming
 * its result.
 */
export async function accepted(write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!(error instanceof NotConfirmed)) throw error;
  }
}

/**
 * Reads a value that is only displayed after a write. Returns undefined if the value can't be read. The write has
 * succeeded, so the command must not fail.
 */
export async function ifReadable<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof DryRunEnd) throw error;
    return undefined;
  }
}

/**
 * Adds context to a refusal, also to a refusal after a write. The context is the server, and the record in the
 * command's input. Returns any other error unchanged.
 */
export async function withSubject(
  error: unknown,
  input: Readonly<Record<string, unknown>>,
  { target, server }: { target: Target; server: Server },
): Promise<unknown> {
  if (error instanceof FailedAfterWrite)
    return new FailedAfterWrite(error, await withSubject(error.cause, input, { target, server }));
  if (error instanceof FailedWithKeptFile)
    return new FailedWithKeptFile(error.kept, await withSubject(error.cause, input, { target, server }));
  if (!(error instanceof ServiceError)) return error;
  return new RefusedCommand(error, subjectOf(input), await askedServer(target, server));
}

async function askedServer(target: Target, server: Server): Promise<AskedServer | undefined> {
  if (target.kind === "local") return undefined;
  const tokenFrom = await server.token().then(
    ({ source }) => source,
    () => undefined,
  );
  return { profile: target.profile, tokenFrom };
}

function subjectOf({ layout, form, object }: Readonly<Record<string, unknown>>): CommandSubject | undefined {
  if (layout) return { kind: "layout", text: layoutText(layout as LayoutAddress) };
  if (form) return { kind: "form", text: formText(form as FormAddress) };
  if (object) return { kind: "object", text: objectText(object as ObjectKey) };
  return undefined;
}
