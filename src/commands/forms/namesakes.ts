/** Checks for `forms create` whether a form already has the name. The API accepts several forms with the same name. */

import { FormctlError, hasCode } from "../../base/error.ts";
import { ambiguousName, listFormsNamed } from "../../lists/forms.ts";
import type { FormAnswer, FormListedAnswer } from "../../schemas/answers.ts";
import type { Input } from "../../schemas/operations.ts";
import { type Service, unlessForbidden } from "../../service.ts";
import { visible } from "../../terminal/escape.ts";
import { formText } from "../addresses.ts";
import type { CommandContext } from "../command.ts";
import { smallestPatch } from "./form-input.ts";
import { objectText, type ObjectKey } from "../../lists/addresses.ts";

type Body = Input<"createForm">["body"];

/**
 * The behaviour if a form has the name:
 * - `ask`: asks for confirmation
 * - `show`: shows the existing form
 * - `allow`: creates another form
 */
export type OnDuplicate = "ask" | "show" | "allow";

export type NameCheck = {
  /** The form to show; undefined if the new form is to be created. */
  existing?: FormAnswer;
  /** The ids of the forms with the name; undefined if the forms were not listed. */
  namesakes?: string[];
};

/**
 * Looks for forms with the name of the new form, unless `onDuplicate` is `allow`. Another process can still create such
 * a form afterwards.
 *
 * @throws FORM_EXISTS with `ask`, if a form has the name, and the user can't be asked
 * @throws CONSENT_MISSING with `ask`, if a form has the name, and the user declines
 * @throws AMBIGUOUS_NAME with `show`, if several forms have the name
 * @throws the errors of the list. With `ask`, a list that the token may not read causes only a warning
 */
export async function checkName(
  context: CommandContext,
  { service, object, body, onDuplicate }: { service: Service; object: ObjectKey; body: Body; onDuplicate: OnDuplicate },
): Promise<NameCheck> {
  if (onDuplicate === "allow") return {};
  const list = () => listFormsNamed(service, object, body.name);
  // The list is required to show the existing form, but not to create a form. A token may create forms without the
  // permission to list forms.
  const named = await (onDuplicate === "show" ? list() : unlessUnlistable(list));
  if (!named) {
    const unknown = `whether one is named "${body.name}" is unknown`;
    context.terminal.warn(visible(`The forms of ${objectText(object)} can't be listed: ${unknown}.`));
    return {};
  }
  const [first] = named;
  const namesakes = named.map(({ id }) => id);
  if (!first) return { namesakes };
  if (onDuplicate === "ask") {
    await confirmDuplicate(context, object, named);
    return { namesakes };
  }
  if (named.length > 1) throw ambiguousName(objectText(object), named);
  const existing = await service.getForm({ ...object, formId: first.id });
  reportExisting(context, object, existing, body);
  return { existing };
}

/** Returns the list. Returns undefined if the server does not show the whole list to the token. */
async function unlessUnlistable<T>(list: () => Promise<T>): Promise<T | undefined> {
  try {
    return await unlessForbidden(list);
  } catch (error) {
    if (hasCode(error, "LIST_INCOMPLETE")) return undefined;
    throw error;
  }
}

async function confirmDuplicate(
  { prompter, confirm, terminal, dryRun }: CommandContext,
  object: ObjectKey,
  named: readonly FormListedAnswer[],
): Promise<void> {
  const ids = named.map(({ id }) => id).join(", ");
  const [verb, noun] = named.length === 1 ? ["is", "form"] : ["are", "forms"];
  const fact = `${named.length} ${noun} of ${objectText(object)} ${verb} named "${named[0]?.name}": ${ids}`;
  if (!prompter)
    throw new FormctlError(
      "FORM_EXISTS",
      fact,
      "To use an existing form, add --if-not-exists. To create another one with this name, add --allow-duplicate.",
    );
  if (dryRun) terminal.warn(visible(`${fact}.`));
  else if (!(await confirm(`${fact}. Create another one?`, ["--allow-duplicate"])))
    throw new FormctlError("CONSENT_MISSING", "cancelled");
}

/** Prints that the form exists, and the differences between this form and the desired form. */
function reportExisting({ terminal }: CommandContext, object: ObjectKey, form: FormAnswer, body: Body): void {
  terminal.hint(visible(`The form "${form.name}" already exists: ${form.id}. Nothing was changed.`));
  const { name: _name, ...patch } = body;
  const differences = Object.entries(smallestPatch({ patch, add: [], remove: [], texts: [] }, form)).flatMap(
    ([member, wanted]) => {
      const existing = form[member as keyof typeof patch];
      return existing === undefined ? [] : [`${member} is ${valueText(existing)}, not ${valueText(wanted)}`];
    },
  );
  if (differences.length === 0) return;
  const update = `formctl forms update ${formText({ ...object, form: form.id })}`;
  terminal.warn(visible(`It differs: ${differences.join("; ")}. To change it: ${update}`));
}

function valueText(value: unknown): string {
  return Array.isArray(value) ? value.join(", ") : JSON.stringify(value);
}
