/**
 * A failure, which exit.ts creates from an error and print-failure.ts prints, and the errors that wrap the error of a
 * command.
 */

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
  /** The writes that were done before the failure. */
  done?: string[];
  /** The error of the service, unchanged, and the HTTP status. Absent when formctl refuses without a request. */
  api?: JsonObject & { status: number };
};

/** What the command works on. `text` is the address, quoted for a shell. */
export type CommandSubject = { kind: "layout" | "form" | "object"; text: string };

/** The server that refused, and the source of its token. */
export type AskedServer = { profile: string | undefined; tokenFrom: TokenSource | undefined };

/** A refusal of the service with the context of the command, so that its hint can be a complete command. */
export class RefusedCommand extends Error {
  override readonly name = "RefusedCommand";
  readonly refusal: ServiceError;
  readonly subject: CommandSubject | undefined;
  /** Undefined for a refusal of the local store. */
  readonly server: AskedServer | undefined;

  constructor(refusal: ServiceError, subject: CommandSubject | undefined, server: AskedServer | undefined) {
    super(refusal.message, { cause: refusal });
    this.refusal = refusal;
    this.subject = subject;
    this.server = server;
  }
}

/**
 * A command failed after a write. The message is the lead and the failure. The exit code is that of the failure, or 7
 * if the command was stopped before the next write: by a failed read or a signal.
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
