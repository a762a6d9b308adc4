/** `formctl forms create`: creates a form together with its layout. */

import { FormctlError } from "../../base/error.ts";
import type { Document } from "../../documents/document.ts";
import type { Mode } from "../../schemas/form.ts";
import { FormCreate } from "../../schemas/form-schema.ts";
import type { Input, ParsedInput } from "../../schemas/operations.ts";
import { defaultObjectArgument } from "../address-arguments.ts";
import { shortestAddress } from "../lookups.ts";
import { type CommandContext, defineCommand, flag, list, option } from "../command.ts";
import { Name } from "../../schemas/text.ts";
import { fileNameFor } from "../file-name.ts";
import { locatedRefusal, readBody, valueBy } from "../read-input.ts";
import { checkedConfig, textOptions, typedTexts, type Texts } from "./form-input.ts";
import { printForm } from "./form-view.ts";
import { checkName } from "./namesakes.ts";
import { modesOf, parseModes } from "../modes.ts";

type Body = Input<"createForm">["body"];
type Read = { body: Body; document?: Document };
type Typed = Texts & { name: string | undefined; types: Mode[][]; inactive: boolean; public: boolean };

export default defineCommand({
  details: `The form is active unless --inactive is set. Its layout starts with an empty draft: no mode is usable until a draft is
pushed and published.

If another form of the object has the name, the command asks before it creates a second one; without a terminal, it is refused.
--if-not-exists shows the existing form instead, and changes nothing.

FILE is YAML or JSON with exactly the request body: name, types, isActive, isPublic, config.`,
  examples: [
    'formctl forms create staffing/candidate --name "Quick look" --types VIEW',
    'formctl forms create staffing/candidate --name "Self service" --types CREATE,EDIT --public --title "Join us"',
    'formctl forms create staffing/candidate --name "Quick look" --types VIEW --if-not-exists',
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
    ifNotExists: flag("--if-not-exists", "If a form has the name, show it and create none"),
    allowDuplicate: flag("--allow-duplicate", "Create the form even if another form has the name"),
  },
  atLeastOneOf: [
    ["name", "file"],
    ["types", "file"],
  ],
  writes: true,
  async run(context, { object, file, ifNotExists, allowDuplicate, ...options }) {
    if (ifNotExists && allowDuplicate)
      throw new FormctlError("USAGE", "--if-not-exists and --allow-duplicate can't be combined", "Remove one of them.");
    const { body, document } = await readForm(context, file, options);
    const service = await context.service();
    const onDuplicate = ifNotExists ? "show" : allowDuplicate ? "allow" : "ask";
    const { existing, namesakes } = await checkName(context, { service, object, body, onDuplicate });
    if (existing) return { form: existing, address: shortestAddress(object, existing, true), isNew: false };
    const request = () => service.createForm({ ...object, body }, { ...(namesakes && { namesakes }) });
    const form = await (document ? locatedRefusal(document, request) : request());
    // `namesakes` are the forms with the sent name. They show that the name is unique only if the server stored the
    // sent name.
    const isUnique = namesakes?.length === 0 && form.name === body.name;
    return { form, address: shortestAddress(object, form, isUnique), isNew: true };
  },
  // Omits the warning that the layout is unpublished. Every new layout is unpublished, and `next` suggests the next
  // step.
  view: ({ form }, terminal) => printForm({ ...form, layoutWarnings: [] }, terminal),
  document: ({ form }) => form,
  next({ form, address, isNew }) {
    if (!isNew) return [];
    const file = fileNameFor(form.name);
    return [
      `formctl layouts draft scaffold ${address} --out ${file}`,
      `formctl layouts draft push ${address} ${file} --publish`,
    ];
  },
});

async function readForm(context: CommandContext, file: string | undefined, typed: Typed): Promise<Read> {
  if (file === undefined) return { body: typedBody(typed) };
  refuseBoth(typed);
  const { value, document } = await readBody(context, file, FormCreate);
  return { body: withoutNull(value), document };
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
