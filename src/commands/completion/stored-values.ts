/** Reads the names of records from the target, to complete an argument. */

import { listFormsToComplete } from "../../lists/forms.ts";
import { MODES } from "../../schemas/words.ts";
import { parseObject } from "../addresses.ts";
import { type Asking, formChoices, listChoices, objectChoices, pageChoices } from "../choices.ts";
import type { Choice } from "../../terminal/prompter.ts";
import type { Command, CommandContext } from "../command.ts";
import { readArguments } from "../invocation.ts";
import type { Candidate } from "./candidates.ts";
import type { Stored } from "./values.ts";
import { objectText, type ObjectKey } from "../../lists/addresses.ts";

export type StoredRequest = {
  stored: Stored;
  word: string;
  /** The command that takes the value, and its arguments before the word. Undefined for a global option. */
  command: Command | undefined;
  args: readonly string[];
};

/** Returns the candidates for a word. @throws the errors of the target, which the caller ignores */
export async function storedValues(context: CommandContext, request: StoredRequest): Promise<Candidate[]> {
  const { stored, word } = request;
  switch (stored) {
    case "form":
      return forms(context, word);
    case "layout":
      return [...(await forms(context, word)), ...(await pageChoices(context)).map(candidateOf)];
    case "defaultForm":
      return defaults(context, word, await inputOf(context, request));
    case "organization": {
      const { organizations } = await (await context.local()).show();
      return organizations.map(({ key, name }) => ({ value: key, about: name }));
    }
    case "priority": {
      const roles = await listChoices("role", { context, input: {} });
      return roles.map(({ value, name }) => ({ value: `${value}=`, about: name, continues: true }));
    }
    default: {
      const choices = await listChoices(stored, { context, input: await inputOf(context, request) });
      return choices.map(candidateOf);
    }
  }
}

function candidateOf({ value, name, description }: Choice): Candidate {
  return { value, about: value.endsWith(name) ? description : name };
}

async function inputOf(context: CommandContext, { command, args }: StoredRequest): Promise<Asking["input"]> {
  if (!command) return {};
  const input = readArguments(command, args);
  for (const [member, { complete }] of Object.entries(command.args))
    if (complete && input[member] !== undefined) input[member] = await complete(input[member], context);
  return input;
}

/**
 * Offers the objects. If the word starts with `MODULE/OBJECT/` or matches only one object, offers its forms instead.
 */
async function forms(context: CommandContext, word: string): Promise<Candidate[]> {
  const [moduleKey = "", objectKey, ...rest] = word.split("/");
  if (objectKey !== undefined && rest.length > 0)
    return (await startingWith(context, { moduleKey, objectKey }, rest.join("/"))).map(candidateOf);
  const matches = (await objectChoices(context)).filter(({ value }) => value.startsWith(word));
  const [only] = matches;
  if (only && matches.length === 1) return (await startingWith(context, parseObject(only.value), "")).map(candidateOf);
  return matches.map(({ value, description }) => ({ value: `${value}/`, about: description, continues: true }));
}

function startingWith(context: CommandContext, object: ObjectKey, start: string): Promise<Choice[]> {
  return formChoices(context, object, (service) => listFormsToComplete(service, object, start));
}

/** Offers `MODE=` for each mode, and after the `=` the names of the forms of the object. */
async function defaults(context: CommandContext, word: string, { object }: Asking["input"]): Promise<Candidate[]> {
  const end = word.indexOf("=");
  if (end === -1) return MODES.map((mode) => ({ value: `${mode}=`, continues: true }));
  const address = object as ObjectKey;
  const start = `${objectText(address)}/`.length;
  const choices = await startingWith(context, address, word.slice(end + 1));
  return choices.map(({ value, description }) => ({
    value: `${word.slice(0, end)}=${value.slice(start)}`,
    about: description,
  }));
}
