/** From the options of `forms update` to the smallest change of a form. */

import { type Form, FormConfig, type Mode } from "../../schemas/form.ts";
import { canonicalJson } from "../../schemas/json.ts";
import type { ParsedInput } from "../../schemas/operations.ts";
import { type CommandContext, InvalidValue, UsageError } from "../command.ts";
import { readBody } from "../read-body.ts";
import { checkedConfig, checkedName, type Texts, typedTexts } from "./form-options.ts";
import { modesOf } from "./mode-list.ts";

export type Patch = ParsedInput<"updateForm">["body"];

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
};

/** @throws UsageError when nothing was named, or two options say opposite things */
export function refuseContradictions(typed: UpdateOptions): void {
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
    if (one && other) throw new UsageError(`${names} contradict each other`, "Leave one of them out.");
  }
  const both = typed.removeType.flat().find((mode) => added.includes(mode));
  if (both) throw new UsageError(`${both} can't be both added and removed`, "Leave one of them out.");
  const isAnything = typed.name !== undefined || texts || pairs.some(([one, other]) => one || other);
  if (!isAnything) throw new UsageError("what should change?", "See the options: formctl forms update --help");
}

/** The members that differ from the form as it is; none where nothing does. */
export async function smallestPatch(context: CommandContext, form: Form, typed: UpdateOptions): Promise<Patch> {
  const patch: Patch = {};
  const name = typed.name === undefined ? form.name : checkedName(typed.name);
  if (name !== form.name) patch.name = name;
  const types = wantedTypes(form, typed);
  if (types.length !== form.types.length || types.some((mode) => !form.types.includes(mode))) patch.types = types;
  const config = await wantedConfig(context, form, typed);
  if (canonicalJson(config) !== canonicalJson(form.config)) patch.config = config;
  const isActive = typed.active ? true : typed.inactive ? false : form.isActive;
  if (isActive !== form.isActive) patch.isActive = isActive;
  const isPublic = typed.public ? true : typed.private ? false : form.isPublic;
  if (isPublic !== form.isPublic) patch.isPublic = isPublic;
  return patch;
}

/** @throws InvalidValue when no mode would be left (R73) */
function wantedTypes(form: Form, typed: UpdateOptions): Mode[] {
  const whole = modesOf(typed.types);
  if (whole) return whole;
  const removed = modesOf(typed.removeType) ?? [];
  const added = modesOf(typed.addType) ?? [];
  const types = [...new Set([...form.types, ...added])].filter((mode) => !removed.includes(mode));
  if (types.length > 0) return types;
  throw new InvalidValue(
    `"${form.name}" would be left without a mode`,
    "A form has at least one: add another in the same command with --add-type, or delete the form.",
  );
}

/** The API replaces a config as a whole (R76), so that single texts are put into the one that is there. */
async function wantedConfig(context: CommandContext, form: Form, typed: UpdateOptions): Promise<Form["config"]> {
  if (typed.noConfig) return null;
  if (typed.config !== undefined) return (await readBody(context, typed.config, FormConfig)).value;
  const texts = typedTexts(typed);
  if (texts.length === 0) return form.config;
  const config: Record<string, unknown> = { ...form.config };
  for (const [key, text] of texts) {
    if (text === "") delete config[key];
    else config[key] = text;
  }
  // Taking a text out of no config at all makes none.
  return form.config === null && Object.keys(config).length === 0 ? null : checkedConfig(config);
}
