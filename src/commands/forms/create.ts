/** `formctl forms create`: creates a form together with its layout. */

import { FormctlError, hasCode } from "../../error.ts";
import type { FormAnswer } from "../../schemas/answers.ts";
import { FormCreate, type Mode } from "../../schemas/form.ts";
import type { Input, ParsedInput } from "../../schemas/operations.ts";
import type { Service } from "../../service.ts";
import { type ObjectAddress, chosenObject, objectArgument } from "../addresses.ts";
import { typedForm } from "../lookups.ts";
import { type CommandContext, defineCommand, flag, list, option } from "../command.ts";
import { fileNameFor } from "../file-name.ts";
import { locatedRefusal, readBody } from "../read-input.ts";
import { checkedConfig, checkedName, textOptions, typedTexts, type Texts } from "./form-input.ts";
import { printForm } from "./form-view.ts";
import { modesOf, parseModes, selectModes } from "../modes.ts";

type Body = Input<"createForm">["body"];
type Typed = Texts & { name: string | undefined; types: Mode[][]; inactive: boolean; public: boolean };

export default defineCommand({
  details: `The form is active unless --inactive is set. Its layout starts with an empty draft: no mode is usable until a draft is
pushed and published.

FILE is YAML or JSON with exactly the request body: name, types, isActive, isPublic, config.`,
  examples: [
    'formctl forms create staffing/candidate --name "Quick look" --types VIEW',
    'formctl forms create staffing/candidate --name "Self service" --types CREATE,EDIT --public --title "Join us"',
    `echo '{name: Short intake, types: [CREATE]}' | formctl forms create staffing/candidate -f -`,
  ],
  args: { object: objectArgument },
  options: {
    name: option("--name <name>", "Name of the form"),
    types: list("--types <modes>", "Modes, separated by commas: CREATE, VIEW, EDIT", parseModes),
    inactive: flag("--inactive", "Create the form as inactive"),
    public: flag("--public", "Accept public submissions"),
    ...textOptions,
    file: option("-f, --file <file>", "Read the form from a YAML or JSON file; - is standard input"),
  },
  writes: true,
  async run(context, { object: typed, file, ...options }) {
    const object = chosenObject(context, typed);
    if (file === undefined) {
      const body = await typedBody(context, options);
      const service = await context.service();
      return withAddress(service, object, await service.createForm({ ...object, body }));
    }
    refuseBoth(options);
    const { value, document } = await readBody(context, file, FormCreate);
    const service = await context.service();
    const form = await locatedRefusal(document, () => service.createForm({ ...object, body: withoutNull(value) }));
    return withAddress(service, object, form);
  },
  // Omits the warning that the layout is unpublished: every new layout is unpublished, and `next` suggests what to do.
  view: ({ form }, terminal) => printForm({ ...form, layoutWarnings: [] }, terminal),
  document: ({ form }) => form,
  next({ form, address }) {
    const file = fileNameFor(form.name);
    return [
      `formctl layouts draft scaffold ${address} --into ${file}`,
      `formctl layouts draft push ${address} ${file} --publish`,
    ];
  },
});

async function withAddress(service: Service, object: ObjectAddress, form: FormAnswer) {
  return { form, address: await typedForm(service, object, form) };
}

/**
 * Returns the request body. It always has `isActive` and `isPublic`, because their default values may differ between
 * servers (R58).
 */
async function typedBody(context: CommandContext, typed: Typed): Promise<Body> {
  const name = checkedName(typed.name ?? (await askName(context)));
  const types = modesOf(typed.types) ?? (await askModes(context));
  const texts = typedTexts(typed);
  return {
    name,
    types,
    isActive: !typed.inactive,
    isPublic: typed.public,
    ...(texts.length > 0 && { config: checkedConfig(Object.fromEntries(texts)) }),
  };
}

async function askName({ prompter }: CommandContext): Promise<string> {
  if (!prompter)
    throw new FormctlError("USAGE", "missing option --name", 'Specify the name of the form: --name "Candidate intake"');
  return prompter.input("Name of the form:", { validate: nameProblem });
}

/** Returns the problem of a name, for the prompt; undefined if the name is valid. */
function nameProblem(text: string): string | undefined {
  try {
    checkedName(text);
    return undefined;
  } catch (error) {
    if (hasCode(error, "INVALID_VALUE")) return error.message;
    throw error;
  }
}

async function askModes({ prompter }: CommandContext): Promise<Mode[]> {
  if (!prompter)
    throw new FormctlError("USAGE", "missing option --types", "Specify the modes of the form: --types VIEW,EDIT");
  return selectModes(prompter);
}

function refuseBoth(typed: Typed): void {
  const isTyped = typed.name !== undefined || typed.types.length > 0 || typed.inactive || typed.public;
  if (!isTyped && typedTexts(typed).length === 0) return;
  throw new FormctlError(
    "USAGE",
    "--file and the options that describe the form can't be combined",
    "Specify the whole form in the file.",
  );
}

/** Omits a config that is null: an absent config means the same, and some servers refuse null. */
function withoutNull({ config, ...body }: ParsedInput<"createForm">["body"]): Body {
  return config === null ? body : { ...body, config };
}
