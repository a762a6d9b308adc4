/** The options and files of `forms create` and `forms update`, and the smallest patch for an update. */

import { FormctlError } from "../../base/error.ts";
import type { Document } from "../../documents/document.ts";
import type { FormAnswer } from "../../schemas/answers.ts";
import type { FormConfig as FormTexts } from "../../schemas/form.ts";
import { FormConfig, FormPatch } from "../../schemas/form-schema.ts";
import { canonicalJson, type JsonObject } from "../../schemas/json.ts";
import type { Input } from "../../schemas/operations.ts";
import { readShape } from "../../schemas/shape.ts";
import { Name } from "../../schemas/text.ts";
import { asDocumented, type Mode, type ModeWord } from "../../schemas/words.ts";
import { notShown } from "../../service.ts";
import { type CommandContext, option } from "../command.ts";
import { modesOf } from "../modes.ts";
import { readBody } from "../read-input.ts";

/** The options for the texts of a form's config (R19). */
export const textOptions = {
  title: option("--title <text>", "Title that the form shows"),
  successMessage: option("--success-message <text>", "Text that the form shows after submission"),
  description: option("--description <text>", "Text under the title"),
};

export type Texts = { [K in keyof typeof textOptions]?: string | undefined };
type TypedText = readonly [key: keyof Texts, text: string];
const TEXT_KEYS = ["title", "successMessage", "description"] as const satisfies readonly (keyof Texts)[];

export function typedTexts(input: Texts): TypedText[] {
  return TEXT_KEYS.flatMap((key) => {
    const text = input[key];
    return text === undefined ? [] : [[key, text] as const];
  });
}

/** Returns a form's name, trimmed as the service stores it. @throws USAGE if it is blank or too long */
function checkedName(text: string): string {
  const shape = readShape(Name, text);
  if (shape.ok) return shape.value;
  throw new FormctlError("USAGE", `the name ${shape.problems.map(({ message }) => message).join("; ")}`);
}

/** Checks a config. @throws INVALID_VALUE if it is invalid (R20) */
export function checkedConfig(config: Record<string, unknown>): FormTexts {
  const shape = readShape(FormConfig, config);
  if (shape.ok) return shape.value;
  throw new FormctlError(
    "INVALID_VALUE",
    shape.problems.map(({ path, message }) => `${path || "the config"} ${message}`).join("; "),
  );
}

export type Patch = Input<"updateForm">["body"];

export type UpdateOptions = Texts & {
  name: string | undefined;
  types: Mode[][];
  addType: Mode[][];
  removeType: Mode[][];
  config: string | undefined;
  noConfig: boolean;
  active: boolean;
  inactive: boolean;
  public: boolean;
  private: boolean;
  file: string | undefined;
};

/** The desired change. It is checked, but not against the form. */
export type FormChange = {
  /** The members that replace those of the form. */
  patch: Patch;
  /** The modes to add to the form's modes, and the modes to remove from them. */
  add: readonly Mode[];
  remove: readonly ModeWord[];
  /** The file that contains the change. */
  document?: Document;
  /** The texts to set in the form's config. An empty text removes the member from the config. */
  texts: readonly TypedText[];
};

/**
 * Reads and checks the change before the first request.
 *
 * @throws USAGE if options contradict each other
 * @throws INVALID_VALUE for the value of an option that the API refuses
 * @throws INVALID_FILE for a file that the API refuses
 */
export async function readChange(context: CommandContext, typed: UpdateOptions): Promise<FormChange> {
  refuseContradictions(typed);
  if (typed.file !== undefined) {
    const { value, document } = await readBody(context, typed.file, FormPatch);
    return { patch: value, document, add: [], remove: [], texts: [] };
  }
  const patch: Patch = {};
  if (typed.name !== undefined) patch.name = checkedName(typed.name);
  const types = modesOf(typed.types);
  if (types) patch.types = types;
  if (typed.noConfig) patch.config = null;
  if (typed.config !== undefined) patch.config = (await readBody(context, typed.config, FormConfig)).value;
  if (typed.active || typed.inactive) patch.isActive = typed.active;
  if (typed.public || typed.private) patch.isPublic = typed.public;
  const texts = typedTexts(typed);
  checkedConfig(Object.fromEntries(texts));
  return { patch, add: modesOf(typed.addType) ?? [], remove: modesOf(typed.removeType) ?? [], texts };
}

/** Returns the members of the change that differ from the form. */
export function smallestPatch({ patch, add, remove, texts }: FormChange, form: FormAnswer): Patch {
  const wanted: Patch = { ...patch };
  if (add.length + remove.length > 0) wanted.types = asDocumented(changedTypes(form, add, remove));
  if (texts.length > 0) wanted.config = configWith(form, texts);
  const isSame = (member: keyof Patch) => {
    if (member === "types") return sameModes(form.types, wanted.types ?? []);
    return form[member] !== undefined && canonicalJson(form[member]) === canonicalJson(wanted[member]);
  };
  return Object.fromEntries(Object.entries(wanted).filter(([member]) => !isSame(member as keyof Patch)));
}

/**
 * Returns the patch for a form that the token may not read. Returns undefined if the patch depends on the form's
 * current values.
 */
export function blindPatch({ patch, add, remove, texts }: FormChange): Patch | undefined {
  return add.length + remove.length + texts.length === 0 ? patch : undefined;
}

function refuseContradictions(typed: UpdateOptions): void {
  const texts = typedTexts(typed).length > 0;
  const added = typed.addType.flat();
  const pairs: [one: boolean, other: boolean, names: string][] = [
    [typed.types.length > 0, added.length > 0, "--types and --add-type"],
    [typed.types.length > 0, typed.removeType.length > 0, "--types and --remove-type"],
    [typed.config !== undefined, typed.noConfig, "--config and --no-config"],
    [typed.config !== undefined, texts, "--config and the texts"],
    [typed.noConfig, texts, "--no-config and the texts"],
    [typed.active, typed.inactive, "--active and --inactive"],
    [typed.public, typed.private, "--public and --private"],
  ];
  for (const [one, other, names] of pairs) {
    if (one && other) throw new FormctlError("USAGE", `${names} can't be combined`, "Remove one of them.");
  }
  const both = typed.removeType.flat().find((mode) => added.includes(mode));
  if (both)
    throw new FormctlError(
      "USAGE",
      `--add-type ${both} and --remove-type ${both} can't be combined`,
      "Remove one of them.",
    );
  const isTyped = typed.name !== undefined || texts || pairs.some(([one, other]) => one || other);
  if (isTyped && typed.file !== undefined)
    throw new FormctlError(
      "USAGE",
      "--file and the options that describe the change can't be combined",
      "Specify the whole change in the file.",
    );
}

/** Returns the modes after the change. @throws INVALID_VALUE if no mode would be left (R73) */
function changedTypes(form: FormAnswer, add: readonly Mode[], remove: readonly ModeWord[]): ModeWord[] {
  const types = [...new Set<ModeWord>([...form.types, ...add])].filter((mode) => !remove.includes(mode));
  if (types.length > 0) return types;
  throw new FormctlError(
    "INVALID_VALUE",
    `"${form.name}" would have no mode left`,
    "A form has at least one mode: add another one with --add-type, or delete the form.",
  );
}

function sameModes(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && b.every((mode) => a.includes(mode));
}

/**
 * Returns the form's config with the new texts. The API replaces a config as a whole (R76).
 *
 * @throws NOT_SHOWN if the server does not return the config, because the request would delete the config's other
 *   members
 */
function configWith(form: FormAnswer, texts: FormChange["texts"]): JsonObject | null {
  if (form.config === undefined) {
    throw notShown(
      `the config of the form "${form.name}" (${form.id}), and a change of one text replaces all of it`,
      "Replace it as a whole: --config FILE",
    );
  }
  const config: JsonObject = { ...form.config };
  for (const [key, text] of texts) {
    if (text === "") delete config[key];
    else config[key] = text;
  }
  // A config of null stays null when a text is removed.
  return form.config === null && Object.keys(config).length === 0 ? null : checkedConfig(config);
}
