/** When two contents mean the same, though a server has filled in ids and defaults, or our stamp stands in one of them. */

import { sha256 } from "../../sha256.ts";
import { type Change, diffContent } from "../../schemas/content-diff.ts";
import type { Block, DraftContent, StagedField } from "../../schemas/draft.ts";
import { canonicalJson, isJsonObject, sameJson } from "../../schemas/json.ts";
import type { Surface } from "../../schemas/layout.ts";
import { adoptIds } from "./content-ids.ts";
import {
  ASSIGNED,
  normalContent,
  normalMetadata,
  normalStaged,
  STAMP_KEY,
  unspokenOf,
  walkBlocks,
} from "./content-normal.ts";
import type { Stamp } from "../state.ts";

export { adoptIds } from "./content-ids.ts";

export function readStamp({ metadata }: DraftContent): Stamp | undefined {
  const stamp = metadata?.[STAMP_KEY];
  if (!isJsonObject(stamp)) return undefined;
  const { ref, sha256, fieldChanges, over } = stamp;
  if (typeof sha256 !== "string") return undefined;
  return {
    ...(typeof ref === "string" && { ref }),
    sha256,
    ...(Array.isArray(fieldChanges) && { fieldChanges: fieldChanges.filter((each) => typeof each === "string") }),
    ...((over === null || typeof over === "string") && { over }),
  };
}

export function withStamp(content: DraftContent, stamp: Stamp): DraftContent {
  return { ...content, metadata: { ...content.metadata, [STAMP_KEY]: stamp } };
}

/** A metadata of nothing but the stamp is none. */
export function withoutStamp(content: DraftContent): DraftContent {
  return content.metadata && STAMP_KEY in content.metadata
    ? { ...content, metadata: normalMetadata(content.metadata) }
    : content;
}

/**
 * Equal for contents that differ in nothing that a person says: the order of members, defaults that a server fills in, ids
 * that it assigns, members that it computes, and the stamp make no difference.
 */
export function contentDigest(content: DraftContent): string {
  return digestOf(normalContent(content, ASSIGNED));
}

/** The digest of a content once its staged changes have been carried out; that of a published one is its own. */
export function settledDigest(content: DraftContent, surface: Surface): string {
  return contentDigest(settle(content, surface, () => true));
}

/** The digest of any JSON value, whatever the order of its members. */
export function digestOf(value: unknown): string {
  return sha256(canonicalJson(value));
}

/** Short: a stamp lists up to 200 of them, and a metadata has its limits. */
export function stagedDigest(staged: StagedField): string {
  return digestOf(normalStaged(staged)).slice(0, 16);
}

/**
 * Whether `there` is what `wanted` asks for. Unlike with the digest, an id or a computed member counts where `wanted`
 * names it.
 */
export function sameContent(wanted: DraftContent, there: DraftContent): boolean {
  const adopted = adoptIds(wanted, there);
  const omit = unspokenOf(adopted);
  return sameJson(normalContent(adopted, omit), normalContent(there, omit));
}

/** What has to change so that `there` becomes `wanted`; new blocks have no id yet. Paths are those of the wanted content. */
export function contentChanges(wanted: DraftContent, there: DraftContent): Change[] {
  if (sameContent(wanted, there)) return [];
  // Differences are followed by ids, so that whatever has none gets one for the moment.
  const old = nameAll(there, OLD);
  const adopted = nameAll(adoptIds(wanted, old), NEW);
  const omit = unspokenOf(adopted);
  return diffContent(normalContent(old, omit), normalContent(adopted, omit)).map(({ id, ...change }) =>
    id === undefined ? change : isMakeshift(id) ? withoutMakeshift(change) : { ...change, id },
  );
}

/** No id can begin so. */
const NEW = "(new) ";
const OLD = "(old) ";

function isMakeshift(id: string): boolean {
  return id.startsWith(NEW) || id.startsWith(OLD);
}

function nameAll(content: DraftContent, prefix: string): DraftContent {
  const name = (blocks: readonly Block[], at: string): Block[] =>
    blocks.map((block, index) => ({
      ...block,
      id: block.id ?? `${prefix}${at}${index}`,
      ...(block.children && { children: name(block.children, `${at}${index}.`) }),
    }));
  return {
    ...content,
    blocks: name(content.blocks, ""),
    scriptBindings: content.scriptBindings.map((binding, index) => ({
      ...binding,
      id: binding.id ?? `${prefix}${index}`,
    })),
  };
}

function withoutMakeshift(change: Omit<Change, "id">): Change {
  const bare = (item: unknown) => {
    if (!isJsonObject(item)) return item;
    const { id: _, ...rest } = item;
    return rest;
  };
  const { before, after } = change;
  return {
    ...change,
    ...(before !== undefined && { before: bare(before) }),
    ...(after !== undefined && { after: bare(after) }),
  };
}

/**
 * What is left to be wanted when some staged changes have been carried out already: they are not staged any more, and
 * blocks of a created field name the field itself.
 */
export function settle(
  content: DraftContent,
  surface: Surface,
  carriedOut: (staged: StagedField) => boolean,
): DraftContent {
  const done = new Map<string, StagedField>();
  const waiting: StagedField[] = [];
  for (const staged of content.stagedFieldDefinitions) {
    if (carriedOut(staged)) done.set(staged.draftId, staged);
    else waiting.push(staged);
  }
  if (done.size === 0) return content;
  const source = surface === "DYNAMIC_OBJECT" ? "dynamic_field" : "custom_field";

  const settleBlocks = (blocks: readonly Block[]): Block[] =>
    blocks.map((block) => {
      const settled = block.children ? { ...block, children: settleBlocks(block.children) } : block;
      const { draftFieldDefinitionId, ...ref } = block.ref ?? {};
      const staged = block.source === "draft_custom_field" ? done.get(draftFieldDefinitionId ?? "") : undefined;
      if (!staged) return settled;
      const { key, existingFieldDefinitionId: id } = staged;
      // Fields of an object go by their keys alone.
      const named = key === undefined ? {} : { fieldKey: key };
      const byId = id == null || (key !== undefined && source === "dynamic_field") ? {} : { fieldDefinitionId: id };
      return { ...settled, source, ref: { ...ref, ...named, ...byId } };
    });

  return { ...content, stagedFieldDefinitions: waiting, blocks: settleBlocks(content.blocks) };
}

/** The content as if it left all ids of blocks and bindings to the server. */
export function withoutIds(content: DraftContent): DraftContent {
  const strip = (blocks: readonly Block[]): Block[] =>
    blocks.map((block) => {
      const bare = { ...block, ...(block.children && { children: strip(block.children) }) };
      delete bare.id;
      return bare;
    });
  const scriptBindings = content.scriptBindings.map((binding) => {
    const bare = { ...binding };
    delete bare.id;
    return bare;
  });
  return { ...content, blocks: strip(content.blocks), scriptBindings };
}

/** The keys of the fields that a content shows, those that it only stages left out. */
export function shownFields(content: DraftContent): Set<string> {
  const keys = new Set<string>();
  walkBlocks(content.blocks, ({ source, ref }) => {
    if (source !== "draft_custom_field" && ref?.fieldKey) keys.add(ref.fieldKey);
  });
  return keys;
}
