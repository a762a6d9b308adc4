/** When two contents mean the same, though a server has filled in ids and defaults, or our stamp stands in one of them. */

import type { DraftContent, StagedField } from "../schemas/draft.ts";
import type { Surface } from "../schemas/layout.ts";

/**
 * What we write into the client-owned metadata of a draft, as `formctl`: by it a later run tells our own publish from
 * somebody else's. `sha256` is the digest of the content as it was wanted; `fieldChanges` are digests of the staged
 * changes that our publishes have carried out, which must not be staged a second time.
 */
export type Stamp = { ref?: string; sha256: string; fieldChanges?: string[] };

export declare function readStamp(content: DraftContent): Stamp | undefined;
export declare function withStamp(content: DraftContent, stamp: Stamp): DraftContent;
export declare function withoutStamp(content: DraftContent): DraftContent;

/** Equal for contents that differ in the order of members, in defaults that a server fills in, and in the stamp only. */
export declare function contentDigest(content: DraftContent): string;

/**
 * `content` with the ids that it leaves to the server taken from `like`, where the same block or binding stands in the
 * same place: so that what a server has assigned is no difference.
 */
export declare function adoptIds(content: DraftContent, like: DraftContent): DraftContent;

/**
 * What is left to be wanted when some staged changes have been carried out already: they are not staged any more, and
 * blocks of a created field name the field itself.
 */
export declare function settle(
  content: DraftContent,
  surface: Surface,
  carriedOut: (staged: StagedField) => boolean,
): DraftContent;
