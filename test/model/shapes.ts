/** The shapes of request bodies and queries in the model, with default values. */

import { type Json, MODES } from "./records.ts";

/** Returns the parsed value, and adds the path of each problem to `problems`. */
export type Shape = (value: unknown, path: string, problems: string[]) => unknown;

const when =
  (isValid: (value: unknown) => boolean): Shape =>
  (value, path, problems) => {
    if (!isValid(value)) problems.push(path);
    return value;
  };

const text = when((value) => typeof value === "string");
const flag = when((value) => typeof value === "boolean");
const anything: Shape = (value) => value;
const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const freeObject = when(isObject);
const identifier = when((value) => typeof value === "string" && /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/.test(value));
const mutationId = when((value) => typeof value === "string" && value.length >= 1 && value.length <= 128);
const oneOf = (...words: readonly unknown[]) => when((value) => words.includes(value));
const mode = oneOf(...MODES);
const integer = (least: number, most: number) =>
  when((value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most);

/** Names are trimmed and have 1 to 200 characters. */
const name: Shape = (value, path, problems) => {
  const trimmed = typeof value === "string" ? value.trim() : "";
  if (trimmed.length < 1 || trimmed.length > 200) problems.push(path);
  return trimmed;
};

const optional =
  (shape: Shape, fallback?: unknown): Shape =>
  (value, path, problems) =>
    value === undefined ? fallback : shape(value, path, problems);

const nullable =
  (shape: Shape): Shape =>
  (value, path, problems) =>
    value === null ? null : shape(value, path, problems);

/** Accepts a list of different items. With `member`, items must differ in the value of this member. */
const list =
  (item: Shape, member?: string): Shape =>
  (value, path, problems) => {
    if (!Array.isArray(value)) {
      problems.push(path);
      return value;
    }
    const seen = new Set<unknown>();
    const parsed = value.map((each, index) => item(each, `${path}[${index}]`, problems));
    for (const [index, each] of parsed.entries()) {
      const key: unknown = member === undefined ? each : (each as Json)[member];
      if (seen.has(key)) problems.push(member === undefined ? `${path}[${index}]` : `${path}[${index}].${member}`);
      seen.add(key);
    }
    return parsed;
  };

const modes: Shape = (value, path, problems) => {
  if (Array.isArray(value) && value.length === 0) problems.push(path);
  return list(mode)(value, path, problems);
};

/** Accepts an object without unknown members; with `{ loose: true }`, keeps unknown members. */
function object(members: Record<string, Shape>, { loose = false } = {}): Shape {
  return (value, path, problems) => {
    if (!isObject(value)) {
      problems.push(path);
      return value;
    }
    const at = (member: string) => (path === "" ? member : `${path}.${member}`);
    const unknown = Object.keys(value).filter((member) => !(member in members));
    if (!loose) problems.push(...unknown.map(at));
    const parsed: Json = loose ? { ...value } : {};
    for (const [member, shape] of Object.entries(members)) {
      const found = shape(value[member], at(member), problems);
      if (found !== undefined) parsed[member] = found;
    }
    return parsed;
  };
}

/** Visual structure does not belong in the config of a form (R20). */
const absent = when((value) => value === undefined);
const config = nullable(
  object(
    {
      title: optional(text),
      successMessage: optional(text),
      description: optional(text),
      regions: absent,
      blocks: absent,
      layout: absent,
    },
    { loose: true },
  ),
);

const formId = optional(nullable(identifier));
const access = (id: string) => list(object({ [id]: identifier, types: modes }), id);

const SURFACES = ["DYNAMIC_OBJECT", "CONTRACTOR", "ORGANIZATION", "SALES_INVOICE", "COST_INVOICE", "DASHBOARD", "USER"];
const TARGET = ["moduleKey", "objectKey", "formId", "entityId", "scopeId", "dashboardKey"];

/** Returns the required and the optional members of a surface's target. */
const targetMembers = (surface: unknown): [required: string[], optional: string[]] =>
  surface === "DYNAMIC_OBJECT"
    ? [["moduleKey", "objectKey"], ["formId"]]
    : surface === "DASHBOARD"
      ? [["dashboardKey"], []]
      : [[], ["scopeId", "entityId"]];

const layoutCreate: Shape = (value, path, problems) => {
  const parsed = object({
    clientMutationId: optional(mutationId),
    surface: oneOf(...SURFACES),
    supportedModes: modes,
    target: object(Object.fromEntries(TARGET.map((member) => [member, optional(identifier)]))),
    name,
    metadata: optional(nullable(freeObject), null),
  })(value, path, problems) as Json;
  if (problems.some((problem) => /^$|^surface|^target/.test(problem))) return parsed;
  const [required, others] = targetMembers(parsed["surface"]);
  const given = Object.keys(parsed["target"] as Json);
  problems.push(...required.filter((member) => !given.includes(member)).map((member) => `target.${member}`));
  const known = [...required, ...others];
  problems.push(...given.filter((member) => !known.includes(member)).map((member) => `target.${member}`));
  return parsed;
};

const region = object(
  { key: identifier, layout: oneOf("grid", "tabs", "stack", "sidebar", "dashboard_grid") },
  { loose: true },
);
const block = object({ type: text, source: text, supportedModes: optional(list(mode)) }, { loose: true });

/** The shapes of bodies, by operation. */
export const BODIES: Record<string, Shape> = {
  createForm: object({
    name,
    types: modes,
    isActive: optional(flag, true),
    isPublic: optional(flag, false),
    config: optional(config, null),
  }),
  updateForm: object({
    name: optional(name),
    types: optional(modes),
    config: optional(config),
    isActive: optional(flag),
    isPublic: optional(flag),
  }),
  updateFormDefaults: object({ defaultCreateFormId: formId, defaultViewFormId: formId, defaultEditFormId: formId }),
  replaceFormAccess: object({ users: access("membershipId"), roles: access("roleId") }),
  createLayout: layoutCreate,
  updateLayout: object({
    name: optional(name),
    metadata: optional(nullable(freeObject)),
    supportedModes: optional(modes),
    surface: anything,
    target: anything,
  }),
  saveDraft: object({
    clientMutationId: mutationId,
    expectedDraftVersionId: optional(nullable(identifier)),
    schemaVersion: oneOf(1),
    regions: list(region),
    blocks: list(block),
    stagedFieldDefinitions: optional(list(freeObject), []),
    scriptBindings: optional(list(freeObject), []),
    metadata: optional(nullable(freeObject), null),
  }),
  publishLayout: object({
    clientMutationId: mutationId,
    draftVersionId: identifier,
    expectedPublishedVersionId: optional(nullable(identifier)),
    confirmFieldChanges: optional(
      list(
        object({ draftId: identifier, confirmTypeChange: optional(flag), confirmValueClear: optional(flag) }),
        "draftId",
      ),
      [],
    ),
  }),
  restoreDraft: object({ clientMutationId: mutationId }),
  replaceAssignments: object({
    clientMutationId: mutationId,
    organizationDefault: optional(flag, false),
    roles: optional(list(object({ roleId: identifier, priority: optional(integer(-1e9, 1e9), 0) }), "roleId"), []),
  }),
};

const condition = object({ field: text, operator: text, value: anything });

/** The shapes of queries, by operation. */
export const QUERIES: Record<string, Shape> = {
  listForms: object({
    page: optional(integer(1, Infinity), 1),
    limit: optional(integer(1, 100), 20),
    count: optional(oneOf("exact", "none", "hasMore"), "exact"),
    sort: optional(list(object({ field: oneOf("name", "createdAt", "updatedAt"), direction: oneOf("asc", "desc") }))),
    filters: optional(object({ op: oneOf("and", "or"), items: list(condition) })),
  }),
  listAvailableForms: object({ type: optional(mode) }),
  listLayouts: object({ surface: optional(oneOf(...SURFACES)), mode: optional(mode), objectKey: optional(identifier) }),
  getSurfaceDefinitions: object({ surface: optional(oneOf(...SURFACES)) }),
};
