/**
 * Reads and prints the default forms of an object. No endpoint returns the defaults. They are read from the flags in
 * the forms list (R24).
 */

import { listAllForms, listDefaultForms, listFormsNamed } from "../../lists/forms.ts";
import type { DefaultsAnswer, FormAnswer } from "../../schemas/answers.ts";
import { type ModeWord, DEFAULT_FLAG, DEFAULT_KEY, type Mode, MODES } from "../../schemas/words.ts";
import { localRefusal, type Service, type ServiceError } from "../../service.ts";
import { visible } from "../../terminal/escape.ts";
import { type CellValue, printTable, UNKNOWN } from "../../terminal/table.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { quoted } from "../../base/shell-quote.ts";
import { ifReadable } from "../failed-command.ts";
import { defaultModes, modeState, type ShownForm } from "./form-view.ts";
import { objectText, type ObjectKey } from "../../lists/addresses.ts";

/**
 * The id of the default form of each mode. Null for a mode without a default form. Absent if the server does not report
 * the default form.
 */
export type KnownDefaults = { [K in keyof DefaultsAnswer]?: DefaultsAnswer[K] };

/**
 * The result of every defaults command. `forms` includes the default forms of the object; it is empty if the forms can't
 * be listed.
 */
export type ObjectDefaults = { defaults: KnownDefaults; forms: readonly ShownForm[] };

function defaultsOf(forms: readonly ShownForm[]): KnownDefaults {
  const known: KnownDefaults = {};
  for (const mode of MODES) {
    const holder = forms.find((form) => form[DEFAULT_FLAG[mode]] === true);
    const isShown = forms.every((form) => form[DEFAULT_FLAG[mode]] !== undefined);
    if (holder) known[DEFAULT_KEY[mode]] = holder.id;
    else if (isShown) known[DEFAULT_KEY[mode]] = null;
  }
  return known;
}

/**
 * Returns the defaults in the answer to a write. Defaults that the answer lacks come from the flags of the listed
 * forms.
 */
export function withForms(answer: KnownDefaults | undefined, forms: readonly ShownForm[]): ObjectDefaults {
  return { defaults: { ...defaultsOf(forms), ...answer }, forms };
}

/**
 * Lists the forms after a write, and returns the defaults with {@link withForms}. Without the list, defaults that the
 * answer lacks come from `sent`.
 */
export async function readForms(
  { sent, answer }: { sent: KnownDefaults; answer: KnownDefaults | undefined },
  service: Service,
  object: ObjectKey,
): Promise<ObjectDefaults> {
  const forms = await ifReadable(() => listDefaultForms(service, object));
  return forms ? withForms(answer, forms) : { defaults: { ...sent, ...answer }, forms: [] };
}

/** Returns the modes for which a form is the default. Omits defaults that the server does not report. */
export async function modesByDefault(
  service: Service,
  object: ObjectKey,
  { id, name }: Pick<FormAnswer, "id" | "name">,
): Promise<Mode[]> {
  const isForm = (each: ShownForm) => each.id === id;
  const named: ShownForm[] = await listFormsNamed(service, object, name);
  const form = named.find(isForm) ?? (await listAllForms(service, object)).find(isForm);
  return (form && defaultModes(form)) ?? [];
}

/**
 * Creates the refusal that the service would send (R60, R75). Commands throw this error before they ask the user to
 * confirm.
 */
export function refusedAsDefault(
  code: "FORM_IS_DEFAULT" | "FORM_TYPE_IS_DEFAULT",
  form: ShownForm,
  object: ObjectKey,
  modes: readonly ModeWord[],
): ServiceError {
  const clear = `formctl forms defaults clear ${quoted(objectText(object))} ${modes.join(" ")}`;
  const message = `"${form.name}" is the default for ${modes.join(", ")}. Clear it first: ${clear}`;
  return localRefusal(409, code, message);
}

/** The output of every defaults command: a line for each mode. */
export const defaultsOutput = {
  view({ defaults, forms }: ObjectDefaults, terminal: Terminal): void {
    const formOf = (mode: Mode) => forms.find(({ id }) => id === defaults[DEFAULT_KEY[mode]]);
    const idOf = (mode: Mode): CellValue => {
      const id = defaults[DEFAULT_KEY[mode]];
      return id === undefined ? UNKNOWN : id;
    };
    printTable(
      terminal,
      [
        { title: "Mode", value: (mode) => mode, essential: true },
        { title: "Form", value: (mode) => formOf(mode)?.name ?? idOf(mode), essential: true },
        { title: "Id", value: idOf, id: true, yields: true },
        {
          title: "State",
          value: (mode) => {
            const form = formOf(mode);
            return form ? modeState(form, mode) : idOf(mode) === null ? null : UNKNOWN;
          },
        },
      ],
      MODES,
      "",
    );
  },
  document: ({ defaults }: ObjectDefaults): KnownDefaults => defaults,
  names: ({ defaults }: ObjectDefaults): string[] => [
    ...new Set(Object.values(defaults).filter((id) => typeof id === "string")),
  ],
};

/** Warns if a default form is not usable yet. The service accepts such a form without a warning. */
export function warnUnusable(form: ShownForm, mode: Mode, terminal: Terminal): void {
  const state = modeState(form, mode);
  if (state === "usable" || state === UNKNOWN) return;
  terminal.warn(visible(`"${form.name}" can't be used for ${mode} yet: ${state}.`));
}
