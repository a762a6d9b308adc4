/** A published version that shows what a manifest wants: then its content need not be kept, and later not even be read. */

import type { FormListedAnswer } from "../../schemas/answers.ts";
import type { ModeWord } from "../../schemas/words.ts";
import type { DraftContent } from "../../schemas/draft.ts";
import type { Surface } from "../../schemas/layout.ts";
import type { CarriedOut } from "../content/carried-out.ts";
import { sameContent, settledDigest, stagedDigest, withoutStamp } from "../content/content.ts";
import { changesText } from "../content/recorded-changes.ts";
import type { Wanted } from "../manifest.ts";
import type { ContentBase, ContentState, InPlace, VersionState } from "../state.ts";

/** @param now what has been carried out once this is known; absent: everything */
export function contentBase(wanted: DraftContent, surface: Surface, now?: CarriedOut): ContentBase {
  const isAssumed = new Set(now?.assumed);
  const states = Map.groupBy(wanted.stagedFieldDefinitions, (staged) => {
    if (isAssumed.has(staged)) return "assumedChanges";
    return !now || now.has(staged) ? "fieldChanges" : "waitingChanges";
  });
  const changes = [...states].map(([state, staged]) => [state, changesText(staged.map(stagedDigest))]);
  return { content: settledDigest(wanted, surface), ...Object.fromEntries(changes) };
}

/**
 * What has to be known of a content that is in place, or undefined where something is to be done, or may be. Nothing is in place
 * of a manifest whose draft is not to be published, of one that stages field changes, which are judged by more than versions,
 * and of a version that does not tell for which modes it was made.
 */
export function checkContent(wanted: Wanted, current: ContentState): InPlace | undefined {
  const { published, draft } = current;
  if (!wanted.content || !wanted.publish || !published) return undefined;
  const modes = modesOf(wanted);
  if (!published.modes || modes.some((mode) => !published.modes!.includes(mode))) return undefined;
  const surface = surfaceOf(wanted);
  const content = withoutStamp(wanted.content);
  if (content.stagedFieldDefinitions.length > 0 || !sameContent(content, published.content)) return undefined;
  const isOurs = draft !== null && isOwnDraft(draft, surface);
  const base = contentBase(content, surface);
  return { version: published.id, draft: draft?.id ?? null, ...(isOurs && { isOwnDraft: isOurs }), base };
}

/** A draft that we have saved, by its stamp; that of one which was restored is another's. */
export function isOwnDraft({ content, stamp, isCopy }: VersionState, surface: Surface): boolean {
  return stamp !== undefined && !isCopy && stamp.sha256 === settledDigest(content, surface);
}

/** The version that all modes of a form show, as its list tells; undefined where they show none or several. */
export function shownVersion({ types, layoutAvailability }: FormListedAnswer): string | undefined {
  const versions = new Set(types.map((mode) => layoutAvailability?.[mode]?.versionId));
  const [version] = versions;
  return versions.size === 1 ? version : undefined;
}

/** The draft that comes with a new layout, of which nothing is published: nobody has put anything into it. */
export function isInitial({ content }: Pick<VersionState, "content">, published: object | null): boolean {
  if (published) return false;
  const { blocks, stagedFieldDefinitions, scriptBindings, metadata } = content;
  return blocks.length + stagedFieldDefinitions.length + scriptBindings.length === 0 && metadata === null;
}

export function modesOf(wanted: Wanted): readonly ModeWord[] {
  return wanted.kind === "Form" ? wanted.types : wanted.supportedModes;
}

export function surfaceOf(of: { kind: "Form" } | { kind: "Layout"; surface: Surface }): Surface {
  return of.kind === "Form" ? "DYNAMIC_OBJECT" : of.surface;
}
