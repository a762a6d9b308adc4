/** Answers a GET request that was answered before, without the handler and its objects. */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Handler } from "./handler.ts";

/** A Host that can't change how the rest of the URL is read, as `localhost/v1` does. */
const PLAIN_HOST = /^[\w.:[\]-]+$/;

/**
 * Sends the answer to an equal former request. Everything that is unusual is left to the handler: other methods, bodies,
 * a Host with other characters, and a URL that is not in its normal form, because the handler remembers answers by the
 * normal form.
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
