/** `formctl layouts draft push`: saves a file as the draft of a layout. */

import { isInvalid } from "../../schemas/error-body.ts";
import { layoutArgument } from "../address-arguments.ts";
import { findLayoutId, wholeVersionId } from "../lookups.ts";
import { argument, asText, defineCommand, flag, option } from "../command.ts";
import { readBody } from "../read-input.ts";
import { allowReplace, mayOmitId, parseExpected, mutationIdOf, mutationIdOption } from "./options.ts";
import { draftFileOf, nextAfterPush, printPushed, pushDraft, type Pushed } from "./push-draft.ts";
import { printDiagnostics } from "./validation.ts";

export default defineCommand({
  details: `Replaces the whole draft. If you did not save the current draft from this computer, and it has content that no version has, the
command shows what would be lost and asks for confirmation; without a terminal, --allow-replace confirms. --expect-draft names the
draft that is replaced, which needs no other confirmation. FILE contains exactly the body of the draft endpoint: schemaVersion, regions, blocks,
stagedFieldDefinitions, scriptBindings and metadata; clientMutationId is optional in the file and has an option.

--watch saves the file again after each change of the file. Each time, it replaces exactly the draft that it saved before: if
another user changes the draft in the meantime, it stops (exit code 6). With --publish it also publishes each valid draft.

A file with an invalid structure is not sent. Schema versions, block types, sources and required policies that formctl does not
know are sent to a server with a warning. A draft that breaks a rule is saved, and the exit code is 3. With --dry-run the command
checks the file without saving it, as far as that is possible.

To start from a version: formctl layouts versions get LAYOUT latest --as-draft > draft.yaml. To edit the draft without a file of your
own: formctl layouts edit LAYOUT.`,
  examples: [
    'formctl layouts draft push "staffing/candidate/Candidate profile" candidate-profile.yaml',
    'formctl layouts draft push "compliance/document_check/Document review" document-review.yaml --publish',
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
    allowReplace,
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
    const { mayOmit = [] } = mayOmitId((typedId ?? draft.clientMutationId) !== undefined);
    const request = { layoutId, layout, draft, document, clientMutationId, expected, mayOmit, publish };
    const pushed = await pushDraft(context, service, request);
    return { pushed, isWatched: false, sources: new Map([[document.file, document.text]]) };
  },
  view({ pushed, isWatched, sources }, terminal) {
    // With --watch, each push is printed when it is done.
    if (!pushed || isWatched) return;
    printDiagnostics(pushed.problems, terminal, sources);
    printPushed(pushed, terminal);
  },
  document: ({ pushed }): Pushed | null => pushed ?? null,
  names: ({ pushed }) => (pushed ? [pushed.draftVersionId] : []),
  next: ({ pushed }, { layout }) => (pushed ? nextAfterPush(pushed, layout) : []),
  exitCode: ({ pushed }) => (isInvalid(pushed?.validation) ? 3 : 0),
});
