/**
 * The environment of the generated manifests: an organization with known ids, its objects, and the pages of the
 * product.
 */

import type { OrganizationFile } from "../../src/schemas/organization.ts";
import type { Surface, Target } from "../../src/schemas/layout.ts";
import { contractOrganizations } from "../contract/organizations.ts";
import type { Slot } from "./manifest-content.ts";

const [northwind] = contractOrganizations.organizations;

/** The organization northwind of the contract tests. Its roles and members have ids that a project file can name. */
export const manifestOrganization: OrganizationFile["organizations"][number] = {
  ...northwind!,
  roles: northwind!.roles!.map((role) => ({ ...role, id: `rol_${role.key}` })),
  members: northwind!.members!.map((member) => ({ ...member, id: `mem_${member.email.split("@")[0]}` })),
};

/** The ids of the roles and members, with the names that a manifest may use for each. */
export const ROLES = manifestOrganization.roles!.map(({ id, key, name }) => ({ id: id!, names: [name, key] }));
export const MEMBERS = manifestOrganization.members!.map(({ id, email }) => ({
  id: id!,
  names: [email, email.toUpperCase()],
}));

/** The `references` of a project file, for a server with this organization. */
export const manifestReferences = {
  roles: Object.fromEntries(ROLES.flatMap(({ id, names }) => names.map((name) => [name, id]))),
  members: Object.fromEntries(MEMBERS.map(({ id, names }) => [names[0]!, id])),
};

export const OBJECTS = ["staffing/candidate", "staffing/placement", "compliance/document_check"] as const;

const objects = manifestOrganization.modules!.flatMap((module) =>
  module.objects!.map((object) => ({ address: `${module.key}/${object.key}`, fields: object.fields ?? [] })),
);

/** Returns each field of an object as the block that shows the field. */
export function slotsOfObject(address: string): Slot[] {
  const { fields } = objects.find((object) => object.address === address)!;
  return fields.map(({ key, type, required, default: standard }) => {
    const needed = required && standard === undefined ? { isNeeded: true as const } : {};
    return type === "SUBORDINATE_OBJECT_REFERENCE"
      ? { key, type: "relation_table", source: "dynamic_relation", ref: { relationFieldKey: key } }
      : { key, type: "field", source: "dynamic_field", ref: { fieldKey: key }, ...needed };
  });
}

const builtIn = (key: string): Slot => ({ key, type: "field", source: "built_in", ref: { builtInFieldKey: key } });
const part = (type: Slot["type"]): Slot => ({ key: type, type, source: "system" });
const recordPage: Slot[] = [
  builtIn("vat_id"),
  { key: "details", type: "builtin", source: "built_in", ref: { componentKey: "details" } },
  part("attachments"),
  part("comments"),
  part("custom_html"),
  builtIn("name"),
];
const widget = (key: string, type: Slot["type"], ref: Slot["ref"]): Slot => ({ key, type, source: "dashboard", ref });

export type Page = { surface: Surface; target: Target; slots: readonly Slot[] };

/** Pages that no form owns. */
export const PAGES: readonly Page[] = [
  { surface: "ORGANIZATION", target: {}, slots: recordPage },
  { surface: "CONTRACTOR", target: {}, slots: recordPage },
  { surface: "CONTRACTOR", target: { scopeId: "north" }, slots: recordPage },
  {
    surface: "DASHBOARD",
    target: { dashboardKey: "main" },
    slots: [
      widget("open", "counter", { widgetKey: "open" }),
      widget("due", "query_table", { savedQueryId: "due" }),
      widget("chart", "dashboard_widget", { widgetKey: "chart" }),
    ],
  },
  {
    surface: "DYNAMIC_OBJECT",
    target: { moduleKey: "staffing", objectKey: "candidate" },
    slots: slotsOfObject("staffing/candidate"),
  },
];
