/** Describes the fields of manifests. */

import { doc, type FieldDocs } from "../schemas/field-docs/field-doc.ts";
import { assignmentFields, BY_NAME, formFields, layoutFields } from "../schemas/field-docs/form.ts";

const UNCHANGED = "Without it: not changed";

const manifest: FieldDocs = {
  $schema: doc("The JSON Schema for editors. formctl ignores it", "./.formctl/schemas/manifest.schema.json"),
  renamedFrom: doc(
    "The former name: apply renames the record instead of creating another one. It may stay after that",
    "Candidate form",
  ),
  confirmFieldChanges: doc("Draft ids of staged changes that may clear values", ["d_pay"]),
  layout: doc(
    "The path of a layout file, relative to this file, or the draft itself: formctl explain draft. Without it, the content is not managed",
    "./candidate-profile.layout.yaml",
  ),
  publish: doc("false: the draft is saved and not published", false),
};

const withUnchanged = (docs: FieldDocs): FieldDocs =>
  Object.fromEntries(
    Object.entries(docs).map(([name, each]) => [name, { ...each, about: `${each.about}. ${UNCHANGED}` }]),
  );
const { types, ...optionalOfForm } = formFields;

const formManifest: FieldDocs = {
  ...manifest,
  name: doc("Identifies the form within its object. To rename the form, add renamedFrom", "Candidate profile"),
  kind: doc("Form. A layout that no form owns has the kind Layout", "Form"),
  object: doc("The object of the form: MODULE/OBJECT", "staffing/candidate"),
  types: types!,
  ...withUnchanged({
    ...optionalOfForm,
    defaultFor: doc("The modes for which this form is the default of its object; [] for none", ["VIEW"]),
    access: doc("The complete access of members and roles", {
      users: [],
      roles: [{ role: "Recruiter", types: ["VIEW"] }],
    }),
  }),
};

const layoutManifest: FieldDocs = {
  ...manifest,
  ...layoutFields,
  name: doc(
    "Identifies the layout within its surface and target. To rename the layout, add renamedFrom",
    "Contractor card",
  ),
  kind: doc("Layout. The layout of a form belongs to the manifest of the form, with the kind Form", "Layout"),
  layout: { ...manifest["layout"]!, example: "./contractor-card.layout.yaml" },
  ...withUnchanged({
    metadata: layoutFields["metadata"]!,
    assignments: doc("The complete assignments", {
      organizationDefault: true,
      roles: [{ role: "Recruiter", priority: 5 }],
    }),
  }),
};

export const MANIFEST_DOCS: Readonly<Record<string, FieldDocs>> = {
  FormManifest: formManifest,
  LayoutManifest: layoutManifest,
  ManifestAssignments: {
    ...assignmentFields,
    roles: doc("The roles whose members see this layout", [{ role: "Recruiter", priority: 5 }]),
    "roles.roleId": doc("The id of the role. Required, unless role names it", "rol_recruiter"),
    "roles.role": doc(`The name or key of the role, ${BY_NAME}`, "Recruiter"),
  },
};
