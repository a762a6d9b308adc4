/**
 * Manifests of what is not there that look like another name of what is: a place may have missed a rename, or `renamedFrom` has
 * gone from the file again. It is a guess: it is told, and nothing is done about it.
 */

import { addressesOf } from "../address.ts";
import { settledDigest, withoutStamp } from "../content/content.ts";
import { surfaceOf } from "../current/in-place.ts";
import type { Wanted } from "../manifest.ts";
import type { Current } from "../state.ts";
import { type Former, type Left, leftBehind, type NamingLock, roomOf } from "./left-behind.ts";

export type LikelyRename = {
  wanted: Wanted;
  /** The likeliest, at least one; of several, nothing tells which it is. */
  from: readonly Former[];
  /** How many manifests look like a rename of the same one, this manifest included: a record is renamed once. */
  alike: number;
};

/**
 * By the address of the manifest. It takes that the lock has had the other one from the same file, or with the same content:
 * one without any block is no sign, as every empty one is the same. Where both are so, what is only one of them is no
 * likelihood beside it: several forms of one file may all have new names.
 *
 * @param described addresses that manifests beside these describe
 */
export function likelyRenames(
  wanted: readonly Wanted[],
  current: Current,
  lock: NamingLock,
  described: ReadonlySet<string> = new Set(),
): Map<string, LikelyRename> {
  const renames = new Map<string, LikelyRename>();
  const isThere = ({ address }: Wanted) => current.forms.has(address) || current.layouts.has(address);
  const missing = wanted.filter((each) => !isThere(each) && !lock.get(each.address));
  if (missing.length === 0) return renames;
  const taken = new Set([...described, ...wanted.flatMap(addressesOf)]);
  const left = leftBehind(missing, current, lock, taken);
  const signs = missing.flatMap((each) => signsOf(each, left, lock.fileOf(each.address)));
  const sure = signs.filter(({ isSure }) => isSure);
  const sureOf = new Set(sure.map(({ wanted: each }) => each));
  const sureFrom = new Set(sure.map(({ former }) => former));
  const likely = signs.filter(
    ({ isSure, wanted: each, former }) => isSure || !(sureOf.has(each) || sureFrom.has(former)),
  );
  const claims = Map.groupBy(likely, ({ former }) => former);
  for (const [each, own] of Map.groupBy(likely, ({ wanted: one }) => one)) {
    const from = own.map(({ former }) => former);
    const alike = Math.max(...from.map((former) => claims.get(former)!.length));
    renames.set(each.address, { wanted: each, from, alike });
  }
  return renames;
}

type Sign = { wanted: Wanted; former: Former; isSure: boolean };

function signsOf(wanted: Wanted, left: readonly Left[], file: string | undefined): Sign[] {
  if (left.length === 0) return [];
  const { content } = wanted;
  const hasBlocks = content !== undefined && content.blocks.length > 0;
  const digest = hasBlocks ? settledDigest(withoutStamp(content), surfaceOf(wanted)) : undefined;
  const room = roomOf(wanted);
  return left.flatMap(({ former, room: other, locked }): Sign[] => {
    if (room !== other) return [];
    const isOfFile = file !== undefined && locked.file === file;
    const isSame = digest !== undefined && locked.base["content"] === digest;
    return isOfFile || isSame ? [{ wanted, former, isSure: isOfFile && isSame }] : [];
  });
}
