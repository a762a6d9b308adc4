/** Finds the caller of a request by the token. Enforces the limits of tokens and clients. */

import { type Caller, ServiceError, type TokenRefusal } from "../service.ts";
import type { RateLimits } from "./rate-limits.ts";
import type { RequestLogEntry } from "./request-log.ts";

export type Authentication = {
  /**
   * Returns the caller of a token. If the token is not valid, returns undefined and calls `onRefused`. Every request
   * without a cached answer calls this function. A revocation removes the cached answers, so it takes effect at the
   * next request.
   */
  authenticate: (token: string, onRefused: (refusal: TokenRefusal) => void) => Promise<Caller | undefined>;
  rateLimits?: RateLimits;
};

const BEARER = /^bearer +([\w.~+/=-]+) *$/i;

/**
 * Returns the caller of a request. Adds the caller, or the reason of a refusal, to the log entry of the request.
 *
 * @param client returns the address of the client
 * @throws ServiceError 401 if the token is missing or not valid
 * @throws ServiceError 429 if the token or the client exceeds a limit
 */
export async function findCaller(
  authorization: string | null,
  { authenticate, rateLimits }: Authentication,
  { entry, client }: { entry: Partial<RequestLogEntry>; client: () => string },
): Promise<Caller> {
  if (authorization === null) {
    Object.assign(entry, { unauthorized: "missing", client: client() } satisfies Partial<RequestLogEntry>);
    throw unauthorized("a token is required: authorization: Bearer TOKEN");
  }
  if (rateLimits?.refuses(client(), authorization)) {
    Object.assign(entry, { limited: "client", client: client() } satisfies Partial<RequestLogEntry>);
    throw limited("too many requests with invalid tokens come from this address");
  }
  const token = BEARER.exec(authorization)?.[1];
  let refusal: TokenRefusal = { reason: "unknown" };
  const caller = token === undefined ? undefined : await authenticate(token, (given) => void (refusal = given));
  rateLimits?.countLookup(client(), authorization, caller !== undefined);
  if (!caller) {
    const { reason, tokenId } = refusal;
    const known = tokenId !== undefined && { tokenId };
    Object.assign(entry, { unauthorized: reason, client: client(), ...known } satisfies Partial<RequestLogEntry>);
    throw unauthorized(reason === "expired" ? "the token has expired" : "the token is unknown or revoked");
  }
  const { tokenId, organization } = caller;
  Object.assign(entry, { tokenId, organization } satisfies Partial<RequestLogEntry>);
  if (rateLimits && !rateLimits.takeRequest(tokenId)) {
    Object.assign(entry, { limited: "token", client: client() } satisfies Partial<RequestLogEntry>);
    throw limited("the token sends too many requests");
  }
  return caller;
}

const unauthorized = (message: string) => new ServiceError(401, { code: "UNAUTHORIZED", message });
const limited = (message: string) => new ServiceError(429, { code: "RATE_LIMITED", message });
