/** Checks every response of a server against the server's OpenAPI document. */

import { Ajv2020 } from "ajv/dist/2020.js";
import type { ValidateFunction } from "ajv";
import { openApi } from "../../src/server/openapi.ts";

type Json = { [member: string]: unknown };
type Answer = { content?: { "application/json": { schema: Json } } };
type Operation = { operationId: string; responses: Record<string, Answer | { $ref: string }> };
export type OpenApi = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json>; responses: Record<string, Answer> };
};

/** A response with its body as text. */
export type Seen = { method: string; url: string; status: number; headers: Headers; text: string };

export type Judge = {
  document: OpenApi;
  /** Describes how a response differs from the document. Undefined if it matches. */
  complaint(seen: Seen): string | undefined;
};

/** Statuses for requests that are not operations. The document describes them as text. */
const OUTSIDE = new Set([401, 404, 405, 421]);

export async function openJudge(document?: OpenApi): Promise<Judge> {
  const known = document ?? ((await openApi("test")) as OpenApi);
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  ajv.addSchema(known, "doc");
  const validators = new Map<string, ValidateFunction>();
  const validator = (pointer: string) => {
    const found = validators.get(pointer) ?? ajv.compile({ $ref: `doc#${pointer}` });
    validators.set(pointer, found);
    return found;
  };
  const paths = Object.keys(known.paths)
    .sort((a, b) => Number(a.endsWith("}")) - Number(b.endsWith("}")))
    .map((path) => ({ path, pattern: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`) }));
  const error = "/components/schemas/ErrorAnswer";

  function complaint({ method, url, status, headers, text }: Seen): string | undefined {
    const pathname = new URL(url).pathname;
    const path = paths.find(({ pattern }) => pattern.test(pathname))?.path;
    const isHead = method === "HEAD";
    const operation = path && known.paths[path]![isHead ? "get" : method.toLowerCase()];
    const common = checkHeaders(status, headers, text, isHead);
    if (common) return common;
    if (!path || !operation) {
      if (!OUTSIDE.has(status)) return `${status} for what is no operation`;
      if (status === 405 && !headers.get("allow")) return "405 without Allow";
      return isHead ? undefined : complaintOf(validator(error), text);
    }
    const described = operation.responses[status];
    if (!described) return `${operation.operationId} does not say that it answers ${status}`;
    const reference = "$ref" in described ? described.$ref.slice(1) : undefined;
    const at = reference ?? `/paths/${escape(path)}/${isHead ? "get" : method.toLowerCase()}/responses/${status}`;
    const response = reference ? known.components.responses[status]! : (described as Answer);
    if (!response.content) return text === "" ? undefined : `${status} has a body`;
    return isHead ? undefined : complaintOf(validator(`${at}/content/application~1json/schema`), text);
  }
  return { document: known, complaint };
}

function checkHeaders(status: number, headers: Headers, text: string, isHead: boolean): string | undefined {
  if (headers.get("cache-control") !== "no-store") return "it may be cached";
  if (headers.get("x-content-type-options") !== "nosniff") return "its type may be guessed";
  if (!headers.get("x-request-id")) return "it has no request id";
  if ([...headers.keys()].some((name) => name.startsWith("access-control-"))) return "it opens itself to other origins";
  if (status === 401 && !headers.get("www-authenticate")?.startsWith("Bearer")) return "401 without WWW-Authenticate";
  if (isHead ? text !== "" : text !== "" && headers.get("content-type") !== "application/json") return "it is not JSON";
  return undefined;
}

function complaintOf(validate: ValidateFunction, text: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return `its body is not JSON: ${text.slice(0, 100)}`;
  }
  if (validate(value)) return undefined;
  const [first] = validate.errors ?? [];
  return `${first?.instancePath || "its body"} ${first?.message} ${JSON.stringify(first?.params)}`;
}

/** A path as one step of a JSON pointer in a URI fragment. */
function escape(path: string): string {
  return encodeURIComponent(path.replaceAll("~", "~0").replaceAll("/", "~1"));
}

/** Returns a fetch that fails the test if a response does not match the document. */
export function judged(
  judge: Judge,
  fetch: (request: Request) => Promise<Response>,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const { method, url } = request;
    const response = await fetch(request);
    const text = await response.clone().text();
    const wrong = judge.complaint({ method, url, status: response.status, headers: response.headers, text });
    if (wrong) throw new Error(`${method} ${url} answers ${response.status}, and ${wrong}`);
    return response;
  };
}
