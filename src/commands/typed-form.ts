/** A form in the words of a command line, for a line that says what to type next. */

import type { FormAnswer } from "../schemas/answers.ts";
import { listAllForms } from "../lists/forms.ts";
import type { Service } from "../service.ts";
import { visible } from "../terminal/escape.ts";
import { formText, type ObjectAddress } from "./addresses.ts";
import { ifReadable } from "./after-write.ts";

/** The form's address by its name; by its id where another form has the name too, or it can't be typed as it is shown. */
export async function typedForm(
  service: Service,
  object: ObjectAddress,
  { id, name }: Pick<FormAnswer, "id" | "name">,
): Promise<string> {
  const isTypeable = visible(name) === name && name.trim() === name;
  return formText({ ...object, form: isTypeable && (await isAlone(service, object, name)) ? name : id });
}

async function isAlone(service: Service, object: ObjectAddress, name: string): Promise<boolean> {
  const items = [{ field: "name", operator: "eq", value: name }] as const;
  // Who may create forms need not be allowed to list them.
  const forms = await ifReadable(() => listAllForms(service, object, { filters: { op: "and", items: [...items] } }));
  return forms?.filter((form) => form.name === name).length === 1;
}
