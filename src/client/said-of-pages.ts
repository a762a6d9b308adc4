/** What an answer says of the pages of a list, wherever a server says so and however it writes it. */

import { isJsonObject, type JsonObject } from "../schemas/json.ts";

/** How long a list is, and whether it goes on after this answer; undefined: the answer does not say. */
export type SaidOfPages = { total?: number | undefined; hasMore?: boolean | undefined };

/**
 * What is said of a page, in the members that the API has for it; others are kept.
 *
 * @param asked page and limit of the request, for a server that does not repeat them
 */
export function pageMeta(json: unknown, asked: { page: number; limit: number }): JsonObject {
  const { page = asked.page, limit = asked.limit, total, hasMore } = pagesIn(json);
  const {
    total: _total,
    hasMore: _hasMore,
    ...more
  } = isJsonObject(json) && isJsonObject(json["meta"]) ? json["meta"] : {};
  return { ...more, page, limit, ...(total !== undefined && { total }), ...(hasMore !== undefined && { hasMore }) };
}

type Pages = SaidOfPages & { page: number | undefined; limit: number | undefined };

/** What an answer says of its page, wherever it says so; a value of another kind than it must be says nothing. */
export function pagesIn(json: unknown): Pages {
  const body = isJsonObject(json) ? json : {};
  const inside = isJsonObject(body["data"]) ? body["data"] : {};
  const places = [body["meta"], body["pagination"], inside["meta"], inside, body].filter(isJsonObject);
  const find = <T>(member: string, read: (value: unknown) => T | undefined) =>
    places.map((place) => read(place[member])).find((value) => value !== undefined);
  return {
    page: find("page", asCount),
    limit: find("limit", asCount),
    total: find("total", asCount),
    hasMore: find("hasMore", asFlag),
  };
}

/** Some servers write their numbers as text. */
export function asCount(value: unknown): number | undefined {
  const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

function asFlag(value: unknown): boolean | undefined {
  if (value === "true") return true;
  if (value === "false") return false;
  return typeof value === "boolean" ? value : undefined;
}
