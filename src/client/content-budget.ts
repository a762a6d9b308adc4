/** Limits the contents that a command reads. A server could report many layouts, each with a large content. */

import { NoAnswer } from "./no-answer.ts";

const MiB = 1024 * 1024;

/** The memory of a content that is not counted. About 700 blocks, so most layouts cost nothing. */
const FREE_BYTES = MiB;

/** The maximum of the counted memory of all layouts, by the estimate of schemas/json-limits.ts. */
const MAX_BYTES = 128 * MiB;

/** After this time in milliseconds, a content is not counted any more. A client of the library may live for days. */
const FORGET_AFTER = 10 * 60_000;

/** The path of the versions or the draft of a layout. */
const CONTENT_PATH = /^\/v1\/view-layouts\/([^/?]+)\/./;

export type ContentBudget = {
  /** Adds the memory of an answer, if it contains a content. Called before the answer is parsed. @throws NoAnswer */
  spend(path: string, bytes: number): void;
};

/** Creates the budget of all contents. Several answers about one layout count as the largest of them. */
export function contentBudget(origin: string, now: () => Date, maxBytes = MAX_BYTES): ContentBudget {
  const layouts = new Map<string, { bytes: number; at: number }>();
  return {
    spend(path, bytes) {
      const [, layout] = CONTENT_PATH.exec(path) ?? [];
      if (layout === undefined || bytes <= FREE_BYTES) return;
      const at = now().getTime();
      for (const [id, before] of layouts) if (at - before.at > FORGET_AFTER) layouts.delete(id);
      layouts.set(layout, { bytes: Math.max(bytes - FREE_BYTES, layouts.get(layout)?.bytes ?? 0), at });
      const sum = [...layouts.values()].reduce((total, each) => total + each.bytes, 0);
      if (sum <= maxBytes) return;
      const message = `the contents of ${layouts.size} large layouts of ${origin} need more than ${maxBytes / MiB} MiB of memory`;
      throw new NoAnswer("ANSWER_UNREADABLE", message, {
        sent: true,
        hint: "Name fewer forms, layouts or manifests in one command.",
      });
    },
  };
}
