/**
 * Defines the table of operations: one row for each endpoint. Client, server, engine and OpenAPI document use it.
 */

import type * as z from "zod/mini";
import { findForbidden } from "./json.ts";
import type { Input, OperationName, Output } from "./operation-types.ts";
import { MAX_PAGE_LIMIT, PAGE_COUNTS, PAGE_LIMIT, type Permission } from "./words.ts";

/** Schemas are loaded on first use, because most commands need few of them. */
const currency = () => import("./currency-schema.ts");
const draft = () => import("./draft-schema.ts");
const form = () => import("./form-schema.ts");
const layout = () => import("./layout-schema.ts");
const pages = () => import("./page-schema.ts");

type PlainQuery = Readonly<Record<string, unknown>>;
type Lazy<S> = () => Promise<S>;

type Row = {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  /** The required permission. `null` if every valid token is accepted. */
  permission: Permission | null;
  query?: Lazy<z.ZodMiniType>;
  /** Reads simple queries without loading the schema. Returns undefined for a query that the schema must read. */
  readPlainQuery?: (query: PlainQuery) => Record<string, unknown> | undefined;
  body?: Lazy<z.ZodMiniType>;
  /** The schema of `data` in the response, or of the whole response for a page. Undefined for 204 No Content. */
  result?: Lazy<z.ZodMiniType>;
  status: 200 | 201 | 204;
  /** The response is a page `{data: [...], meta}`. */
  paged?: true;
  /** The response is constant and needs no store. */
  constant?: true;
  /** The operation is not part of the API document. Other servers may lack it (docs/decisions.md, "Extensions"). */
  extension?: true;
};

const FORMS = "/v1/custom-modules/:moduleKey/objects/:objectKey/forms";
const LAYOUTS = "/v1/view-layouts";

function readNoQuery(query: PlainQuery): Record<string, unknown> | undefined {
  return Object.keys(query).length === 0 ? {} : undefined;
}

/**
 * Reads a simple query of a page. Such a query has no `sort` and no `columns`. Its filter, if present, is plain: see
 * {@link isPlainFilter}. Returns undefined for any other query.
 */
function readPlainPage(query: PlainQuery): Record<string, unknown> | undefined {
  const { page = 1, limit = PAGE_LIMIT, count = "exact", cursor, filters, ...others } = query;
  const isUpTo = (most: number, value: unknown) =>
    Number.isSafeInteger(value) && 1 <= Number(value) && Number(value) <= most;
  const isPage = isUpTo(Infinity, page) && isUpTo(MAX_PAGE_LIMIT, limit) && PAGE_COUNTS.some((each) => each === count);
  const isPlain =
    isPage &&
    (cursor === undefined || (typeof cursor === "string" && findForbidden(cursor) === undefined)) &&
    (filters === undefined || isPlainFilter(filters)) &&
    Object.keys(others).length === 0;
  return isPlain
    ? { page, limit, count, ...(cursor !== undefined && { cursor }), ...(filters !== undefined && { filters }) }
    : undefined;
}

/**
 * Whether a value is a filter by the name or the start of the id of a form. Commands use such filters to find a form.
 */
function isPlainFilter(filter: unknown): boolean {
  const { op, items, ...others } = { ...(filter as PlainQuery | null) };
  if (op !== "and" || !Array.isArray(items) || items.length !== 1 || Object.keys(others).length > 0) return false;
  const { field, operator, value, ...more } = { ...(items[0] as PlainQuery | null) };
  const isPlain = (field === "name" && operator === "eq") || (field === "id" && operator === "startsWith");
  if (!isPlain || typeof value !== "string" || Object.keys(more).length > 0) return false;
  // A query with a forbidden value is left to the schema, which reports it.
  return findForbidden(value) === undefined;
}

export const operations = {
  createForm: {
    method: "POST",
    path: FORMS,
    permission: "api.custom_forms.manage",
    body: async () => (await form()).FormCreate,
    result: async () => (await form()).Form,
    status: 201,
  },
  listForms: {
    method: "GET",
    path: FORMS,
    permission: "api.custom_forms.read",
    query: async () => (await pages()).ListQuery,
    readPlainQuery: readPlainPage,
    result: async () => (await form()).FormPage,
    status: 200,
    paged: true,
  },
  listAvailableForms: {
    method: "GET",
    path: `${FORMS}/available`,
    permission: "api.custom_forms.read",
    query: async () => (await form()).AvailableQuery,
    readPlainQuery: readNoQuery,
    result: async () => (await form()).FormList,
    status: 200,
  },
  updateFormDefaults: {
    method: "PATCH",
    path: `${FORMS}/defaults`,
    permission: "api.custom_forms.manage",
    body: async () => (await form()).FormDefaultsPatch,
    result: async () => (await form()).FormDefaults,
    status: 200,
  },
  getForm: {
    method: "GET",
    path: `${FORMS}/:formId`,
    permission: "api.custom_forms.read",
    result: async () => (await form()).Form,
    status: 200,
  },
  updateForm: {
    method: "PATCH",
    path: `${FORMS}/:formId`,
    permission: "api.custom_forms.manage",
    body: async () => (await form()).FormPatch,
    result: async () => (await form()).Form,
    status: 200,
  },
  deleteForm: {
    method: "DELETE",
    path: `${FORMS}/:formId`,
    permission: "api.custom_forms.manage",
    status: 204,
  },
  getFormAccess: {
    method: "GET",
    path: `${FORMS}/:formId/access`,
    permission: "api.custom_forms.read",
    result: async () => (await form()).AccessMatrix,
    status: 200,
  },
  replaceFormAccess: {
    method: "PUT",
    path: `${FORMS}/:formId/access`,
    permission: "api.custom_forms.manage",
    body: async () => (await form()).AccessMatrix,
    result: async () => (await form()).AccessMatrix,
    status: 200,
  },
  createLayout: {
    method: "POST",
    path: LAYOUTS,
    permission: "api.view_layouts.manage",
    body: async () => (await layout()).LayoutCreate,
    result: async () => (await layout()).Layout,
    status: 201,
  },
  listLayouts: {
    method: "GET",
    path: LAYOUTS,
    permission: "api.view_layouts.read",
    query: async () => (await layout()).LayoutQuery,
    readPlainQuery: readNoQuery,
    result: async () => (await layout()).LayoutList,
    status: 200,
    extension: true,
  },
  getSurfaceDefinitions: {
    method: "GET",
    path: `${LAYOUTS}/surface-definitions`,
    permission: "api.view_layouts.read",
    query: async () => (await layout()).SurfaceQuery,
    readPlainQuery: readNoQuery,
    result: async () => (await layout()).SurfaceDefinitions,
    status: 200,
    constant: true,
  },
  getLayout: {
    method: "GET",
    path: `${LAYOUTS}/:layoutId`,
    permission: "api.view_layouts.read",
    result: async () => (await layout()).Layout,
    status: 200,
    extension: true,
  },
  updateLayout: {
    method: "PATCH",
    path: `${LAYOUTS}/:layoutId`,
    permission: "api.view_layouts.manage",
    body: async () => (await layout()).LayoutPatch,
    result: async () => (await layout()).Layout,
    status: 200,
  },
  saveDraft: {
    method: "PUT",
    path: `${LAYOUTS}/:layoutId/draft`,
    permission: "api.view_layouts.manage",
    body: async () => (await draft()).Draft,
    result: async () => (await layout()).SavedDraft,
    status: 200,
  },
  publishLayout: {
    method: "POST",
    path: `${LAYOUTS}/:layoutId/publish`,
    permission: "api.view_layouts.publish",
    body: async () => (await layout()).Publish,
    result: async () => (await layout()).Published,
    status: 200,
  },
  listVersions: {
    method: "GET",
    path: `${LAYOUTS}/:layoutId/versions`,
    permission: "api.view_layouts.read",
    result: async () => (await layout()).VersionList,
    status: 200,
  },
  getVersion: {
    method: "GET",
    path: `${LAYOUTS}/:layoutId/versions/:versionId`,
    permission: "api.view_layouts.read",
    result: async () => (await layout()).LayoutVersion,
    status: 200,
  },
  restoreDraft: {
    method: "POST",
    path: `${LAYOUTS}/:layoutId/versions/:versionId/restore-draft`,
    permission: "api.view_layouts.manage",
    body: async () => (await layout()).Restore,
    result: async () => (await layout()).SavedDraft,
    status: 200,
  },
  replaceAssignments: {
    method: "PUT",
    path: `${LAYOUTS}/:layoutId/assignments`,
    permission: "api.view_layouts.manage",
    body: async () => (await layout()).AssignmentSet,
    result: async () => (await layout()).Layout,
    status: 200,
  },
  archiveLayout: {
    method: "POST",
    path: `${LAYOUTS}/:layoutId/archive`,
    permission: "api.view_layouts.manage",
    status: 204,
  },
  listCurrencies: {
    method: "GET",
    path: "/v1/currencies",
    permission: null,
    result: async () => (await currency()).CurrencyList,
    status: 200,
    constant: true,
  },
} as const satisfies Record<OperationName, Row>;

export type { Input, OperationName, Output };
export type OperationRow = Row;

type Table = typeof operations;

/** The names of the parameters of a path: `"/v1/a/:x/:y"` → `"x" | "y"`. */
export type PathParameter<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathParameter<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

type Simplify<T> = { [K in keyof T]: T[K] };
/** The body and query of a request after parsing. */
type ParsedPart<R> = (R extends { body: Lazy<infer Body extends z.ZodMiniType> } ? { body: z.output<Body> } : unknown) &
  (R extends { query: Lazy<infer Query extends z.ZodMiniType> } ? { query: z.output<Query> } : unknown);

/** The input after parsing: trimmed and with default values. */
export type ParsedInput<N extends OperationName> = Simplify<
  { [K in PathParameter<Table[N]["path"]>]: string } & ParsedPart<Table[N]>
>;

export function operationRow(name: OperationName): OperationRow {
  return operations[name];
}

/** Returns the names of the parameters of a path, in order. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/:(\w+)/g)].map((match) => match[1]!);
}
