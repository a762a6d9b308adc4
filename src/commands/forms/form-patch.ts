/** From the options of `forms update`, or its file, to the smallest change of a form. */

import { FormctlError } from "../../error.ts";
import type { Document } from "../../documents/document.ts";
import type { FormAnswer } from "../../schemas/answers.ts";
import { FormConfig, FormPatch } from "../../schemas/form.ts";
import { canonicalJson, type JsonObject } from "../../schemas/json.ts";
import type { ModeWord } from "../../schemas/open.ts";
import type { Input } from "../../schemas/operations.ts";
import type { Mode } from "../../schemas/words.ts";
import { notShown } from "../../service.ts";
import type { CommandContext } from "../command.ts";
import { readBody } from "../read-body.ts";
import { checkedConfig, checkedName, type Texts, typedTexts } from "./form-options.ts";
import { modesOf } from "./mode-list.ts";

export type Patch = Input<"updateForm">["body"];

/** The options of `forms update` as they were typed. */
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

/** What a person wants of a form, checked as far as that is possible without the form. */
export type WantedChange = {
  /** Members that replace those of the form. */
  patch: Patch;
  /** Modes to add to those of the form, and to remove from them. */
  add: readonly Mode[];
  remove: readonly ModeWord[];
  /** The file that the change was read from. */
  document?: Document;
  /** Texts to put into the config of the form; an empty one removes its member. */
  texts: readonly (readonly [key: keyof Texts, text: string])[];
};

/**
 * Reads and checks the change before the first request.
 *
 * @throws USAGE where nothing is named, or two options contradict each other; INVALID_VALUE for a value that the API refuses
 */
export async function readChange(context: CommandContext, typed: UpdateOptions): Promise<WantedChange> {
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

/** The members that differ from the form as it is; none where nothing does. */
export function smallestPatch({ patch, add, remove, texts }: WantedChange, form: FormAnswer): Patch {
  const wanted: Patch = { ...patch };
  if (add.length + remove.length > 0) wanted.types = changedTypes(form, add, remove);
  if (texts.length > 0) wanted.config = configWith(form, texts);
  const isSame = (member: keyof Patch) => {
    if (member === "types") return sameModes(form.types, wanted.types ?? []);
    return form[member] !== undefined && canonicalJson(form[member]) === canonicalJson(wanted[member]);
  };
  return Object.fromEntries(Object.entries(wanted).filter(([member]) => !isSame(member as keyof Patch)));
}

/** The change of a form that may not be read; undefined where it depends on what the form has. */
export function blindPatch({ patch, add, remove, texts }: WantedChange): Patch | undefined {
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
    if (one && other) throw new FormctlError("USAGE", `${names} contradict each other`, "Remove one of them.");
  }
  const both = typed.removeType.flat().find((mode) => added.includes(mode));
  if (both) throw new FormctlError("USAGE", `${both} can't be both added and removed`, "Remove one of them.");
  const isTyped = typed.name !== undefined || texts || pairs.some(([one, other]) => one || other);
  if (isTyped && typed.file !== undefined)
    throw new FormctlError(
      "USAGE",
      "-f and the options that describe the change contradict each other",
      "Use one or the other.",
    );
  if (!isTyped && typed.file === undefined) {
    throw new FormctlError(
      "USAGE",
      "nothing to update: specify at least one option",
      "See the options: formctl forms update --help",
    );
  }
}

/** @throws INVALID_VALUE when no mode would be left (R73) */
function changedTypes(form: FormAnswer, add: readonly Mode[], remove: readonly ModeWord[]): ModeWord[] {
  const types = [...new Set<ModeWord>([...form.types, ...add])].filter((mode) => !remove.includes(mode));
  if (types.length > 0) return types;
  throw new FormctlError(
    "INVALID_VALUE",
    `"${form.name}" would be left without a mode`,
    "A form has at least one mode: add another one with --add-type, or delete the form.",
  );
}

function sameModes(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && b.every((mode) => a.includes(mode));
}

/**
 * The API replaces a config as a whole (R76), so that single texts are put into the config of the form.
 *
 * @throws NOT_SHOWN where the server leaves the config out: the other members would be lost
 */
function configWith(form: FormAnswer, texts: WantedChange["texts"]): JsonObject | null {
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
  // Removing a text from no config at all makes none.
  return form.config === null && Object.keys(config).length === 0 ? null : checkedConfig(config);
}
