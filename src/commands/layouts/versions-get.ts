/** `formctl layouts versions get`: prints one version of a layout. */

import { layoutArgument } from "../address-arguments.ts";
import { findLayoutId, findVersion } from "../lookups.ts";
import { defineCommand } from "../command.ts";
import { contentOf, hasContent } from "../../lists/versions.ts";
import { printContent, warnOfSchemaVersion, printVersion } from "./version-view.ts";
import { versionArgument } from "./options.ts";

export default defineCommand({
  examples: [
    'formctl layouts versions get "staffing/candidate/Candidate profile" latest',
    'formctl layouts versions get "staffing/candidate/Candidate profile" 1 -o json --query "blocks[].id"',
  ],
  args: {
    layout: layoutArgument,
    version: versionArgument,
  },
  options: {},
  async run(context, { layout, version }) {
    const service = await context.service();
    const { layoutId } = await findLayoutId(service, layout);
    const listed = await findVersion(service, layoutId, version);
    const whole = await service.getVersion({ layoutId, versionId: listed.id });
    warnOfSchemaVersion(context.terminal, whole);
    return { whole, shown: { ...listed, ...whole } };
  },
  view({ shown }, terminal) {
    printVersion(shown, terminal);
    printContent(contentOf(shown), terminal);
    if (!hasContent(shown)) terminal.hint("The server does not return the content of this version.");
  },
  document: ({ whole }) => whole,
});
