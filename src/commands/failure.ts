/**
 * Defines a failure. exit.ts creates a failure from an error, and print-failure.ts prints the failure. Also defines the
 * errors that wrap the error of a command.
 */

import type { ExitCode } from "../base/exit-codes.ts";
import type { Located } from "../schemas/diagnostic.ts";
import type { TokenSource } from "../config/token.ts";
import type { JsonObject } from "../schemas/json.ts";
import type { ServiceError } from "../service.ts";

/** The description of a failed command. With `-o json`, it is the member `error` of the document on stderr. */
export type Failure = {
  code: string;
  message: string;
  hint?: string;
  exitCode: ExitCode;
  location?: { file: string; line: number; column: number };
  problems?: Located[];
  /** The writes that were done before the failure. */
  done?: string[];
  /** The error of the service, unchanged, with the HTTP status. Absent if formctl refuses without a request. */
  api?: JsonObject & { status: number };
  /** The id that the server gave the failed request. */
  requestId?: string;
};

/** The record that the command works on. `text` is the address, quoted for a shell. */
export type CommandSubject = { kind: "layout" | "form" | "object"; text: string };

/** The server that refused the request, and the source of the token. */
export type AskedServer = { profile: string | undefined; tokenFrom: TokenSource | undefined };

/** A refusal of the service with the context of the command. With the context, the hint can be a complete command. */
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
 * A command failed after a write. The message consists of `lead` and the message of the failure. The exit code is 7 if
 * a failed read or a signal stopped the command between two writes. Otherwise the failure determines the exit code.
 */
export class FailedAfterWrite extends Error {
  override readonly name = "FailedAfterWrite";
  /** The writes that are done: requests, or one text about the work in the local store. */
  readonly done: readonly string[];
  /** The start of the message. It states what is done. */
  readonly lead: string;
  readonly isStopped: boolean;
  /** Replaces the hint of the failure. Undefined to keep that hint. */
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

/** A command failed, and the text that the user wrote is kept in a file. `kept` follows the hint of the failure. */
export class FailedWithKeptFile extends Error {
  override readonly name = "FailedWithKeptFile";
  /** Text with the path of the file and the next step. */
  readonly kept: string;

  constructor(kept: string, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.kept = kept;
  }
}
