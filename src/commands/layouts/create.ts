/** `formctl layouts create`: a layout that no form owns. */

import { FormctlError } from "../../error.ts";
import type { LayoutAnswer } from "../../schemas/answers.ts";
import type { Mode } from "../../schemas/form.ts";
import { LayoutCreate, OpenLayoutCreate } from "../../schemas/layout.ts";
import { readShape } from "../../schemas/shape.ts";
import type { Input } from "../../schemas/operations.ts";
import { FreeObject, Name } from "../../schemas/text.ts";
import { sendWithOptional } from "../../manifests/apply/optional-members.ts";
import { localRefusal, type Service } from "../../service.ts";
import { valueBy } from "../by-schema.ts";
import { type CommandContext, defineCommand, list, option } from "../command.ts";
import { modesOf, parseModes } from "../forms/mode-list.ts";
import { locatedRefusal, readBody } from "../read-body.ts";
import { completed } from "./ask-layout.ts";
import { printLayout } from "./layout-view.ts";
import { mutationIdOf, mutationIdOption } from "./mutation-id-option.ts";
import { typedSurface } from "./surface-option.ts";
import { targetOf, targetOption } from "./target-option.ts";

export default defineCommand({
  about: "Create a layout that no form owns",
  details: `For pages of the organization, contractors, users, invoices and dashboards, and for an object's pages beside its forms. The
layout of a form comes with the form: formctl forms create. A new layout has a draft with the surface's regions and no blocks.

--target KEY= without a value sends the member as null. FILE is YAML or JSON with exactly the body of the request: surface,
supportedModes, target, name, metadata and, where it is needed, clientMutationId.`,
  examples: [
    'formctl layouts create --surface CONTRACTOR --modes VIEW,EDIT --name "Contractor page"',
    'formctl layouts create --surface DASHBOARD --modes VIEW --target dashboardKey=sales --name "Sales board"',
    'formctl layouts create --surface DYNAMIC_OBJECT --modes VIEW --target moduleKey=staffing --target objectKey=candidate --name "Candidate card"',
  ],
  args: {},
  options: {
    surface: option("--surface <surface>", "The page family; see formctl layouts surfaces"),
    modes: list("--modes <modes>", "Modes that it serves, such as VIEW,EDIT", parseModes),
    target: targetOption(),
    name: option("--name <name>", "A name for people", valueBy(Name)),
    metadata: option("--metadata <file>", "An object of your own, in a YAML or JSON file"),
    file: option("-f, --file <file>", "Read the layout from a YAML or JSON file; - is standard input"),
    clientMutationId: mutationIdOption(),
  },
  writes: true,
  async run(context, { file, clientMutationId, ...typed }) {
    if (file === undefined) {
      const body = await typedBody(context, typed, mutationIdOf(context, clientMutationId));
      return create(await context.service(), body, clientMutationId !== undefined);
    }
    if (Object.values(typed).some((value) => (Array.isArray(value) ? value.length > 0 : value !== undefined))) {
      throw new FormctlError(
        "USAGE",
        "-f and the options that describe the layout contradict each other",
        "Put all of it into the file.",
      );
    }
    const { value, document } = await readBody(context, file, schemaOf(context));
    typedSurface(context, value.surface, "surface");
    const body = { ...value, clientMutationId: mutationIdOf(context, clientMutationId, value.clientMutationId) };
    refuseFormOwned(body.target);
    const isTyped = (clientMutationId ?? value.clientMutationId) !== undefined;
    const service = await context.service();
    return locatedRefusal(document, () => create(service, body, isTyped));
  },
  view: (layout: LayoutAnswer, terminal) => printLayout(layout, terminal),
  next: ({ id }: LayoutAnswer) => [
    `formctl layouts draft scaffold ${id} --into draft.yaml`,
    `formctl layouts draft push ${id} draft.yaml --publish`,
  ],
});

type Body = Input<"createLayout">["body"];

/** A server may have other surfaces than our engine. */
const schemaOf = ({ target }: CommandContext) => (target.kind === "local" ? LayoutCreate : OpenLayoutCreate);

/**
 * The API document names no clientMutationId for this request: a server that refuses an id that formctl made has done nothing, and
 * gets the same request once more without it.
 */
function create(service: Service, { clientMutationId, ...body }: Body, isTyped: boolean): Promise<LayoutAnswer> {
  if (isTyped) return service.createLayout({ body: { ...body, clientMutationId } });
  return sendWithOptional(new Set(), "clientMutationId", clientMutationId, (id) =>
    service.createLayout({ body: { ...body, ...id } }),
  );
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
  const typed = { surface: typedSurface(context, surface, "--surface"), supportedModes: modesOf(modes), name, target };
  const body = {
    clientMutationId,
    ...(await completed(context, typed)),
    metadata: metadata === undefined ? null : (await readBody(context, metadata, FreeObject)).value,
  };
  const shape = readShape(schemaOf(context), body);
  if (shape.ok) return body;
  const [first] = shape.problems;
  throw new FormctlError("INVALID_VALUE", `--${first?.path.replace(".", " ")} ${first?.message}`);
}

/** @throws ServiceError 409 LAYOUT_FORM_OWNED before anything is sent: a form has its layout already (R86) */
function refuseFormOwned({ formId }: Body["target"]): void {
  if (formId == null) return;
  const message = `the layout of the form ${formId} is created with the form: target formId can't be set`;
  throw localRefusal(409, "LAYOUT_FORM_OWNED", message);
}
