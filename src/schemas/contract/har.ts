/**
 * Reads the answers in a HAR 1.2 file (http://www.softwareishard.com/blog/har-12-spec/). A browser, a proxy or formctl
 * has recorded it. Entries that are not of the API are left out.
 */

import { isJsonObject, type JsonObject } from "../json.ts";
import { parseLimited } from "../json-limits.ts";
import { type OperationName, operationRow, operations, pathParameters } from "../operations.ts";
import { type Observation, UNREADABLE } from "./shapes.ts";

/** @throws Error if the text is no HAR file, or exceeds the limits of JSON */
export function readHar(text: string): Observation[] {
  const file = parseLimited(text.replace(/^\uFEFF/, ""));
  const log = isJsonObject(file) ? file["log"] : undefined;
  const entries = isJsonObject(log) ? log["entries"] : undefined;
  if (!Array.isArray(entries)) throw new Error("it has no log.entries");
  return (entries as unknown[]).flatMap((entry) => {
    const { method, url } = memberOf(entry, "request");
    const response = memberOf(entry, "response");
    const operation = operationAt(method, url);
    const status = Number(response["status"]);
    // The status is 0 without an answer, and 304 if the browser had stored the answer.
    if (operation === undefined || !(status >= 200) || status === 304) return [];
    return [{ operation, status, body: bodyIn(memberOf(response, "content")) }];
  });
}

function memberOf(value: unknown, name: string): JsonObject {
  const member = isJsonObject(value) ? value[name] : undefined;
  return isJsonObject(member) ? member : {};
}

/** Returns the JSON of an answer. Undefined if its content is empty or was not recorded. */
function bodyIn({ text, encoding }: JsonObject): unknown {
  if (typeof text !== "string" || text === "") return undefined;
  try {
    return parseLimited(encoding === "base64" ? Buffer.from(text, "base64").toString("utf8") : text);
  } catch {
    return UNREADABLE;
  }
}

/** The paths of the operations. A path with a fixed last step precedes a path with a parameter in its place. */
const PATTERNS = (Object.keys(operations) as OperationName[])
  .map((name) => ({ name, ...operationRow(name) }))
  .toSorted((a, b) => pathParameters(a.path).length - pathParameters(b.path).length)
  .map(({ name, method, path }) => ({ name, method, pattern: new RegExp(`${path.replace(/:\w+/g, "[^/]+")}/?$`) }));

/** Returns the operation of a request. The base URL of the server may have a path. */
export function operationAt(method: unknown, url: unknown): OperationName | undefined {
  if (typeof url !== "string" || !URL.canParse(url)) return undefined;
  const { pathname } = new URL(url);
  return PATTERNS.find((one) => one.method === method && one.pattern.test(pathname))?.name;
}
