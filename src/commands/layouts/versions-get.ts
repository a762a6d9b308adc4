/** `formctl layouts versions get` */

import { findLayoutId, findVersion, parseLayout } from "../addresses.ts";
import { argument, defineCommand } from "../command.ts";
import { printContent } from "./content-view.ts";
import { versionArgument } from "./version-argument.ts";
import { printVersion } from "./version-view.ts";

export default defineCommand({
  about: "Show a version",
  examples: [
    'formctl layouts versions get "staffing/candidate/Candidate profile" latest',
    'formctl layouts versions get "staffing/candidate/Candidate profile" 1 -o json --query "blocks[].id"',
  ],
  args: {
    layout: argument("LAYOUT", "Layout id, or MODULE/OBJECT/FORM", parseLayout),
    version: versionArgument("VERSION"),
  },
  options: {},
  async run(context, { layout, version }) {
    const service = await context.service();
    const { layoutId } = await findLayoutId(service, layout);
    const { id: versionId } = await findVersion(service, layoutId, version);
    return service.getVersion({ layoutId, versionId });
  },
  view(version, terminal) {
    printVersion(version, terminal);
    printContent(version, terminal);
  },
});
