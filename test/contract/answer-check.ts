/** Checks the result of a client against the server response and the actual records. */

import { canonicalJson, isJsonObject, sameJson } from "../../src/schemas/json.ts";

/**
 * Returns the path of the first value in `shown` that `answer` lacks or changes. Returns `undefined` if `answer` has
 * all values.
 */
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

/** The possible sources of a value in a client's result. */
export type Sources = {
  /** The server's answer to the call. */
  shown: unknown;
  /** The whole record. */
  truth: unknown;
  /** Every member of every answer that the client got during the call. */
  seen: ReadonlySet<string>;
};

/**
 * Returns the path of the first invented value in `answer`. A value is not invented in two cases:
 * - `shown` has the value at the same path.
 * - The value is true, and an answer has the value in a member of this name.
 *
 * So a correct guess counts as invented.
 */
export function inventedIn(answer: unknown, { shown, truth, seen }: Sources, path = "", name = ""): string | undefined {
  if (answer === undefined || sameJson(answer, shown)) return undefined;
  if (Array.isArray(answer) && answer.length > 0) {
    const [shownList, trueList] = [shown, truth].map((list) =>
      Array.isArray(list) && list.length === answer.length ? (list as unknown[]) : undefined,
    );
    if (!shownList && !trueList) return path;
    return first(answer, (one, index) =>
      inventedIn(one, { shown: shownList?.[index], truth: trueList?.[index], seen }, `${path}[${index}]`, name),
    );
  }
  if (isJsonObject(answer) && Object.keys(answer).length > 0) {
    const [shownRecord, trueRecord] = [shown, truth].map((record) => (isJsonObject(record) ? record : undefined));
    return first(Object.entries(answer), ([member, one]) =>
      inventedIn(one, { shown: shownRecord?.[member], truth: trueRecord?.[member], seen }, `${path}.${member}`, member),
    );
  }
  return sameJson(answer, truth) && seen.has(memberText(name, answer)) ? undefined : path;
}

/** Returns every member of these answers, at every depth. The items of a list count as values of the list's member. */
export function membersOf(answers: readonly unknown[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const add = (name: string, value: unknown): void => {
    if (Array.isArray(value) && value.length > 0) {
      for (const one of value as unknown[]) add(name, one);
    } else if (isJsonObject(value) && Object.keys(value).length > 0) {
      for (const [member, one] of Object.entries(value)) add(member, one);
    } else {
      seen.add(memberText(name, value));
    }
  };
  for (const answer of answers) add("", answer);
  return seen;
}

function memberText(name: string, value: unknown): string {
  return `${name}: ${canonicalJson(value)}`;
}

function first<T>(items: readonly T[], find: (item: T, index: number) => string | undefined): string | undefined {
  for (const [index, item] of items.entries()) {
    const found = find(item, index);
    if (found !== undefined) return found;
  }
  return undefined;
}
