/** What there is instead of an answer: why nothing that can be relied on came back. */

import { type ErrorCode, FormctlError } from "../error.ts";

export type NoAnswerCode = Extract<
  ErrorCode,
  | "UNREACHABLE"
  | "TLS_REFUSED"
  | "TIMED_OUT"
  | "ANSWER_CUT"
  | "ANSWER_TOO_LARGE"
  | "ANSWER_UNREADABLE"
  | "LIST_TOO_LONG"
  | "NOT_THE_API"
  | "REDIRECTED"
>;

/** The server did not answer, or what answered is not the API. `sent` tells whether the request may have been carried out. */
export class NoAnswer extends FormctlError {
  override readonly name = "NoAnswer";
  declare readonly code: NoAnswerCode;
  readonly sent: boolean;

  constructor(code: NoAnswerCode, message: string, options: { sent: boolean; hint?: string; cause?: unknown }) {
    super(code, message, options.hint, options.cause);
    this.sent = options.sent;
  }

  /** The same, where an earlier attempt had reached the server. */
  asSent(): NoAnswer {
    if (this.sent) return this;
    return new NoAnswer(this.code, this.message, {
      sent: true,
      cause: this.cause,
      ...(this.hint !== undefined && { hint: this.hint }),
    });
  }
}
