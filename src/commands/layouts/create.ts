/** `formctl layouts create`: creates a layout that no form owns. */

import { FormctlError } from "../../base/error.ts";
import type { LayoutAnswer } from "../../schemas/answers.ts";
import type { Mode } from "../../schemas/form.ts";
import { LayoutCreate, OpenLayoutCreate } from "../../schemas/layout-schema.ts";
import { readShape } from "../../schemas/shape.ts";
import type { Input } from "../../schemas/operations.ts";
import { FreeObject, Name } from "../../schemas/text.ts";
import { layoutAddress } from "../../lists/addresses.ts";
import { isOrganizationLayout, layoutAmong, listAllLayouts } from "../../lists/layouts.ts";
import { localRefusal, notShown, type Service } from "../../service.ts";
import { valueBy, locatedRefusal, readBody } from "../read-input.ts";
import { asText, type CommandContext, defineCommand, flag, list, option } from "../command.ts";
import { modesOf, parseModes } from "../modes.ts";
import { printLayout } from "./layout-view.ts";
import { mayOmitId, mutationIdOf, mutationIdOption, typedSurface, targetOf, targetOption } from "./options.ts";
import { asDocumented, type Open, SURFACES } from "../../schemas/words.ts";
import { quoted } from "../../base/shell-quote.ts";
import { visible } from "../../terminal/escape.ts";

export default defineCommand({
  details: `Creates a layout for a page of the organization, a contractor, a user, an invoice, a dashboard, or an object without a form.
The layout of a form is created with the form: formctl forms create. A new layout has a draft with the surface's regions and no
blocks.

--if-not-exists shows the layout that has the name, surface and target, and creates none. The names of layouts need not be unique.

--target KEY= without a value sends null. FILE is YAML or JSON with exactly the request body: surface, supportedModes, target, name,
metadata and, if required, clientMutationId.`,
  examples: [
    'formctl layouts create --surface CONTRACTOR --modes VIEW,EDIT --name "Contractor page"',
    'formctl layouts create --surface DASHBOARD --modes VIEW --target dashboardKey=sales --name "Sales board"',
    'formctl layouts create --surface DYNAMIC_OBJECT --modes VIEW --target moduleKey=staffing --target objectKey=candidate --name "Candidate card"',
  ],
  args: {},
  options: {
    surface: option("--surface <surface>", "Surface (page family); see formctl layouts surfaces", asText, SURFACES),
    modes: list("--modes <modes>", "Modes of the layout, such as VIEW,EDIT", parseModes, "modes"),
    target: targetOption(),
    name: option("--name <name>", "Name of the layout", valueBy(Name)),
    metadata: option("--metadata <file>", "YAML or JSON file with custom metadata, an object", asText, "file"),
    file: option("-f, --file <file>", "Read the layout from a YAML or JSON file; - is standard input", asText, "file"),
    ifNotExists: flag("--if-not-exists", "If a layout has the name, surface and target, show it and create none"),
    clientMutationId: mutationIdOption(),
  },
  atLeastOneOf: [
    ["surface", "file"],
    ["modes", "file"],
    ["name", "file"],
  ],
  writes: true,
  async run(context, { file, clientMutationId, ifNotExists, ...typed }): Promise<Result> {
    if (file === undefined) {
      const body = await typedBody(context, typed, mutationIdOf(context, clientMutationId));
      const service = await context.service();
      const existing = ifNotExists ? await findExisting(context, service, body) : undefined;
      if (existing) return { layout: existing, isNew: false };
      return { layout: await create(service, body, clientMutationId !== undefined), isNew: true };
    }
    if (Object.values(typed).some((value) => (Array.isArray(value) ? value.length > 0 : value !== undefined))) {
      throw new FormctlError(
        "USAGE",
        "--file and the options that describe the layout can't be combined",
        "Specify the whole layout in the file.",
      );
    }
    const { value, document } = await readBody(context, file, schemaOf(context));
    typedSurface(context, value.surface, "surface");
    const body = { ...value, clientMutationId: mutationIdOf(context, clientMutationId, value.clientMutationId) };
    refuseFormOwned(body.target);
    const isTyped = (clientMutationId ?? value.clientMutationId) !== undefined;
    const service = await context.service();
    const existing = ifNotExists ? await findExisting(context, service, body) : undefined;
    if (existing) return { layout: existing, isNew: false };
    return { layout: await locatedRefusal(document, () => create(service, body, isTyped)), isNew: true };
  },
  view: ({ layout }, terminal) => printLayout(layout, terminal),
  document: ({ layout }) => layout,
  next({ layout: { id }, isNew }) {
    if (!isNew) return [];
    return [
      `formctl layouts draft scaffold ${quoted(id)} --out draft.yaml`,
      `formctl layouts draft push ${quoted(id)} draft.yaml --publish`,
    ];
  },
});

type Result = { layout: LayoutAnswer; isNew: boolean };

type Body = Open<Input<"createLayout">["body"]>;

/** Returns the schema of the file. A server may have other surfaces than the local store. */
const schemaOf = ({ target }: CommandContext) => (target.kind === "local" ? LayoutCreate : OpenLayoutCreate);

/** Creates the layout. The API does not document a clientMutationId for this request, so a server may refuse it. */
function create(service: Service, body: Body, isTyped: boolean): Promise<LayoutAnswer> {
  return service.createLayout({ body: asDocumented(body) }, mayOmitId(isTyped));
}

/**
 * Returns the existing layout with the name, surface and target of the new layout, if there is one. Another process can
 * still create such a layout afterwards.
 *
 * @throws NOT_SHOWN if the server does not list layouts
 * @throws AMBIGUOUS_NAME if several layouts match
 */
async function findExisting(
  { terminal }: CommandContext,
  service: Service,
  body: Body,
): Promise<LayoutAnswer | undefined> {
  const listed = await listAllLayouts(service, new Set([body.surface]));
  if (!listed) throw notShown("a list of layouts", "Without --if-not-exists, the layout is created.");
  const address = layoutAddress(body.surface, body.target, body.name);
  const existing = layoutAmong(listed.filter(isOrganizationLayout), address);
  if (!existing) return undefined;
  terminal.hint(visible(`The layout "${body.name}" already exists: ${existing.id}. Nothing was changed.`));
  const modes = (existing.supportedModes ?? body.supportedModes).toSorted().join(", ");
  const wanted = body.supportedModes.toSorted().join(", ");
  if (modes !== wanted) {
    const update = `formctl layouts update ${quoted(existing.id)} --modes ${body.supportedModes.join()}`;
    terminal.warn(visible(`It differs: its modes are ${modes}, not ${wanted}. To change it: ${update}`));
  }
  return existing;
}

type Typed = {
  surface: string | undefined;
  modes: Mode[][];
  target: Parameters<typeof targetOf>[0];
  name: string | undefined;
  metadata: string | undefined;
};

async function typedBody(
  context: CommandContext,
  { surface, modes, target: members, name, metadata }: Typed,
  clientMutationId: string,
): Promise<Body> {
  const target = targetOf(members, context);
  refuseFormOwned(target);
  const body = {
    clientMutationId,
    surface: typedSurface(context, surface, "--surface") ?? "",
    supportedModes: modesOf(modes) ?? [],
    name: name ?? "",
    target,
    metadata: metadata === undefined ? null : (await readBody(context, metadata, FreeObject)).value,
  };
  const shape = readShape(schemaOf(context), body);
  if (shape.ok) return body;
  const [first] = shape.problems;
  // The metadata are in a file.
  const code = first?.path.startsWith("metadata") ? "INVALID_VALUE" : "USAGE";
  throw new FormctlError(code, `--${first?.path.replace(".", " ")} ${first?.message}`);
}

/**
 * Refuses a target with a form, because the form already has its layout (R86).
 *
 * @throws ServiceError 409 LAYOUT_FORM_OWNED
 */
function refuseFormOwned({ formId }: Body["target"]): void {
  if (formId == null) return;
  const message = `the layout of the form ${formId} is created with the form: target formId can't be set`;
  throw localRefusal(409, "LAYOUT_FORM_OWNED", message);
}
