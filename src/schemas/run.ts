/** The record of a run of apply, line by line: what was about to be sent, and what came of it. No line holds a secret. */

import * as z from "zod/mini";
import { isSafeKey } from "./json.ts";

/** Of a place or a resource. A record may come from anybody: its names become members of the lock file. */
const name = z.string().check(z.refine(isSafeKey, "must not be the name of a member that every object has"));
const step = { at: z.string(), resource: name, step: z.int() };

export const JournalLine = z.discriminatedUnion("event", [
  /** `plan` is the plan's digest, `place` where it is carried out. */
  z.object({ event: z.literal("begin"), at: z.string(), plan: z.string(), place: name }),
  /** About to be sent. `mutation` is the id by which the service would know the write again; empty where it has none. */
  z.object({ event: z.literal("intent"), ...step, operation: z.string(), mutation: z.string() }),
  /** `ids` are those of what was made. */
  z.object({ event: z.literal("done"), ...step, ids: z.record(z.string(), z.string()) }),
  /** `unknown`: it was sent, and may have been done. */
  z.object({ event: z.literal("failed"), ...step, code: z.string(), message: z.string(), unknown: z.boolean() }),
  z.object({ event: z.literal("end"), at: z.string(), outcome: z.enum(["done", "partial", "failed"]) }),
]);
export type JournalLine = z.infer<typeof JournalLine>;
