/** `formctl forms update`: changes what is named and nothing else. */

import type { FormAnswer } from "../../schemas/answers.ts";
import type { ModeWord } from "../../schemas/words.ts";
import type { Service } from "../../service.ts";
import { visible } from "../../terminal/escape.ts";
import {
  findForm,
  findFormId,
  type FormAddress,
  formatObject,
  type ObjectAddress,
  parseForm,
  quoted,
} from "../addresses.ts";
import { argument, type CommandContext, defineCommand, flag, list, option } from "../command.ts";
import { lossOf, readNames } from "./access-names.ts";
import { lostRows, rowsOf, trimmed } from "./access-rows.ts";
import { confirmFlags } from "./confirm-flags.ts";
import { modesByDefault, refusedAsDefault } from "./form-defaults.ts";
import { textOptions } from "./form-options.ts";
import { locatedRefusal } from "../read-body.ts";
import { blindPatch, type Patch, readChange, smallestPatch } from "./form-patch.ts";
import { printForm } from "./form-view.ts";
import { parseModes } from "./mode-list.ts";

type Updated = {
  object: ObjectAddress;
  form: FormAnswer;
  isChanged: boolean;
  added: readonly ModeWord[];
  doubts: string[];
};

export default defineCommand({
  about: "Change a form",
  details: `Only what is named changes. --title, --success-message and --description are put into the present config, and the empty
text takes one out; --config replaces all of it. A mode that is removed takes its access rows with it: they are named, and
--yes consents to that.

FILE is YAML or JSON with exactly the body of the request: name, types, config, isActive, isPublic, each optional.`,
  examples: [
    'formctl forms update "staffing/candidate/Candidate intake" --title "Apply now"',
    'formctl forms update "staffing/candidate/Candidate profile" --add-type CREATE',
    'formctl forms update "staffing/candidate/Candidate profile" --name "Profile" --dry-run',
  ],
  args: { form: argument("FORM", "MODULE/OBJECT/FORM by name or id", parseForm) },
  options: {
    name: option("--name <name>", "New name; the layout keeps its own"),
    types: list("--types <modes>", "All modes that the form shall have", parseModes),
    addType: list("--add-type <modes>", "Modes to add", parseModes),
    removeType: list("--remove-type <modes>", "Modes to remove", parseModes),
    config: option("--config <file>", "Replace the config by that of a YAML or JSON file; - is standard input"),
    noConfig: flag("--no-config", "Leave no config"),
    ...textOptions,
    active: flag("--active", "Bring it into use"),
    inactive: flag("--inactive", "Take it out of use"),
    public: flag("--public", "Open it for public submission"),
    private: flag("--private", "Close it for public submission"),
    file: option("-f, --file <file>", "Read the change from a YAML or JSON file; - is standard input"),
  },
  writes: true,
  async run(context, { form: address, ...typed }): Promise<Updated> {
    const change = await readChange(context, typed);
    const service = await context.service();
    const { moduleKey, objectKey } = address;
    const object = { moduleKey, objectKey };
    const blind = blindPatch(change);
    const { formId, form: before } = blind ? await findFormId(service, address) : await known(service, address);
    const send = (body: Patch) => {
      const request = () => service.updateForm({ ...object, formId, body });
      return change.document ? locatedRefusal(change.document, request) : request();
    };
    if (!before) {
      await consentToUnseenRemoval(context, formId, blind!);
      const form = await send(blind!);
      return { object, form, isChanged: true, added: [], doubts: [] };
    }
    const patch = smallestPatch(change, before);
    if (Object.keys(patch).length === 0) return { object, form: before, isChanged: false, added: [], doubts: [] };
    const types = patch.types ?? before.types;
    const removed = before.types.filter((mode) => !types.includes(mode));
    if (removed.length > 0) await consentToRemoval(context, service, object, before, removed);
    const answer = await send(patch);
    const added = types.filter((mode) => !before.types.includes(mode));
    return { object, isChanged: true, added, ...(await confirmFlags(service, object, patch, answer)) };
  },
  view({ form, isChanged, doubts }, terminal) {
    if (!isChanged) terminal.hint("Nothing to change: the form is like that already.");
    printForm(form, terminal);
    for (const doubt of doubts) terminal.warn(visible(doubt));
  },
  document: ({ form }) => form,
  next: ({ object, form, added }) =>
    added.some((mode) => form.usableTypes?.includes(mode) === false)
      ? [`formctl layouts publish ${quoted(`${formatObject(object)}/${form.id}`)}`]
      : [],
});

/** Which modes and access rows the form has is not known: the token may not read it. */
async function consentToUnseenRemoval(context: CommandContext, formId: string, { types }: Patch): Promise<void> {
  if (!types) return;
  await context.consent({
    question: `Replace the modes of the form ${formId} by ${types.join(", ")}?`,
    lost: ["the access rows of modes that the form has now, and that are not named"],
    flag: "--yes",
  });
}

async function known(service: Service, address: FormAddress): Promise<{ formId: string; form: FormAnswer }> {
  const form = await findForm(service, address);
  return { formId: form.id, form };
}

/** A removed mode takes its access rows with it, and the service does not ask (R74). */
async function consentToRemoval(
  context: CommandContext,
  service: Service,
  object: ObjectAddress,
  form: FormAnswer,
  removed: readonly ModeWord[],
): Promise<void> {
  const defaults = await modesByDefault(service, object, form.id);
  const blocked = defaults.filter((mode) => removed.includes(mode));
  if (blocked.length > 0) throw refusedAsDefault("FORM_TYPE_IS_DEFAULT", form, object, blocked);
  const rows = rowsOf(await service.getFormAccess({ ...object, formId: form.id }));
  const kept = form.types.filter((mode) => !removed.includes(mode));
  const lost = lostRows(rows, trimmed(rows, kept));
  if (lost.length === 0) return;
  const names = await readNames(context, form);
  await context.consent({
    question: `Remove ${removed.join(", ")} from "${form.name}"?`,
    lost: lost.map((row) => lossOf(names, row)),
    flag: "--yes",
  });
}
