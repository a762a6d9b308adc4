/** The layout of a file, brought to what a server shows: by ids, keys and members, and only where the meaning differs. */

import { sameValue } from "../../documents/same-value.ts";
import type { Block, DraftContent, StagedField } from "../../schemas/draft.ts";
import { isJsonObject, type JsonObject } from "../../schemas/json.ts";
import type { Surface } from "../../schemas/layout.ts";
import type { PathStep } from "../../schemas/path.ts";
import { adoptIds, sameContent, settle } from "../content/content.ts";
import { normalContent, unspokenOf } from "../content/content-normal.ts";
import { contentForFile } from "./content-for-file.ts";
import { literally } from "./manifest-text.ts";
import { mergeItems, type MergedItem } from "./merge-items.ts";
import { placeOf, spellPlaces } from "./merge-places.ts";
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

/** It may be one that nobody has thought of. */
const UNSAFE =
  "can't be brought to what is there without saying something else. Export it into an empty folder, and take it from there";

const LISTS = ["regions", "blocks", "stagedFieldDefinitions", "scriptBindings"] as const;
type ListName = (typeof LISTS)[number];
const IDENTITY = { regions: "key", blocks: "id", stagedFieldDefinitions: "draftId", scriptBindings: "id" } as const;

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
  if (sameValue(here, other)) return raw;

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
    const isUntouched = sameValue(
      merged,
      files.map(({ raw: item }) => item),
    );
    const list = isUntouched ? rawList : [...done, ...merged];
    if (list.length > 0 || raw[name] !== undefined) result[name] = list;
  }
  const takesAll = merging.conflicts.length === told && (!before || sameValue(here, before));
  const meant = takesAll ? read(result) : undefined;
  if (!takesAll || (meant && sameContent(settle(meant, surface, carriedOut), there))) return result;
  merging.report(path, UNSAFE);
  return raw;
}

/** The items of the file with what they mean; those whose change has been carried out already are not among them. */
function fileItems(
  name: ListName,
  raw: readonly JsonObject[],
  adopted: DraftContent,
  settled: DraftContent,
  normal: JsonObject,
): MergedItem[] {
  const normals = normal[name] as JsonObject[];
  if (name === "blocks") return blockItems(raw, adopted.blocks, settled.blocks, normals);
  const waiting = new Map(settled[name].map((item, index) => [item as object, normals[index]!]));
  return adopted[name].flatMap((item, index) => {
    const meant = waiting.get(item);
    if (!meant) return [];
    const place = name === "regions" ? { said: placeOf(meant, index) } : {};
    return [{ id: idOf(name, item, `there ${index}`), index, raw: raw[index]!, normal: meant, ...place }];
  });
}

function blockItems(
  raw: readonly JsonObject[],
  adopted: readonly Block[],
  settled: readonly Block[],
  normals: readonly JsonObject[],
  regionKey?: unknown,
): MergedItem[] {
  return settled.map((block, index) => {
    const { children: inner, ...normal } = normals[index]!;
    const said = placeOf(normal, index, regionKey);
    const children = blockItems(
      (raw[index]!["children"] ?? []) as JsonObject[],
      adopted[index]!.children ?? [],
      block.children ?? [],
      (inner ?? []) as JsonObject[],
      said.regionKey,
    );
    // A staged field that has become one is shown by other words in the file.
    const isRenamed = adopted[index]!.source !== block.source;
    return { id: block.id!, index, raw: raw[index]!, normal, said, children, isRenamed };
  });
}

/** Every block and binding with an id; one that begins so is no server's. */
function nameAll(content: DraftContent): DraftContent {
  const name = (blocks: readonly Block[], at: string): Block[] =>
    blocks.map((block, index) => ({
      ...block,
      id: block.id ?? `new ${at}${index}`,
      ...(block.children && { children: name(block.children, `${at}${index}.`) }),
    }));
  const scriptBindings = content.scriptBindings.map((each, index) => ({ ...each, id: each.id ?? `new ${index}` }));
  return { ...content, blocks: name(content.blocks, ""), scriptBindings };
}

function plainItems(
  name: ListName,
  normals: readonly JsonObject[],
  actuals: readonly JsonObject[],
  regionKey?: unknown,
): MergedItem[] {
  return normals.map((item, index) => {
    const { children: inner, ...normal } = item;
    const said = placeOf(normal, index, regionKey);
    const { children: outer, ...actual } = actuals[index] ?? {};
    return {
      id: idOf(name, item, `there ${index}`),
      index,
      raw: literally(actual) as JsonObject,
      normal,
      ...((name === "blocks" || name === "regions") && { said }),
      ...(name === "blocks" && {
        children: plainItems(name, (inner ?? []) as JsonObject[], (outer ?? []) as JsonObject[], said.regionKey),
      }),
    };
  });
}

function idOf(name: ListName, item: JsonObject, otherwise: string): string {
  const id = item[IDENTITY[name]];
  return typeof id === "string" ? id : otherwise;
}

function idsIn(blocks: readonly Block[]): Set<string> {
  return new Set(blocks.flatMap(({ id, children }) => [...(id === undefined ? [] : [id]), ...idsIn(children ?? [])]));
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
