/** Builds HTTP responses: envelopes, errors and the headers of every response. */

import { entityTag, hasEntityTag } from "../schemas/entity-tag.ts";
import { type ErrorBody, MAX_PROBLEMS } from "../schemas/error-body.ts";
import { type OperationName, operationRow } from "../schemas/operations.ts";
import type { ServiceError } from "../service.ts";

export type Headers = Record<string, string>;

/**
 * Returns the headers of every response. Responses are not cached, and browsers must not guess their type. There are no
 * CORS headers, so pages of other origins can't read a response.
 */
function commonHeaders(requestId: string): Headers {
  return { "cache-control": "no-store", "x-content-type-options": "nosniff", "x-request-id": requestId };
}

/** Returns the headers of a response with a JSON text. @param headers the additional headers of this response */
export function jsonHeaders(requestId: string, headers: Headers): Headers {
  return { ...commonHeaders(requestId), "content-type": "application/json", ...headers };
}

export function jsonResponse(status: number, text: string, requestId: string, headers: Headers = {}): Response {
  return new Response(text, { status, headers: jsonHeaders(requestId, headers) });
}

/** The result of a successful operation. The text is null if the operation returns no content. */
export type SuccessAnswer = { status: number; headers: Headers; text: string | null };

/** Creates the response of a successful operation. */
export function successResponse({ status, headers, text }: SuccessAnswer, requestId: string): Response {
  if (text !== null) return jsonResponse(status, text, requestId, headers);
  return new Response(null, { status, headers: { ...commonHeaders(requestId), ...headers } });
}

/** Renders the result of an operation. A page is rendered unchanged. A record or a list becomes the member `data`. */
export async function renderSuccess(
  name: OperationName,
  result: unknown,
  { isReplay, yieldToEventLoop }: { isReplay: boolean | undefined; yieldToEventLoop: () => Promise<void> },
): Promise<SuccessAnswer> {
  const row = operationRow(name);
  const headers: Headers = isReplay === undefined ? {} : { "idempotency-replayed": String(isReplay) };
  if (!row.result) return { status: row.status, headers, text: null };
  const text = Array.isArray(result) ? await listText(result, yieldToEventLoop) : JSON.stringify(result);
  if (hasEntityTag(name)) headers["etag"] = entityTag(text);
  // The header shows a client that the list is complete and has no second page.
  if (Array.isArray(result)) headers["x-total-count"] = String(result.length);
  return { status: row.status, headers, text: row.paged ? text : `{"data":${text}}` };
}

/**
 * Serializes a list item by item, and yields to the event loop between items. A list of versions is long, because it
 * includes their contents.
 */
async function listText(items: readonly unknown[], yieldToEventLoop: () => Promise<void>): Promise<string> {
  const texts: string[] = [];
  for (const item of items) {
    texts.push(JSON.stringify(item));
    await yieldToEventLoop();
  }
  return `[${texts.join(",")}]`;
}

/**
 * Creates an error response. Each list of the error has at most {@link MAX_PROBLEMS} items. The lists are shorter if
 * the response would exceed 64 KiB.
 */
export function errorResponse(status: number, body: ErrorBody, requestId: string, headers: Headers = {}): Response {
  let most = MAX_PROBLEMS;
  let text = JSON.stringify({ error: withAtMost(body, most) });
  while (most > 0 && Buffer.byteLength(text) > MAX_ERROR_BYTES) {
    most = Math.floor(most / 2);
    text = JSON.stringify({ error: withAtMost(body, most) });
  }
  return jsonResponse(status, text, requestId, headers);
}

const MAX_ERROR_BYTES = 64 * 1024;

/** Returns the error with at most `most` items in each list. The message then counts the omitted items. */
function withAtMost(body: ErrorBody, most: number): ErrorBody {
  const omitted = { problems: 0, changes: 0, layouts: 0 };
  const cut = <T>(items: readonly T[], what: keyof typeof omitted, room = most): T[] => {
    omitted[what] += Math.max(0, items.length - room);
    return items.slice(0, room);
  };
  const { validation, errors, impacts } = body;
  const limited = { ...body };
  if (errors) limited.errors = validation ? errors.slice(0, most) : cut(errors, "problems");
  if (validation) {
    const listed = cut(validation.errors, "problems");
    const warnings = cut(validation.warnings, "problems", most - listed.length);
    limited.validation = { ...validation, errors: listed, warnings };
  }
  if (impacts) {
    limited.impacts = cut(impacts, "changes").map((impact) => {
      const { referencedByLayouts: layouts } = impact;
      return layouts ? { ...impact, referencedByLayouts: cut(layouts, "layouts") } : impact;
    });
  }
  const counts = Object.entries(omitted).flatMap(([what, count]) => (count > 0 ? [`${count} more ${what}`] : []));
  if (counts.length > 0) limited.message = `${body.message}. Not listed: ${counts.join(", ")}`;
  return limited;
}

/** During an upgrade, another server may already have the new version. During a restore, tables are missing. */
const RESOLVED_BY_RETRY: ReadonlySet<string> = new Set([
  "STORE_BUSY",
  "STORE_UNREACHABLE",
  "STORE_NEWER",
  "STORE_MISSING",
  "STORE_FOREIGN",
  "RATE_LIMITED",
]);

/**
 * Returns `Retry-After: 1` if a retry can resolve the error. One second is enough for a rate limit, which allows at
 * least one request per second.
 */
export function retryHeaders(error: ServiceError): Headers {
  return RESOLVED_BY_RETRY.has(error.code) ? { "retry-after": "1" } : {};
}
