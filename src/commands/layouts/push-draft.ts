/**
 * Saves a file as the draft of a layout. With `--publish`, also publishes the draft. Used by `draft push` and
 * `layouts edit`.
 */

import { rememberDraft } from "../../config/saved-drafts.ts";
import { contentDigest } from "../../contents/compare.ts";
import { contentOf, diagnosticsOf, hasContent } from "../../lists/versions.ts";
import { isInvalid } from "../../schemas/error-body.ts";
import type { PublishedAnswer, SavedDraftAnswer } from "../../schemas/answers.ts";
import type { Located } from "../../schemas/diagnostic.ts";
import type { DraftContent } from "../../schemas/draft.ts";
import { DraftFile, OpenDraftFile } from "../../schemas/draft-schema.ts";
import type { ReadBy } from "../../schemas/schema.ts";
import { draftBody } from "../../schemas/draft-body.ts";
import type { Document } from "../../documents/document.ts";
import { localRefusal, type OptionalMember, type Service } from "../../service.ts";
import { quoted } from "../../base/shell-quote.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { type LayoutAddress, layoutText } from "../addresses.ts";
import type { CommandContext } from "../command.ts";
import { refusedAfter } from "../failed-command.ts";
import { findVersionIfAny } from "../lookups.ts";
import { locatedRefusal } from "../read-input.ts";
import { publishDraft } from "./publish-draft.ts";
import { locateValidation, stateText } from "./validation.ts";
import { idAndNumber, publishedNumber } from "../version-text.ts";

export type Pushed = SavedDraftAnswer & {
  layoutId: string;
  /** The number of the draft; absent if the server does not report it. */
  version?: number;
  /** The messages of the validation with their locations in the file. */
  problems: Located[];
  /** With `--publish`: the published version, or null if the draft is invalid. */
  published?: PublishedAnswer | null;
};

export type PushRequest = {
  layoutId: string;
  layout: LayoutAddress;
  draft: ReadBy<typeof DraftFile | typeof OpenDraftFile>;
  document: Document;
  clientMutationId: string;
  /**
   * The id of the current draft; null if no draft may exist. With undefined, a draft of another user is overwritten only
   * with a confirmation.
   */
  expected: string | null | undefined;
  /** The members that the user did not specify. They are omitted if the server refuses them. */
  mayOmit: readonly OptionalMember[];
  publish: boolean;
};

/**
 * Returns the schema of a draft file for the target of the command. The schema for a server accepts words that are
 * unknown to formctl, such as other block types, because a server may support them.
 */
export function draftFileOf({ target }: Pick<CommandContext, "target">): typeof DraftFile | typeof OpenDraftFile {
  return target.kind === "local" ? DraftFile : OpenDraftFile;
}

/**
 * Saves a draft. With `publish`, also publishes the draft, unless the draft is invalid.
 *
 * @throws INVALID_FILE with the problems that the service reports by path
 * @throws CONSENT_MISSING if the user does not confirm that a draft of another user is overwritten
 * @throws ServiceError for other refusals. 409 DRAFT_STALE if the draft is not the expected one
 */
export async function pushDraft(
  context: CommandContext,
  service: Service,
  { layoutId, layout, draft, document, clientMutationId, expected, mayOmit, publish }: PushRequest,
): Promise<Pushed> {
  const content: DraftContent = { ...draftBody(draft), schemaVersion: draft.schemaVersion };
  // A confirmation is for the draft that was shown.
  const confirmed =
    expected === undefined
      ? await (await import("./draft-comparison.ts")).confirmOverwrite(context, service, layoutId, content)
      : undefined;
  const replaced = expected === undefined ? confirmed : expected;
  const expectation = replaced === undefined ? {} : { expectedDraftVersionId: replaced };
  const body = { clientMutationId, ...expectation, ...content };
  const beforeOmission = async (member: OptionalMember) => {
    if (member === "expectedDraftVersionId") await requireDraft(service, layoutId, replaced ?? null);
  };
  const omitted = confirmed === undefined ? mayOmit : [...mayOmit, "expectedDraftVersionId" as const];
  const saved = await locatedRefusal(document, () =>
    service.saveDraft({ layoutId, body }, { mayOmit: omitted, beforeOmission }),
  );
  const { draftVersionId, validation } = saved;
  const shown = saved.draftVersion && hasContent(saved.draftVersion) ? contentOf(saved.draftVersion) : content;
  await rememberDraft(
    context.settings.savedDraftsPath,
    { layoutId, draftId: draftVersionId, content: contentDigest(shown) },
    context,
  );
  const version = saved.draftVersion?.version;
  const pushed: Pushed = {
    ...saved,
    layoutId,
    ...(version !== undefined && { version }),
    problems: locateValidation(document, draft, diagnosticsOf(validation)),
  };
  if (publish) {
    const request = { layoutId, draftVersionId, confirmed: [], layout: layoutText(layout) };
    // If the server does not report the state, the draft is published anyway. The server refuses an invalid draft
    // (R53).
    pushed.published = isInvalid(validation)
      ? null
      : await refusedAfter(`the draft is saved as ${draftVersionId}, but not published`, () =>
          publishDraft(context, service, request),
        );
  }
  return pushed;
}

/**
 * Checks the current draft by reading it, because the server does not check it. The server would overwrite a change of
 * another user.
 *
 * @throws ServiceError 409 DRAFT_STALE
 */
async function requireDraft(service: Service, layoutId: string, expected: string | null): Promise<void> {
  const draft = await findVersionIfAny(service, layoutId, "draft");
  const current = draft?.id ?? null;
  if (current === expected) return;
  const what = current === null ? "does not exist" : `is ${current}`;
  const message = `the current draft of the layout ${layoutId} ${what}, not ${expected ?? "missing"}`;
  throw localRefusal(409, "DRAFT_STALE", message);
}

/** Prints what was saved and published, without the problems of the draft. */
export function printPushed({ draftVersionId, version, validation, published }: Pushed, terminal: Terminal): void {
  terminal.line(`Saved draft ${idAndNumber(draftVersionId, version)}: ${stateText(validation)}.`);
  if (published) terminal.line(`Published it as ${publishedNumber(published)}.`);
  if (published === null) terminal.line("Not published: the draft is invalid.");
}

export function nextAfterPush({ draftVersionId, draftVersion, validation, published }: Pushed, layout: LayoutAddress) {
  if (isInvalid(validation) || published) return [];
  // Some servers return no status of the draft. On such a server `layouts publish` possibly can't find the draft, so
  // the suggested command names the draft.
  const draft = draftVersion?.status === undefined ? ` --draft ${quoted(draftVersionId)}` : "";
  return [`formctl layouts publish ${layoutText(layout)}${draft}`];
}
