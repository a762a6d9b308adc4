/** `formctl layouts assignments show`: prints the assignments of a layout (R99). */

import { FormctlError } from "../../base/error.ts";
import { readLayout } from "../../service.ts";
import { layoutArgument } from "../address-arguments.ts";
import { defineCommand } from "../command.ts";
import { printAssignments } from "./assignment-view.ts";
import { readSummary } from "./layout-summary.ts";
import { readRoles } from "../local-names.ts";

export default defineCommand({
  details:
    "Shows which roles see the layout. The layout of a form has no assignments: it is shown where its form is used.",
  examples: [
    "formctl layouts assignments show $(formctl layouts list --surface ORGANIZATION -o name)",
    "formctl layouts assignments show $(formctl layouts list --surface ORGANIZATION -o name) -o yaml",
  ],
  args: { layout: layoutArgument },
  options: {},
  async run(context, { layout: address }) {
    const service = await context.service();
    const { layoutId } = await readSummary(service, address);
    const layout = await readLayout(service, layoutId);
    if (layout?.assignments) return { assignments: layout.assignments, roles: await readRoles(context) };
    // This request reports a missing layout. If the request succeeds, the layout exists, but the server does not return
    // its assignments.
    await service.listVersions({ layoutId });
    throw new FormctlError("NOT_FOUND", `this server does not return the assignments of the layout ${layoutId}`);
  },
  view: ({ assignments, roles }, terminal) => printAssignments(assignments, roles, terminal),
  document: ({ assignments }) => assignments,
});
