/** `formctl forms edit`: edits a form in the editor of the user, and sends only what changed. */

import { targetText } from "../../config/target.ts";
import { toYaml } from "../../documents/write-yaml.ts";
import { FormctlError, hasCode } from "../../base/error.ts";
import { findForm } from "../../lists/forms.ts";
import { editorSchema } from "../../manifests/editor-schemas.ts";
import type { FormAnswer } from "../../schemas/answers.ts";
import { diffContent } from "../../schemas/content-diff.ts";
import { FormPatch } from "../../schemas/form-schema.ts";
import { MODES } from "../../schemas/words.ts";
import { quoted } from "../../base/shell-quote.ts";
import { visible } from "../../terminal/escape.ts";
import { formArgument } from "../address-arguments.ts";
import { formText } from "../addresses.ts";
import { type CommandContext, defineCommand } from "../command.ts";
import { editAndSend, type EditTask, HOW_TO_EDIT, requirePrompts } from "../edit/edit-session.ts";
import { fileNameFor } from "../file-name.ts";
import { locatedRefusal, readShaped } from "../read-input.ts";
import { type Patch, smallestPatch } from "./form-input.ts";
import { printForm } from "./form-view.ts";
import { type ForeignChange, mergeForm } from "./merge-form.ts";
import { applyPatch, nextAfterUpdate } from "./update.ts";

export default defineCommand({
  details: `Opens the name, modes, flags and config of the form as YAML in the editor of VISUAL or EDITOR, or else in vi. When you save
and close the file, the command checks it, shows the changes and asks before it sends them. A member that you remove keeps its
value; config: null removes the config. To cancel, close the file without a change, or empty it. If the change can't be sent, the
file is kept, and the command prints its path. If another user has changed the same member in the meantime, the command shows
both values and offers to merge.

Removing a mode deletes its access rows: the command lists them and asks for confirmation. To edit the layout of the form, use
\`formctl layouts edit FORM\`. Without a terminal, use \`formctl forms update\`.`,
  examples: [
    'formctl forms edit "staffing/candidate/Candidate profile"',
    'formctl forms edit "staffing/candidate/Candidate intake" --dry-run',
  ],
  args: { form: formArgument },
  options: {},
  writes: true,
  async run(context, { form: address }) {
    requirePrompts(context, "formctl forms edit", `formctl forms update ${formText(address)} -f FILE`);
    const service = await context.service();
    const { moduleKey, objectKey } = address;
    const object = { moduleKey, objectKey };
    const before = await findForm(service, address);
    const typed = formText({ ...object, form: before.id });
    const body = editableBody(before);
    const patchOf = (value: Patch) => smallestPatch({ patch: value, add: [], remove: [], texts: [] }, before);
    const task: EditTask<Patch> = {
      name: fileNameFor(before.name),
      schema: editorSchema("FormPatch"),
      about: [`Form ${typed}`, `Target: ${targetText(context.target)}`, "", HOW_TO_EDIT],
      yaml: toYaml(body),
      read: (document) => readShaped(document, FormPatch),
      check: async () => [],
      changes: (value) => diffContent(body, { ...body, ...patchOf(value) }),
      choices: () => [{ name: "Send the changes", value: "send" }],
      // The file contains all members, so sending it would revert the changes of another user.
      send: (path, error) =>
        hasCode(error, "FORM_CHANGED")
          ? `formctl forms edit ${typed}`
          : `formctl forms update ${typed} -f ${quoted(path)}`,
    };
    const updated = await editAndSend(context, task, async ({ value, document }) => {
      const now = await service.getForm({ ...object, formId: before.id });
      const patch = await mergedPatch(context, { before, now, patch: patchOf(value), form: typed });
      const send = (changes: Patch) =>
        locatedRefusal(document, () => service.updateForm({ ...object, formId: before.id, body: changes }));
      return applyPatch(context, service, { object, before: now, patch, send });
    });
    return { updated };
  },
  view({ updated }, terminal) {
    if (!updated) return;
    printForm(updated.form, terminal);
    for (const doubt of updated.doubts) terminal.warn(visible(doubt));
  },
  document: ({ updated }): FormAnswer | null => updated?.form ?? null,
  names: ({ updated }) => (updated ? [updated.form.id] : []),
  next: ({ updated }) => (updated ? nextAfterUpdate(updated) : []),
});

/** Returns the members of a form that an update can change. Omits members that the server does not report. */
function editableBody({ name, types, isActive, isPublic, config }: FormAnswer): Record<string, unknown> {
  // Omits `types` with a mode that formctl does not know. The schema of the file would refuse this mode.
  const isKnown = types.every((mode) => MODES.some((known) => known === mode));
  const members = { name, ...(isKnown && { types }), isActive, isPublic, config };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

type Concurrent = { before: FormAnswer; now: FormAnswer; patch: Patch; form: string };

/**
 * Returns the patch. If another user has changed a member of the patch, shows both values and asks whether to merge.
 *
 * @throws FORM_CHANGED if the user declines, and with `--yes`
 */
async function mergedPatch(context: CommandContext, { before, now, patch, form }: Concurrent): Promise<Patch> {
  const { foreign, merged } = mergeForm(before, now, patch);
  if (foreign.length === 0) return merged;
  const message = `another user changed the form while you edited it: ${foreign.map(foreignText).join("; ")}`;
  const error = new FormctlError("FORM_CHANGED", message, `See the current form: formctl forms get ${form}`);
  if (context.yes || context.dryRun) throw error;
  context.terminal.warn(visible(message));
  const own = foreign.filter((change) => change.own).map(({ path }) => path);
  const what = own.length === 0 ? "keep the changes of the other user" : `overwrite ${own.join(", ")} with your values`;
  const choice = await context.prompter!.select("The form has changed.", [
    { name: `Merge: send your changes, and ${visible(what)}`, value: "merge" },
    { name: "Send nothing, and keep your edit in a file", value: "keep" },
  ]);
  if (choice !== "merge") throw error;
  return merged;
}

/** Returns `config.title was "A", is "B" now, and you changed it to "C"`. */
function foreignText({ path, before, theirs, own }: ForeignChange): string {
  const edit = own
    ? `, and you ${own.value === undefined ? "removed it" : `changed it to ${valueText(own.value)}`}`
    : "";
  return `${path} was ${valueText(before)}, is ${valueText(theirs)} now${edit}`;
}

const valueText = (value: unknown) => (value === undefined ? "not set" : JSON.stringify(value));
