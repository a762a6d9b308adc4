/** Reads and formats lock files. */

import * as z from "zod/mini";
import { readStateJson, refuseLinks } from "../disk/links.ts";
import { readDocument } from "../documents/document.ts";
import { invalidDocument } from "../documents/problems.ts";
import { isIdentifier } from "../schemas/words.ts";
import { readShape } from "../schemas/shape.ts";
import { Identifier } from "../schemas/text.ts";

/** The state of a form or layout at the last apply or export. */
export const LockedResource = z.strictObject({
  formId: z.exactOptional(Identifier),
  layoutId: z.exactOptional(Identifier),
  /** The path of the applied or exported manifest, relative to the project. Absent if the path is unknown. */
  file: z.exactOptional(z.string()),
  /**
   * The digest of each managed aspect, such as `types` or `access`. For the content: the members of ContentBase
   * (state.ts).
   */
  base: z.record(z.string(), z.string()),
});
export type LockedResource = z.output<typeof LockedResource>;

/**
 * The lock file. `targets` holds the resources by target and address. A target is a server with a profile, or an
 * organization of a local store.
 */
export const LockFile = z.strictObject({
  version: z.literal(1, "must be 1: a newer formctl wrote the file. Upgrade formctl"),
  targets: z.record(z.string(), z.record(z.string(), LockedResource)),
});
export type LockFile = z.output<typeof LockFile>;

const NEXT =
  "Restore it from your repository. Without a copy, delete it: the next apply recreates it from the current state";

/**
 * Reads a lock file. If the file does not exist, returns an empty lock.
 *
 * @param folder the state folder of the project, which contains the file
 * @throws INVALID_FILE if the file is invalid, with position and next step
 * @throws FILE_UNFIT if the file is a link or can't be read
 */
export async function readLockFile(path: string, folder: string): Promise<LockFile> {
  await refuseLinks(path, folder);
  const text = await readStateJson(path);
  if (text === undefined) return { version: 1, targets: {} };
  const value = parse(text, path);
  const shape = readShape(LockFile, value);
  if (shape.ok) return shape.value;
  // Only an invalid file is parsed a second time with positions, because finding positions takes time.
  const document = readDocument(text, path);
  const problems = shape.problems.map(({ path: at, message }) => ({
    severity: "error" as const,
    code: "LOCK_INVALID",
    message: `${at || "the file"} ${message}${at === "version" ? "" : `. ${NEXT}`}`,
    path: at,
    file: path,
    ...document.locate(at),
  }));
  throw invalidDocument(path, text, problems);
}

function parse(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const { line, column } = positionOf(text, error as Error);
    const message = CONFLICT.test(text)
      ? "contains merge conflict markers. Keep one version: git checkout --ours .formctl/lock.json, or --theirs"
      : `is not JSON: ${(error as Error).message}. ${NEXT}`;
    throw invalidDocument(path, text, [{ severity: "error", code: "LOCK_INVALID", message, file: path, line, column }]);
  }
}

const CONFLICT = /^<{7} /m;

/**
 * Returns the position of the first merge conflict. Without a conflict, returns the position of the character that the
 * parser refused.
 */
function positionOf(text: string, error: Error): { line: number; column: number } {
  const conflict = CONFLICT.exec(text)?.index;
  const stopped = /position (\d+)/.exec(error.message)?.[1];
  const before = text.slice(0, conflict ?? (stopped === undefined ? 0 : Number(stopped))).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/**
 * Returns the resource without invalid ids. A lock file with invalid ids could not be read again. Servers may return
 * ids in any notation (docs/decisions.md, "Tolerance").
 */
export function readableResource({ formId, layoutId, file, base }: LockedResource): LockedResource {
  return {
    ...(formId !== undefined && isIdentifier(formId) && { formId }),
    ...(layoutId !== undefined && isIdentifier(layoutId) && { layoutId }),
    ...(file !== undefined && { file }),
    base: { ...base },
  };
}

/**
 * Returns the text of the lock file. The members are sorted, so that equal locks have equal texts. The file is in a
 * repository, and diffs must show only real changes.
 */
export function lockText({ version, targets }: LockFile): string {
  const sorted = sortMembers(targets, (resources) =>
    sortMembers(resources, ({ formId, layoutId, file, base }) => ({
      ...(formId !== undefined && { formId }),
      ...(layoutId !== undefined && { layoutId }),
      ...(file !== undefined && { file }),
      base: sortMembers(base, (digest) => digest),
    })),
  );
  return `${JSON.stringify({ version, targets: sorted }, null, 2)}\n`;
}

/** Returns a text that is equal for equal resources. Returns an empty text for undefined. */
export function resourceText(resource: LockedResource | undefined): string {
  if (!resource) return "";
  const { formId, layoutId, file, base } = resource;
  return JSON.stringify([formId, layoutId, file, sortMembers(base, (digest) => digest)]);
}

function sortMembers<T, R>(record: Readonly<Record<string, T>>, each: (value: T) => R): Record<string, R> {
  const entries = Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, value]) => [name, each(value)]));
}
