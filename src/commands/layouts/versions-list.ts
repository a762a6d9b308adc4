/** `formctl layouts versions list`: prints the versions of a layout. */

import type { VersionAnswer } from "../../schemas/answers.ts";
import { printTable } from "../../terminal/table.ts";
import { layoutArgument } from "../address-arguments.ts";
import { findLayoutId } from "../lookups.ts";
import { defineCommand } from "../command.ts";
import { watchOptions } from "../watch-options.ts";
import { VERSION_COLUMNS } from "./version-view.ts";

export default defineCommand({
  details: "The list includes the draft. Replaced published versions have the status ARCHIVED and can be restored.",
  examples: [
    'formctl layouts versions list "staffing/candidate/Candidate profile"',
    'formctl layouts versions list "staffing/candidate/Candidate profile" -o json --query "[].{id: id, status: status}"',
  ],
  args: { layout: layoutArgument },
  options: watchOptions,
  watches: true,
  async run(context, { layout }) {
    const service = await context.service();
    const { layoutId } = await findLayoutId(service, layout);
    return service.listVersions({ layoutId });
  },
  view(versions: VersionAnswer[], terminal) {
    printTable(terminal, VERSION_COLUMNS, versions, "The layout has no versions.");
  },
});
