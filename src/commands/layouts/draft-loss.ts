/** What of an unpublished draft is lost for good where another one takes its place. */

import type { VersionAnswer } from "../../schemas/answers.ts";
import { contentDigest, isInitialDraft } from "../../manifests/content/compare.ts";
import { lossOf } from "../../manifests/plan/drafts.ts";
import { contentOf, draftAmong, hasContent, latestAmong, wholeVersion } from "../../lists/versions.ts";
import type { Service } from "../../service.ts";

/**
 * The draft and what it holds; undefined where nothing is lost: there is none, nobody has put anything into it, or a version
 * says the same.
 *
 * @param versions all of the layout, the draft among them
 */
export async function lossOfDraft(
  service: Pick<Service, "getVersion">,
  layoutId: string,
  versions: readonly VersionAnswer[],
): Promise<string | undefined> {
  const whole = (version: VersionAnswer) => wholeVersion(service, layoutId, version);
  const draft = draftAmong(versions);
  if (!draft) return undefined;
  const published = latestAmong(versions);
  const content = contentOf(await whole(draft));
  const shown = published && contentOf(await whole(published));
  if (isInitialDraft({ content }, published ?? null)) return undefined;
  const others = versions
    .filter((version) => version !== draft && hasContent(version))
    .map((version) => contentOf(version));
  const digest = contentDigest(content);
  if ([...(shown ? [shown] : []), ...others].some((other) => contentDigest(other) === digest)) return undefined;
  return `the draft ${draft.id}: ${lossOf(content, shown)}`;
}
