/** Describes the fields of organization files. */

import { doc, type FieldDoc, type FieldDocs } from "./field-doc.ts";

const id = (example: string) =>
  doc("The id, to mirror a live organization. Without it, the store creates one", example);
const key = (what: string, example: string) =>
  doc(`The key of the ${what}. Seeding again updates the ${what} with this key`, example);
const name = (what: string, example: string) => doc(`The name of the ${what}`, example);

/** Returns the docs with `path` in front of each name. `path` is the list that contains the record. */
function within(path: string, docs: FieldDocs): Record<string, FieldDoc> {
  return Object.fromEntries(Object.entries(docs).map(([member, each]) => [`${path}.${member}`, each]));
}

const keyed = (what: string, prefix: string, exampleKey: string, exampleName: string): FieldDocs => ({
  id: id(`${prefix}_${exampleKey}`),
  key: key(what, exampleKey),
  name: name(what, exampleName),
});

const field: FieldDocs = {
  ...keyed("field", "fld", "seniority", "Seniority"),
  type: doc("The type of the values", "SELECT"),
  required: doc("Whether each record must have a value", true),
  options: doc("The values of a SELECT or MULTI_SELECT field", ["junior", "mid", "senior"]),
  default: doc("The default value of new records; null for none", "mid"),
  valueCount: doc(
    "The number of records with a value. It decides which changes need a confirmation. Without it, the stored number stays",
    900,
  ),
  config: doc("Further settings of the field", { currency: "EUR" }),
};

const object: FieldDocs = {
  ...keyed("object", "obj", "candidate", "Candidate"),
  kind: doc("SUBORDINATE: the records belong to records of the parent, and the object has no forms", "REGULAR"),
  parent: doc("The key of the parent object, or MODULE/OBJECT. Required for SUBORDINATE objects only", "placement"),
  fields: doc("The fields of the object, in order", [{ key: "full_name", name: "Full name", type: "TEXT" }]),
  ...within("fields", field),
};

const organization: FieldDocs = {
  ...keyed("organization", "org", "northwind", "Northwind Staffing"),
  roles: doc("The roles of members", [{ key: "recruiter", name: "Recruiter" }]),
  ...within("roles", keyed("role", "rol", "recruiter", "Recruiter")),
  members: doc("The members", [{ email: "ana@northwind.example", name: "Ana Ito", roles: ["recruiter"] }]),
  ...within("members", {
    id: id("mem_ana"),
    email: doc("The e-mail address, which identifies the member", "ana@northwind.example"),
    name: name("member", "Ana Ito"),
    roles: doc("The keys of the member's roles. Without it, the member keeps its roles", ["recruiter"]),
  }),
  scripts: doc("The registered scripts, for script bindings", [{ key: "rate_guard", name: "Rate guard" }]),
  ...within("scripts", keyed("script", "scr", "rate_guard", "Rate guard")),
  customFields: doc("Fields of surfaces other than DYNAMIC_OBJECT", [
    { surface: "CONTRACTOR", key: "vat_id", name: "VAT id", type: "TEXT" },
  ]),
  ...within("customFields", {
    surface: doc("The surface of the field. Fields of DYNAMIC_OBJECT belong to the objects", "CONTRACTOR"),
    scopeId: doc("The scope of the field; null for all pages of the surface", "scp_eu"),
    ...field,
  }),
  modules: doc("The custom modules with their objects", [{ key: "staffing", name: "Staffing" }]),
  ...within("modules", {
    ...keyed("module", "mod", "staffing", "Staffing"),
    objects: doc("The custom objects of the module", [{ key: "candidate", name: "Candidate" }]),
    ...within("objects", object),
  }),
};

export const ORGANIZATION_DOCS: Readonly<Record<string, FieldDocs>> = {
  OrganizationFile: {
    organizations: doc("The organizations, at least one", [{ key: "northwind", name: "Northwind Staffing" }]),
    ...within("organizations", organization),
  },
};
