/** The lists of a content as lists of things that have an identity, each with how it is written and what it means. */

import type { Block, DraftContent } from "../../schemas/draft.ts";
import type { JsonObject } from "../../schemas/json.ts";
import { literally } from "./manifest-text.ts";
import type { MergedItem } from "./merge-items.ts";
import { placeOf } from "./merge-places.ts";

const IDENTITY = { regions: "key", blocks: "id", stagedFieldDefinitions: "draftId", scriptBindings: "id" } as const;
export type ListName = keyof typeof IDENTITY;

/** The items of the file with what they mean; those whose change has been carried out already are not among them. */
export function fileItems(
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
export function nameAll(content: DraftContent): DraftContent {
  const name = (blocks: readonly Block[], at: string): Block[] =>
    blocks.map((block, index) => ({
      ...block,
      id: block.id ?? `new ${at}${index}`,
      ...(block.children && { children: name(block.children, `${at}${index}.`) }),
    }));
  const scriptBindings = content.scriptBindings.map((each, index) => ({ ...each, id: each.id ?? `new ${index}` }));
  return { ...content, blocks: name(content.blocks, ""), scriptBindings };
}

export function plainItems(
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

export function idsIn(blocks: readonly Block[]): Set<string> {
  return new Set(blocks.flatMap(({ id, children }) => [...(id === undefined ? [] : [id]), ...idsIn(children ?? [])]));
}
