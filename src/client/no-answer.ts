/**
 * Creates the errors of requests without a usable answer. Each error states whether the request may have been carried
 * out.
 */

import { addFacts, type ErrorCode, FormctlError } from "../base/error.ts";
import { MAX_JSON_SIZE } from "../schemas/json-limits.ts";

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
  | "CLIENT_CLOSED"
  | "ABORTED"
>;

export type NoAnswerOptions = {
  sent: boolean;
  hint?: string;
  cause?: unknown;
};

/**
 * The error of a request without a usable answer. For example, the server did not answer, or the answer is not from the
 * API. `sent` is true if the request may have been carried out.
 */
export class NoAnswer extends FormctlError {
  override readonly name = "NoAnswer";
  declare readonly code: NoAnswerCode;
  readonly sent: boolean;

  constructor(code: NoAnswerCode, message: string, options: NoAnswerOptions) {
    super(code, message, options.hint, options.cause);
    this.sent = options.sent;
  }

  /**
   * Returns the same error with another value of `sent`: true if an earlier attempt of the request may have been carried
   * out, false if the error is that of a read before the request.
   */
  withSent(sent: boolean): NoAnswer {
    if (this.sent === sent) return this;
    const { code, message, cause, hint } = this;
    return addFacts(new NoAnswer(code, message, { sent, cause, ...(hint !== undefined && { hint }) }), this);
  }
}

/** Codes of errors that occur before the first byte of the request is sent. */
const UNSENT = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EAI_FAIL",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENETDOWN",
  "EADDRNOTAVAIL",
  "UND_ERR_CONNECT_TIMEOUT",
]);

const REASONS: Record<string, string> = {
  ECONNREFUSED: "the connection was refused",
  ENOTFOUND: "unknown host name",
  EAI_AGAIN: "the lookup of the host name failed",
  EHOSTUNREACH: "the host is unreachable",
  ENETUNREACH: "the network is unreachable",
  UND_ERR_CONNECT_TIMEOUT: "the connection timed out",
  ECONNRESET: "the connection was closed",
  UND_ERR_SOCKET: "the connection was closed",
  UND_ERR_HEADERS_OVERFLOW: "the headers of the answer are too large",
};

/**
 * Error codes of OpenSSL and Node for a failed TLS connection. The usual cause is a certificate that is not trusted.
 */
const TLS = /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA|EPROTO)/;

const OWN_AUTHORITY = "To trust this certificate authority, set NODE_EXTRA_CA_CERTS=/path/to/ca.pem.";
const UNKNOWN_AUTHORITY = [
  "its certificate is from an authority that this machine does not trust",
  OWN_AUTHORITY,
] as const;
const CLOCK = "Check the clock of this machine. If it is right, the operator of the server must renew the certificate.";

/** The TLS problem and the next step for each error code. */
const TLS_REASONS: Record<string, readonly [words: string, hint: string]> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: [
    "its certificate is self-signed",
    "To trust this certificate, set NODE_EXTRA_CA_CERTS=/path/to/certificate.pem.",
  ],
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  CERT_HAS_EXPIRED: ["its certificate has expired", CLOCK],
  CERT_NOT_YET_VALID: ["its certificate is not valid yet", CLOCK],
  ERR_TLS_CERT_ALTNAME_INVALID: ["its certificate is for another host", "Use a host name of the certificate."],
  ERR_SSL_WRONG_VERSION_NUMBER: ["it does not use TLS", "Check the base URL: formctl doctor"],
};

/** Converts an error of `fetch` to a `NoAnswer`. */
export function networkFailure(error: unknown, origin: string): NoAnswer {
  if (error instanceof NoAnswer) return error;
  const code = codeOf(error);
  if (TLS.test(code)) {
    const [words, hint] = TLS_REASONS[code] ?? ["its certificate is not trusted", OWN_AUTHORITY];
    const message = `can't verify the identity of ${origin}: ${words} (${code})`;
    return new NoAnswer("TLS_REFUSED", message, { sent: false, cause: error, hint });
  }
  if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE") return tooLarge(origin, error);
  const words = REASONS[code] ?? (error instanceof Error ? error.message : String(error));
  if (UNSENT.has(code)) {
    return new NoAnswer("UNREACHABLE", `can't reach ${origin}: ${words}`, {
      sent: false,
      cause: error,
      hint: "Check the base URL, and that the server is running: formctl doctor",
    });
  }
  return new NoAnswer("ANSWER_CUT", `incomplete answer from ${origin}: ${words}`, { sent: true, cause: error });
}

export function tooLarge(origin: string, cause?: unknown): NoAnswer {
  return new NoAnswer("ANSWER_TOO_LARGE", `the answer of ${origin} is larger than ${MAX_JSON_SIZE}`, {
    sent: true,
    cause,
  });
}

/** The error of a call that its caller aborted. @param reason the reason of the signal */
export function aborted(origin: string, reason: unknown): NoAnswer {
  if (reason instanceof NoAnswer) return reason.withSent(true);
  return new NoAnswer("ABORTED", `the call to ${origin} was aborted`, { sent: true, cause: reason });
}

/** @param limit in milliseconds */
export function timedOut(origin: string, limit: number): NoAnswer {
  return new NoAnswer("TIMED_OUT", `no answer from ${origin} within ${limit / 1000} s`, {
    sent: false,
    hint: "Increase the timeout with --timeout SECONDS.",
  });
}

/**
 * Returns the first error code in the chain of causes. An `AggregateError` has one error for each address of the host.
 * The first of these errors is used.
 */
function codeOf(error: unknown): string {
  for (let cause: unknown = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth++) {
    const { code } = cause as NodeJS.ErrnoException;
    if (typeof code === "string") return code;
    if (cause instanceof AggregateError && cause.errors.length > 0) return codeOf(cause.errors[0]);
  }
  return "";
}
