/** Prompts for the value of an argument or option. The answer is what the user would type on the command line. */

import { readdirSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { FormctlError } from "../base/error.ts";
import { findForm } from "../lists/forms.ts";
import { MODES } from "../schemas/words.ts";
import { unlessForbidden } from "../service.ts";
import { type Choice, matching, type Prompter } from "../terminal/prompter.ts";
import { type FormAddress, parseObject, configuredObject } from "./addresses.ts";
import { type Asking, formChoices, listChoices, objectChoices } from "./choices.ts";
import type { ListName } from "./command.ts";
import type { Parameter } from "./missing.ts";
import { problemOf } from "./read-input.ts";
import { objectText, type ObjectKey } from "../lists/addresses.ts";

export type Prompting = Asking & { prompter: Prompter };

/**
 * Prompts for one value.
 *
 * @throws USAGE if there is nothing to choose
 * @throws Interrupted if the user presses Ctrl-C
 */
export async function promptValue(parameter: Parameter, prompting: Prompting): Promise<string> {
  const { choose } = parameter;
  const { prompter, input } = prompting;
  const label = labelOf(parameter);
  if (typeof choose !== "string") return prompter.search(label, wordChoices(choose));
  switch (choose) {
    case "text":
      return promptText(parameter, prompting);
    case "modes":
      return (await prompter.checkbox(label, wordChoices(MODES))).join(",");
    case "formModes":
      return (await prompter.checkbox(label, wordChoices(await modesOfForm(prompting)))).join(",");
    case "file":
    case "path":
      return promptFile(parameter, prompting);
    case "layoutOrPath": {
      const layouts = await listChoices("layout", prompting);
      const { cwd } = prompting.context;
      const source = (typed: string) => [
        ...matching(layouts, typed),
        ...(typed === "" ? [] : fileChoices(cwd, typed, true)),
      ];
      return prompter.search(label, source, { other: requireText });
    }
    case "form":
      return promptForm(label, await promptObject(prompting), prompting);
    case "defaultForm": {
      const mode = await prompter.select("Mode:", wordChoices(MODES));
      const object = input["object"] as ObjectKey;
      const form = await promptForm("Form:", object, prompting, [NO_DEFAULT]);
      return `${mode}=${form.startsWith(objectText(object)) ? form.slice(objectText(object).length + 1) : form}`;
    }
    default: {
      const choices = await listChoices(choose, prompting);
      const isOpen = isOpenList(prompting);
      if (choices.length === 0 && !isOpen) throw noneToChoose(`there are no ${choose}s`, HINTS[choose]);
      if (choices.length === 0) return promptText(parameter, prompting);
      const other = isOpen ? (text: string) => problemOf(parameter.parse, text) : undefined;
      return prompter.search(label, choices, other && { other });
    }
  }
}

/** How to create the records of a list that is empty. */
const HINTS: Partial<Record<ListName, string>> = {
  profile: "Add a profile: formctl profiles add NAME --base-url URL",
  migration: "Create a migration: formctl migrate new NAME",
  token: "Create a token: formctl local tokens create --name NAME",
  layout: "Create a form with its layout: formctl forms create OBJECT --name NAME --types VIEW",
  version: "Save a draft first: formctl layouts draft push",
};

const NO_DEFAULT: Choice = { name: "no default", value: "-", description: "Clears the default of the mode" };

/** Whether values that are not listed are accepted too. A server does not list everything. */
const isOpenList = ({ context: { target } }: Asking) => target.kind === "remote";

const wordChoices = (words: readonly string[]): Choice[] => words.map((word) => ({ name: word, value: word }));

/**
 * Returns the text of a prompt, such as `Form:` for FORM and `Surface:` for --surface. A parameter that accepts any
 * text has its description as the prompt.
 */
function labelOf({ word, about, choose }: Parameter): string {
  if (choose === "text") return `${about}:`;
  if (choose === "modes" || choose === "formModes") return "Modes:";
  if (choose === "layoutOrPath") return "Layout or file:";
  return `${titleOf(word)}:`;
}

/** Returns the name of an argument or option as words: `Token file` for --token-file. */
export function titleOf(word: string): string {
  const name = word.replace(/^--/, "").replaceAll("-", " ").toLowerCase();
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

function promptText(parameter: Parameter, { prompter }: Prompting): Promise<string> {
  const validate = (text: string) => (text.trim() === "" ? "A value is required." : problemOf(parameter.parse, text));
  const { word, about, choose } = parameter;
  const label = choose === "text" ? `${about}:` : `${word} (${about}):`;
  return prompter.input(label, { validate });
}

/** Prompts for an object. Asks nothing if the settings name an object, or if a local store has only one. */
async function promptObject(prompting: Prompting): Promise<ObjectKey> {
  const { context, prompter } = prompting;
  const configured = configuredObject(context.settings);
  if (configured) return configured;
  const choices = await objectChoices(context);
  const [only] = choices;
  if (only && choices.length === 1 && !isOpenList(prompting)) return parseObject(only.value);
  const other = (text: string) => problemOf(parseObject, text);
  const isOpen = isOpenList(prompting);
  if (!only && !isOpen) throw noneToChoose("the organization has no objects", "Add objects: formctl local seed FILE");
  if (!only) return parseObject(await prompter.input("Object (MODULE/OBJECT):", { validate: other }));
  return parseObject(await prompter.search("Object:", choices, isOpen ? { other } : undefined));
}

async function promptForm(
  label: string,
  object: ObjectKey,
  prompting: Prompting,
  more: readonly Choice[] = [],
): Promise<string> {
  const { context, prompter } = prompting;
  const forms = await formChoices(context, object);
  const address = objectText(object);
  if (forms.length + more.length > 0 && (forms.length > 0 || !isOpenList(prompting)))
    return prompter.search(label, [...forms, ...more]);
  if (isOpenList(prompting))
    return `${address}/${await prompter.input(`Form of ${address} (name or id):`, { validate: requireText })}`;
  throw noneToChoose(`${address} has no forms`, `Create one: formctl forms create ${address} --name NAME --types VIEW`);
}

const requireText = (text: string) => (text.trim() === "" ? "A value is required." : undefined);

const noneToChoose = (fact: string, hint?: string) => new FormctlError("USAGE", `nothing to choose: ${fact}`, hint);

/** Returns the modes of the form in the input. Returns all modes if the token may not read the form. */
async function modesOfForm({ context, input }: Asking): Promise<readonly string[]> {
  const service = await context.service();
  const form = await unlessForbidden(() => findForm(service, input["form"] as FormAddress));
  return form?.types ?? MODES;
}

/**
 * Prompts for a file. Lists the folder of the typed path. The first list shows the folder of the manifests, if the
 * settings name it.
 */
function promptFile(parameter: Parameter, { context, prompter }: Prompting): Promise<string> {
  const { cwd, settings } = context;
  const start = settings.manifests === undefined ? "" : `${relative(cwd, settings.manifests) || "."}/`;
  const isPath = parameter.choose === "path";
  return prompter.search(labelOf(parameter), (typed) => fileChoices(cwd, typed === "" ? start : typed, isPath), {
    other: (text) => (text.endsWith("/") && !isPath ? "A file is required." : undefined),
    ...(!isPath && { opens: (value: string) => value.endsWith("/") }),
  });
}

/** JSON and YAML files of other tools, which contain no input of formctl. */
const OTHER_TOOLS = /^(package|tsconfig|jsconfig)[\w.-]*\.json$|-lock\.(json|ya?ml)$/;

/**
 * Returns the files and folders that complete a typed path, and last the folder above. Without `any`, the files are only
 * YAML and JSON files.
 */
export function fileChoices(cwd: string, typed: string, any: boolean): Choice[] {
  const folder = typed.endsWith("/") ? typed : join(dirname(typed), "/");
  const prefix = folder === "./" && !typed.startsWith("./") ? "" : folder;
  try {
    const found = readdirSync(resolve(cwd, folder), { withFileTypes: true })
      .filter((entry) => !entry.name.startsWith(".") && entry.name !== "node_modules")
      .filter(
        (entry) => entry.isDirectory() || any || (/\.(ya?ml|json)$/.test(entry.name) && !OTHER_TOOLS.test(entry.name)),
      )
      .map((entry) => `${prefix}${entry.name}${entry.isDirectory() ? "/" : ""}`)
      .filter((path) => path.startsWith(typed.replace(/^\.\/$/, "")))
      .toSorted();
    const above = `${prefix}../`;
    return (above.startsWith(typed) ? [...found, above] : found).map((path) => ({ name: path, value: path }));
  } catch {
    // The typed folder does not exist or can't be read.
    return [];
  }
}
