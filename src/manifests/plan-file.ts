/** A plan at rest: sealed by its own hash, with nothing secret in it, to be applied later or elsewhere. */

import type { Service } from "../service.ts";
import type { KnownLayouts } from "./lock.ts";
import type { Plan } from "./plan.ts";

export type SealedPlan = {
  /** Of the format of the file. */
  version: 1;
  /** What it was made for, and nothing else takes it: as in the lock. */
  place: string;
  /** Scheme, host and port of the server; null: a local store. */
  origin: string | null;
  /** Digests of the files that it was made of, by name as they were typed. */
  files: Readonly<Record<string, string>>;
  plan: Plan;
};

/** The plan as the text of a file, with the sha256 of its canonical JSON. */
export declare function sealPlan(plan: SealedPlan): string;

/** @throws UnusablePlan (exit 3) where the text is no plan, is of another version, or was changed after it was sealed */
export declare function openPlan(text: string): SealedPlan;

/** Writes the file whole or not at all, readable by its owner alone. */
export declare function writePlanFile(path: string, text: string): Promise<void>;

/** The addresses whose state is not the one that the plan was made from. */
export declare function staleResources(
  plan: Plan,
  options: {
    service: Service;
    known: KnownLayouts;
    concurrency: number;
    onProgress?: (done: number, total: number) => void;
  },
): Promise<string[]>;
