/** What a failed connection means: whether the request was sent at all, and whether trying again can help. */

import { NoAnswer } from "./no-answer.ts";

/** Errors of the time before the first byte of a request: nothing was sent. */
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

const WORDS: Record<string, string> = {
  ECONNREFUSED: "the connection was refused",
  ENOTFOUND: "the host name is not known",
  EAI_AGAIN: "the host name can't be looked up now",
  EHOSTUNREACH: "the host can't be reached",
  ENETUNREACH: "the network can't be reached",
  UND_ERR_CONNECT_TIMEOUT: "the connection was not made in time",
  ECONNRESET: "the connection was cut",
  UND_ERR_SOCKET: "the connection was cut",
  UND_ERR_HEADERS_OVERFLOW: "the headers of the answer are too large",
};

/** OpenSSL's and Node's words for a certificate that is not to be trusted. */
const TLS = /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA|EPROTO)/;

const OWN_AUTHORITY = "If you know whose it is, trust that authority: NODE_EXTRA_CA_CERTS=/path/to/ca.pem";
const UNKNOWN_AUTHORITY = ["its certificate comes from an authority that is not trusted here", OWN_AUTHORITY] as const;
const CLOCK = "Whoever runs the server has to renew it, unless the clock of this machine is wrong.";

/** What is wrong with a server's proof of who it is, and the way out. */
const TLS_WORDS: Record<string, readonly [words: string, hint: string]> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: [
    "its certificate is signed by itself",
    "If it is the right one, trust it: NODE_EXTRA_CA_CERTS=/path/to/certificate.pem",
  ],
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  CERT_HAS_EXPIRED: ["its certificate has expired", CLOCK],
  CERT_NOT_YET_VALID: ["its certificate is not valid yet", CLOCK],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    "its certificate is for another host",
    "Use a name that the certificate is for, if that is the same server.",
  ],
  ERR_SSL_WRONG_VERSION_NUMBER: ["it speaks no TLS", "Is the address right? See: formctl doctor"],
};

/** @param origin whom the request was for */
export function networkFailure(error: unknown, origin: string): NoAnswer {
  if (error instanceof NoAnswer) return error;
  const code = codeOf(error);
  if (TLS.test(code)) {
    const [words, hint] = TLS_WORDS[code] ?? ["its certificate can't be trusted", OWN_AUTHORITY];
    const message = `${origin} could not prove who it is: ${words} (${code})`;
    return new NoAnswer("TLS_REFUSED", message, { sent: false, cause: error, hint });
  }
  if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE") return tooLarge(origin, error);
  const words = WORDS[code] ?? (error instanceof Error ? error.message : String(error));
  if (UNSENT.has(code)) {
    return new NoAnswer("UNREACHABLE", `${origin} can't be reached: ${words}`, {
      sent: false,
      cause: error,
      hint: "Is it running, and is the address right? See: formctl doctor",
    });
  }
  return new NoAnswer("ANSWER_CUT", `no whole answer from ${origin}: ${words}`, { sent: true, cause: error });
}

export function tooLarge(origin: string, cause?: unknown): NoAnswer {
  return new NoAnswer("ANSWER_TOO_LARGE", `${origin} answers with more than 32 MiB`, { sent: true, cause });
}

export function timedOut(origin: string, deadline: number): NoAnswer {
  return new NoAnswer("TIMED_OUT", `${origin} has not answered within ${deadline / 1000} s`, {
    sent: true,
    hint: "Give it more time with --timeout SECONDS.",
  });
}

/** The first code along the causes: Node's own fetch wraps what happened. Several addresses may have been tried. */
function codeOf(error: unknown): string {
  for (let here: unknown = error, depth = 0; here instanceof Error && depth < 5; here = here.cause, depth++) {
    const { code } = here as NodeJS.ErrnoException;
    if (typeof code === "string") return code;
    if (here instanceof AggregateError && here.errors.length > 0) return codeOf(here.errors[0]);
  }
  return "";
}
