/** `formctl api`: a request as it is typed, for what has no command of its own. */

import { FormctlError } from "../error.ts";
import { readWhole } from "../lists/whole-list.ts";
import { isJsonObject } from "../schemas/json.ts";
import type { RawAnswer, RawRequest } from "../service.ts";
import { jsonText, safeLine, visibleLines } from "../terminal/escape.ts";
import { callByTable } from "./call-by-table.ts";
import { argument, type CommandContext, defineCommand, flag, option } from "./command.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

export default defineCommand({
  about: "Send a request and print the answer",
  details: `PATH begins with a slash and may have a query. The answer is printed as it is, with its wrapping. DATA is JSON text, @FILE
with YAML or JSON, or - for standard input. With --paginate all pages of a list are read and printed as one list.

A local store answers the same requests as a server. What a server refuses has the exit code of its status.`,
  examples: [
    "formctl api GET /v1/currencies -o json --query 'data[0]'",
    "formctl api GET /v1/custom-modules/staffing/objects/candidate/forms --paginate -o name",
    `formctl api PATCH /v1/custom-modules/staffing/objects/candidate/forms/defaults -d '{"defaultViewFormId": null}'`,
  ],
  args: {
    method: argument("METHOD", METHODS.join(", "), parseMethod),
    path: argument("PATH", "Path and query, such as /v1/currencies", parsePath),
  },
  options: {
    data: option("-d, --data <data>", "Body of the request: JSON, @FILE or -"),
    paginate: flag("--paginate", "Read all pages of a list"),
  },
  writes: true,
  async run(context, { method, path, data, paginate }) {
    const body = data === undefined ? undefined : await readData(context, data);
    if (method === "GET" && body !== undefined) throw new FormctlError("USAGE", "GET has no body", "Leave -d out.");
    if (paginate && method !== "GET") throw new FormctlError("USAGE", "--paginate is for GET alone");
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
  throw new FormctlError("USAGE", `must be one of ${METHODS.join(", ")}, not "${text}"`);
}

function parsePath(text: string): string {
  const url = URL.parse(text, "http://here");
  // `//host` and dot segments would be read as something else than what was typed.
  const isPlain = /^\/(?!\/)[^\\#\s]*$/.test(text) && url?.origin === "http://here" && text.startsWith(url.pathname);
  if (isPlain) return text;
  throw new FormctlError("USAGE", `must be a path that begins with one slash, such as /v1/currencies, not "${text}"`);
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
      "-d holds no JSON",
      "Name a file with -d @FILE, or standard input with -d -",
    );
  }
}

async function sendRaw(context: CommandContext, request: RawRequest): Promise<RawAnswer> {
  if (context.target.kind === "remote") return context.server.raw(request);
  return callByTable(await context.service(), request);
}

/** The first page as it was typed: whether there are more, it says itself, or an empty page. @throws LIST_INCOMPLETE */
async function readPages(send: (request: RawRequest) => Promise<RawAnswer>, path: string): Promise<unknown[]> {
  const url = new URL(path, "http://here");
  const start = Number(url.searchParams.get("page") ?? 1);
  return readWhole<unknown>({
    what: `the list ${path}`,
    keyOf: (item) => (isJsonObject(item) ? (item["id"] ?? item["code"]) : undefined) ?? JSON.stringify(item),
    async ask(page) {
      if (page !== undefined) url.searchParams.set("page", String(start + page - 1));
      const asked = page === undefined ? path : `${url.pathname}${url.search}`;
      const { body } = await send({ method: "GET", path: asked });
      const items = Array.isArray(body) ? (body as unknown[]) : isJsonObject(body) ? body["data"] : undefined;
      if (!Array.isArray(items))
        throw new FormctlError("INVALID_VALUE", "the answer is no list", "Leave --paginate out.");
      const { total, hasMore } = isJsonObject(body) && isJsonObject(body["meta"]) ? body["meta"] : {};
      return {
        items: items as unknown[],
        ...(typeof total === "number" && start === 1 && { total }),
        ...(typeof hasMore === "boolean" && { hasMore }),
      };
    },
    mayGoOn: () => true,
  });
}

function idsIn(body: unknown): string[] {
  const data = isJsonObject(body) && "data" in body ? body["data"] : body;
  return (Array.isArray(data) ? data : [data]).flatMap((record: unknown) => {
    const id = isJsonObject(record) ? (record["id"] ?? record["code"]) : undefined;
    return typeof id === "string" ? [id] : [];
  });
}
