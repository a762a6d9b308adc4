/** The options that say what a form is, shared by `create` and `update`. */

import { FormctlError } from "../../error.ts";
import { FormConfig } from "../../schemas/form.ts";
import { readShape } from "../../schemas/shape.ts";
import { Name } from "../../schemas/text.ts";
import { option } from "../command.ts";

/** The runtime texts of a form's config (R19). */
export const textOptions = {
  title: option("--title <text>", "Title that the form shows"),
  successMessage: option("--success-message <text>", "What the form says after it was sent"),
  description: option("--description <text>", "Text under the title"),
};

export type Texts = { [K in keyof typeof textOptions]?: string | undefined };
const TEXT_KEYS = ["title", "successMessage", "description"] as const satisfies readonly (keyof Texts)[];

/** The texts that were typed. */
export function typedTexts(input: Texts): (readonly [key: keyof Texts, text: string])[] {
  return TEXT_KEYS.flatMap((key) => {
    const text = input[key];
    return text === undefined ? [] : [[key, text] as const];
  });
}

/** A form's name as the service will keep it: trimmed. @throws INVALID_VALUE when it is blank or too long */
export function checkedName(text: string): string {
  const shape = readShape(Name, text);
  if (shape.ok) return shape.value;
  throw new FormctlError("INVALID_VALUE", `the name ${shape.problems.map(({ message }) => message).join("; ")}`);
}

/** @throws INVALID_VALUE when the config can't be one (R20) */
export function checkedConfig(config: Record<string, unknown>): FormConfig {
  const shape = readShape(FormConfig, config);
  if (shape.ok) return shape.value;
  throw new FormctlError(
    "INVALID_VALUE",
    shape.problems.map(({ path, message }) => `${path || "the config"} ${message}`).join("; "),
  );
}
