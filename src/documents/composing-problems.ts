/** What is wrong with a document while it is composed: each problem at the path of the containers that are open. */

import { formatPath } from "../schemas/path.ts";
import type { Frame } from "./frames.ts";
import type { Problem } from "./invalid-document.ts";
import { MAX_PROBLEMS } from "./limits.ts";

/** Thrown after the last problem that is told. */
export class TooManyProblems extends Error {}

export type ComposingProblems = {
  all: Problem[];
  /** @param at where else than at the current event @throws TooManyProblems */
  complain: (code: Problem["code"], message: string, at?: number, key?: string) => void;
  /** A limit that is passed once is passed by all that follows. @throws TooManyProblems */
  complainOnce: (message: string) => void;
};

/** @param currentOffset of what complaints are about, unless they say otherwise: it is found out when there is one */
export function problemsWhile(frames: readonly Frame[], currentOffset: () => number): ComposingProblems {
  const all: Problem[] = [];
  const limitsTold = new Set<string>();
  const complain: ComposingProblems["complain"] = (code, message, at = currentOffset(), key) => {
    const steps = frames.flatMap((frame) => frame.list?.length ?? frame.key ?? []);
    const path = formatPath(key === undefined ? steps : [...steps, key]);
    all.push({ code, message, offset: at, ...(path && { path }) });
    if (all.length < MAX_PROBLEMS) return;
    all.push({ code: "YAML_LIMIT", message: `has more problems than these ${MAX_PROBLEMS}`, offset: at });
    throw new TooManyProblems();
  };
  return {
    all,
    complain,
    complainOnce(message) {
      if (limitsTold.has(message)) return;
      limitsTold.add(message);
      complain("YAML_LIMIT", message);
    },
  };
}
