/**
 * Compares drafts and versions by content. A separate module: most commands don't need the comparison, and don't load
 * it.
 */

import type { VersionAnswer } from "../../schemas/answers.ts";
import { contentDigest, isInitialDraft, lossOf } from "../../contents/compare.ts";
import { contentOf, hasContent, latestAmong, wholeVersion } from "../../lists/versions.ts";
import type { Service } from "../../service.ts";

/**
 * Describes the content that is lost if another draft replaces the draft. Returns undefined if nothing is lost:
 * - The draft is still the initial draft.
 * - A version has the same content. The newest published version is compared, and other versions whose content is in
 *   the list.
 *
 * @param versions the list of all versions of the layout; a server may omit the draft
 */
export async function lossOfDraft(
  service: Pick<Service, "getVersion">,
  layoutId: string,
  draft: VersionAnswer,
  versions: readonly VersionAnswer[],
): Promise<string | undefined> {
  const whole = (version: VersionAnswer) => wholeVersion(service, layoutId, version);
  const published = latestAmong(versions);
  const content = contentOf(await whole(draft));
  const shown = published && contentOf(await whole(published));
  if (isInitialDraft({ content }, published ?? null)) return undefined;
  const others = versions
    .filter((version) => version.id !== draft.id && hasContent(version))
    .map((version) => contentOf(version));
  const digest = contentDigest(content);
  if ([...(shown ? [shown] : []), ...others].some((other) => contentDigest(other) === digest)) return undefined;
  return `the draft ${draft.id}: ${lossOf(content, shown)}`;
}

/**
 * Whether two versions have the same content, apart from staged fields. Ignores block ids, because a server may assign
 * new ids to a copy.
 */
export async function haveSameContent(
  service: Pick<Service, "getVersion">,
  layoutId: string,
  one: VersionAnswer,
  other: VersionAnswer,
): Promise<boolean> {
  const digest = async (version: VersionAnswer) =>
    contentDigest({ ...contentOf(await wholeVersion(service, layoutId, version)), stagedFieldDefinitions: [] });
  return (await digest(one)) === (await digest(other));
}
