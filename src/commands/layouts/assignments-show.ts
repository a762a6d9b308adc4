/** `formctl layouts assignments show` */

import { FormctlError } from "../../error.ts";
import { readLayout } from "../../service.ts";
import { parseLayout } from "../addresses.ts";
import { argument, defineCommand } from "../command.ts";
import { printAssignments } from "./assignment-view.ts";
import { findPlace } from "./layout-place.ts";
import { readRoles } from "./roles.ts";

export default defineCommand({
  about: "Show who sees a layout of the organization",
  details: "The layout of a form has no assignments: it is shown where its form is used (R99).",
  examples: [
    "formctl layouts assignments show $(formctl layouts list --surface ORGANIZATION -o name)",
    "formctl layouts assignments show $(formctl layouts list --surface ORGANIZATION -o name) -o yaml",
  ],
  args: { layout: argument("LAYOUT", "Layout id, or MODULE/OBJECT/FORM", parseLayout) },
  options: {},
  async run(context, { layout: address }) {
    const service = await context.service();
    const { layoutId } = await findPlace(service, address);
    const layout = await readLayout(service, layoutId);
    if (layout?.assignments) return { assignments: layout.assignments, roles: await readRoles(context) };
    // A layout that has versions exists: then it is the server that can't tell its assignments.
    await service.listVersions({ layoutId });
    throw new FormctlError("NOT_FOUND", `this server does not show the assignments of the layout ${layoutId}`);
  },
  view: ({ assignments, roles }, terminal) => printAssignments(assignments, roles, terminal),
  document: ({ assignments }) => assignments,
});
