/** The types of words that another server may extend: its enumerations are open in both directions (docs/decisions.md, "Tolerance"). */

import type { Mode } from "./words.ts";

/** A known word, or one that only another server knows. */
export type OpenWord<T extends string> = T | (string & {});

/** A type in which each enumeration takes any word, and each literal number any number. */
export type Open<T> = T extends string
  ? string extends T
    ? T
    : OpenWord<T>
  : T extends number
    ? number
    : T extends readonly (infer Item)[]
      ? Open<Item>[]
      : T extends object
        ? { [K in keyof T]: Open<T[K]> }
        : T;

/** A mode as any server writes it. */
export type ModeWord = OpenWord<Mode>;
