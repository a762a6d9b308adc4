/**
 * `formctl layouts update`: changes the name and metadata of a layout. For a layout that no form owns, also changes the
 * modes (R88).
 */

import { FormctlError } from "../../base/error.ts";
import type { LayoutAnswer } from "../../schemas/answers.ts";
import type { Mode } from "../../schemas/form.ts";
import { LayoutPatch } from "../../schemas/layout-schema.ts";
import type { Input } from "../../schemas/operations.ts";
import { FreeObject, Name } from "../../schemas/text.ts";
import { layoutArgument } from "../address-arguments.ts";
import { findLayoutId } from "../lookups.ts";
import { valueBy, locatedRefusal, readBody } from "../read-input.ts";
import { asText, type CommandContext, defineCommand, flag, list, option } from "../command.ts";
import { modesOf, parseModes } from "../modes.ts";
import { printLayout } from "./layout-view.ts";

export default defineCommand({
  details: `Metadata is replaced as a whole. The modes of a form's layout are the modes of the form: use formctl forms update --types.
A new mode is available after the next publish.

FILE is YAML or JSON with exactly the request body: name, metadata, supportedModes and, for a server that can change them,
surface and target, each optional.`,
  examples: [
    'formctl layouts update "staffing/candidate/Candidate profile" --name "Candidate card"',
    'formctl layouts update "staffing/candidate/Candidate profile" --no-metadata',
  ],
  args: { layout: layoutArgument },
  options: {
    name: option("--name <name>", "New name", valueBy(Name)),
    metadata: option("--metadata <file>", "YAML or JSON file with custom metadata, an object", asText, "file"),
    noMetadata: flag("--no-metadata", "Remove the metadata"),
    modes: list(
      "--modes <modes>",
      "Modes of the layout, such as VIEW,EDIT (replaces the current set)",
      parseModes,
      "modes",
    ),
    file: option("-f, --file <file>", "Read the change from a YAML or JSON file; - is standard input", asText, "file"),
  },
  atLeastOneOf: [["name", "modes", "metadata", "noMetadata", "file"]],
  writes: true,
  async run(context, { layout, file, ...typed }) {
    const change = await typedChange(context, typed);
    const isTyped = Object.keys(change).length > 0;
    if (isTyped && file !== undefined) {
      throw new FormctlError(
        "USAGE",
        "--file and the options that describe the change can't be combined",
        "Specify the whole change in the file.",
      );
    }
    const source = file === undefined ? undefined : await readBody(context, file, LayoutPatch);
    const body = source?.value ?? change;
    if (Object.keys(body).length === 0)
      throw new FormctlError("USAGE", "nothing to update: the file is empty", "Specify at least one member.");
    const service = await context.service();
    const { layoutId } = await findLayoutId(service, layout);
    const send = () => service.updateLayout({ layoutId, body });
    return source ? locatedRefusal(source.document, send) : send();
  },
  view: (layout: LayoutAnswer, terminal) => printLayout(layout, terminal),
});

type Typed = { name: string | undefined; metadata: string | undefined; noMetadata: boolean; modes: Mode[][] };

/**
 * Reads the change from the options.
 *
 * @throws INVALID_VALUE if a mode is repeated
 * @throws INVALID_FILE if the metadata file is invalid
 */
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
