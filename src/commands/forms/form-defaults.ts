/** Which forms an object uses by default. No endpoint tells it: the flags of the list do (R24). */

import type { DefaultsAnswer } from "../../schemas/answers.ts";
import { listAllForms } from "../../lists/all-forms.ts";
import { DEFAULT_FLAG, DEFAULT_KEY, type Mode, MODES } from "../../schemas/words.ts";
import type { ModeWord } from "../../schemas/open.ts";
import { localRefusal, type Service, type ServiceError } from "../../service.ts";
import { formatObject, type ObjectAddress, quoted } from "../addresses.ts";
import { defaultModes, type ShownForm } from "./form-view.ts";

/** Each mode's form by its id, null where there is none; absent where the server does not say. */
export type KnownDefaults = { [K in keyof DefaultsAnswer]?: DefaultsAnswer[K] };

export function defaultsOf(forms: readonly ShownForm[]): KnownDefaults {
  const known: KnownDefaults = {};
  for (const mode of MODES) {
    const holder = forms.find((form) => form[DEFAULT_FLAG[mode]] === true);
    const isShown = forms.every((form) => form[DEFAULT_FLAG[mode]] !== undefined);
    if (holder) known[DEFAULT_KEY[mode]] = holder.id;
    else if (isShown) known[DEFAULT_KEY[mode]] = null;
  }
  return known;
}

/** The modes for which a form is its object's default, as far as the server says. */
export async function modesByDefault(service: Service, object: ObjectAddress, formId: string): Promise<Mode[]> {
  const forms: ShownForm[] = await listAllForms(service, object);
  const form = forms.find(({ id }) => id === formId);
  return (form && defaultModes(form)) ?? [];
}

/** What the service would answer, known before the user is asked to confirm a change that it refuses (R60, R75). */
export function refusedAsDefault(
  code: "FORM_IS_DEFAULT" | "FORM_TYPE_IS_DEFAULT",
  form: ShownForm,
  object: ObjectAddress,
  modes: readonly ModeWord[],
): ServiceError {
  const clear = `formctl forms defaults clear ${quoted(formatObject(object))} ${modes.join(" ")}`;
  const message = `"${form.name}" is the default for ${modes.join(", ")}. Clear it first: ${clear}`;
  return localRefusal(409, code, message);
}
