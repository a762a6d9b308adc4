/** What is wrong with an answer that a client gives, by what the server showed and by what is true. */

import { isJsonObject, sameJson } from "../../src/schemas/json.ts";

/** The path of the first value of `shown` that `answer` lacks or has otherwise; undefined: it has all of them. */
export function lostIn(answer: unknown, shown: unknown, path = ""): string | undefined {
  if (Array.isArray(shown)) {
    if (!Array.isArray(answer) || answer.length !== shown.length) return path;
    return first(shown, (one, index) => lostIn(answer[index], one, `${path}[${index}]`));
  }
  if (isJsonObject(shown)) {
    if (!isJsonObject(answer)) return path;
    return first(Object.entries(shown), ([name, one]) => lostIn(answer[name], one, `${path}.${name}`));
  }
  return sameJson(answer, shown) ? undefined : path;
}

/** The path of the first value of `answer` that none of the sources has; undefined: nothing is invented. */
export function inventedIn(answer: unknown, sources: readonly unknown[], path = ""): string | undefined {
  if (answer === undefined || sources.some((source) => sameJson(answer, source))) return undefined;
  if (Array.isArray(answer)) {
    const lists = sources.filter((source) => Array.isArray(source) && source.length === answer.length) as unknown[][];
    if (lists.length === 0) return path;
    return first(answer, (one, index) =>
      inventedIn(
        one,
        lists.map((list) => list[index]),
        `${path}[${index}]`,
      ),
    );
  }
  if (!isJsonObject(answer)) return path;
  const records = sources.filter(isJsonObject);
  if (records.length === 0) return path;
  return first(Object.entries(answer), ([name, one]) =>
    inventedIn(
      one,
      records.map((record) => record[name]),
      `${path}.${name}`,
    ),
  );
}

function first<T>(items: readonly T[], find: (item: T, index: number) => string | undefined): string | undefined {
  for (const [index, item] of items.entries()) {
    const found = find(item, index);
    if (found !== undefined) return found;
  }
  return undefined;
}
