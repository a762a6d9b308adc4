/** `formctl layouts update`: name, metadata, and of a layout that no form owns the modes. */

import { FormctlError } from "../../error.ts";
import type { LayoutAnswer } from "../../schemas/answers.ts";
import type { Mode } from "../../schemas/form.ts";
import { LayoutPatch } from "../../schemas/layout.ts";
import type { Input } from "../../schemas/operations.ts";
import { FreeObject, Name } from "../../schemas/text.ts";
import { findLayoutId, parseLayout } from "../addresses.ts";
import { valueBy } from "../by-schema.ts";
import { argument, type CommandContext, defineCommand, flag, list, option } from "../command.ts";
import { modesOf, parseModes } from "../forms/mode-list.ts";
import { locatedRefusal, readBody } from "../read-body.ts";
import { printLayout } from "./layout-view.ts";

export default defineCommand({
  about: "Change a layout's name, metadata or modes",
  details: `Metadata is replaced as a whole. The modes of a form's layout are those of the form (R88): formctl forms update --types.
A mode that is new works from the next publish on.

FILE is YAML or JSON with exactly the body of the request: name, metadata, supportedModes, and for a server that changes them
surface and target, each optional.`,
  examples: [
    'formctl layouts update "staffing/candidate/Candidate profile" --name "Candidate card"',
    'formctl layouts update "staffing/candidate/Candidate profile" --no-metadata',
  ],
  args: { layout: argument("LAYOUT", "Layout id, or MODULE/OBJECT/FORM", parseLayout) },
  options: {
    name: option("--name <name>", "A new name", valueBy(Name)),
    metadata: option("--metadata <file>", "An object of your own, in a YAML or JSON file"),
    noMetadata: flag("--no-metadata", "Remove the metadata"),
    modes: list("--modes <modes>", "All modes that it serves, such as VIEW,EDIT", parseModes),
    file: option("-f, --file <file>", "Read the change from a YAML or JSON file; - is standard input"),
  },
  writes: true,
  async run(context, { layout, file, ...typed }) {
    const change = await typedChange(context, typed);
    const isTyped = Object.keys(change).length > 0;
    if (isTyped && file !== undefined) {
      throw new FormctlError(
        "USAGE",
        "-f and the options that describe the change contradict each other",
        "Use one or the other.",
      );
    }
    const source = file === undefined ? undefined : await readBody(context, file, LayoutPatch);
    const body = source?.value ?? change;
    if (Object.keys(body).length === 0) {
      throw new FormctlError(
        "USAGE",
        "nothing to change",
        "Name a change: --name, --metadata, --no-metadata, --modes or -f FILE.",
      );
    }
    const service = await context.service();
    const { layoutId } = await findLayoutId(service, layout);
    const send = () => service.updateLayout({ layoutId, body });
    return source ? locatedRefusal(source.document, send) : send();
  },
  view: (layout: LayoutAnswer, terminal) => printLayout(layout, terminal),
});

type Typed = { name: string | undefined; metadata: string | undefined; noMetadata: boolean; modes: Mode[][] };

/** @throws USAGE, INVALID_VALUE or INVALID_FILE for a change that can't be made */
async function typedChange(
  context: CommandContext,
  { name, metadata, noMetadata, modes }: Typed,
): Promise<Input<"updateLayout">["body"]> {
  const supportedModes = modesOf(modes);
  const replacement = metadata === undefined ? undefined : (await readBody(context, metadata, FreeObject)).value;
  const newMetadata = noMetadata ? null : replacement;
  return {
    ...(name !== undefined && { name }),
    ...(newMetadata !== undefined && { metadata: newMetadata }),
    ...(supportedModes && { supportedModes }),
  };
}
