/**
 * Simulates the minimal server that the API document allows. Responses have only documented members. They have no
 * content if the document shows no response. Undocumented parameters, members and endpoints are refused.
 */

import type { JsonObject } from "../../src/schemas/json.ts";
import type { LeanServer } from "./lean-provider.ts";
import { pick, type ServerTable } from "./server-table.ts";

const FORM = [
  "id",
  "name",
  "types",
  "isActive",
  "isPublic",
  "config",
  "viewLayoutId",
  "viewLayoutName",
  "layoutAvailability",
  "usableTypes",
];
const CONTENT = ["schemaVersion", "regions", "blocks", "stagedFieldDefinitions", "scriptBindings", "metadata"];
const LAYOUT = ["surface", "supportedModes", "target", "name", "metadata"];
const DEFAULTS = ["defaultCreateFormId", "defaultEditFormId", "defaultViewFormId"];

const MUTATION = "clientMutationId";

function data(show: (record: unknown) => unknown) {
  return (ours: JsonObject) => ({ data: show(ours["data"]) });
}

function list(show: (record: unknown) => unknown) {
  return data((records) => (records as unknown[]).map(show));
}

const nothing = () => undefined;

/** Returns a form with the documented members. A mode has only its state. */
function form(record: unknown): JsonObject {
  const { layoutAvailability, ...shown } = pick(record, ...FORM);
  const states = Object.entries(layoutAvailability as JsonObject).map(([mode, one]) => [mode, pick(one, "state")]);
  return { ...shown, layoutAvailability: Object.fromEntries(states) as unknown };
}

/** Returns a form of a list, without `config`. The document does not name the members for default flags and counts. */
function listedForm(record: unknown): JsonObject {
  const { config: _config, ...shown } = form(record);
  return shown;
}

const layout = (record: unknown) => pick(record, "id", ...LAYOUT);

function savedDraft(record: unknown): JsonObject {
  const { draftVersionId, validation } = record as JsonObject;
  return { draftVersionId, validation: pick(validation, "state", "errors", "warnings") };
}

function surfaces(record: unknown): unknown {
  return (record as { surfaces: unknown[] }).surfaces.map((one) => pick(one, "surface", "regions"));
}

/** The documented operations. Errors are sent unchanged, because the document describes all their members. */
const documentedTable: ServerTable = {
  createForm: { body: ["name", "types", "isActive", "isPublic", "config"], answer: data(form) },
  listForms: { query: ["page", "limit"], answer: list(listedForm) },
  listAvailableForms: { query: ["type"], answer: list(listedForm) },
  getForm: { answer: data(form) },
  updateForm: {
    body: ["name", "types", "config"],
    answer: data((record) => pick(record, "id")),
    completed: { members: FORM, permission: "api.custom_forms.read" },
  },
  deleteForm: { answer: nothing },
  updateFormDefaults: { body: DEFAULTS, answer: nothing },
  getFormAccess: { answer: data((record) => pick(record, "users", "roles")) },
  replaceFormAccess: {
    body: ["users", "roles"],
    answer: nothing,
    completed: { members: ["users", "roles"], permission: "api.custom_forms.read" },
  },
  createLayout: { body: LAYOUT, answer: data(layout) },
  // The document has no endpoints for these two operations.
  listLayouts: null,
  getLayout: null,
  updateLayout: { body: LAYOUT, answer: data(layout) },
  getSurfaceDefinitions: { answer: data(surfaces) },
  saveDraft: { body: [MUTATION, ...CONTENT], answer: data(savedDraft) },
  publishLayout: {
    body: [MUTATION, "draftVersionId", "confirmFieldChanges"],
    answer: data((record) => ({ id: (record as JsonObject)["versionId"] })),
    derived: ["versionId"],
  },
  listVersions: { answer: list((record) => pick(record, "id")) },
  getVersion: { answer: data((record) => pick(record, "id", ...CONTENT)) },
  restoreDraft: { body: [MUTATION], answer: data((record) => pick(record, "draftVersionId")) },
  replaceAssignments: { body: [MUTATION, "organizationDefault", "roles"], answer: nothing },
  archiveLayout: { answer: nothing },
  listCurrencies: { answer: list((record) => pick(record, "code", "name")) },
};

export const documentedServer: LeanServer = {
  name: "HTTP, a server that answers only what the document names",
  table: () => documentedTable,
  // With only the manage permission, the client can't read the other members. The answer `{id}` doesn't confirm them
  // either.
  notConfirmed: { updateForm: /NotConfirmed/ },
  unasked: { listForms: ["filters"], listVersions: ["page"] },
};
