/** `formctl layouts draft push`: saves a file as the draft of a layout. */

import { diagnosticsOf } from "../../lists/versions.ts";
import { isInvalid } from "../../schemas/error-body.ts";
import type { PublishedAnswer, SavedDraftAnswer } from "../../schemas/answers.ts";
import type { Located } from "../../schemas/diagnostic.ts";
import { DraftFile, OpenDraftFile } from "../../schemas/draft.ts";
import type { ReadBy } from "../../schemas/schema.ts";
import type { Document } from "../../documents/document.ts";
import type { Service } from "../../service.ts";
import { quoted } from "../../shell-quote.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { layoutArgument } from "../address-arguments.ts";
import { type LayoutAddress, layoutText } from "../addresses.ts";
import { findLayoutId, wholeVersionId } from "../lookups.ts";
import { refusedAfter } from "../failed-command.ts";
import { argument, asText, type CommandContext, defineCommand, flag, option } from "../command.ts";
import { locatedRefusal, readBody } from "../read-input.ts";
import { draftBody } from "../../schemas/draft-body.ts";
import { parseExpected, mutationIdOf, mutationIdOption } from "./options.ts";
import { locateValidation, printDiagnostics, stateText } from "./validation.ts";
import { publishDraft } from "./publish-draft.ts";
import { draftWords, publishedWords } from "./version-view.ts";

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
  /** The id of the current draft; null if there must be none. Undefined omits the check. */
  expected: string | null | undefined;
  publish: boolean;
};

export default defineCommand({
  details: `Replaces the whole draft. FILE contains exactly the body of the draft endpoint: schemaVersion, regions, blocks,
stagedFieldDefinitions, scriptBindings and metadata; clientMutationId is optional in the file and has an option.

--watch saves the file again after each change of the file. Each time, it replaces exactly the draft that it saved before: if
another user changes the draft in the meantime, it stops (exit code 6). With --publish it also publishes each valid draft.

A file with an invalid structure is not sent. Schema versions, block types, sources and required policies that formctl does not
know are sent to a server with a warning. A draft that breaks a rule is saved, and the exit code is 3. With --dry-run the command
checks the file without saving it, as far as that is possible.`,
  examples: [
    'formctl layouts draft push "staffing/candidate/Candidate profile" examples/northwind/drafts/candidate-profile.yaml',
    'formctl layouts draft push "compliance/document_check/Document review" examples/northwind/drafts/document-review.yaml --publish',
  ],
  args: {
    layout: layoutArgument,
    file: argument("FILE", "YAML or JSON; - is standard input", asText, "file"),
  },
  options: {
    expectDraft: option(
      "--expect-draft <id>",
      "Save only if this is the current draft; none if there is no draft",
      parseExpected,
    ),
    publish: flag("--publish", "Publish the draft, unless it is invalid"),
    watch: flag("--watch", "Save the draft again after each change of the file, until Ctrl-C"),
    clientMutationId: mutationIdOption("the request that saves the draft"),
  },
  writes: true,
  async run(context, { layout, file, expectDraft, publish, clientMutationId: typedId, watch }) {
    if (watch) {
      const { pushOnSave } = await import("./push-on-save.ts");
      const request = { layout, file, expected: expectDraft, publish, clientMutationId: typedId };
      return { pushed: await pushOnSave(context, request), isWatched: true };
    }
    const { value: draft, document } = await readBody(context, file, draftFileOf(context));
    const clientMutationId = mutationIdOf(context, typedId, draft.clientMutationId);
    const service = await context.service();
    if (context.dryRun) {
      const { checkUnsent } = await import("./unsent-draft.ts");
      await checkUnsent(context, service, layout, { draft, document });
    } else if (context.target.kind !== "local") {
      const { warnOfUnknownWords } = await import("./unsent-draft.ts");
      warnOfUnknownWords(context, { draft, document });
    }
    const { layoutId } = await findLayoutId(service, layout);
    const expected = await wholeVersionId(service, layoutId, expectDraft);
    const request = { layoutId, layout, draft, document, clientMutationId, expected, publish };
    const pushed = await pushDraft(context, service, request);
    return { pushed, isWatched: false, sources: new Map([[document.file, document.text]]) };
  },
  view({ pushed, isWatched, sources }, terminal) {
    // A watch has printed each push.
    if (!pushed || isWatched) return;
    printDiagnostics(pushed.problems, terminal, sources);
    printPushed(pushed, terminal);
  },
  document: ({ pushed }): Pushed | null => pushed ?? null,
  names: ({ pushed }) => (pushed ? [pushed.draftVersionId] : []),
  next: ({ pushed }, { layout }) => (pushed ? nextAfterPush(pushed, layout) : []),
  exitCode: ({ pushed }) => (isInvalid(pushed?.validation) ? 3 : 0),
});

/** Returns the schema of a draft file for the target of the command. A server may support more than formctl knows. */
export function draftFileOf({ target }: Pick<CommandContext, "target">): typeof DraftFile | typeof OpenDraftFile {
  return target.kind === "local" ? DraftFile : OpenDraftFile;
}

/**
 * Saves a draft. With `publish`, also publishes it, unless it is invalid.
 *
 * @throws INVALID_FILE with the problems that the service reports by path, ServiceError for other refusals
 */
export async function pushDraft(
  context: CommandContext,
  service: Service,
  { layoutId, layout, draft, document, clientMutationId, expected, publish }: PushRequest,
): Promise<Pushed> {
  const expectation = expected === undefined ? {} : { expectedDraftVersionId: expected };
  const body = { clientMutationId, ...expectation, ...draftBody(draft), schemaVersion: draft.schemaVersion };
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
  return pushed;
}

/** Prints what was saved and published, without the problems of the draft. */
export function printPushed({ draftVersionId, version, validation, published }: Pushed, terminal: Terminal): void {
  terminal.out(`Saved draft ${draftWords(draftVersionId, version)}: ${stateText(validation)}.\n`);
  if (published) terminal.out(`Published it as ${publishedWords(published)}.\n`);
  if (published === null) terminal.out("Not published: the draft is invalid.\n");
}

export function nextAfterPush({ draftVersionId, draftVersion, validation, published }: Pushed, layout: LayoutAddress) {
  if (isInvalid(validation) || published) return [];
  // If the server returns no record of the draft, it may not report which version is the draft either, so the command
  // names the draft.
  const draft = draftVersion?.status === undefined ? ` --draft ${quoted(draftVersionId)}` : "";
  return [`formctl layouts publish ${layoutText(layout)}${draft}`];
}
