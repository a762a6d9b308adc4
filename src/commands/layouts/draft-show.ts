/** `formctl layouts draft show`: the draft, in the form in which it can be pushed again. */

import type { LayoutVersion } from "../../schemas/layout.ts";
import { findLayoutId, findVersion, layoutText, parseLayout } from "../addresses.ts";
import { argument, defineCommand } from "../command.ts";
import { printContent } from "./content-view.ts";
import { draftBody } from "../../schemas/draft-body.ts";
import { printVersion } from "./version-view.ts";

export default defineCommand({
  about: "Show the draft",
  details: "With -o yaml or -o json it is a file that `formctl layouts draft push` takes as it is.",
  examples: [
    'formctl layouts draft show "staffing/placement/Placement desk"',
    'formctl layouts draft show "staffing/placement/Placement desk" -o yaml',
  ],
  args: { layout: argument("LAYOUT", "Layout id, or MODULE/OBJECT/FORM", parseLayout) },
  options: {},
  async run(context, { layout }) {
    const service = await context.service();
    const { layoutId } = await findLayoutId(service, layout);
    return findVersion(service, layoutId, "draft");
  },
  view(draft: LayoutVersion, terminal) {
    printVersion(draft, terminal);
    printContent(draft, terminal);
  },
  document: (draft: LayoutVersion) => draftBody(draft),
  names: ({ id }: LayoutVersion) => [id],
  next: ({ validation }: LayoutVersion, { layout }) =>
    validation.state === "invalid" ? [] : [`formctl layouts publish ${layoutText(layout)}`],
});
