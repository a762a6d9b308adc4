/**
 * Compares the contents of layouts by their meaning. Ignores ids and default values that a server assigns, and the
 * stamp with which formctl marks its drafts (stamp.ts).
 */

import { plural } from "../base/plural.ts";
import { type Change, diffContent } from "../schemas/content-diff.ts";
import type { Block, DraftContent, StagedField } from "../schemas/draft.ts";
import { canonicalJson, isJsonObject, type JsonObject, sameJson, withSortedMembers } from "../schemas/json.ts";
import type { Surface } from "../schemas/layout.ts";
import { sha256 } from "../base/sha256.ts";
import { once, packSorted, withMetadata } from "./memory.ts";
import { addMissingIds, adoptIds } from "./ids.ts";
import {
  ASSIGNED,
  type NormalContent,
  normalContent,
  normalMetadata,
  normalStaged,
  STAMP_KEY,
  unspokenOf,
  walkBlocks,
} from "./normal.ts";

/** The digest and the summary of a content. A plan needs both for every content. A stamp changes neither of them. */
type Facts = { digest: string; summary: string };

const facts = new WeakMap<DraftContent, Facts>();

/**
 * Returns the packed content. Computes the facts before the content is packed. Otherwise a plan would have to unpack
 * the blocks.
 */
export function packWithFacts(content: DraftContent): DraftContent {
  // Manifests with the same layout file share one content. The content is packed with the first of these manifests.
  if (facts.has(content)) return content;
  // Both the packed content and the digest need sorted members.
  const sorted = withSortedMembers(content);
  const kept = packSorted(sorted);
  facts.set(kept, { digest: contentDigest(sorted), summary: contentSummary(sorted) });
  return kept;
}

/** Gives `copy` the facts of `content`, and returns `copy`. The two contents must differ only in their stamps. */
export function withFactsOf(content: DraftContent, copy: DraftContent): DraftContent {
  const known = facts.get(content);
  if (known) facts.set(copy, known);
  return copy;
}

/**
 * Returns a digest that is equal for contents with the same meaning. Ids and the members that a server computes (for
 * example `locked`) make no difference, even if a manifest sets them.
 */
export function contentDigest(content: DraftContent): string {
  return facts.get(content)?.digest ?? once("digest", content, undefined, () => digestsOf([content])[0]!);
}

/**
 * Computes the digests of two contents, and keeps the digests of remembered contents (memory.ts) for
 * `contentDigest`. Takes less time than two calls of `contentDigest`, because a common block is serialized once.
 */
export function rememberDigests(contents: readonly [DraftContent, DraftContent]): void {
  const digests = digestsOf(contents);
  for (const [index, content] of contents.entries()) once("digest", content, undefined, () => digests[index]!);
}

function digestsOf(contents: readonly DraftContent[]): string[] {
  const texts = new Map<JsonObject, string>();
  const textOf = (block: JsonObject) => {
    const text = texts.get(block) ?? canonicalJson(block);
    texts.set(block, text);
    return text;
  };
  let like: { content: DraftContent; normal: NormalContent } | undefined;
  return contents.map((content) => {
    const normal = normalContent(content, ASSIGNED, like);
    like = { content, normal };
    const { blocks, ...others } = normal;
    // In canonical order, `blocks` is the first member of a content.
    return sha256(`{"blocks":[${blocks.map(textOf).join(",")}],${canonicalJson(others).slice(1)}`);
  });
}

/** Returns the digest of a content with its staged changes applied. */
export function settledDigest(content: DraftContent, surface: Surface): string {
  return contentDigest(settle(content, surface, () => true));
}

/** Returns the digest of a JSON value. The order of members makes no difference. */
export function digestOf(value: unknown): string {
  return sha256(canonicalJson(value));
}

/** Returns a digest of all members of a staged change: 16 characters, because a stamp stores up to 200 digests. */
export function stagedDigest(staged: StagedField): string {
  return digestOf(normalStaged(staged)).slice(0, 16);
}

/**
 * Whether `current` matches `wanted`. Unlike digests, the comparison includes the ids and computed members that
 * `wanted` sets.
 */
export function sameContent(wanted: DraftContent, current: DraftContent): boolean {
  return once("same", wanted, current, () => isSame(normalPair(adoptIds(wanted, current), current)));
}

/** Returns the changes from `current` to `wanted`. Their paths refer to `wanted`. */
export function contentChanges(wanted: DraftContent, current: DraftContent): readonly Change[] {
  return once("changes", wanted, current, () => computeChanges(wanted, current));
}

/** Also remembers the result of `sameContent`, which compares the same normal forms. */
function computeChanges(wanted: DraftContent, current: DraftContent): Change[] {
  const adopted = adoptIds(wanted, current);
  const pair = normalPair(adopted, current);
  if (once("same", wanted, current, () => isSame(pair))) return [];
  const named = identified(wanted, current);
  const areNamed = named.wanted === adopted && named.current === current;
  const { wanted: now, current: old } = areNamed ? pair : normalPair(named.wanted, named.current);
  return diffContent(old, now).map(({ id, ...change }) =>
    id === undefined ? change : isTemporary(id) ? withoutTemporaryId(change) : { ...change, id },
  );
}

type NormalPair = { wanted: JsonObject; current: JsonObject };

/**
 * Returns the normal forms of two contents with corresponding blocks. A block object that both contents share has the
 * same normal form object in both.
 */
function normalPair(wanted: DraftContent, current: DraftContent): NormalPair {
  const omit = unspokenOf(wanted);
  const normal = normalContent(wanted, omit);
  return { wanted: normal, current: normalContent(current, omit, { content: wanted, normal }) };
}

function isSame({ wanted, current }: NormalPair): boolean {
  return sameJson(wanted, current);
}

/**
 * Returns both contents with ids for all blocks and bindings, so that a diff can match them. A block of `wanted`
 * without an id gets the id of its corresponding block, or a temporary id.
 */
export function identified(
  wanted: DraftContent,
  current: DraftContent,
): { wanted: DraftContent; current: DraftContent } {
  const old = addMissingIds(current, OLD);
  return { wanted: addMissingIds(adoptIds(wanted, old), NEW), current: old };
}

/** The prefixes of temporary ids. No valid id starts with them. */
const NEW = "(new) ";
const OLD = "(old) ";

function isTemporary(id: string): boolean {
  return id.startsWith(NEW) || id.startsWith(OLD);
}

function withoutTemporaryId(change: Omit<Change, "id">): Change {
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
 * Returns the content after some of its staged changes are applied. These changes are no longer staged. Blocks refer to
 * the created fields.
 */
export function settle(
  content: DraftContent,
  surface: Surface,
  isApplied: (staged: StagedField) => boolean,
): DraftContent {
  const done = new Map<string, StagedField>();
  const waiting: StagedField[] = [];
  for (const staged of content.stagedFieldDefinitions) {
    if (isApplied(staged)) done.set(staged.draftId, staged);
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
      // A key identifies a field of an object. So the id of such a field is left out if there is a key.
      const named = key === undefined ? {} : { fieldKey: key };
      const byId = id == null || (key !== undefined && source === "dynamic_field") ? {} : { fieldDefinitionId: id };
      return { ...settled, source, ref: { ...ref, ...named, ...byId } };
    });

  return { ...content, stagedFieldDefinitions: waiting, blocks: settleBlocks(content.blocks) };
}

function withoutIds(content: DraftContent): DraftContent {
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

/** Returns the keys of the fields that a content shows. Leaves out staged fields. */
export function shownFields(content: DraftContent): Set<string> {
  const keys = new Set<string>();
  walkBlocks(content.blocks, ({ source, ref }) => {
    if (source !== "draft_custom_field" && ref?.fieldKey) keys.add(ref.fieldKey);
  });
  return keys;
}

/**
 * Whether a draft is the empty draft of a new layout: no version is published, and the draft has no blocks, staged
 * changes, script bindings or metadata.
 */
export function isInitialDraft({ content }: { content: DraftContent }, published: object | null): boolean {
  if (published) return false;
  const { blocks, stagedFieldDefinitions, scriptBindings, metadata } = content;
  return blocks.length + stagedFieldDefinitions.length + scriptBindings.length === 0 && metadata === null;
}

/** Returns a summary of a content: `12 blocks in 2 regions, 1 field change`. */
export function contentSummary(content: DraftContent): string {
  return facts.get(content)?.summary ?? summaryOf(content);
}

/** Returns what is lost with a draft: `3 blocks in 1 region, 2 changes compared with the published version`. */
export function lossOf(content: DraftContent, published: DraftContent | undefined): string {
  const what = contentSummary(content);
  if (!published) return `${what}, never published`;
  const changes = contentChanges(withoutIds(content), published).length;
  return `${what}, ${plural(changes, "change")} compared with the published version`;
}

function summaryOf({ blocks, regions, stagedFieldDefinitions }: DraftContent): string {
  let count = 0;
  walkBlocks(blocks, () => count++);
  const staged = stagedFieldDefinitions.length;
  return `${plural(count, "block")} in ${plural(regions.length, "region")}${staged > 0 ? `, ${plural(staged, "field change")}` : ""}`;
}

/** Returns a content without the stamp that formctl adds to the metadata. */
export function withoutStamp(content: DraftContent): DraftContent {
  return content.metadata && STAMP_KEY in content.metadata
    ? withFactsOf(content, withMetadata(content, normalMetadata(content.metadata)))
    : content;
}
