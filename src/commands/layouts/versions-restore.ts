/** `formctl layouts versions restore`: an earlier version becomes the draft again, and with `--publish` the runtime version. */

import { contentOf, diagnosticsOf, draftAmong, wholeVersion } from "../../lists/versions.ts";
import { isInvalid } from "../../schemas/error-body.ts";
import type { PublishedAnswer, SavedDraftAnswer, VersionAnswer } from "../../schemas/answers.ts";
import type { Service } from "../../service.ts";
import { visible } from "../../terminal/escape.ts";
import { findLayoutId, findVersion, layoutText, parseLayout } from "../addresses.ts";
import { refusedAfter } from "../after-write.ts";
import { argument, defineCommand, flag } from "../command.ts";
import { mutationIdOf, mutationIdOption } from "./mutation-id-option.ts";
import { publishDraft } from "./publish-draft.ts";
import { printDiagnostics, stateText } from "./validation-view.ts";
import { draftWords, publishedWords } from "./version-view.ts";
import { warnOfSchemaVersion } from "./schema-version.ts";
import { versionArgument } from "./version-argument.ts";

type Restored = SavedDraftAnswer & {
  restoredVersionId: string;
  /** The draft that was there before, and is gone. */
  replacedDraftVersionId: string | null;
  /** With `--publish`: what was published, or null and the reason why nothing was. */
  published?: PublishedAnswer | null;
  notPublished?: "DRAFT_INVALID" | "CONTENT_DIFFERS";
};

export default defineCommand({
  about: "Copy a version into the draft",
  details: `Nothing is published, unless you say --publish. A draft that is there is replaced: where it holds anything that no
version does, that is said first, and you are asked. Where nobody can be asked, --yes consents. Staged fields are not copied:
the version's own were made when it was published. With --publish the command publishes exactly the draft that it made, and
only where that draft shows what the version showed.`,
  examples: [
    'formctl layouts versions restore "staffing/candidate/Candidate profile" 1',
    'formctl layouts versions restore "staffing/candidate/Candidate profile" 1 --publish',
  ],
  args: {
    layout: argument("LAYOUT", "Layout id, or MODULE/OBJECT/FORM", parseLayout),
    version: versionArgument("VERSION"),
  },
  options: {
    publish: flag("--publish", "Publish what was restored, unless it is invalid"),
    clientMutationId: mutationIdOption("the request that restores the version"),
  },
  writes: true,
  async run(context, { layout, version, publish, clientMutationId: typedId }) {
    const service = await context.service();
    const { layoutId } = await findLayoutId(service, layout);
    const wanted = await findVersion(service, layoutId, version);
    const versions = await service.listVersions({ layoutId });
    const replaced = draftAmong(versions);
    if (replaced && replaced.id !== wanted.id) {
      const { lossOfDraft } = await import("./draft-loss.ts");
      const lost = await lossOfDraft(service, layoutId, versions);
      const question = `Replace the unpublished draft of ${visible(layoutText(layout))}?`;
      if (lost !== undefined) await context.consent({ question, lost: [lost], flag: "--yes" });
    }
    const clientMutationId = mutationIdOf(context, typedId);
    const saved = await service.restoreDraft({ layoutId, versionId: wanted.id, body: { clientMutationId } });
    const { draftVersionId } = saved;
    if (saved.draftVersion) warnOfSchemaVersion(context.terminal, saved.draftVersion);
    const restored: Restored = {
      ...saved,
      restoredVersionId: wanted.id,
      replacedDraftVersionId: replaced?.id ?? null,
    };
    if (!publish) return restored;

    const obstacle = await obstacleTo(service, layoutId, saved, wanted);
    if (obstacle) return { ...restored, published: null, notPublished: obstacle };
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
    const draft = `draft ${draftWords(draftVersionId, draftVersion?.version)}`;
    terminal.out(`Restored ${visible(restored.restoredVersionId)} as ${draft}: ${stateText(validation)}.\n`);
    if (published) terminal.out(`Published it as ${publishedWords(published)}.\n`);
    if (notPublished) terminal.out(`Not published: ${OBSTACLES[notPublished]}.\n`);
  },
  names: ({ draftVersionId }: Restored) => [draftVersionId],
  next: ({ validation, published }: Restored, { layout }) =>
    isInvalid(validation) || published ? [] : [`formctl layouts publish ${layoutText(layout)}`],
  exitCode: ({ validation, notPublished }: Restored) => (isInvalid(validation) ? 3 : notPublished ? 6 : 0),
});

const OBSTACLES = {
  DRAFT_INVALID: "the draft is invalid",
  CONTENT_DIFFERS: "the draft does not show what the version showed",
};

/**
 * Why a restored draft is not to be published. Staged fields aside, it must mean what the version means: ids that a server
 * gives to the blocks of a copy change nothing.
 */
async function obstacleTo(
  service: Service,
  layoutId: string,
  saved: SavedDraftAnswer,
  wanted: VersionAnswer,
): Promise<Restored["notPublished"]> {
  if (isInvalid(saved.validation)) return "DRAFT_INVALID";
  const { contentDigest } = await import("../../manifests/content/compare.ts");
  const draft = saved.draftVersion ?? { id: saved.draftVersionId };
  const meaning = async (version: VersionAnswer) =>
    contentDigest({ ...contentOf(await wholeVersion(service, layoutId, version)), stagedFieldDefinitions: [] });
  return (await meaning(wanted)) === (await meaning(draft)) ? undefined : "CONTENT_DIFFERS";
}
