/** The defaults of an object as a table: a line for each mode. */

import { listAllForms } from "../../lists/forms.ts";
import { DEFAULT_KEY, MODES } from "../../schemas/words.ts";
import type { Mode } from "../../schemas/form.ts";
import type { Service } from "../../service.ts";
import { visible } from "../../terminal/escape.ts";
import { type CellValue, printTable, UNKNOWN } from "../../terminal/table.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { ObjectAddress } from "../addresses.ts";
import { ifReadable } from "../after-write.ts";
import { defaultsOf, type KnownDefaults } from "./form-defaults.ts";
import { modeState, type ShownForm } from "./form-view.ts";

/** What every defaults command answers; `forms` are those of the object, for their names. */
export type ObjectDefaults = { defaults: KnownDefaults; forms: readonly ShownForm[] };

/** The defaults that a write answered; what the answer lacks is read from the list. */
export function withForms(answer: KnownDefaults | undefined, forms: readonly ShownForm[]): ObjectDefaults {
  return { defaults: { ...defaultsOf(forms), ...answer }, forms };
}

/** The same after that write. Where the forms can't be read then, it is what was sent and what was answered. */
export async function readForms(
  { sent, answer }: { sent: KnownDefaults; answer: KnownDefaults | undefined },
  service: Service,
  object: ObjectAddress,
): Promise<ObjectDefaults> {
  const forms = await ifReadable(() => listAllForms(service, object));
  return forms ? withForms(answer, forms) : { defaults: { ...sent, ...answer }, forms: [] };
}

/** How every defaults command answers. */
export const defaultsAnswer = {
  view({ defaults, forms }: ObjectDefaults, terminal: Terminal): void {
    const formOf = (mode: Mode) => forms.find(({ id }) => id === defaults[DEFAULT_KEY[mode]]);
    const idOf = (mode: Mode): CellValue => {
      const id = defaults[DEFAULT_KEY[mode]];
      return id === undefined ? UNKNOWN : id;
    };
    printTable(
      terminal,
      [
        { title: "Mode", value: (mode) => mode },
        { title: "Form", value: (mode) => formOf(mode)?.name ?? idOf(mode) },
        { title: "Id", value: idOf, whole: true },
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
  /** The forms that are a default, each once. */
  names: ({ defaults }: ObjectDefaults): string[] => [
    ...new Set(Object.values(defaults).filter((id) => typeof id === "string")),
  ],
};

/** A default that is not usable is accepted by the service, and of no use to anybody. */
export function warnUnusable(form: ShownForm, mode: Mode, terminal: Terminal): void {
  const state = modeState(form, mode);
  if (state === "usable" || state === UNKNOWN) return;
  terminal.warn(visible(`"${form.name}" can't be used for ${mode} yet: ${state}.`));
}
