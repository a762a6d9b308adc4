/**
 * Writes and opens the files of saved plans, also those of migrations. The hash in such a file shows that the file is
 * complete. It does not show that formctl wrote the file, so a plan is computed again when it is opened.
 */

import { dirname } from "node:path";
import { FormctlError, hasCode } from "../base/error.ts";
import { clearDrafts, requireWritable, writeWhole } from "../disk/write-file.ts";
import { isJsonObject } from "../schemas/json.ts";
import { readShape } from "../schemas/shape.ts";
import type { ReadBy, Schema } from "../schemas/schema.ts";
import { digestOf } from "../contents/compare.ts";

/** The kind of a plan file. `command` is the command that creates such a file. */
export type SealKind<S extends Schema> = { kind?: "migrations"; version: number; schema: S; command: string };

/** Returns the text of a plan file. Its member `sha256` is the hash of the canonical JSON of all other members. */
export function seal<S extends Schema>({ kind, version }: SealKind<S>, members: ReadBy<S>): string {
  const sealed = { ...(kind && { kind }), version, ...(members as object) };
  return `${JSON.stringify({ ...sealed, sha256: digestOf(sealed) }, null, 1)}\n`;
}

/** Reads the text of a plan file. @throws PLAN_UNUSABLE if the text is not a complete plan of this kind and version */
export function openSeal<S extends Schema>(sealKind: SealKind<S>, text: string): ReadBy<S> {
  const { kind, version, schema, command } = sealKind;
  const unusable = (reason: string) => unusablePlan(reason, command);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw unusable("it is not JSON: it is incomplete, or another file");
  }
  if (!isJsonObject(value) || value["kind"] !== kind || !("version" in value))
    throw unusable("it contains no such plan");
  const { sha256, ...sealed } = value;
  const { kind: _kind, version: found, ...members } = sealed;
  if (found !== version)
    throw unusable(`it has version ${JSON.stringify(found)}, and only version ${version} is supported`);
  if (sha256 !== digestOf(sealed)) throw unusable("it was changed after it was created: its hash differs");
  const shape = readShape(schema, members);
  if (shape.ok) return shape.value;
  const [problem] = shape.problems;
  throw unusable(
    `it has the hash of a plan, but is not a valid plan${problem ? `: ${problem.path} ${problem.message}` : ""}`,
  );
}

/** Returns the error for a file without a valid plan. */
export function unusablePlan(reason: string, command: string): FormctlError {
  return new FormctlError("PLAN_UNUSABLE", `the plan can't be used: ${reason}`, `${NEXT}: ${command} --out FILE`);
}

const NEXT = "Create a new plan and review it";

/**
 * Writes the file completely or not at all. Only the owner of the file can read it.
 *
 * @throws FILE_UNFIT, FILE_UNWRITABLE
 */
export async function writePlanFile(path: string, text: string): Promise<void> {
  await asPlanFile(() => writeWhole(path, text, 0o600));
  await clearDrafts(dirname(path));
}

/**
 * Checks that `writePlanFile` can write to the path. Call this function before the current state is read.
 *
 * @param project the root of the project
 * @throws FILE_UNFIT if the path is not a plain file, or leads out of the project; FILE_UNWRITABLE if it can't be written
 */
export function requirePlanFile(path: string, project: string): Promise<void> {
  return asPlanFile(() => requireWritable(path, project));
}

async function asPlanFile(use: () => Promise<void>): Promise<void> {
  try {
    await use();
  } catch (error) {
    if (!hasCode(error, "FILE_UNFIT", "FILE_UNWRITABLE")) throw error;
    // The existing file may be valuable. So the hint does not suggest deleting this file.
    throw new FormctlError(error.code, error.message, "Name another file, as in --out plan.json", error);
  }
}
