/** The layout of a file, brought to what a server shows: by ids, keys and members, and only where the meaning differs. */

import type { DraftContent, StagedField } from "../../schemas/draft.ts";
import { isJsonObject, type JsonObject, sameJson } from "../../schemas/json.ts";
import type { Surface } from "../../schemas/layout.ts";
import type { PathStep } from "../../schemas/path.ts";
import { adoptIds } from "../content/ids.ts";
import { sameContent, settle } from "../content/compare.ts";
import { normalContent, unspokenOf } from "../content/normal.ts";
import { contentForFile } from "./content-for-file.ts";
import { fileItems, idsIn, type ListName, nameAll, plainItems } from "./content-items.ts";
import { mergeItems } from "./merge-items.ts";
import { spellPlaces } from "./merge-places.ts";
import type { Merging } from "./merge-values.ts";

export type ContentSides = {
  /** As the file has it. */
  raw: JsonObject;
  /** What that means. */
  said: DraftContent;
  there: DraftContent;
  /** What was last the same on both sides; undefined where that is not known: then all of `there` is taken. */
  base: DraftContent | undefined;
  surface: Surface;
  /** Staged changes that have been made stay in the file. */
  carriedOut: (staged: StagedField) => boolean;
  /** What a layout in the file means; undefined where it would be refused. */
  read: (layout: JsonObject) => DraftContent | undefined;
};

/** A way of writing that nobody has thought of. */
const UNSAFE =
  "can't be brought to what is there without saying something else. Export it into an empty folder, and take it from there";

const LISTS: readonly ListName[] = ["regions", "blocks", "stagedFieldDefinitions", "scriptBindings"];

/**
 * What the file shall hold. Conflicts are told to `merging`, with paths behind `path`. Where the file has no change of its own,
 * the result is read again before it is given: it means what is there, or the file stays as it is.
 */
export function mergeContent(sides: ContentSides, merging: Merging, path: readonly PathStep[]): JsonObject {
  const { raw, said, there, base, surface, carriedOut, read } = sides;
  const told = merging.conflicts.length;
  // What the file leaves to the server is known by its id there, or by the one that it had.
  const known = adoptIds(said, there);
  const adopted = nameAll(base ? adoptIds(known, base) : known);
  const settled = settle(adopted, surface, carriedOut);
  const omit = unspokenOf(adopted);
  const here = normalContent(settled, omit);
  const other = normalContent(there, omit);
  const before = base && normalContent(settle(adoptIds(adoptIds(base, there), adopted), surface, carriedOut), omit);
  if (sameJson(here, other)) return raw;

  const actual = contentForFile(there);
  const result: JsonObject = { ...raw };
  const metadata = merging.merge(
    {
      raw: raw["metadata"],
      said: here["metadata"],
      there: other["metadata"],
      base: before && { value: before["metadata"] },
    },
    [...path, "metadata"],
  );
  if (metadata === null && raw["metadata"] === undefined) delete result["metadata"];
  else if (metadata !== undefined) result["metadata"] = metadata;

  const ids = idsIn(settled.blocks);
  for (const name of LISTS) {
    const rawList = (raw[name] ?? []) as JsonObject[];
    const files = fileItems(name, rawList, adopted, settled, here);
    const done = rawList.filter((_, index) => !files.some((item) => item.index === index));
    const items = mergeItems(
      {
        files,
        theres: plainItems(name, other[name] as JsonObject[], (actual[name] ?? []) as JsonObject[]),
        bases: before && plainItems(name, before[name] as JsonObject[], []),
        elsewhere: name === "blocks" ? ids : new Set(),
      },
      merging,
      [...path, name],
    );
    const merged = spellPlaces(items, merging);
    const isUntouched = sameJson(
      merged,
      files.map(({ raw: item }) => item),
    );
    const list = isUntouched ? rawList : [...done, ...merged];
    if (list.length > 0 || raw[name] !== undefined) result[name] = list;
  }
  const takesAll = merging.conflicts.length === told && (!before || sameJson(here, before));
  const meant = takesAll ? read(result) : undefined;
  if (!takesAll || (meant && sameContent(settle(meant, surface, carriedOut), there))) return result;
  merging.report(path, path.length === 0 ? `the layout ${UNSAFE}` : UNSAFE);
  return raw;
}

/** Whether no block stands in a merged layout twice: moved on one side and changed on the other, it might. */
export function hasBlocksOnce(layout: JsonObject): boolean {
  const seen = new Set<unknown>();
  const visit = (blocks: unknown): boolean =>
    !Array.isArray(blocks) ||
    blocks.every((block: unknown) => {
      if (!isJsonObject(block)) return true;
      const { id, children } = block;
      if (id !== undefined && seen.has(id)) return false;
      seen.add(id);
      return visit(children);
    });
  return visit(layout["blocks"]);
}
