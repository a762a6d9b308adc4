/**
 * Reads and writes plan files. A plan file contains a plan and its hash, so that the plan can be applied later or on
 * another machine. It contains no token, but all values that apply writes, including those from environment variables.
 */

import { dirname } from "node:path";
import * as z from "zod/mini";
import { unfitFile } from "../../disk/file-errors.ts";
import { clearDrafts, requireWritable, writeWhole } from "../../disk/write-file.ts";
import { hasCode } from "../../error.ts";
import { isJsonObject } from "../../schemas/json.ts";
import { readShape } from "../../schemas/shape.ts";
import { digestOf } from "../content/compare.ts";
import { type CurrentOptions, readSubjects } from "../current/read.ts";
import type { Current } from "../state.ts";
import { readDigests } from "./digests.ts";
import { Plan } from "./planned.ts";
import { unusablePlan, verifyPlan } from "./verify.ts";

const SealedPlan = z.object({
  version: z.literal(1),
  /** The target of the plan, as the lock names it. */
  place: z.string(),
  /** Scheme, host and port of the server. Null for a local store. */
  origin: z.nullable(z.string()),
  /** Digests of the manifest files, by path as the user typed it. */
  files: z.readonly(z.record(z.string(), z.string())),
  plan: Plan,
});
export type SealedPlan = z.output<typeof SealedPlan>;

/** Returns the text of a plan file. Its member `sha256` is the hash of the canonical JSON of all other members. */
export function sealPlan({ version, place, origin, files, plan }: SealedPlan): string {
  const sealed = { version, place, origin, files, plan };
  return `${JSON.stringify({ ...sealed, sha256: digestOf(sealed) }, null, 1)}\n`;
}

/**
 * Parses and verifies the text of a plan file.
 *
 * @throws PLAN_UNUSABLE if the text is not a plan of this version, if it was changed, or if it does not match its steps
 */
export function openPlan(text: string): SealedPlan {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw unusablePlan("the plan is not JSON: it is incomplete, or another file");
  }
  if (!isJsonObject(value) || !("plan" in value)) throw unusablePlan("the file contains no plan");
  const { sha256, ...sealed } = value;
  if (sealed["version"] !== 1) {
    throw unusablePlan(`the plan has version ${JSON.stringify(sealed["version"])}, and only version 1 is supported`);
  }
  if (sha256 !== digestOf(sealed))
    throw unusablePlan("the plan file was changed after it was created: its hash differs");
  const shape = readShape(SealedPlan, sealed);
  if (!shape.ok) {
    const [problem] = shape.problems;
    const what = problem ? `: ${problem.path} ${problem.message}` : "";
    throw unusablePlan(`the file has the hash of a plan, but is not a valid plan${what}`);
  }
  verifyPlan(shape.value.plan);
  return shape.value;
}

/**
 * Writes the file completely or not at all. Only its owner can read it.
 *
 * @throws FILE_UNFIT if it can't be written
 */
export async function writePlanFile(path: string, text: string): Promise<void> {
  await asPlanFile(() => writeWhole(path, text, 0o600));
  await clearDrafts(dirname(path));
}

/**
 * Checks that `writePlanFile` can write to the path. Call it before the current state is read.
 *
 * @throws FILE_UNFIT if the path is not writable
 */
export function requirePlanFile(path: string): Promise<void> {
  return asPlanFile(() => requireWritable(path));
}

async function asPlanFile(use: () => Promise<void>): Promise<void> {
  try {
    await use();
  } catch (error) {
    if (!(hasCode(error, "FILE_UNFIT") || hasCode(error, "FILE_UNWRITABLE"))) throw error;
    // The existing file may be valuable, so the hint does not suggest deleting it.
    throw unfitFile(error.message, { cause: error, hint: "Name another file, as in --out plan.json" });
  }
}

/**
 * Reads the current state and returns the addresses whose state has changed since the plan was created.
 *
 * @throws the errors of `readSubjects`
 */
export async function staleResources(
  { resources }: Plan,
  options: Pick<CurrentOptions, "service" | "known" | "withoutContent" | "concurrency" | "onProgress"> & {
    onRead?: (current: Current) => void;
  },
): Promise<string[]> {
  const current = await readSubjects({
    ...options,
    subjects: resources.map(({ subject }) => subject),
    byName: () => [],
  });
  options.onRead?.(current);
  const digestNow = readDigests(current);
  return resources.filter(({ subject, read }) => digestNow(subject) !== read).map(({ address }) => address);
}
