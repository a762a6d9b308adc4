/** `formctl layouts versions restore`: copies a version into the draft and can publish it. */

import { diagnosticsOf, currentVersion } from "../../lists/versions.ts";
import { isInvalid } from "../../schemas/error-body.ts";
import type { PublishedAnswer, SavedDraftAnswer, VersionAnswer } from "../../schemas/answers.ts";
import type { Service } from "../../service.ts";
import { visible } from "../../terminal/escape.ts";
import { layoutArgument } from "../address-arguments.ts";
import { layoutText } from "../addresses.ts";
import { findLayoutId, findVersion } from "../lookups.ts";
import { refusedAfter } from "../failed-command.ts";
import { defineCommand, flag } from "../command.ts";
import { confirmNeed } from "../confirm-needs.ts";
import { allowReplace, mayOmitId, mutationIdOf, mutationIdOption, versionArgument } from "./options.ts";
import { publishDraft } from "./publish-draft.ts";
import { printDiagnostics, stateText } from "./validation.ts";
import { idAndNumber, publishedNumber } from "../version-text.ts";
import { warnOfSchemaVersion } from "./version-view.ts";

type Restored = SavedDraftAnswer & {
  restoredVersionId: string;
  replacedDraftVersionId: string | null;
  /** With `--publish`: the published version, or null if nothing was published. `notPublished` then has the reason. */
  published?: PublishedAnswer | null;
  notPublished?: "DRAFT_INVALID" | "CONTENT_DIFFERS";
};

export default defineCommand({
  details: `Replaces the current draft. If it has content that no version has, the command shows what would be lost and asks for
confirmation; without a terminal, --yes confirms, or --allow-replace if you did not save the draft from this computer. Staged fields are not copied: those of the version were created when it was
published. With --publish the command publishes the restored draft, if it is valid and has the content of the version.`,
  examples: [
    'formctl layouts versions restore "staffing/candidate/Candidate profile" 1',
    'formctl layouts versions restore "staffing/candidate/Candidate profile" 1 --publish',
  ],
  args: {
    layout: layoutArgument,
    version: versionArgument,
  },
  options: {
    publish: flag("--publish", "Publish the restored draft, unless it is invalid"),
    allowReplace,
    clientMutationId: mutationIdOption("the request that restores the version"),
  },
  writes: true,
  async run(context, { layout, version, publish, clientMutationId: typedId }) {
    const service = await context.service();
    const { layoutId } = await findLayoutId(service, layout);
    const wanted = await findVersion(service, layoutId, version);
    const versions = await service.listVersions({ layoutId });
    const replaced = await currentVersion(service, layoutId, "draft", versions);
    if (replaced && replaced.id !== wanted.id) {
      const { needToReplace } = await import("./draft-comparison.ts");
      const { settings } = context;
      const need = await needToReplace({ service, settings }, layoutId, replaced, { versions });
      if (need && !need.isOwn) await confirmNeed(context, need);
      if (need?.isOwn) {
        const question = `Replace the unpublished draft of ${visible(layoutText(layout))}?`;
        await context.consent({ question, lost: need.lost, flag: "--yes" });
      }
    }
    const clientMutationId = mutationIdOf(context, typedId);
    const input = { layoutId, versionId: wanted.id, body: { clientMutationId } };
    const saved = await service.restoreDraft(input, mayOmitId(typedId !== undefined));
    const { draftVersionId } = saved;
    if (saved.draftVersion) warnOfSchemaVersion(context.terminal, saved.draftVersion);
    const restored: Restored = {
      ...saved,
      restoredVersionId: wanted.id,
      replacedDraftVersionId: replaced?.id ?? null,
    };
    if (!publish) return restored;

    const reason = await whyNotPublish(service, layoutId, saved, wanted);
    if (reason) return { ...restored, published: null, notPublished: reason };
    const request = { layoutId, draftVersionId, confirmed: [], layout: layoutText(layout) };
    const published = await refusedAfter(
      `the version is restored as the draft ${draftVersionId}, but not published`,
      () => publishDraft(context, service, request),
    );
    return { ...restored, published };
  },
  view(restored: Restored, terminal) {
    const { draftVersionId, draftVersion, validation, replacedDraftVersionId, published, notPublished } = restored;
    if (replacedDraftVersionId !== null) terminal.warn(`The draft ${visible(replacedDraftVersionId)} was replaced.`);
    printDiagnostics(diagnosticsOf(validation), terminal);
    const draft = `draft ${idAndNumber(draftVersionId, draftVersion?.version)}`;
    terminal.line(`Restored ${visible(restored.restoredVersionId)} as ${draft}: ${stateText(validation)}.`);
    if (published) terminal.line(`Published it as ${publishedNumber(published)}.`);
    if (notPublished) terminal.line(`Not published: ${REASONS[notPublished]}.`);
  },
  names: ({ draftVersionId }: Restored) => [draftVersionId],
  next: ({ validation, published }: Restored, { layout }) =>
    isInvalid(validation) || published ? [] : [`formctl layouts publish ${layoutText(layout)}`],
  exitCode: ({ validation, notPublished }: Restored) => (isInvalid(validation) ? 3 : notPublished ? 6 : 0),
});

const REASONS = {
  DRAFT_INVALID: "the draft is invalid",
  CONTENT_DIFFERS: "the content of the draft differs from the version",
};

/** Returns the reason not to publish the restored draft; undefined if there is none. */
async function whyNotPublish(
  service: Service,
  layoutId: string,
  saved: SavedDraftAnswer,
  wanted: VersionAnswer,
): Promise<Restored["notPublished"]> {
  if (isInvalid(saved.validation)) return "DRAFT_INVALID";
  const { haveSameContent } = await import("./draft-comparison.ts");
  const draft = saved.draftVersion ?? { id: saved.draftVersionId };
  return (await haveSameContent(service, layoutId, wanted, draft)) ? undefined : "CONTENT_DIFFERS";
}
