/**
 * Compares drafts and versions by content. A separate module: most commands don't need the comparison, and don't load
 * it.
 */

import { hasCode } from "../../base/error.ts";
import type { LoadedSettings } from "../../config/settings.ts";
import { isSavedDraft } from "../../config/saved-drafts.ts";
import { contentDigest } from "../../contents/compare.ts";
import {
  contentOf,
  currentVersion,
  hasContent,
  latestAmong,
  shownContent,
  wholeVersion,
} from "../../lists/versions.ts";
import { type Need, overwriteNeed } from "../../plan/planned.ts";
import type { VersionAnswer } from "../../schemas/answers.ts";
import type { DraftContent } from "../../schemas/draft.ts";
import { type Service, ServiceError } from "../../service.ts";
import type { CommandContext } from "../command.ts";
import { confirmNeed } from "../confirm-needs.ts";

/**
 * Returns the confirmation that replacing the draft requires. Undefined if nothing is lost: see `overwriteNeed`, or
 * another version whose content is in the list has the content of the draft.
 *
 * @param versions the list of all versions of the layout; a server may omit the draft
 * @param wanted the new content of the draft; absent if it is the content of a version
 * @returns also whether this user saved the draft with formctl
 */
export async function needToReplace(
  { service, settings }: { service: Pick<Service, "getVersion">; settings: Pick<LoadedSettings, "savedDraftsPath"> },
  layoutId: string,
  draft: VersionAnswer,
  { versions, wanted }: { versions: readonly VersionAnswer[]; wanted?: DraftContent },
): Promise<(Need & { isOwn: boolean }) | undefined> {
  const whole = async (version: VersionAnswer) => contentOf(await wholeVersion(service, layoutId, version));
  const latest = latestAmong(versions);
  const content = await whole(draft);
  const published = latest && (await whole(latest));
  const origin = "which you did not save from this computer";
  const need = overwriteNeed({ id: draft.id, content }, { wanted, published, origin });
  if (!need) return undefined;
  const digest = contentDigest(content);
  const others = versions.filter((version) => version.id !== draft.id && hasContent(version));
  if (others.some((version) => contentDigest(contentOf(version)) === digest)) return undefined;
  const isOwn = isSavedDraft(settings.savedDraftsPath, { layoutId, draftId: draft.id, content: digest });
  return { ...need, isOwn };
}

/**
 * Asks the user to confirm that a push overwrites a draft of another user. If the draft can't be read, warns instead.
 *
 * @returns the id of the draft that the user agreed to overwrite; undefined if no confirmation was required
 * @throws CONSENT_MISSING if the user declines, or can't be asked and --allow-replace is missing
 */
export async function confirmOverwrite(
  context: Pick<CommandContext, "settings" | "consent" | "terminal">,
  service: Service,
  layoutId: string,
  wanted: DraftContent,
): Promise<string | undefined> {
  const need = await needToOverwrite(context, service, layoutId, wanted).catch((error: unknown) => {
    const status = error instanceof ServiceError ? error.status : undefined;
    // The push reports a missing layout itself.
    if (status === 404) return undefined;
    if (status !== 403 && status !== 405 && status !== 501 && !hasCode(error, "NOT_SHOWN")) throw error;
    context.terminal.warn("The current draft can't be read. A draft of another user would be replaced without notice.");
    return undefined;
  });
  if (!need) return undefined;
  await confirmNeed(context, need);
  return need.id;
}

async function needToOverwrite(
  { settings }: Pick<CommandContext, "settings">,
  service: Service,
  layoutId: string,
  wanted: DraftContent,
): Promise<(Need & { id: string }) | undefined> {
  const versions = await service.listVersions({ layoutId });
  const draft = await currentVersion(service, layoutId, "draft", versions);
  if (!draft) return undefined;
  const shown = await shownContent(service, layoutId, draft);
  const need = await needToReplace({ service, settings }, layoutId, shown, { versions, wanted });
  return need && !need.isOwn ? { ...need, id: draft.id } : undefined;
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
