/** Generates the OpenAPI document of the server from the table of operations and its schemas. */

import { hasEntityTag, taggedRead } from "../schemas/entity-tag.ts";
import { ErrorAnswer } from "../schemas/error-schema.ts";
import { IDENTIFIER } from "../schemas/words.ts";
import { jsonSchemas } from "../schemas/json-schema.ts";
import type { JsonSchema } from "../schemas/schema.ts";
import {
  type OperationName,
  operationRow,
  operations,
  type OperationRow,
  pathParameters,
} from "../schemas/operations.ts";
import { queryParameters } from "../schemas/read-query.ts";
import { MEANING, OF_ANY_REQUEST, refusalsOf } from "../schemas/refusals.ts";

const SCHEMAS = "#/components/schemas/";

type Json = { [member: string]: unknown };

export async function openApi(version: string): Promise<Json> {
  const rows = await loadRows();
  const { schemas, nameOf } = jsonSchemas(
    {
      input: rows.flatMap(({ query, body }) => [query, body].filter((schema) => schema !== undefined)),
      output: [ErrorAnswer, ...rows.flatMap(({ result }) => (result ? [result] : []))],
    },
    SCHEMAS,
  );
  const reference = (schema: Parameters<typeof nameOf>[0]): JsonSchema => ({ $ref: SCHEMAS + nameOf(schema) });
  const paths: Record<string, Json> = {
    "/livez": { get: { operationId: "livez", security: [], summary: "Whether the process answers", ...plain } },
    "/readyz": {
      get: {
        operationId: "readyz",
        security: [],
        summary: "Whether the store answers and the server does not stop",
        responses: { ...plain.responses, 503: { $ref: "#/components/responses/503" } },
      },
    },
    "/healthz": { get: { operationId: "healthz", security: [], summary: "The same as /livez", ...plain } },
    "/openapi.json": { get: { operationId: "openapi", security: [], summary: "This document", ...plain } },
  };
  for (const { name, row, query, body, result } of rows) {
    const path = row.path.replace(/:(\w+)/g, "{$1}");
    const data = result && reference(result);
    const content =
      data &&
      (row.paged ? data : { type: "object", properties: { data }, required: ["data"], additionalProperties: false });
    (paths[path] ??= {})[row.method.toLowerCase()] = {
      operationId: name,
      ...(row.permission && { description: `Requires the permission ${row.permission}.` }),
      parameters: [
        ...pathParameters(row.path).map((parameter) => ({
          name: parameter,
          in: "path",
          required: true,
          schema: identifier,
        })),
        ...(query
          ? queryParameters(query).map(({ name: parameter, isJson }) =>
              queryParameter(parameter, isJson, schemas[nameOf(query)]!),
            )
          : []),
        ...headerParameters(name, row),
      ],
      ...(body && { requestBody: { required: true, content: { "application/json": { schema: reference(body) } } } }),
      responses: {
        [row.status]: success(name, content, result !== undefined && schemas[nameOf(result)]?.["type"] === "array"),
        ...Object.fromEntries(refusalsOf(name).map((status) => [status, { $ref: `#/components/responses/${status}` }])),
      },
    };
  }
  return {
    openapi: "3.1.0",
    info: { title: "formctl", version, description: DESCRIPTION },
    security: [{ token: [] }],
    paths,
    components: {
      schemas,
      responses: refusals(reference(ErrorAnswer)),
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
    },
  };
}

const DESCRIPTION =
  "Custom object forms, view layouts and reference data. Every error response is an error object. An unknown path gives 401 " +
  "or 404, an unsupported method 405 with Allow, and another Host than this machine 421 if only this machine may call. " +
  "Each path with GET also supports HEAD.";

const identifier = { type: "string", pattern: IDENTIFIER.source };

const plain = {
  responses: {
    200: { description: "OK", content: { "application/json": { schema: { type: "object" } } } },
    ...Object.fromEntries(OF_ANY_REQUEST.map((status) => [status, { $ref: `#/components/responses/${status}` }])),
  },
};

async function loadRows() {
  const names = Object.keys(operations) as OperationName[];
  return Promise.all(
    names.map(async (name) => {
      const row = operationRow(name);
      return { name, row, query: await row.query?.(), body: await row.body?.(), result: await row.result?.() };
    }),
  );
}

/** Describes a query parameter. A list or an object is written as JSON. */
function queryParameter(name: string, isJson: boolean, query: JsonSchema): Json {
  const schema = (query["properties"] as Record<string, JsonSchema>)[name];
  const value = isJson ? { content: { "application/json": { schema } } } : { schema };
  return { name, in: "query", required: false, ...value };
}

function headerParameters(name: OperationName, row: OperationRow): Json[] {
  const header = (headerName: string, schema: JsonSchema, description: string) => ({
    name: headerName,
    in: "header",
    required: false,
    description,
    schema,
  });
  const text = { type: "string" };
  return [
    header("X-Request-Id", text, "Returned in the response and written to the log."),
    ...(row.method === "GET"
      ? []
      : [
          header(
            "Idempotency-Key",
            { type: "string", pattern: "^[!-~]{1,128}$" },
            "A repeated request with the same key gets the same response and has no further effect.",
          ),
        ]),
    ...(taggedRead(name) ? [header("If-Match", text, "Entity tags. The target must still have one of them.")] : []),
  ];
}

function success(name: OperationName, schema: JsonSchema | undefined, isList: boolean): Json {
  const row = operationRow(name);
  const headers = {
    ...(hasEntityTag(name) && { ETag: { schema: { type: "string" } } }),
    ...(isList && { "X-Total-Count": { schema: { type: "integer" } } }),
    ...(row.method !== "GET" && { "Idempotency-Replayed": { schema: { enum: ["true", "false"] } } }),
  };
  return {
    description: schema ? "Done" : "Done, without content",
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(schema && { content: { "application/json": { schema } } }),
  };
}

function refusals(schema: JsonSchema): Json {
  return Object.fromEntries(
    Object.entries(MEANING).map(([status, description]) => [
      status,
      { description, content: { "application/json": { schema } } },
    ]),
  );
}
