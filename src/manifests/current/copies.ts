/** Which versions repeat the stamp of another one, because somebody has restored them: nothing was carried out by that. */

import type { VersionAnswer } from "../../schemas/answers.ts";
import type { Stamp } from "../state.ts";

/** A version with what stands in its stamp. */
export type Stamped = {
  version: Partial<Pick<VersionAnswer, "version" | "status" | "publishedAt" | "sourceVersionId">> & { id: string };
  stamp: Stamp | undefined;
};

/**
 * A server may say of a version that it is a copy. Where it does not, the stamp tells what the version was saved over: if
 * another one comes before it, the stamp was made for another version. Without numbers nothing is known of their order.
 *
 * @param versions the newest first
 */
export function copiesAmong(versions: readonly Stamped[]): ReadonlySet<string> {
  const areOrdered = versions.every(({ version }) => typeof version.version === "number");
  const copies = versions.filter(
    ({ version, stamp }, index) =>
      version.sourceVersionId != null || (areOrdered && stamp && isElsewhere(stamp, versions.slice(index + 1))),
  );
  return new Set(copies.map(({ version }) => version.id));
}

function isElsewhere({ over }: Stamp, older: readonly Stamped[]): boolean {
  if (over === undefined) return false;
  // Drafts that were never published come between; those over the same version may be former drafts of the same.
  const before = older.find(
    ({ version, stamp }) =>
      version.status !== "DRAFT" && version.publishedAt !== null && (stamp?.over === undefined || stamp.over !== over),
  );
  // A list may leave out what is old.
  return before !== undefined && before.version.id !== over;
}
