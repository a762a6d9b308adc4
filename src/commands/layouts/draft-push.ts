/** `formctl layouts draft push`: saves a file as the draft of a layout. */

import { diagnosticsOf } from "../../lists/versions.ts";
import { isInvalid } from "../../schemas/error-body.ts";
import type { PublishedAnswer, SavedDraftAnswer } from "../../schemas/answers.ts";
import type { Located } from "../../schemas/diagnostic.ts";
import { DraftFile, OpenDraftFile } from "../../schemas/draft.ts";
import { quoted } from "../../shell-quote.ts";
import { layoutText, parseLayout } from "../addresses.ts";
import { findLayoutId, wholeVersionId } from "../lookups.ts";
import { refusedAfter } from "../failed-command.ts";
import { argument, defineCommand, flag, option } from "../command.ts";
import { locatedRefusal, readBody } from "../read-input.ts";
import { draftBody } from "../../schemas/draft-body.ts";
import { parseExpected, mutationIdOf, mutationIdOption } from "./options.ts";
import { locateValidation, printDiagnostics, stateText } from "./validation.ts";
import { publishDraft } from "./publish-draft.ts";
import { draftWords, publishedWords } from "./version-view.ts";

type Pushed = SavedDraftAnswer & {
  layoutId: string;
  /** The number of the draft; absent if the server does not report it. */
  version?: number;
  /** The messages of the validation with their locations in the file. */
  problems: Located[];
  /** With `--publish`: the published version, or null if the draft is invalid. */
  published?: PublishedAnswer | null;
};

export default defineCommand({
  details: `Replaces the whole draft. FILE contains exactly the body of the draft endpoint: schemaVersion, regions, blocks,
stagedFieldDefinitions, scriptBindings and metadata; clientMutationId is optional in the file and has an option.

A file with an invalid structure is not sent. Schema versions, block types, sources and required policies that formctl does not
know are sent to a server with a warning. A draft that breaks a rule is saved, and the exit code is 3. With --dry-run the command
checks the file without saving it, as far as that is possible.`,
  examples: [
    'formctl layouts draft push "staffing/candidate/Candidate profile" examples/northwind/drafts/candidate-profile.yaml',
    'formctl layouts draft push "compliance/document_check/Document review" examples/northwind/drafts/document-review.yaml --publish',
  ],
  args: {
    layout: argument("LAYOUT", "Layout id, or MODULE/OBJECT/FORM", parseLayout),
    file: argument("FILE", "YAML or JSON; - is standard input"),
  },
  options: {
    expectDraft: option(
      "--expect-draft <id>",
      "Save only if this is the current draft; none if there is no draft",
      parseExpected,
    ),
    publish: flag("--publish", "Publish the draft, unless it is invalid"),
    clientMutationId: mutationIdOption("the request that saves the draft"),
  },
  writes: true,
  async run(context, { layout, file, expectDraft, publish, clientMutationId: typedId }) {
    const isLocal = context.target.kind === "local";
    const { value: draft, document } = await readBody(context, file, isLocal ? DraftFile : OpenDraftFile);
    const clientMutationId = mutationIdOf(context, typedId, draft.clientMutationId);
    const service = await context.service();
    if (context.dryRun) {
      const { checkUnsent } = await import("./unsent-draft.ts");
      await checkUnsent(context, service, layout, { draft, document });
    } else if (!isLocal) {
      const { warnOfUnknownWords } = await import("./unsent-draft.ts");
      warnOfUnknownWords(context, { draft, document });
    }

    const { layoutId } = await findLayoutId(service, layout);
    const expectedDraftVersionId = await wholeVersionId(service, layoutId, expectDraft);
    const expected = expectedDraftVersionId === undefined ? {} : { expectedDraftVersionId };
    const body = { clientMutationId, ...expected, ...draftBody(draft), schemaVersion: draft.schemaVersion };
    const saved = await locatedRefusal(document, () => service.saveDraft({ layoutId, body }));
    const { draftVersionId, validation } = saved;
    const version = saved.draftVersion?.version;
    const pushed: Pushed = {
      ...saved,
      layoutId,
      ...(version !== undefined && { version }),
      problems: locateValidation(document, draft, diagnosticsOf(validation)),
    };
    if (publish) {
      const request = { layoutId, draftVersionId, confirmed: [], layout: layoutText(layout) };
      // If the server does not report the state, publishing is tried: the server refuses an invalid draft (R53).
      pushed.published = isInvalid(validation)
        ? null
        : await refusedAfter(`the draft is saved as ${draftVersionId}, but not published`, () =>
            publishDraft(context, service, request),
          );
    }
    return { pushed, sources: new Map([[document.file, document.text]]) };
  },
  view({ pushed, sources }, terminal) {
    const { draftVersionId, version, validation, problems, published } = pushed;
    printDiagnostics(problems, terminal, sources);
    terminal.out(`Saved draft ${draftWords(draftVersionId, version)}: ${stateText(validation)}.\n`);
    if (published) terminal.out(`Published it as ${publishedWords(published)}.\n`);
    if (published === null) terminal.out("Not published: the draft is invalid.\n");
  },
  document: ({ pushed }) => pushed,
  names: ({ pushed }) => [pushed.draftVersionId],
  next({ pushed: { draftVersionId, draftVersion, validation, published } }, { layout }) {
    if (isInvalid(validation) || published) return [];
    // If the server returns no record of the draft, it may not report which version is the draft either. So the
    // suggested command names the draft.
    const draft = draftVersion?.status === undefined ? ` --draft ${quoted(draftVersionId)}` : "";
    return [`formctl layouts publish ${layoutText(layout)}${draft}`];
  },
  exitCode: ({ pushed }) => (isInvalid(pushed.validation) ? 3 : 0),
});
