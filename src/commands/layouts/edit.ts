/** `formctl layouts edit`: edits the draft of a layout in the editor of the user, and saves it. */

import { targetText } from "../../config/target.ts";
import { toYaml } from "../../documents/write-yaml.ts";
import { diagnosticsOf, shownContent } from "../../lists/versions.ts";
import { contentChanges, isInitialDraft } from "../../contents/compare.ts";
import { editorSchema } from "../../manifests/editor-schemas.ts";
import { asDraft, draftBody } from "../../schemas/draft-body.ts";
import type { DraftContent } from "../../schemas/draft.ts";
import { isInvalid } from "../../schemas/error-body.ts";
import type { Service } from "../../service.ts";
import { quoted } from "../../base/shell-quote.ts";
import type { Choice } from "../../terminal/prompter.ts";
import { layoutArgument } from "../address-arguments.ts";
import { type LayoutAddress, layoutText } from "../addresses.ts";
import { type CommandContext, defineCommand, flag } from "../command.ts";
import { editAndSend, type EditTask, HOW_TO_EDIT, requirePrompts } from "../edit/edit-session.ts";
import { fileNameFor } from "../file-name.ts";
import { findLayoutId, findVersionIfAny } from "../lookups.ts";
import { readShaped } from "../read-input.ts";
import { draftFileOf, nextAfterPush, printPushed, pushDraft, type Pushed, type PushRequest } from "./push-draft.ts";
import { readScaffold } from "./draft-scaffold.ts";
import { findProblems } from "./unsent-draft.ts";
import { printDiagnostics } from "./validation.ts";
import { idAndNumber } from "../version-text.ts";

export default defineCommand({
  details: `Opens the draft as YAML in the editor of VISUAL or EDITOR, or else in vi. Without a draft, opens the published version; without
both, a first draft with a block for every field. An editor with a window needs an option to wait: EDITOR="code --wait".

When you save and close the file, the command checks it, shows the changes and asks what to do: push, push and publish, edit
again, or discard. An invalid file opens again with its problems as comments. To cancel, close the file without a change, or
empty it. The draft is saved only if no other user has changed it in the meantime (exit code 6). If the draft can't be saved, the
file is kept, and the command prints its path.

Without a terminal, or to keep the file in a repository, use \`formctl layouts versions get LAYOUT latest --as-draft > FILE\` and
\`formctl layouts draft push LAYOUT FILE\`.`,
  examples: [
    'formctl layouts edit "staffing/candidate/Candidate profile"',
    'formctl layouts edit "staffing/candidate/Candidate profile" --publish',
  ],
  args: { layout: layoutArgument },
  options: { publish: flag("--publish", "Publish the draft after it is saved, unless it is invalid") },
  writes: true,
  async run(context, { layout, publish }) {
    requirePrompts(context, "formctl layouts edit", withoutTerminal(layout));
    const service = await context.service();
    const { layoutId, form } = await findLayoutId(service, layout);
    const opened = await openContent(context, service, layout, layoutId);
    const task: EditTask<PushRequest["draft"]> = {
      name: fileNameFor(form?.name ?? layoutId),
      schema: editorSchema("Draft"),
      about: [`${opened.what} of ${layoutText(layout)}`, `Target: ${targetText(context.target)}`, "", HOW_TO_EDIT],
      yaml: toYaml(opened.content),
      read: (document) => readShaped(document, draftFileOf(context)),
      check: async (draft, document) => (await findProblems(context, service, layout, { draft, document })).problems,
      changes: (draft) => [...contentChanges(draftBody(draft), opened.content)],
      choices: (isValid) => choicesFor(isValid, publish),
      send: (path) =>
        `formctl layouts draft push ${layoutText(layout)} ${quoted(path)} --expect-draft ${opened.expected === null ? "none" : quoted(opened.expected)}`,
    };
    const pushed = await editAndSend(context, task, ({ value: draft, document, choice }) =>
      pushDraft(context, service, {
        layoutId,
        layout,
        draft,
        document,
        clientMutationId: draft.clientMutationId ?? context.newMutationId(),
        expected: opened.expected,
        mayOmit: [
          "expectedDraftVersionId",
          ...(draft.clientMutationId === undefined ? (["clientMutationId"] as const) : []),
        ],
        publish: choice === "publish",
      }),
    );
    return { pushed };
  },
  view({ pushed }, terminal) {
    if (!pushed) return;
    // The file is removed, so the problems are printed without their lines.
    if (isInvalid(pushed.validation)) printDiagnostics(diagnosticsOf(pushed.validation), terminal);
    printPushed(pushed, terminal);
  },
  document: ({ pushed }): Pushed | null => pushed ?? null,
  names: ({ pushed }) => (pushed ? [pushed.draftVersionId] : []),
  next({ pushed }, { layout }) {
    if (!pushed) return [];
    return isInvalid(pushed.validation)
      ? [`formctl layouts edit ${layoutText(layout)}`]
      : nextAfterPush(pushed, layout);
  },
  exitCode: ({ pushed }) => (isInvalid(pushed?.validation) ? 3 : 0),
});

/** Returns the command lines that have the same effect without a terminal. */
function withoutTerminal(layout: LayoutAddress): string {
  const address = layoutText(layout);
  const get = `formctl layouts versions get ${address} latest --as-draft > FILE`;
  const push = `formctl layouts draft push ${address} FILE`;
  return `${get} (for the draft: draft instead of latest), then ${push}`;
}

type Opened = {
  /** The name of the content for the comment at the top of the file, such as `Draft ver_1 (version 2)`. */
  what: string;
  content: DraftContent;
  /** The id of the draft that is replaced; null if there is no draft. */
  expected: string | null;
};

/** Returns the content to edit: the draft, or else the published version, or else a first draft. */
async function openContent(
  context: CommandContext,
  service: Service,
  layout: LayoutAddress,
  layoutId: string,
): Promise<Opened> {
  const draft = await findVersionIfAny(service, layoutId, "draft");
  const published = await findVersionIfAny(service, layoutId, "latest");
  const expected = draft?.id ?? null;
  if (draft) {
    const content = asDraft(await shownContent(service, layoutId, draft));
    if (!isInitialDraft({ content }, published ?? null))
      return { what: `Draft ${idAndNumber(draft.id, draft.version)}`, content, expected };
  }
  if (published) {
    const content = asDraft(await shownContent(service, layoutId, published));
    return { what: `Published version ${published.version ?? published.id} (there is no draft)`, content, expected };
  }
  const scaffold = await readScaffold(context, service, layout);
  return { what: "First draft, with a block for every known field,", content: scaffold.draft, expected };
}

/**
 * Returns the choices for the changes. The first choice follows the options of the command line, and `--yes` selects
 * it.
 */
function choicesFor(isValid: boolean, publish: boolean): Choice[] {
  const push = { name: "Push the draft", value: "push" };
  if (!isValid) return [{ ...push, name: "Push the draft, which can't be published as it is" }];
  const both = { name: "Push the draft and publish it", value: "publish" };
  return publish ? [both, push] : [push, both];
}
