/** `formctl layouts update`: name, metadata, and of a layout that no form owns the modes. */

import type { LayoutAnswer } from "../../schemas/answers.ts";
import { FreeObject, Name } from "../../schemas/text.ts";
import { findLayoutId, parseLayout } from "../addresses.ts";
import { by } from "../by-schema.ts";
import { argument, defineCommand, flag, list, option, UsageError } from "../command.ts";
import { modesOf, parseModes } from "../forms/mode-list.ts";
import { readBody } from "../read-body.ts";
import { printLayout } from "./layout-view.ts";

export default defineCommand({
  about: "Change a layout's name, metadata or modes",
  details: `Metadata is replaced as a whole. The modes of a form's layout are those of the form (R88): formctl forms update --types.
A mode that is new works from the next publish on.`,
  examples: [
    'formctl layouts update "staffing/candidate/Candidate profile" --name "Candidate card"',
    'formctl layouts update "staffing/candidate/Candidate profile" --no-metadata',
  ],
  args: { layout: argument("LAYOUT", "Layout id, or MODULE/OBJECT/FORM", parseLayout) },
  options: {
    name: option("--name <name>", "A new name", by(Name)),
    metadata: option("--metadata <file>", "An object of your own, in a YAML or JSON file"),
    noMetadata: flag("--no-metadata", "Remove the metadata"),
    modes: list("--modes <modes>", "All modes that it serves, such as VIEW,EDIT", parseModes),
  },
  writes: true,
  async run(context, { layout, name, metadata, noMetadata, modes }) {
    const supportedModes = modesOf(modes);
    const wantedMetadata = noMetadata
      ? null
      : metadata === undefined
        ? undefined
        : (await readBody(context, metadata, FreeObject)).value;
    const body = {
      ...(name !== undefined && { name }),
      ...(wantedMetadata !== undefined && { metadata: wantedMetadata }),
      ...(supportedModes && { supportedModes }),
    };
    if (Object.keys(body).length === 0) {
      throw new UsageError("nothing to change", "Name a change: --name, --metadata, --no-metadata or --modes.");
    }
    const service = await context.service();
    const { layoutId } = await findLayoutId(service, layout);
    return service.updateLayout({ layoutId, body });
  },
  view: (layout: LayoutAnswer, terminal) => printLayout(layout, terminal),
});
