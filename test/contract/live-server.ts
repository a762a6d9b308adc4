/**
 * A server with more members than the API document, in other shapes than ours:
 * - A layout has no metadata.
 * - A version keeps its staged fields.
 * - A saved draft has no draftVersionId.
 * - A publication has no versionId.
 * - A page of forms does not state that it obeys the filter.
 *
 * Each write of a layout requires a clientMutationId.
 */

import type { JsonObject } from "../../src/schemas/json.ts";
import type { LeanServer } from "./lean-provider.ts";
import { pick, type ServerRow, type ServerTable } from "./server-table.ts";

const LAYOUT = [
  "id",
  "ownerScope",
  "surface",
  "supportedModes",
  "target",
  "name",
  "status",
  "currentVersionId",
  "latestDraftVersionId",
  "currentVersion",
  "latestDraftVersion",
  "assignments",
  "createdAt",
  "updatedAt",
];
const VERSION = [
  "id",
  "layoutId",
  "version",
  "status",
  "schemaVersion",
  "regions",
  "blocks",
  "stagedFieldDefinitions",
  "validation",
  "scriptBindings",
  "metadata",
  "createdAt",
];

const FORM_QUERY = ["page", "limit", "count", "sort", "filters", "columns"];
const LAYOUT_QUERY = ["surface", "mode", "moduleKey", "objectKey", "formId", "scopeId", "dashboardKey"];

function data(show: (record: never) => unknown) {
  return (ours: JsonObject) => ({ data: show(ours["data"] as never) });
}

const asItIs = (ours: JsonObject) => ours;

/** Adds members that are in no API document. */
function form<T extends JsonObject>(record: T) {
  return { ...record, availableTypes: record["usableTypes"], accessSources: ["SYSTEM_ADMIN"] };
}

function layout(record: JsonObject): JsonObject {
  const { currentVersion, latestDraftVersion, ...shown } = pick(record, ...LAYOUT);
  return { ...shown, currentVersion: summary(currentVersion), latestDraftVersion: summary(latestDraftVersion) };
}

const summary = (version: unknown) => (version === null ? null : pick(version, ...VERSION));

function definitions(record: { definitionVersion: number; surfaces: { regions: unknown[] }[] }): JsonObject {
  const region = (one: unknown) => pick(one, "key", "label", "layout", "columns");
  return { ...record, surfaces: record.surfaces.map((one) => ({ ...one, regions: one.regions.map(region) })) };
}

/** The operations for one store. They remember the staged fields of each saved version. */
function liveTable(): ServerTable {
  const staged = new Map<unknown, unknown>();
  const version = (record: JsonObject) => ({
    ...pick(record, ...VERSION),
    stagedFieldDefinitions: staged.get(record["id"]) ?? record["stagedFieldDefinitions"],
  });
  const savedDraft = ({ draftVersion, ...record }: { draftVersion: JsonObject } & JsonObject) => {
    staged.set(draftVersion["id"], draftVersion["stagedFieldDefinitions"]);
    return {
      layout: layout(record["layout"] as JsonObject),
      draftVersion: version(draftVersion),
      ...pick(record, "validation", "stagedFieldDefinitions"),
    };
  };
  const published = (record: JsonObject) => ({
    layout: layout(record["layout"] as JsonObject),
    publishedVersion: version(record["publishedVersion"] as JsonObject),
    ...pick(record, "validation", "committedFieldDefinitions"),
  });
  const saved = { answer: data(savedDraft), derived: ["draftVersionId"] } satisfies ServerRow;
  return {
    createForm: { answer: data(form) },
    listForms: {
      query: FORM_QUERY,
      answer({ data: forms, meta }) {
        const { filtered: _, ...page } = meta as JsonObject;
        return { data: (forms as JsonObject[]).map(form), meta: page };
      },
    },
    listAvailableForms: { query: ["type"], answer: data((forms: JsonObject[]) => forms.map(form)) },
    getForm: { answer: data(form) },
    updateForm: { answer: data(form) },
    deleteForm: { answer: asItIs },
    updateFormDefaults: { answer: asItIs },
    getFormAccess: { answer: asItIs },
    replaceFormAccess: { answer: asItIs },
    createLayout: { required: ["clientMutationId"], answer: data(layout) },
    listLayouts: { query: LAYOUT_QUERY, answer: data((layouts: JsonObject[]) => layouts.map(layout)) },
    getLayout: { answer: data(layout) },
    updateLayout: { answer: data(layout) },
    getSurfaceDefinitions: { query: ["surface"], answer: data(definitions) },
    saveDraft: saved,
    publishLayout: { answer: data(published), derived: ["versionId"] },
    listVersions: { answer: data((versions: JsonObject[]) => versions.map(version)) },
    getVersion: { answer: data(version) },
    restoreDraft: saved,
    replaceAssignments: { answer: data(layout) },
    archiveLayout: { answer: asItIs },
    listCurrencies: { answer: asItIs },
  };
}

export const liveServer: LeanServer = {
  name: "HTTP, a server with other shapes",
  table: liveTable,
  notConfirmed: {},
  unasked: { listVersions: ["page"], listLayouts: ["page"] },
};
