/** `formctl forms create`: creates a form together with its layout. */

import { FormctlError } from "../../error.ts";
import type { FormAnswer } from "../../schemas/answers.ts";
import { FormCreate, type Mode } from "../../schemas/form.ts";
import type { Input, ParsedInput } from "../../schemas/operations.ts";
import type { Service } from "../../service.ts";
import { defaultObjectArgument } from "../address-arguments.ts";
import type { ObjectAddress } from "../addresses.ts";
import { typedForm } from "../lookups.ts";
import { defineCommand, flag, list, option } from "../command.ts";
import { Name } from "../../schemas/text.ts";
import { locatedRefusal, readBody, valueBy } from "../read-input.ts";
import { checkedConfig, textOptions, typedTexts, type Texts } from "./form-input.ts";
import { printForm } from "./form-view.ts";
import { modesOf, parseModes } from "../modes.ts";

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
  args: { object: defaultObjectArgument },
  options: {
    name: option("--name <name>", "Name of the form", valueBy(Name)),
    types: list("--types <modes>", "Modes, separated by commas: CREATE, VIEW, EDIT", parseModes, "modes"),
    inactive: flag("--inactive", "Create the form as inactive"),
    public: flag("--public", "Accept public submissions"),
    ...textOptions,
    file: option("-f, --file <file>", "Read the form from a YAML or JSON file; - is standard input"),
  },
  atLeastOneOf: [
    ["name", "file"],
    ["types", "file"],
  ],
  writes: true,
  async run(context, { object, file, ...options }) {
    if (file === undefined) {
      const body = typedBody(options);
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
  next: ({ address }) => [`formctl layouts draft push ${address} FILE`],
});

async function withAddress(service: Service, object: ObjectAddress, form: FormAnswer) {
  return { form, address: await typedForm(service, object, form) };
}

/**
 * Returns the request body. It always has `isActive` and `isPublic`, because their default values may differ between
 * servers (R58).
 */
function typedBody(typed: Typed): Body {
  const { name = "" } = typed;
  const types = modesOf(typed.types) ?? [];
  const texts = typedTexts(typed);
  return {
    name,
    types,
    isActive: !typed.inactive,
    isPublic: typed.public,
    ...(texts.length > 0 && { config: checkedConfig(Object.fromEntries(texts)) }),
  };
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
