/** `formctl forms update`: sends the smallest patch that makes the desired change. */

import type { FormAnswer } from "../../schemas/answers.ts";
import type { ModeWord } from "../../schemas/words.ts";
import type { Service } from "../../service.ts";
import { visible } from "../../terminal/escape.ts";
import { quoted } from "../../base/shell-quote.ts";
import { formArgument } from "../address-arguments.ts";
import { findFormId, requireForm } from "../lookups.ts";
import { asText, type CommandContext, defineCommand, flag, list, option } from "../command.ts";
import { readNames } from "../local-names.ts";
import { lossOf, lostRows, rowsOf, rowsWithin } from "./access-matrix.ts";
import { modesByDefault, refusedAsDefault } from "./defaults.ts";
import { textOptions, blindPatch, type Patch, readChange, smallestPatch } from "./form-input.ts";
import { locatedRefusal } from "../read-input.ts";
import { printForm, type ShownForm } from "./form-view.ts";
import { parseModes } from "../modes.ts";
import { ifReadable } from "../failed-command.ts";
import { objectText, type ObjectKey } from "../../lists/addresses.ts";

export type Updated = {
  object: ObjectKey;
  form: FormAnswer;
  isChanged: boolean;
  added: readonly ModeWord[];
  doubts: string[];
};

export default defineCommand({
  details: `Changes only what the options specify. --title, --success-message and --description set texts in the current config, and an
empty text removes one; --config replaces the whole config. Removing a mode deletes its access rows: the command lists them
and asks for confirmation; without a terminal, --yes confirms.

FILE is YAML or JSON with exactly the request body: name, types, config, isActive, isPublic, each optional.`,
  examples: [
    'formctl forms update "staffing/candidate/Candidate intake" --title "Apply now"',
    'formctl forms update "staffing/candidate/Candidate profile" --add-type CREATE',
    'formctl forms update "staffing/candidate/Candidate profile" --name "Profile" --dry-run',
  ],
  args: { form: formArgument },
  options: {
    name: option("--name <name>", "New name; the layout's name stays unchanged"),
    types: list("--types <modes>", "Modes of the form (replaces the current set)", parseModes, "modes"),
    addType: list("--add-type <modes>", "Modes to add", parseModes, "modes"),
    removeType: list("--remove-type <modes>", "Modes to remove", parseModes, "formModes"),
    config: option(
      "--config <file>",
      "Replace the config with a YAML or JSON file; - is standard input",
      asText,
      "file",
    ),
    noConfig: flag("--no-config", "Remove the config"),
    ...textOptions,
    active: flag("--active", "Activate the form"),
    inactive: flag("--inactive", "Deactivate the form"),
    public: flag("--public", "Accept public submissions"),
    private: flag("--private", "Stop accepting public submissions"),
    file: option("-f, --file <file>", "Read the change from a YAML or JSON file; - is standard input", asText, "file"),
  },
  atLeastOneOf: [
    [
      "name",
      "types",
      "addType",
      "removeType",
      "title",
      "successMessage",
      "description",
      "config",
      "noConfig",
      "active",
      "inactive",
      "public",
      "private",
      "file",
    ],
  ],
  writes: true,
  async run(context, { form: address, ...typed }): Promise<Updated> {
    const change = await readChange(context, typed);
    const service = await context.service();
    const { moduleKey, objectKey } = address;
    const object = { moduleKey, objectKey };
    const blind = blindPatch(change);
    const { formId, form: before } = blind ? await findFormId(service, address) : await requireForm(service, address);
    const send = (body: Patch) => {
      const request = () => service.updateForm({ ...object, formId, body });
      return change.document ? locatedRefusal(change.document, request) : request();
    };
    if (!before) {
      await confirmUnseenRemoval(context, formId, blind!);
      const form = await send(blind!);
      return { object, form, isChanged: true, added: [], doubts: [] };
    }
    const patch = smallestPatch(change, before);
    if (Object.keys(patch).length === 0) return { object, form: before, isChanged: false, added: [], doubts: [] };
    return applyPatch(context, service, { object, before, patch, send });
  },
  view({ form, isChanged, doubts }, terminal) {
    if (!isChanged) terminal.hint("Nothing to change: the form already has these values.");
    printForm(form, terminal);
    for (const doubt of doubts) terminal.warn(visible(doubt));
  },
  document: ({ form }) => form,
  next: nextAfterUpdate,
});

/** Suggests an edit of the layout if a new mode is not usable yet. Blocks of the layout must support the mode. */
export function nextAfterUpdate({ object, form, added }: Updated): string[] {
  const unusable = added.filter((mode) => form.usableTypes?.includes(mode) === false);
  if (unusable.length === 0) return [];
  const layout = quoted(`${objectText(object)}/${form.id}`);
  return [`formctl layouts edit ${layout} --publish  # add ${unusable.join(", ")} to the supportedModes of the blocks`];
}

/** Sends a patch. If it removes modes that have access rows, first asks the user to confirm their removal. */
export async function applyPatch(
  context: CommandContext,
  service: Service,
  {
    object,
    before,
    patch,
    send,
  }: { object: ObjectKey; before: FormAnswer; patch: Patch; send: (patch: Patch) => Promise<FormAnswer> },
): Promise<Updated> {
  const types = patch.types ?? before.types;
  const removed = before.types.filter((mode) => !types.includes(mode));
  if (removed.length > 0) await confirmRemoval(context, service, object, before, removed);
  const answer = await send(patch);
  const added = types.filter((mode) => !before.types.includes(mode));
  return { object, isChanged: true, added, ...(await confirmFlags(service, object, patch, answer)) };
}

/**
 * Asks the user to confirm new modes of a form that the token may not read. The form's modes and access rows are
 * unknown, so the change may delete rows.
 */
async function confirmUnseenRemoval(context: CommandContext, formId: string, { types }: Patch): Promise<void> {
  if (!types) return;
  await context.consent({
    question: `Replace the modes of the form ${formId} with ${types.join(", ")}?`,
    lost: ["the access rows of the current modes that the new modes omit"],
    flag: "--yes",
  });
}

/**
 * Asks the user to confirm the removal of modes. The service deletes the access rows of these modes without
 * confirmation (R74).
 */
async function confirmRemoval(
  context: CommandContext,
  service: Service,
  object: ObjectKey,
  form: FormAnswer,
  removed: readonly ModeWord[],
): Promise<void> {
  const defaults = await modesByDefault(service, object, form);
  const blocked = defaults.filter((mode) => removed.includes(mode));
  if (blocked.length > 0) throw refusedAsDefault("FORM_TYPE_IS_DEFAULT", form, object, blocked);
  const rows = rowsOf(await service.getFormAccess({ ...object, formId: form.id }));
  const kept = form.types.filter((mode) => !removed.includes(mode));
  const lost = lostRows(rows, rowsWithin(rows, kept));
  if (lost.length === 0) return;
  const names = await readNames(context, form);
  await context.consent({
    question: `Remove ${removed.join(", ")} from "${form.name}"?`,
    lost: lost.map((row) => lossOf(names, row)),
    flag: "--yes",
  });
}

const FLAGS = ["isActive", "isPublic"] as const;

export type ConfirmedForm = {
  form: FormAnswer;
  /** A sentence for each flag whose new value the server does not confirm. */
  doubts: string[];
};

/**
 * Checks whether the server has changed `isActive` and `isPublic`. Some servers ignore the change (docs/decisions.md,
 * "Tolerance"). Reads the form again if the answer lacks a flag.
 */
export async function confirmFlags(
  service: Service,
  { moduleKey, objectKey }: ObjectKey,
  patch: Patch,
  answer: FormAnswer,
): Promise<ConfirmedForm> {
  const sent = FLAGS.filter((key) => patch[key] !== undefined);
  const isComplete = (form: ShownForm) => sent.every((key) => form[key] !== undefined);
  const read = () => service.getForm({ moduleKey, objectKey, formId: answer.id });
  const form = isComplete(answer) ? answer : ((await ifReadable(read)) ?? answer);
  const shown: ShownForm = form;
  return {
    form,
    doubts: sent.flatMap((key) => {
      if (shown[key] === patch[key]) return [];
      if (shown[key] === undefined) return [`The server accepted the change of ${key}, but does not report its value.`];
      return [`${key} is still ${shown[key]}: this server does not change it after the form is created.`];
    }),
  };
}
