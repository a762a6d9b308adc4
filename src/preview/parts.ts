/** Assigns the problems and changes of a content to its regions and blocks, by path. */

import type { Change } from "../schemas/content-diff.ts";
import { blockPaths } from "../schemas/block-paths.ts";
import type { Block, DraftContent } from "../schemas/draft.ts";
import { isJsonObject } from "../schemas/json.ts";
import type { PreviewChange, PreviewProblem } from "./model.ts";

/** Matches the beginning of a path that refers to a region or a block. */
const PART = /^(?:regions\[\d+\]|blocks\[\d+\](?:\.children\[\d+\])*)/;

/** Returns the path of the region or the innermost block that contains a path. */
function partOf(path: string): string | undefined {
  return PART.exec(path)?.[0];
}

export type AssignedProblems = {
  /** The problems by the path of their region or block. */
  of: ReadonlyMap<string, readonly PreviewProblem[]>;
  rest: readonly PreviewProblem[];
};

/** Assigns each problem to a region or block, by `path` or else by `blockId`. */
export function assignProblems(
  { blocks, regions }: DraftContent,
  problems: readonly PreviewProblem[],
): AssignedProblems {
  const of = new Map<string, PreviewProblem[]>();
  const rest: PreviewProblem[] = [];
  let pathsById: Map<string, string> | undefined;
  for (const problem of problems) {
    const { path = "", blockId } = problem;
    const part = partOf(path) ?? (blockId === undefined ? undefined : (pathsById ??= blockPaths(blocks)).get(blockId));
    if (part === undefined || !exists(part, { blocks, regions })) rest.push(problem);
    else append(of, part, problem);
  }
  return { of, rest };
}

/**
 * Whether the content has the part. A service may store the content with another structure, and report problems with
 * the paths of that structure.
 */
function exists(part: string, content: Pick<DraftContent, "blocks" | "regions">): boolean {
  const [first = 0, ...rest] = (part.match(/\d+/g) ?? []).map(Number);
  if (part.startsWith("regions")) return first < content.regions.length;
  let at: Block | undefined = content.blocks[first];
  for (const index of rest) at = at?.children?.[index];
  return at !== undefined;
}

export type AssignedChanges = {
  /** The changes by the path of their region or block in the new content. */
  of: ReadonlyMap<string, PreviewChange>;
  /** The paths of removed regions and blocks in the old content. */
  removed: ReadonlySet<string>;
  /** The changes that belong to no region and no block. */
  rest: readonly Change[];
};

/**
 * Assigns each change to the region or block it belongs to.
 *
 * @param formerPlace describes the place of a moved part, by its path in the old content
 */
export function assignChanges(changes: readonly Change[], formerPlace: (path: string) => string): AssignedChanges {
  const of = new Map<string, { kind: Change["kind"]; details: string[] }>();
  const removed = new Set<string>();
  const rest: Change[] = [];
  for (const change of changes) {
    const { kind, path, before } = change;
    const part = partOf(path);
    if (part === undefined) {
      rest.push(change);
      continue;
    }
    if (part === path && kind === "removed") {
      removed.add(path);
      continue;
    }
    const entry = of.get(part) ?? { kind: "changed", details: [] };
    of.set(part, entry);
    if (part === path && kind !== "changed") entry.kind = kind;
    // The text for a moved block names the former place. So the former region is not repeated.
    if (entry.kind === "moved" && path === `${part}.regionKey`) continue;
    if (part !== path || kind === "changed") entry.details.push(...detailsOf(change, part));
    else if (kind === "moved") entry.details.push(`moved from ${formerPlace(String(before))}`);
  }
  return { of, removed, rest };
}

/**
 * Describes the change of a member, such as `label: "Notes" → "Remarks"`. For an added or removed object, returns a
 * text for each of its members.
 */
function detailsOf({ path, before, after }: Change, part: string): string[] {
  const member = path.slice(part.length).replace(/^\./, "");
  const container = before === undefined ? after : after === undefined ? before : undefined;
  return isJsonObject(container)
    ? Object.entries(container).map(([name, value]) =>
        before === undefined
          ? detailText(`${member}.${name}`, undefined, value)
          : detailText(`${member}.${name}`, value, undefined),
      )
    : [detailText(member, before, after)];
}

function detailText(member: string, before: unknown, after: unknown): string {
  return `${member.replace(/^config\./, "")}: ${valueText(before)} → ${valueText(after)}`;
}

/** Returns a value before or after a change, as text. */
function valueText(value: unknown): string {
  return value === undefined ? "not set" : JSON.stringify(value);
}

function append<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}
