/**
 * Determines the base of an exported resource: the last common state of file and target. The lock records the base as
 * digests. The merge of a layout needs the content of the base. So the version history is searched for the version with
 * the recorded digest.
 */

import { contentOf } from "../lists/versions.ts";
import type { DraftContent } from "../schemas/draft.ts";
import type { Surface } from "../schemas/layout.ts";
import { type ModeWord, sortedModes } from "../schemas/words.ts";
import type { Service } from "../service.ts";
import { type AppliedChanges, contentBase } from "../state/staged-changes.ts";
import { digestOf, sameContent, settle, settledDigest } from "../contents/compare.ts";
import { lastOwnStamp } from "../state/stamp.ts";
import { shownContentOf } from "../state/versions.ts";
import { canonicalAccess, canonicalAssignments } from "../plan/changes.ts";
import type { LockedResource } from "../state/lock.ts";
import type { ContentState } from "../state/state.ts";
import type { Exported } from "./exported.ts";

const MEMBERS = ["name", "isActive", "isPublic", "config", "metadata", "types", "supportedModes", "defaultFor"];
/** Members whose value is a set of modes: the order has no meaning. */
export const MODE_SETS: ReadonlySet<string> = new Set(["types", "supportedModes", "defaultFor"]);

export function memberDigest(name: string, value: unknown): string {
  return digestOf(MODE_SETS.has(name) ? sortedModes(value as ModeWord[]) : value);
}

/** Returns the digests of all members on the target, except the layout. */
export function memberDigests(exported: Exported): Record<string, string> {
  const base: Record<string, string> = {};
  for (const name of MEMBERS) {
    const value = exported.members[name];
    if (value !== undefined) base[name] = memberDigest(name, value);
  }
  if (exported.kind === "Layout" && exported.assignments) {
    base["assignments"] = digestOf(canonicalAssignments(exported.assignments));
  }
  if (exported.kind === "Form" && exported.access) base["access"] = digestOf(canonicalAccess(exported.access));
  return base;
}

/** Returns the lock entry of a resource whose manifest is written to a new file. File and target are then equal. */
export function lockedOf(exported: Exported): LockedResource {
  const { layout, surface, layoutId, content } = exported;
  const base = memberDigests(exported);
  if (layout) base["content"] = settledDigest(contentOf(layout), surface);
  if (layout && content?.published) base["version"] = content.published.id;
  return exported.kind === "Form" ? { formId: exported.formId, layoutId, base } : { layoutId, base };
}

/** The layout of a manifest in the file and on the target. */
export type ContentSides = { file: DraftContent; target: DraftContent; current: ContentState; surface: Surface };

/**
 * Records in `base` that file and target now have the same layout. Also records which staged changes of the file are
 * already applied. Otherwise the next apply would repeat these changes.
 */
export function recordContent(
  base: Record<string, string>,
  { file, target, current, surface }: ContentSides,
  applied: AppliedChanges,
): void {
  const { fieldChanges, assumedChanges } = contentBase(file, surface, applied);
  const members = {
    content: settledDigest(target, surface),
    version: current.published?.id,
    fieldChanges,
    assumedChanges,
  };
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined) delete base[name];
    else base[name] = value;
  }
}

/** Maximum number of earlier versions that are searched for the base. */
const MAX_VERSIONS = 20;

/**
 * Finds the content that a layout had when file and target were last equal. The lock has priority over stamps, with one
 * exception. The lock is outdated if the file was applied with a different lock, for example on another machine. Two
 * facts together show that the lock is outdated:
 *
 * - The last stamp of formctl has the digest of the current file.
 * - The target differs from the lock, or is a restored version.
 *
 * A published version never changes. So if the lock has the id of the published version, the target is unchanged.
 * Digests ignore ids. So if file and target have the same digest, their contents are compared too.
 *
 * @param locked the base that the lock records
 * @returns `unknown` if neither the lock nor a stamp records the content. Also `unknown` if file and target differ only
 *   in ids, and no version equals the file. `lost` if file and target have both changed, and no searched version has
 *   the content
 */
export async function findBase(
  service: Pick<Service, "getVersion">,
  { file, target, current, surface }: ContentSides,
  locked: Record<string, string> = {},
): Promise<DraftContent | "unknown" | "lost"> {
  const { layoutId, published, earlier } = current;
  const digest = (content: DraftContent) => settledDigest(content, surface);
  const [fileDigest, targetDigest] = [digest(file), digest(target)];
  if (published && published.id === locked["version"] && digest(published.content) === targetDigest) return target;
  const isStamped = lastOwnStamp(current)?.sha256 === fileDigest;
  const isLockOlder = isStamped && (locked["content"] !== targetDigest || published?.isCopy === true);
  const recorded = isLockOlder ? fileDigest : locked["content"];
  const isTarget = recorded !== undefined && targetDigest === recorded;
  const isFile = recorded !== undefined && fileDigest === recorded;
  const settled = settle(file, surface, () => true);
  if (isTarget && (!isFile || sameContent(settled, target))) return target;
  if (isFile && !isTarget) return file;

  const isBase = (content: DraftContent, stamped: string | undefined) => {
    if (isFile) return sameContent(settled, content);
    return digest(content) === (recorded ?? stamped);
  };
  if (published && !published.isCopy && isBase(published.content, published.stamp?.sha256)) return published.content;
  // Without a digest in the lock, only a version with a stamp of formctl can be the base.
  const candidates = earlier.filter(({ stamp, isCopy }) => recorded !== undefined || (stamp && !isCopy));
  for (const { id, stamp } of candidates.slice(0, MAX_VERSIONS)) {
    const content = shownContentOf(await service.getVersion({ layoutId, versionId: id }), surface);
    if (isBase(content, stamp?.sha256)) return content;
  }
  return recorded === undefined || isFile ? "unknown" : "lost";
}
