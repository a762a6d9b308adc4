/** The entries of the journal of an apply: each request before it is sent, and its outcome. No entry holds a secret. */

import * as z from "zod/mini";
import { isSafeKey } from "./json.ts";

/** Of a target or a resource. A journal may come from another user, and its names become members of the lock file. */
const name = z.string().check(z.refine(isSafeKey, "must not be the name of a member that every object has"));
const step = { at: z.string(), resource: name, step: z.int() };

export const JournalEntry = z.discriminatedUnion("event", [
  /** `plan` is the digest of the plan, `place` the target, as in the lock. */
  z.object({ event: z.literal("begin"), at: z.string(), plan: z.string(), place: name }),
  /** Written before the request. `mutation` is the id by which the service recognizes the write; empty if it has none. */
  z.object({ event: z.literal("intent"), ...step, operation: z.string(), mutation: z.string() }),
  /** `ids` are those of what the step created. */
  z.object({ event: z.literal("done"), ...step, ids: z.record(z.string(), z.string()) }),
  /** `unknown`: the request was sent, and may have been done. */
  z.object({ event: z.literal("failed"), ...step, code: z.string(), message: z.string(), unknown: z.boolean() }),
  z.object({ event: z.literal("end"), at: z.string(), outcome: z.enum(["done", "partial", "failed"]) }),
]);
export type JournalEntry = z.infer<typeof JournalEntry>;
