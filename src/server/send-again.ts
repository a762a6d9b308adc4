/** Answers a GET request from the cache, without the cost of the handler. */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Handler } from "./handler.ts";

/** A Host that does not change the meaning of the rest of the URL. The Host `localhost/v1` would change the path. */
const PLAIN_HOST = /^[\w.:[\]-]+$/;

/**
 * Sends the cached answer to a GET request. The handler has to answer these requests:
 *
 * - a request with another method or with a body
 * - a request with unusual characters in its Host
 * - a request whose URL is not in normal form: the cache stores answers by the normal form
 *
 * @returns false if nothing was sent
 */
export function sendAgain(
  { method, url, headers }: IncomingMessage,
  response: ServerResponse,
  { answerAgain, scheme }: { answerAgain: Handler["answerAgain"] | undefined; scheme: "http" | "https" },
): boolean {
  const { host, authorization = null, "x-request-id": requestId = null } = headers;
  const hasBody = headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
  if (method !== "GET" || hasBody || Array.isArray(requestId)) return false;
  if (host === undefined || !PLAIN_HOST.test(host) || !url?.startsWith("/")) return false;
  const answer = answerAgain?.({ url: `${scheme}://${host}${url}`, authorization, requestId });
  if (!answer) return false;
  const { status, text } = answer;
  response.writeHead(status, { ...answer.headers, "content-length": Buffer.byteLength(text) }).end(text);
  return true;
}
