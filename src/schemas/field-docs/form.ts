/** Describes the fields of forms, layouts, access and assignments, in the files that commands read. */

import { doc, type FieldDocs } from "./field-doc.ts";

export const formFields: FieldDocs = {
  types: doc("The modes that the form serves", ["VIEW", "EDIT"]),
  isActive: doc("false: the form can't be used", true),
  isPublic: doc("true: everyone with the public link can submit the form", false),
  config: doc("title, description, successMessage, and your own members; null removes it", { title: "Join us" }),
};

export const layoutFields: FieldDocs = {
  name: doc("The name of the layout", "Contractor card"),
  surface: doc("The kind of page that shows the layout. formctl layouts surfaces describes each one", "CONTRACTOR"),
  target: doc(
    "Which page of the surface. DYNAMIC_OBJECT requires moduleKey and objectKey, DASHBOARD dashboardKey; others may have scopeId and entityId",
    {},
  ),
  supportedModes: doc("The modes that the layout serves", ["VIEW"]),
  metadata: doc("Your own members; null removes them", { owner: "talent-ops" }),
};
export const assignmentFields: FieldDocs = {
  organizationDefault: doc(
    "true: members without a layout for their role see this layout. One layout for each surface, target and mode",
    true,
  ),
  roles: doc("The roles whose members see this layout", [{ roleId: "rol_recruiter", priority: 5 }]),
  "roles.roleId": doc("The id of the role", "rol_recruiter"),
  "roles.priority": doc("If several layouts match a member, the one with the lowest number is shown", 5),
};

/** The end of the description of a name: how commands find the id for the name. */
export const BY_NAME = "resolved by the local store or by references in formctl.yaml";

const access: FieldDocs = {
  users: doc("The complete access of members; [] for none", [{ member: "ana@northwind.example", types: ["VIEW"] }]),
  "users.membershipId": doc("The id of the membership. Required, unless member names it", "mem_ana"),
  "users.member": doc(`The e-mail address of the member, ${BY_NAME}`, "ana@northwind.example"),
  "users.types": doc("The modes of the form that the member may use", ["VIEW", "EDIT"]),
  roles: doc("The complete access of roles; [] for none", [{ role: "Recruiter", types: ["VIEW"] }]),
  "roles.roleId": doc("The id of the role. Required, unless role names it", "rol_recruiter"),
  "roles.role": doc(`The name or key of the role, ${BY_NAME}`, "Recruiter"),
  "roles.types": doc("The modes of the form that members of the role may use", ["VIEW", "EDIT"]),
};

const clientMutationId = doc(
  "Identifies the request, so that it can be repeated. Commands create one if it is absent",
  "create-1",
);

export const FORM_DOCS: Readonly<Record<string, FieldDocs>> = {
  FormCreate: { name: doc("The name of the form, unique in its object", "Candidate profile"), ...formFields },
  FormPatch: {
    name: doc("The new name. The name of the layout stays unchanged", "Candidate profile"),
    ...formFields,
  },
  LayoutCreate: { clientMutationId, ...layoutFields },
  FormConfig: {
    title: doc("The title that the form shows", "Join us"),
    successMessage: doc("The text that the form shows after a submission", "Thank you."),
    description: doc("The text under the title", "Your skills and experience."),
  },
  Target: {
    moduleKey: doc("The key of the module, for DYNAMIC_OBJECT", "staffing"),
    objectKey: doc("The key of the object, for DYNAMIC_OBJECT", "candidate"),
    formId: doc(
      "The id of the form that owns the layout, for DYNAMIC_OBJECT. A manifest with the kind Form has none",
      "frm_intake",
    ),
    entityId: doc("The id of one record, for which this layout replaces the general one", "con_acme"),
    scopeId: doc("The scope of custom fields that the layout shows", "scp_eu"),
    dashboardKey: doc("The key of the dashboard, for DASHBOARD", "main"),
  },
  AccessFile: access,
  AssignmentFile: assignmentFields,
};
