/** `formctl forms create`: a form, and with it the layout that it owns. */

import { FormctlError, hasCode } from "../../error.ts";
import type { FormAnswer } from "../../schemas/answers.ts";
import { FormCreate, type Mode } from "../../schemas/form.ts";
import type { Input, ParsedInput } from "../../schemas/operations.ts";
import type { Service } from "../../service.ts";
import type { ObjectAddress } from "../addresses.ts";
import { type CommandContext, defineCommand, flag, list, option } from "../command.ts";
import { locatedRefusal, readBody } from "../read-body.ts";
import { typedForm } from "../typed-form.ts";
import { chosenObject, objectArgument } from "./chosen-object.ts";
import { checkedConfig, checkedName, textOptions, typedTexts, type Texts } from "./form-options.ts";
import { printForm } from "./form-view.ts";
import { modesOf, parseModes, selectModes } from "./mode-list.ts";

type Body = Input<"createForm">["body"];
type Typed = Texts & { name: string | undefined; types: Mode[][]; inactive: boolean; public: boolean };

export default defineCommand({
  about: "Create a form and its layout",
  details: `The form is active unless --inactive says otherwise. Its layout begins as an empty draft: no mode is usable before
a draft has been pushed and published.

FILE is YAML or JSON with exactly the body of the request: name, types, isActive, isPublic, config.`,
  examples: [
    'formctl forms create staffing/candidate --name "Quick look" --types VIEW',
    'formctl forms create staffing/candidate --name "Self service" --types CREATE,EDIT --public --title "Join us"',
    `echo '{name: Short intake, types: [CREATE]}' | formctl forms create staffing/candidate -f -`,
  ],
  args: { object: objectArgument },
  options: {
    name: option("--name <name>", "Name of the form"),
    types: list("--types <modes>", "Modes: CREATE, VIEW, EDIT, with commas between them", parseModes),
    inactive: flag("--inactive", "Keep it out of use for now"),
    public: flag("--public", "Open it for public submission"),
    ...textOptions,
    file: option("-f, --file <file>", "Read the form from a YAML or JSON file; - is standard input"),
  },
  writes: true,
  async run(context, { object: typed, file, ...options }) {
    const object = chosenObject(context, typed);
    if (file === undefined) {
      const body = await typedBody(context, options);
      const service = await context.service();
      return created(service, object, await service.createForm({ ...object, body }));
    }
    refuseBoth(options);
    const { value, document } = await readBody(context, file, FormCreate);
    const service = await context.service();
    const form = await locatedRefusal(document, () => service.createForm({ ...object, body: withoutNull(value) }));
    return created(service, object, form);
  },
  // That a new layout has not been published is no news, and what to do about it is said below.
  view: ({ form }, terminal) => printForm({ ...form, layoutWarnings: [] }, terminal),
  document: ({ form }) => form,
  next: ({ typed }) => [`formctl layouts draft push ${typed} FILE`],
});

async function created(service: Service, object: ObjectAddress, form: FormAnswer) {
  return { form, typed: await typedForm(service, object, form) };
}

/** The whole body: both flags are always sent, because a server's own defaults may be others (R58). */
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
  if (!prompter) throw new FormctlError("USAGE", "the form's name is missing", 'Name it: --name "Candidate intake"');
  return prompter.input("Name of the form:", { validate: complaint(checkedName) });
}

async function askModes({ prompter }: CommandContext): Promise<Mode[]> {
  if (!prompter) throw new FormctlError("USAGE", "the form's modes are missing", "Name them: --types VIEW,EDIT");
  return selectModes(prompter);
}

/** What a check has to say of an answer, or nothing. */
function complaint(check: (text: string) => unknown): (answer: string) => string | undefined {
  return (answer) => {
    try {
      check(answer);
      return undefined;
    } catch (error) {
      if (hasCode(error, "INVALID_VALUE")) return [error.message, error.hint].filter(Boolean).join(". ");
      throw error;
    }
  };
}

function refuseBoth(typed: Typed): void {
  const isTyped = typed.name !== undefined || typed.types.length > 0 || typed.inactive || typed.public;
  if (!isTyped && typedTexts(typed).length === 0) return;
  throw new FormctlError(
    "USAGE",
    "-f and the options that describe the form contradict each other",
    "Put all of it into the file.",
  );
}

/** A config that is null says no more than one that is absent, and not every server takes it. */
function withoutNull({ config, ...body }: ParsedInput<"createForm">["body"]): Body {
  return config === null ? body : { ...body, config };
}
