/** An answer that succeeded, as the record or the list that it holds: another server may wrap it differently. */

import { listOf, InvalidAnswer } from "../schemas/answer-shape.ts";
import { type Answer, type AnswerReader, answers } from "../schemas/answers.ts";
import { isJsonObject } from "../schemas/json.ts";
import type { OperationName } from "../schemas/operations.ts";
import { pageMeta, pagesIn, type SaidOfPages } from "./said-of-pages.ts";

/**
 * The output of an operation from the JSON of its answer. Members that no reader knows are kept.
 *
 * @param asked page and limit of the request, for a server that does not repeat them
 * @throws InvalidAnswer when it lacks what every reader needs, or has a known member in another shape
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

/** A list with what its answer says of pages. */
export function readList(name: OperationName, json: unknown): SaidOfPages & { items: unknown[] } {
  const reader = readerOf(name);
  const { total, hasMore } = pagesIn(json);
  return { items: listOf(reader.read)(listIn(json)), total, hasMore };
}

/** The member that identifies the items of a list; undefined: the operation answers no list, or one in pages. */
export function listKey(name: OperationName): string | undefined {
  const reader = readerOf(name);
  return reader.kind === "list" && name !== "listForms" ? reader.key : undefined;
}

const readerOf = (name: OperationName): AnswerReader => answers[name];

/** The value of `data`, or the whole answer. */
function recordIn(json: unknown): unknown {
  const record = isJsonObject(json) && json["data"] != null ? json["data"] : json;
  if (typeof record === "object" && record !== null) return record;
  throw new InvalidAnswer("holds no record");
}

const LIST_MEMBERS = ["data", "items", "results", "forms", "layouts", "versions", "currencies"];

/** The first list among the usual places. An answer without any is not an empty list. */
function listIn(json: unknown): unknown[] {
  const inside = isJsonObject(json) ? json["data"] : undefined;
  const places = [
    json,
    ...[json, inside].filter(isJsonObject).flatMap((holder) => LIST_MEMBERS.map((key) => holder[key])),
  ];
  const list = places.find((place): place is unknown[] => Array.isArray(place));
  if (!list) throw new InvalidAnswer("holds no list");
  return list;
}
