/** Reports missing arguments and options with their possible values. Used if the user can't be prompted. */

import { FormctlError } from "../base/error.ts";
import { MODES } from "../schemas/words.ts";
import { ServiceError } from "../service.ts";
import { objectText } from "../lists/addresses.ts";
import { visible } from "../terminal/escape.ts";
import { configuredObject, parseObject } from "./addresses.ts";
import { type Asking, formChoices, listChoices, objectChoices } from "./choices.ts";
import type { Command } from "./command.ts";
import type { Missing, Parameter } from "./missing.ts";

/** The number of values that the error lists for one parameter. */
const MAX_VALUES = 10;

/**
 * The maximum number of alternative parameters whose values are listed. For more alternatives, the error lists only
 * names.
 */
const MAX_DESCRIBED = 4;

/** Returns the error, with the names of the missing parameters, their values and an example. */
export async function missingError(
  missing: readonly Missing[],
  { examples }: Pick<Command, "examples">,
  asking: Asking,
): Promise<FormctlError> {
  const shown = missing.flatMap((each) => (offered(each).length > MAX_DESCRIBED ? [] : offered(each)));
  const values = await Promise.all(shown.map(async (each) => `${each.word}: ${await valuesText(each, asking)}`));
  const lines = [...values, ...shown.flatMap(({ alternative }) => alternative ?? [])];
  const [example] = examples;
  if (example !== undefined) lines.push(`Example: ${example}`);
  return new FormctlError("USAGE", messageOf(missing), lines.join("\n"));
}

/** Returns the parameters that the error names. Omits `--file` if other parameters have the same effect. */
function offered({ anyOf }: Missing): readonly Parameter[] {
  const direct = anyOf.filter(({ word }) => word !== "--file");
  return direct.length > 0 ? direct : anyOf;
}

function messageOf(missing: readonly Missing[]): string {
  const names = missing.map((each) => [...offered(each).map(({ word }) => word), ...each.globals]);
  const texts = names.map((words) => alternatives(words));
  const [first] = names;
  if (missing.length === 1 && first) {
    if (first.length > 2) return `specify at least one of ${first.join(", ")}`;
    if (first.length === 2) return `specify ${texts[0]}`;
  }
  const kinds = new Set(names.flat().map((word) => (word.startsWith("--") ? "option" : "argument")));
  const noun = kinds.size === 1 ? `${[...kinds][0]}${missing.length === 1 ? "" : "s"}` : "arguments and options";
  return `missing ${noun}${missing.length === 1 ? "" : ":"} ${texts.join(", ")}`;
}

const alternatives = (words: readonly string[]) =>
  words.length < 3 ? words.join(" or ") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;

/** Returns the values of a parameter as text. Returns the description of the parameter if the values are unknown. */
async function valuesText(parameter: Parameter, asking: Asking): Promise<string> {
  const { about, kind } = parameter;
  if (kind === "flag") return about;
  const values = await knownValues(parameter, asking);
  if (!values || values.length === 0) return about;
  const isRead = parameter.choose === "form" || parameter.choose === "layout";
  // Not all forms are read, so their number is unknown.
  const count = isRead ? "" : `${values.length - MAX_VALUES} `;
  const more = values.length > MAX_VALUES ? `, and ${count}more` : "";
  return values.slice(0, MAX_VALUES).map(visible).join(", ") + more;
}

/**
 * Returns the values that are known without a request:
 * - fixed words, such as the modes
 * - names in the settings
 * - records of a local store
 *
 * The error must be quick and must not use the token, so it sends no request.
 */
async function knownValues(parameter: Parameter, asking: Asking): Promise<readonly string[] | undefined> {
  const choose = parameter.choose === "layoutOrPath" ? "layout" : parameter.choose;
  if (typeof choose !== "string") return choose;
  switch (choose) {
    case "modes":
    case "formModes":
      return MODES;
    case "text":
    case "file":
    case "path":
    case "defaultForm":
      return undefined;
    case "profile":
    case "setting":
      return (await listChoices(choose, asking)).map(({ value }) => value);
    default:
      break;
  }
  const { context } = asking;
  if (context.target.kind === "remote") {
    const object = choose === "object" ? configuredObject(context.settings) : undefined;
    return object && [objectText(object)];
  }
  try {
    if (choose === "form") return await formAddresses(asking);
    if (choose === "layout") {
      const forms = await formAddresses(asking);
      if (forms.length > MAX_VALUES) return forms;
    }
    if (choose === "version" && asking.input["layout"] === undefined) return ["latest", "draft"];
    return (await listChoices(choose, asking)).map(({ value }) => value);
  } catch (error) {
    // The store may be missing or unreadable. The error about the missing argument is more useful to the user.
    if (error instanceof FormctlError || error instanceof ServiceError) return undefined;
    throw error;
  }
}

/** Returns the addresses of the forms. The list ends early if it is longer than the error can show. */
async function formAddresses({ context }: Asking): Promise<string[]> {
  const configured = configuredObject(context.settings);
  const objects = configured ? [configured] : (await objectChoices(context)).map(({ value }) => parseObject(value));
  const addresses: string[] = [];
  for (const object of objects) {
    const forms = await formChoices(
      context,
      object,
      async (service) => (await service.listForms({ ...object, query: { limit: MAX_VALUES + 1 } })).data,
    );
    addresses.push(...forms.map(({ value }) => value));
    if (addresses.length > MAX_VALUES) break;
  }
  return addresses;
}
