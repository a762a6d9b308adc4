/** What came from the environment may be secret, so that messages show the placeholder that stands in the file instead. */

import { BLOCK_SOURCES, BLOCK_TYPES, FIELD_TYPES, MODES, REGION_LAYOUTS, SURFACES } from "../../schemas/words.ts";
import type { Substituted } from "./environment.ts";

/** Takes values of the environment out of a message. */
export type Concealer = (message: string) => string;

/** Words of the API and of YAML are no secrets, whoever says them. */
const WORDS = new Set<string>([
  ...MODES,
  ...SURFACES,
  ...FIELD_TYPES,
  ...BLOCK_TYPES,
  ...BLOCK_SOURCES,
  ...REGION_LAYOUTS,
  "true",
  "false",
  "null",
]);
/** Anything shorter is found in ordinary words. */
const LEAST_SECRET = 4;

const quoted = /"((?:[^"\\]|\\.)*)"/g;

/**
 * A value that is shown in quotes, whole or cut with `…`, becomes the text of the file; whatever of the environment is
 * left elsewhere in a message becomes its placeholder.
 */
export function concealing({ filledIn, said }: Pick<Substituted, "filledIn" | "said">): Concealer {
  if (said.size === 0) return (message) => message;
  const sources = new Map<string, string>();
  for (const { text, source } of filledIn) sources.set(text, source).set(text.trim(), source);
  const secrets = new Map<string, string>();
  for (const [placeholder, value] of said) {
    if (value.trim().length >= LEAST_SECRET && !WORDS.has(value)) secrets.set(value.trim(), placeholder);
  }
  // The longest first: a shorter one may be a part of it.
  const texts = [...sources].sort(byLength);
  const values = [...secrets].sort(byLength);

  const sourceOf = (shown: string): string | undefined => {
    const found = sources.get(shown);
    if (found !== undefined || !shown.endsWith("…")) return found;
    return texts.find(([text]) => text.startsWith(shown.slice(0, -1)))?.[1];
  };
  return (message) => {
    let text = message.replace(quoted, (match, inner: string) => {
      const source = sourceOf(unescaped(match, inner));
      return source === undefined ? match : JSON.stringify(source);
    });
    for (const [value, placeholder] of values) {
      for (const shown of [value, JSON.stringify(value).slice(1, -1)]) text = text.replaceAll(shown, () => placeholder);
    }
    return text;
  };
}

function byLength([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return b.length - a.length;
}

/** What stands between quotes, as JSON or as it is. */
function unescaped(match: string, inner: string): string {
  try {
    return JSON.parse(match) as string;
  } catch {
    return inner;
  }
}
