/**
 * Locates diagnostics of manifests and layouts in their files. Values of the environment may be secret, so messages
 * show the placeholder from the file instead of the value.
 */

import type { Document } from "../../documents/document.ts";
import { blockPaths } from "../../schemas/block-paths.ts";
import type { Diagnostic, Located } from "../../schemas/diagnostic.ts";
import type { DraftContent } from "../../schemas/draft.ts";
import { detached } from "../../schemas/json.ts";
import { BLOCK_SOURCES, BLOCK_TYPES, FIELD_TYPES, MODES, REGION_LAYOUTS, SURFACES } from "../../schemas/words.ts";
import type { Substituted } from "./environment.ts";

export type Locate = (diagnostic: Diagnostic) => Located;

/** Returns a function that locates diagnostics in a document. */
export function locateIn({ file, locate }: Document, substituted: Substituted): Locate {
  const conceal = concealer(substituted);
  return (diagnostic) =>
    detached({ ...diagnostic, message: conceal(diagnostic.message), file, ...locate(diagnostic.path ?? "") });
}

/**
 * Returns a function that locates diagnostics of a manifest whose layout is in another file: the path `layout.…` refers
 * to that file.
 */
export function locateWithLayout(manifest: Locate, layout: Locate): Locate {
  return (diagnostic) => {
    const prefix = /^layout(?:\.(?=.)|(?=\[))/.exec(diagnostic.path ?? "");
    if (!prefix) return manifest(diagnostic);
    return layout({ ...diagnostic, path: diagnostic.path!.slice(prefix[0].length) });
  };
}

/**
 * Locates diagnostics of a layout's content: by their path, else by the path of their block, else at the start of the
 * layout.
 */
export function locateContent(
  { content, locate }: { content?: DraftContent; locate: Locate },
  diagnostics: readonly Diagnostic[],
): Located[] {
  let paths: Map<string, string> | undefined;
  const pathOfBlock = (id: string) => (paths ??= blockPaths(content?.blocks ?? [])).get(id);
  return diagnostics.map((diagnostic) => {
    const { path = diagnostic.blockId === undefined ? undefined : pathOfBlock(diagnostic.blockId) } = diagnostic;
    return locate({ ...diagnostic, path: path ? `layout.${path}` : "layout" });
  });
}

/** Words of the API and of YAML, which are not secret. */
const KNOWN_WORDS = new Set<string>([
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
/** Minimum length of a value to conceal. Shorter values also occur in ordinary words. */
const SHORTEST_SECRET = 4;

const quoted = /"((?:[^"\\]|\\.)*)"/g;

/**
 * Returns a function that conceals values of the environment in a message. A quoted value, even if truncated with `…`,
 * is replaced by its text in the file. Any other occurrence of a variable's value is replaced by its placeholder.
 */
function concealer({ substitutions, variables }: Substituted): (message: string) => string {
  if (variables.size === 0) return (message) => message;
  const sources = new Map<string, string>();
  for (const { text, source } of substitutions) sources.set(text, source).set(text.trim(), source);
  const secrets = new Map<string, string>();
  for (const [placeholder, value] of variables) {
    if (value.trim().length >= SHORTEST_SECRET && !KNOWN_WORDS.has(value)) secrets.set(value.trim(), placeholder);
  }
  // The longest value is replaced first, because it may contain a shorter one.
  const texts = [...sources].sort(byLength);
  const values = [...secrets].sort(byLength);

  const sourceOf = (shown: string): string | undefined => {
    const found = sources.get(shown);
    if (found !== undefined || !shown.endsWith("…")) return found;
    return texts.find(([text]) => text.startsWith(shown.slice(0, -1)))?.[1];
  };
  return (message) => {
    let text = message.replace(quoted, (match, inner: string) => {
      const source = sourceOf(unquoted(match, inner));
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

/** Returns the text between quotes, with JSON escapes decoded if they are valid. */
function unquoted(match: string, inner: string): string {
  try {
    return JSON.parse(match) as string;
  } catch {
    return inner;
  }
}
