/** `formctl api`: sends any request of the API. */

import { FormctlError } from "../base/error.ts";
import { readWhole } from "../lists/pages.ts";
import { sha256 } from "../base/sha256.ts";
import { isJsonObject } from "../schemas/json.ts";
import { type RawAnswer, type RawRequest, type Service, ServiceError } from "../service.ts";
import { jsonText, safeLine, visibleLines } from "../terminal/escape.ts";
import { argument, type CommandContext, defineCommand, flag, option } from "./command.ts";
import { type OperationName, operationRow, operations } from "../schemas/operations.ts";
import { validationBody } from "../schemas/error-body.ts";
import { readQuery } from "../schemas/read-query.ts";
import { isRequestPath, METHODS } from "../schemas/wire.ts";
import { quoted } from "../base/shell-quote.ts";

export default defineCommand({
  details: `PATH starts with a slash and may have a query. The response body is printed unchanged. DATA is JSON text, @FILE with YAML or
JSON, or - for standard input. With --paginate all pages of a list are read and printed as one list.

A local store answers the same requests as a server. The exit code of a refusal follows from its status.`,
  examples: [
    "formctl api GET /v1/currencies -o json --query 'data[0]'",
    "formctl api GET /v1/custom-modules/staffing/objects/candidate/forms --paginate -o name",
    `formctl api PATCH /v1/custom-modules/staffing/objects/candidate/forms/defaults -d '{"defaultViewFormId": null}'`,
  ],
  args: {
    method: argument("METHOD", METHODS.join(", "), parseMethod, METHODS),
    path: argument("PATH", "Path and query, such as /v1/currencies", parsePath),
  },
  options: {
    data: option("-d, --data <data>", "Body of the request: JSON, @FILE or -"),
    paginate: flag("--paginate", "Read all pages of a list"),
  },
  writes: true,
  async run(context, { method, path, data, paginate }) {
    const body = data === undefined ? undefined : await readData(context, data);
    if (method === "GET" && body !== undefined)
      throw new FormctlError("USAGE", "GET and --data can't be combined", "Remove one of them.");
    if (paginate && method !== "GET")
      throw new FormctlError("USAGE", `${method} and --paginate can't be combined`, "Remove one of them.");
    const send = (request: RawRequest) => sendRaw(context, request);
    if (paginate) return readPages(send, path);
    return (await send({ method, path, ...(body !== undefined && { body }) })).body;
  },
  view(body, terminal) {
    if (typeof body === "string") terminal.out(`${visibleLines(body).split("\n").map(safeLine).join("\n")}\n`);
    else if (body !== undefined) terminal.out(`${jsonText(body, 2)}\n`);
  },
  document: (body) => body ?? null,
  names: (body) => idsIn(body),
});

function parseMethod(text: string): string {
  const method = text.toUpperCase();
  if (METHODS.includes(method)) return method;
  const hint = text.startsWith("/") ? `Did you mean: formctl api GET ${quoted(text)}` : undefined;
  throw new FormctlError("USAGE", `must be one of ${METHODS.join(", ")}, not "${text}"`, hint);
}

function parsePath(text: string): string {
  if (isRequestPath(text)) return text;
  throw new FormctlError("USAGE", `must be a path that starts with one slash, such as /v1/currencies, not "${text}"`);
}

async function readData(context: CommandContext, data: string): Promise<unknown> {
  const { readDocument } = await import("../documents/document.ts");
  if (data === "-" || data.startsWith("@")) {
    const path = data === "-" ? "-" : data.slice(1);
    return readDocument(Buffer.from(await context.readFile(path)), path).value;
  }
  try {
    return JSON.parse(data) as unknown;
  } catch {
    throw new FormctlError(
      "INVALID_VALUE",
      "--data is not valid JSON",
      "For a file use -d @FILE, for standard input -d -",
    );
  }
}

async function sendRaw(context: CommandContext, request: RawRequest): Promise<RawAnswer> {
  if (context.target.kind === "remote") return context.server.raw(request);
  return callByTable(await context.service(), request);
}

/**
 * Reads all pages of a list. Starts with the page in the query of the path, or with page 1.
 *
 * @throws LIST_INCOMPLETE
 * @throws INVALID_VALUE if the response is not a list
 */
async function readPages(send: (request: RawRequest) => Promise<RawAnswer>, path: string): Promise<unknown[]> {
  const url = new URL(path, "http://local");
  const start = Number(url.searchParams.get("page") ?? 1);
  return readWhole<unknown>({
    what: `the list ${path}`,
    keyOf: (item) => (isJsonObject(item) ? (item["id"] ?? item["code"]) : undefined) ?? sha256(JSON.stringify(item)),
    async ask(page) {
      if (page !== undefined) url.searchParams.set("page", String(start + page - 1));
      const asked = page === undefined ? path : `${url.pathname}${url.search}`;
      const { body } = await send({ method: "GET", path: asked });
      const items = Array.isArray(body) ? (body as unknown[]) : isJsonObject(body) ? body["data"] : undefined;
      if (!Array.isArray(items))
        throw new FormctlError("INVALID_VALUE", "the response is not a list", "Remove --paginate.");
      const { total, hasMore } = isJsonObject(body) && isJsonObject(body["meta"]) ? body["meta"] : {};
      return {
        items: items as unknown[],
        ...(typeof total === "number" && start === 1 && { total }),
        ...(typeof hasMore === "boolean" && { hasMore }),
      };
    },
  });
}

function idsIn(body: unknown): string[] {
  const data = isJsonObject(body) && "data" in body ? body["data"] : body;
  return (Array.isArray(data) ? data : [data]).flatMap((record: unknown) => {
    const id = isJsonObject(record) ? (record["id"] ?? record["code"]) : undefined;
    return typeof id === "string" ? [id] : [];
  });
}

/**
 * Calls the operation of the local store that has this method and path.
 *
 * @throws ServiceError with the status that a server would send
 */
async function callByTable(service: Service, { method, path, body }: RawRequest): Promise<RawAnswer> {
  const { pathname, searchParams } = new URL(path, "http://local");
  const found = (Object.keys(operations) as OperationName[]).find(
    (name) => operationRow(name).method === method && pattern(name).test(pathname),
  );
  if (!found) throw new ServiceError(404, { code: "NOT_FOUND", message: `${method} ${pathname} does not exist` });
  const row = operationRow(found);
  const { query, problems } = await readQuery(searchParams, row);
  if (problems.length > 0) throw new ServiceError(400, validationBody(problems));
  const { groups = {} } = pattern(found).exec(pathname) ?? {};
  const input = { ...groups, ...(row.query && { query }), ...(body !== undefined && { body }) };
  const output = await (service[found] as (input: unknown) => Promise<unknown>)(input);
  const wrapped = row.paged ? output : { data: output };
  return { status: row.status, headers: {}, body: row.result ? wrapped : undefined };
}

/**
 * Returns the pattern for the paths of an operation. A path may match several patterns. The first match is right: the
 * table of operations lists literal segments before parameters.
 */
function pattern(name: OperationName): RegExp {
  return new RegExp(`^${operationRow(name).path.replace(/:(\w+)/g, "(?<$1>[^/]+)")}$`);
}
