/**
 * Remembers what was computed of some contents, so that a plan does not compute again what a migration has computed
 * while it read the target. Other contents are not remembered, because the results would stay in memory.
 */

import type { DraftContent } from "../schemas/draft.ts";

type Remembered = { other: DraftContent | undefined; result: unknown };

const memory = new WeakMap<DraftContent, Map<string, Remembered>>();

/** Remembers digests and comparisons of a content from now on. The content must not be changed any more. */
export function remember(content: DraftContent): void {
  if (!memory.has(content)) memory.set(content, new Map());
}

export function isRemembered(content: DraftContent): boolean {
  return memory.has(content);
}

/**
 * Returns what `compute` returns, or has returned before for the same contents.
 *
 * @param name identifies the computation
 * @param other the content that `content` is compared with. Undefined for a computation with one content
 */
export function once<T>(name: string, content: DraftContent, other: DraftContent | undefined, compute: () => T): T {
  const known = memory.get(content);
  if (!known) return compute();
  const before = known.get(name);
  if (before?.other === other && before) return before.result as T;
  const result = compute();
  known.set(name, { other, result });
  return result;
}
