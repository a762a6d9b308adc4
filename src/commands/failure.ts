/** A failure as exit.ts makes it of an error and print-failure.ts prints it, and what a command adds to an error. */

import type { ExitCode } from "../exit-codes.ts";
import type { Located } from "../schemas/diagnostic.ts";
import type { TokenSource } from "../config/token.ts";
import type { JsonObject } from "../schemas/json.ts";
import type { ServiceError } from "../service.ts";

/** With `-o json` it is the `error` of one document on stderr. */
export type Failure = {
  code: string;
  message: string;
  hint?: string;
  exitCode: ExitCode;
  location?: { file: string; line: number; column: number };
  problems?: Located[];
  /** The writes that were done before it failed. */
  done?: string[];
  /** What the service said, unchanged, and the HTTP status. Absent where formctl refuses without a request. */
  api?: JsonObject & { status: number };
};

/** `text` is the address, quoted for a shell. */
export type Subject = { kind: "layout" | "form" | "object"; text: string };

/** The server that has refused, and where the token that it got came from. */
export type AskedServer = { profile: string | undefined; tokenFrom: TokenSource | undefined };

export class RefusedCommand extends Error {
  override readonly name = "RefusedCommand";
  readonly refusal: ServiceError;
  readonly subject: Subject | undefined;
  /** Undefined where the local store has refused. */
  readonly server: AskedServer | undefined;

  constructor(refusal: ServiceError, subject: Subject | undefined, server: AskedServer | undefined) {
    super(refusal.message, { cause: refusal });
    this.refusal = refusal;
    this.subject = subject;
    this.server = server;
  }
}

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
