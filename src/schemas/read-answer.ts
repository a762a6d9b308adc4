/**
 * Reads the JSON value of a successful answer as a record or a list. Servers put the record or list at different paths
 * (docs/decisions.md, "Tolerance").
 */

import { InvalidAnswer, listOf } from "./answer-shape.ts";
import type { Answer } from "./operation-types.ts";
import { type AnswerReader, answerReaders } from "./answer-readers.ts";
import { isJsonObject, type JsonObject } from "./json.ts";
import type { OperationName } from "./operations.ts";

/**
 * Returns the output of an operation. Keeps unknown members.
 *
 * @param asked the page and limit of the request, used if the answer does not repeat them
 * @throws InvalidAnswer if a required member is missing, or a known member has the wrong type
 */
export function readAnswer<N extends OperationName>(
  name: N,
  json: unknown,
  asked: { page: number; limit: number },
): Answer<N>;
export function readAnswer(name: OperationName, json: unknown, asked: { page: number; limit: number }): unknown {
  const reader = readerOf(name);
  if (reader.kind === "record") return reader.read(recordIn(json));
  const { items } = readList(name, json);
  return name === "listForms" ? { data: items, meta: pageMeta(json, asked) } : items;
}

/** Reads a list, and what the answer reports about its pages. */
export function readList(name: OperationName, json: unknown): PageInfo & { items: unknown[] } {
  const reader = readerOf(name);
  const { total, hasMore } = pagesIn(json);
  return { items: listOf(reader.read)(listIn(json)), total, hasMore };
}

/**
 * Returns the member that identifies the items of a list, such as `id`. `reads.ts` reads all pages of the list, and
 * detects repeated items by this member. Undefined for a record and for the list of forms. lists/forms.ts
 * requests the pages of the list of forms one by one.
 */
export function listKey(name: OperationName): string | undefined {
  const reader = readerOf(name);
  return reader.kind === "list" && name !== "listForms" ? reader.key : undefined;
}

/** Returns the unread record or list of an answer. Undefined if the answer contains none. */
export function payloadOf(name: OperationName, json: unknown): unknown {
  try {
    return readerOf(name).kind === "list" ? listIn(json) : recordIn(json);
  } catch (error) {
    if (error instanceof InvalidAnswer) return undefined;
    throw error;
  }
}

const readerOf = (name: OperationName): AnswerReader => answerReaders[name];

function recordIn(json: unknown): unknown {
  const record = isJsonObject(json) && json["data"] != null ? json["data"] : json;
  if (typeof record === "object" && record !== null) return record;
  throw new InvalidAnswer("contains no record");
}

const LIST_MEMBERS = ["data", "items", "results", "forms", "layouts", "versions", "currencies"];

/**
 * Returns the list of an answer. The list is the answer itself, or else the first list among the usual members of the
 * answer and of its `data`. Throws if there is no list: an answer without a list does not mean an empty list.
 */
function listIn(json: unknown): unknown[] {
  const inside = isJsonObject(json) ? json["data"] : undefined;
  const candidates = [
    json,
    ...[json, inside].filter(isJsonObject).flatMap((holder) => LIST_MEMBERS.map((key) => holder[key])),
  ];
  const list = candidates.find((each): each is unknown[] => Array.isArray(each));
  if (!list) throw new InvalidAnswer("contains no list");
  return list;
}

/** The length of a list, and whether another page follows. A member is undefined if the answer does not report it. */
export type PageInfo = { total?: number | undefined; hasMore?: boolean | undefined };

/** Returns the `meta` of a page with the members that the API defines. Keeps the other members of `meta`. */
function pageMeta(json: unknown, asked: { page: number; limit: number }): JsonObject {
  const { page = asked.page, limit = asked.limit, total, hasMore } = pagesIn(json);
  const {
    total: _total,
    hasMore: _hasMore,
    nextCursor,
    ...more
  } = isJsonObject(json) && isJsonObject(json["meta"]) ? json["meta"] : {};
  return {
    ...more,
    page,
    limit,
    ...(total !== undefined && { total }),
    ...(hasMore !== undefined && { hasMore }),
    ...(typeof nextCursor === "string" && { nextCursor }),
  };
}

/** Reads the data about pages in `meta`, or next to the list. Ignores values of the wrong type. */
function pagesIn(json: unknown): PageInfo & { page: number | undefined; limit: number | undefined } {
  const body = isJsonObject(json) ? json : {};
  const holders = [body["meta"], body["data"], body].filter(isJsonObject);
  const find = <T>(member: string, read: (value: unknown) => T | undefined) =>
    holders.map((holder) => read(holder[member])).find((value) => value !== undefined);
  return {
    page: find("page", asCount),
    limit: find("limit", asCount),
    total: find("total", asCount),
    hasMore: find("hasMore", asFlag),
  };
}

/** Reads a count, which some servers send as text. Returns undefined for any other value. */
export function asCount(value: unknown): number | undefined {
  const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

function asFlag(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}
