/** What there is instead of an answer: why nothing that can be relied on came back. */

export type NoAnswerCode =
  | "UNREACHABLE"
  | "TLS_REFUSED"
  | "TIMED_OUT"
  | "ANSWER_CUT"
  | "ANSWER_TOO_LARGE"
  | "ANSWER_UNREADABLE"
  | "LIST_TOO_LONG"
  | "NOT_THE_API"
  | "REDIRECTED";

/** Nobody answered, or something did that is not the API. `sent` tells whether the request may have been carried out. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
  readonly code: NoAnswerCode;
  readonly sent: boolean;
  readonly hint: string | undefined;

  constructor(code: NoAnswerCode, message: string, options: { sent: boolean; hint?: string; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.code = code;
    this.sent = options.sent;
    this.hint = options.hint;
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
