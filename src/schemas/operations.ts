/** The API as a table: one row an endpoint. Client, server, engine, permissions and documents are made from it. */

import * as z from "zod/mini";
import { Currency } from "./currency.ts";
import { Draft } from "./draft.ts";
import {
  AccessMatrix,
  AvailableQuery,
  Form,
  FormCreate,
  FormDefaults,
  FormDefaultsPatch,
  FormListItem,
  FormPatch,
} from "./form.ts";
import {
  AssignmentSet,
  Layout,
  LayoutCreate,
  LayoutPatch,
  LayoutQuery,
  LayoutVersion,
  Publish,
  Published,
  Restore,
  SavedDraft,
  SurfaceDefinitions,
  SurfaceQuery,
} from "./layout.ts";
import { ListQuery, pageOf } from "./page.ts";

export const PERMISSIONS = [
  "api.custom_forms.read",
  "api.custom_forms.manage",
  "api.view_layouts.read",
  "api.view_layouts.manage",
  "api.view_layouts.publish",
] as const;
export type Permission = (typeof PERMISSIONS)[number];

type Row = {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  /** `null`: any valid token will do. */
  permission: Permission | null;
  query?: z.ZodMiniType;
  body?: z.ZodMiniType;
  /** What `data` of the answer holds, or of a page the whole answer. Absent: 204 No Content. */
  result?: z.ZodMiniType;
  status: 200 | 201 | 204;
  /** The answer is `{data: [...], meta}` as a whole, and not a record in `data`. */
  paged?: true;
  /** Answered from the program alone: no record is read. */
  constant?: true;
  /** Beyond the API document: another server may not have it (docs/decisions.md, "Extensions"). */
  extension?: true;
};

const FORMS = "/v1/custom-modules/:moduleKey/objects/:objectKey/forms";
const LAYOUTS = "/v1/view-layouts";

export const operations = {
  createForm: {
    method: "POST",
    path: FORMS,
    permission: "api.custom_forms.manage",
    body: FormCreate,
    result: Form,
    status: 201,
  },
  listForms: {
    method: "GET",
    path: FORMS,
    permission: "api.custom_forms.read",
    query: ListQuery,
    result: pageOf(FormListItem),
    status: 200,
    paged: true,
  },
  listAvailableForms: {
    method: "GET",
    path: `${FORMS}/available`,
    permission: "api.custom_forms.read",
    query: AvailableQuery,
    result: z.array(Form),
    status: 200,
  },
  updateFormDefaults: {
    method: "PATCH",
    path: `${FORMS}/defaults`,
    permission: "api.custom_forms.manage",
    body: FormDefaultsPatch,
    result: FormDefaults,
    status: 200,
  },
  getForm: {
    method: "GET",
    path: `${FORMS}/:formId`,
    permission: "api.custom_forms.read",
    result: Form,
    status: 200,
  },
  updateForm: {
    method: "PATCH",
    path: `${FORMS}/:formId`,
    permission: "api.custom_forms.manage",
    body: FormPatch,
    result: Form,
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
    result: AccessMatrix,
    status: 200,
  },
  replaceFormAccess: {
    method: "PUT",
    path: `${FORMS}/:formId/access`,
    permission: "api.custom_forms.manage",
    body: AccessMatrix,
    result: AccessMatrix,
    status: 200,
  },
  createLayout: {
    method: "POST",
    path: LAYOUTS,
    permission: "api.view_layouts.manage",
    body: LayoutCreate,
    result: Layout,
    status: 201,
  },
  listLayouts: {
    method: "GET",
    path: LAYOUTS,
    permission: "api.view_layouts.read",
    query: LayoutQuery,
    result: z.array(Layout),
    status: 200,
    extension: true,
  },
  getSurfaceDefinitions: {
    method: "GET",
    path: `${LAYOUTS}/surface-definitions`,
    permission: "api.view_layouts.read",
    query: SurfaceQuery,
    result: SurfaceDefinitions,
    status: 200,
    constant: true,
  },
  getLayout: {
    method: "GET",
    path: `${LAYOUTS}/:layoutId`,
    permission: "api.view_layouts.read",
    result: Layout,
    status: 200,
    extension: true,
  },
  updateLayout: {
    method: "PATCH",
    path: `${LAYOUTS}/:layoutId`,
    permission: "api.view_layouts.manage",
    body: LayoutPatch,
    result: Layout,
    status: 200,
  },
  saveDraft: {
    method: "PUT",
    path: `${LAYOUTS}/:layoutId/draft`,
    permission: "api.view_layouts.manage",
    body: Draft,
    result: SavedDraft,
    status: 200,
  },
  publishLayout: {
    method: "POST",
    path: `${LAYOUTS}/:layoutId/publish`,
    permission: "api.view_layouts.publish",
    body: Publish,
    result: Published,
    status: 200,
  },
  listVersions: {
    method: "GET",
    path: `${LAYOUTS}/:layoutId/versions`,
    permission: "api.view_layouts.read",
    result: z.array(LayoutVersion),
    status: 200,
  },
  getVersion: {
    method: "GET",
    path: `${LAYOUTS}/:layoutId/versions/:versionId`,
    permission: "api.view_layouts.read",
    result: LayoutVersion,
    status: 200,
  },
  restoreDraft: {
    method: "POST",
    path: `${LAYOUTS}/:layoutId/versions/:versionId/restore-draft`,
    permission: "api.view_layouts.manage",
    body: Restore,
    result: SavedDraft,
    status: 200,
  },
  replaceAssignments: {
    method: "PUT",
    path: `${LAYOUTS}/:layoutId/assignments`,
    permission: "api.view_layouts.manage",
    body: AssignmentSet,
    result: Layout,
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
    result: z.array(Currency),
    status: 200,
    constant: true,
  },
} as const satisfies Record<string, Row>;

export type OperationName = keyof typeof operations;
export type OperationRow = Row;

type Table = typeof operations;

/** The names of the parameters of a path: `"/v1/a/:x/:y"` → `"x" | "y"`. */
export type PathParameter<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathParameter<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

type Simplify<T> = { [K in keyof T]: T[K] };
type RequestPart<R, Parse extends "input" | "output"> = (R extends { body: infer Body extends z.ZodMiniType }
  ? { body: Parse extends "input" ? z.input<Body> : z.output<Body> }
  : unknown) &
  (R extends { query: infer Query extends z.ZodMiniType }
    ? Parse extends "input"
      ? { query?: z.input<Query> }
      : { query: z.output<Query> }
    : unknown);

/** What a caller gives: the path's parameters by name, the body, the query. */
export type Input<N extends OperationName> = Simplify<
  { [K in PathParameter<Table[N]["path"]>]: string } & RequestPart<Table[N], "input">
>;

/** The same after its row's schemas have read it: trimmed, with defaults filled in. */
export type ParsedInput<N extends OperationName> = Simplify<
  { [K in PathParameter<Table[N]["path"]>]: string } & RequestPart<Table[N], "output">
>;

/** What a caller gets: the record, the page, or nothing. */
export type Output<N extends OperationName> = Table[N] extends { result: infer Result extends z.ZodMiniType }
  ? z.output<Result>
  : void;

export function operationRow(name: OperationName): OperationRow {
  return operations[name];
}

/** The names of the parameters of a path, in order. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/:(\w+)/g)].map((match) => match[1]!);
}
