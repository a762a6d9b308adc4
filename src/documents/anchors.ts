/** Anchors and their aliases. An alias shares a value and repeats its weight: what they stand for together is bounded. */

import type { AliasEvent } from "js-yaml";
import { MAX_ALIASES, MAX_DEPTH, MAX_EXPANDED } from "./limits.ts";

export type Anchor = { value: unknown; weight: number; height: number; complete: boolean };

/** Why an alias has no value. A limit that is passed once is passed by all that follows. */
export type NoAnchor = { problem: string; isLimit: boolean };

export const TOO_DEEP = `the file is nested more than ${MAX_DEPTH} levels deep`;

export type Anchors = {
  /** What an event names. */
  keep: (event: Anchoring, value: unknown, isComplete: boolean) => Anchor;
  /** What an alias means that stands `depth` levels deep, behind what weighs so much already. */
  find: (event: AliasEvent, depth: number, weight: number) => Anchor | NoAnchor;
  /** Another document begins, which knows none of them. */
  forget: () => void;
};

/** Where an event names its value; -1: it does not. */
type Anchoring = { anchorStart: number; anchorEnd: number };

export function openAnchors(text: string): Anchors {
  let known = new Map<string, Anchor>();
  let aliases = 0;
  return {
    keep(event, value, complete) {
      const anchor = { value, weight: 0, height: 0, complete };
      known.set(text.slice(event.anchorStart, event.anchorEnd), anchor);
      return anchor;
    },
    find(event, depth, weight) {
      const name = text.slice(event.anchorStart, event.anchorEnd);
      const anchor = known.get(name);
      aliases++;
      if (!anchor) return mistake(`there is no anchor &${name} before this alias. Quote a value that begins with *`);
      if (!anchor.complete) return mistake(`*${name} stands inside its own anchor, so it has no end`);
      if (aliases > MAX_ALIASES) return limit(`a file may hold ${MAX_ALIASES} aliases at most`);
      if (weight + anchor.weight > MAX_EXPANDED) return limit("the aliases of this file expand to too much text");
      return depth + anchor.height > MAX_DEPTH ? limit(TOO_DEEP) : anchor;
    },
    forget() {
      known = new Map();
    },
  };
}

const mistake = (problem: string): NoAnchor => ({ problem, isLimit: false });
const limit = (problem: string): NoAnchor => ({ problem, isLimit: true });
