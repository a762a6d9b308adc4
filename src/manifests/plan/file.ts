/**
 * A plan at rest: sealed by its own hash, to be applied later or elsewhere. It holds no token, and every value that it writes:
 * those of environment variables too.
 */

import { dirname } from "node:path";
import { FormctlError, hasCode } from "../../error.ts";
import { isJsonObject } from "../../schemas/json.ts";
import { PlanFile } from "../../schemas/plan-file.ts";
import { readShape } from "../../schemas/shape.ts";
import type { Service } from "../../service.ts";
import { digestOf } from "../content/content.ts";
import { readSubjects } from "../current/current.ts";
import type { KnownLayouts } from "../lock.ts";
import type { Current } from "../state.ts";
import type { Plan } from "./planned.ts";
import { contradictionIn } from "./meaning.ts";
import { readDigests } from "./read.ts";
import { unfitFile } from "../../disk/file-errors.ts";
import { clearDrafts, requireWritable, writeWhole } from "../../disk/write-file.ts";

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

/** The file is no plan, or not the one that was written. */
export function unusablePlan(message: string): FormctlError {
  return new FormctlError("PLAN_UNUSABLE", message, "Make a new plan and read it: formctl plan --out FILE");
}

/** The plan as the text of a file, with the sha256 of its canonical JSON. */
export function sealPlan({ version, place, origin, files, plan }: SealedPlan): string {
  const sealed = { version, place, origin, files, plan };
  return `${JSON.stringify({ ...sealed, sha256: digestOf(sealed) }, null, 1)}\n`;
}

/** @throws PLAN_UNUSABLE where the text is no plan, is of another version, or was changed after it was sealed */
export function openPlan(text: string): SealedPlan {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw unusablePlan("the plan is not JSON: it was cut off, or is another file");
  }
  if (!isJsonObject(value) || !("plan" in value)) throw unusablePlan("the file holds no plan");
  const { sha256, ...sealed } = value;
  if (sealed["version"] !== 1) {
    throw unusablePlan(`the plan is of version ${JSON.stringify(sealed["version"])}, and only 1 is known here`);
  }
  if (sha256 !== digestOf(sealed)) throw unusablePlan("the plan was changed after it was made: its hash is another");
  // A hash proves that a file is whole, not who has written it.
  const shape = readShape(PlanFile, sealed);
  if (!shape.ok) {
    const [problem] = shape.problems;
    const what = problem ? `: ${problem.path} ${problem.message}` : "";
    throw unusablePlan(`the file has the hash of a plan, and not its shape${what}`);
  }
  const plan = sealed as unknown as SealedPlan;
  const found = contradictionIn(plan.plan);
  if (found !== undefined) throw unusablePlan(`the plan lists something else than its steps do: ${found}`);
  return plan;
}

/** Writes the file whole or not at all, readable by its owner alone. @throws FILE_UNFIT where it can't be written */
export async function writePlanFile(path: string, text: string): Promise<void> {
  await asPlanFile(() => writeWhole(path, text, 0o600));
  await clearDrafts(dirname(path));
}

/** Before anything is read for the plan. @throws FILE_UNFIT where `writePlanFile` could not write */
export function requirePlanFile(path: string): Promise<void> {
  return asPlanFile(() => requireWritable(path));
}

async function asPlanFile(use: () => Promise<void>): Promise<void> {
  try {
    await use();
  } catch (error) {
    if (!(hasCode(error, "FILE_UNFIT") || hasCode(error, "FILE_UNWRITABLE"))) throw error;
    // Whatever stands there may be dear to somebody: it is not for a plan to have it removed.
    throw unfitFile(error.message, { cause: error, hint: "Name another file, as in --out plan.json" });
  }
}

/**
 * The addresses whose state is not the one that the plan was made from.
 *
 * @throws what `readSubjects` throws
 */
export async function staleResources(
  { resources }: Plan,
  options: {
    service: Service;
    known: KnownLayouts;
    withoutContent?: ReadonlySet<string>;
    concurrency: number;
    onProgress?: (done: number, total: number) => void;
    /** Called with what was read. */
    onRead?: (current: Current) => void;
  },
): Promise<string[]> {
  const current = await readSubjects({ ...options, subjects: resources.map(({ subject }) => subject) });
  options.onRead?.(current);
  const digestNow = readDigests(current);
  return resources.filter(({ subject, read }) => digestNow(subject) !== read).map(({ address }) => address);
}
