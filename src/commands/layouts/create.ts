/** `formctl layouts create`: a layout that no form owns. */

import type { LayoutAnswer } from "../../schemas/answers.ts";
import { LayoutCreate, OpenLayoutCreate } from "../../schemas/layout.ts";
import { readShape } from "../../schemas/shape.ts";
import { FreeObject, Name } from "../../schemas/text.ts";
import { by } from "../by-schema.ts";
import { defineCommand, InvalidValue, list, option } from "../command.ts";
import { modesOf, parseModes } from "../forms/mode-list.ts";
import { readBody } from "../read-body.ts";
import { completed } from "./ask-layout.ts";
import { printLayout } from "./layout-view.ts";
import { typedSurface } from "./surface-option.ts";
import { targetOf, targetOption } from "./target-option.ts";

export default defineCommand({
  about: "Create a layout that no form owns",
  details: `For pages of the organization, contractors, users, invoices and dashboards, and for an object's pages beside its forms. The
layout of a form comes with the form: formctl forms create. A new layout has a draft with the surface's regions and no blocks.`,
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
    name: option("--name <name>", "A name for people", by(Name)),
    metadata: option("--metadata <file>", "An object of your own, in a YAML or JSON file"),
  },
  writes: true,
  async run(context, { surface, modes, target, name, metadata }) {
    const typed = {
      surface: typedSurface(context, surface, "--surface"),
      supportedModes: modesOf(modes),
      name,
      target: targetOf(target),
    };
    const body = {
      clientMutationId: context.newMutationId(),
      ...(await completed(context, typed)),
      metadata: metadata === undefined ? null : (await readBody(context, metadata, FreeObject)).value,
    };
    const shape = readShape(context.target.kind === "local" ? LayoutCreate : OpenLayoutCreate, body);
    if (!shape.ok) {
      const [first] = shape.problems;
      throw new InvalidValue(`--${first?.path.replace(".", " ")} ${first?.message}`);
    }
    const service = await context.service();
    return service.createLayout({ body });
  },
  view: (layout: LayoutAnswer, terminal) => printLayout(layout, terminal),
  next: ({ id }: LayoutAnswer) => [
    `formctl layouts draft scaffold ${id} --into draft.yaml`,
    `formctl layouts draft push ${id} draft.yaml --publish`,
  ],
});
