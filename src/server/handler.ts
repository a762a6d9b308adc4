/** A `Service` behind HTTP: routes from the table, tokens, errors in the API's words. Knows no engine and no socket. */

import { type Context, Hono } from "hono";
import { isLoopback } from "../schemas/base-url.ts";
import { type OperationName, operationRow, operations } from "../schemas/operations.ts";
import { type Caller, ServiceError } from "../service.ts";
import { type Headers, retryHeaders, jsonResponse, errorResponse, successResponse } from "./response.ts";
import { type Limits, LIMITS } from "./limits.ts";
import { readRequest } from "./read-request.ts";

/** One line of the log: a request and how it ended. No body, no query and no token is ever in it. */
export type RequestLogEntry = {
  requestId: string;
  method: string;
  path: string;
  status: number;
  ms: number;
  tokenId?: string;
  replayed?: true;
  /** What went wrong inside, where the sender was told nothing. */
  error?: unknown;
};

export type HandlerOptions = {
  /** Asked on every request: a token that was revoked a moment ago opens nothing. */
  authenticate(token: string): Promise<Caller | undefined>;
  /** Milliseconds, for the log. */
  now(): number;
  newRequestId: () => string;
  log?: (entry: RequestLogEntry) => void;
  /** Answers to names of this machine only: for a server that others can't reach anyway. */
  loopbackOnly?: boolean;
  limits?: Limits;
  /** Lets other requests have their turn between the steps of a long one. */
  yieldToEventLoop?: () => Promise<void>;
  /** What a failureResponse means that is neither a errorResponse nor our mistake, as when the store is busy. */
  refusalOf?(error: unknown): ServiceError | undefined;
  version: string;
};

/** What is known of a request while it is answered. */
type State = { requestId: string; tokenId?: string; replayed?: true; error?: unknown };
type RequestOf = Context<{ Bindings: State }>;

const SANE_REQUEST_ID = /^[\w.-]{1,128}$/;
const BEARER = /^bearer +([\w.~+/=-]+) *$/i;

/** @returns the part of a server that sees requests; in a test it needs no socket */
export function createHandler(options: HandlerOptions): (request: Request) => Promise<Response> {
  const app = createApp(options);
  return async (request) => {
    const start = options.now();
    const requestId = requestIdFrom(request.headers.get("x-request-id"), options.newRequestId);
    const state: State = { requestId };
    const response = await app.fetch(request, state);
    options.log?.({
      ...state,
      method: request.method,
      path: pathOf(request.url),
      status: response.status,
      ms: Math.round((options.now() - start) * 10) / 10,
    });
    return response;
  };
}

/** The sender's own id where it is one that a log can hold. */
export function requestIdFrom(offered: string | null, newRequestId: () => string): string {
  return offered !== null && SANE_REQUEST_ID.test(offered) ? offered : newRequestId();
}

function createApp(options: HandlerOptions): Hono<{ Bindings: State }> {
  const app = new Hono<{ Bindings: State }>();
  if (options.loopbackOnly) {
    // A page of a browser can make a name of its own point here (DNS rebinding): its requests then carry that name.
    app.use(async (c, next) => {
      if (isLoopback(hostOf(c.req.url))) return next();
      return errorResponse(421, misdirected, c.env.requestId);
    });
  }
  app.get("/healthz", (c) => jsonResponse(200, '{"status":"ok"}', c.env.requestId));
  let document: Promise<string> | undefined;
  app.get("/openapi.json", async (c) => {
    document ??= import("./openapi.ts").then(async ({ openApi }) => JSON.stringify(await openApi(options.version)));
    return jsonResponse(200, await document, c.env.requestId);
  });
  for (const path of ["/healthz", "/openapi.json"]) app.all(path, (c) => methodNotAllowed(c, ["GET"]));

  for (const [path, names] of routes()) {
    for (const name of names) app.on(operationRow(name).method, path, (c) => answer(name, c, options));
    const methods = names.map((name) => operationRow(name).method);
    app.all(path, async (c) => (await authenticate(c, options)) && methodNotAllowed(c, methods));
  }
  app.notFound(async (c) => {
    // Who has no token learns nothing about paths either. What is thrown here would not reach `onError`.
    try {
      await authenticate(c, options);
    } catch (error) {
      return failureResponse(error, c, options);
    }
    return errorResponse(404, { code: "NOT_FOUND", message: "there is nothing at this path" }, c.env.requestId);
  });
  app.onError((error, c) => failureResponse(error, c, options));
  return app;
}

const misdirected = {
  code: "MISDIRECTED_REQUEST",
  message: "this server answers to localhost, 127.0.0.1 and [::1] only",
};

/** The paths of the table with their operations; those without a parameter in the last place come first. */
function routes(): [path: string, names: OperationName[]][] {
  const paths = new Map<string, OperationName[]>();
  for (const name of Object.keys(operations) as OperationName[]) {
    const { path } = operationRow(name);
    paths.set(path, [...(paths.get(path) ?? []), name]);
  }
  const isStatic = (path: string) => !/\/:\w+$/.test(path);
  return [...paths].sort(([a], [b]) => Number(isStatic(b)) - Number(isStatic(a)));
}

async function answer(name: OperationName, c: RequestOf, options: HandlerOptions): Promise<Response> {
  const caller = await authenticate(c, options);
  const { limits = LIMITS, yieldToEventLoop = async () => {} } = options;
  const { input, context } = await readRequest(name, c.req.raw, c.req.param(), { limits, yieldToEventLoop });
  const service = caller.service({
    ...context,
    requestId: c.env.requestId,
    onReplay: () => void (c.env.replayed = true),
  });
  const result = await (service[name] as (input: unknown) => Promise<unknown>)(input);
  await yieldToEventLoop();
  const { requestId, replayed } = c.env;
  return successResponse(name, result, { requestId, isReplay: replayed === true, yieldToEventLoop });
}

/** @throws ServiceError 401 */
async function authenticate(c: RequestOf, options: HandlerOptions): Promise<Caller> {
  const header = c.req.raw.headers.get("authorization");
  if (header === null) throw unauthorized("this needs a token: authorization: Bearer TOKEN");
  const token = BEARER.exec(header)?.[1];
  const caller = token === undefined ? undefined : await options.authenticate(token);
  if (!caller) throw unauthorized("the token is unknown, expired or revoked");
  c.env.tokenId = caller.tokenId;
  return caller;
}

const unauthorized = (message: string) => new ServiceError(401, { code: "UNAUTHORIZED", message });

function methodNotAllowed(c: RequestOf, methods: readonly string[]): Response {
  const allow = methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ");
  const body = { code: "METHOD_NOT_ALLOWED", message: `this path answers to ${allow}` };
  return errorResponse(405, body, c.env.requestId, { allow });
}

function failureResponse(error: unknown, c: RequestOf, options: HandlerOptions): Response {
  const known = error instanceof ServiceError ? error : options.refusalOf?.(error);
  if (known !== error) c.env.error = error;
  if (known) {
    const headers: Headers = known.status === 401 ? { "www-authenticate": challenge(c) } : retryHeaders(known);
    return errorResponse(known.status, known.body, c.env.requestId, headers);
  }
  const message = `something went wrong inside; the log has it under ${c.env.requestId}`;
  return errorResponse(500, { code: "INTERNAL", message }, c.env.requestId);
}

/** RFC 6750 §3: without a token nothing is said but which scheme is understood. */
function challenge(c: RequestOf): string {
  return c.req.raw.headers.has("authorization") ? 'Bearer error="invalid_token"' : "Bearer";
}

/** `http://localhost:8080/v1` → `localhost` */
function hostOf(url: string): string {
  const start = url.indexOf("//") + 2;
  return url.slice(start, url.indexOf("/", start)).replace(/:\d*$/, "").toLowerCase();
}

/** Without the query, which may hold anything. */
function pathOf(url: string): string {
  const path = url.slice(url.indexOf("/", url.indexOf("//") + 2));
  const end = path.search(/[?#]/);
  return end === -1 ? path : path.slice(0, end);
}
