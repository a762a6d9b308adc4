/**
 * Serves a `Service` over HTTP: routes, authentication and errors. This module depends neither on the engine nor on
 * sockets.
 */

import { type Context, Hono } from "hono";
import { isLoopback } from "../schemas/base-url.ts";
import { type OperationName, operationRow, operations } from "../schemas/operations.ts";
import { type Caller, ServiceError } from "../service.ts";
import type { VersionOf } from "../versioned-cache.ts";
import { AnswerCache, type Answer, type Question } from "./answer-cache.ts";
import {
  type Headers,
  retryHeaders,
  jsonHeaders,
  jsonResponse,
  errorResponse,
  renderSuccess,
  successResponse,
} from "./response.ts";
import { type Limits, LIMITS } from "./limits.ts";
import { readRequest } from "./read-request.ts";

/** A log entry for one request. It never contains a body, a query or a token. */
export type RequestLogEntry = {
  requestId: string;
  method: string;
  path: string;
  status: number;
  ms: number;
  tokenId?: string;
  replayed?: boolean;
  /** The internal error, which the response does not show. */
  error?: unknown;
};

export type HandlerOptions = {
  /**
   * Returns the caller of a token; undefined if the token is not valid. Called for every request, so that a revocation
   * takes effect at once.
   */
  authenticate(token: string): Promise<Caller | undefined>;
  /**
   * Returns a number that differs after each change of the data. Undefined if it is unknown; then no answer is cached.
   */
  dataVersion?: VersionOf;
  /** A clock in milliseconds, for the log. */
  now: () => number;
  newRequestId: () => string;
  log?: (entry: RequestLogEntry) => void;
  /** Whether to accept only the host names of this machine; set if the server listens on a loopback address. */
  loopbackOnly?: boolean;
  limits?: Limits;
  /** Lets the server handle other requests between the steps of a long one. */
  yieldToEventLoop?: () => Promise<void>;
  /** Translates an error such as a busy store to an error response. Returns undefined for an internal error. */
  refusalOf?(error: unknown): ServiceError | undefined;
  version: string;
};

/** The state of a request for its log entry. */
type State = { requestId: string; tokenId?: string; replayed?: boolean; error?: unknown };
type RequestOf = Context<{ Bindings: State }>;

const SANE_REQUEST_ID = /^[\w.-]{1,128}$/;
const BEARER = /^bearer +([\w.~+/=-]+) *$/i;

export type Handler = {
  /** Answers a request. Tests call it without a socket. */
  fetch: (request: Request) => Promise<Response>;
  /**
   * Returns the cached answer to a GET request, and logs the request. If there is no cached answer, returns undefined
   * and logs nothing: pass the request to `fetch`.
   */
  answerAgain: (question: Question & { requestId: string | null }) => Answer | undefined;
};

/** Creates the request handler of a server. */
export function createHandler(options: HandlerOptions): Handler {
  const answers = new AnswerCache(options.dataVersion ?? (() => undefined));
  const app = createApp(options, answers);
  const { log, now, newRequestId } = options;
  const record = (request: { method: string; url: string }, status: number, state: State, start: number) =>
    log?.({
      ...state,
      method: request.method,
      path: pathOf(request.url),
      status,
      ms: Math.round((now() - start) * 10) / 10,
    });
  return {
    async fetch(request) {
      const start = now();
      const state: State = { requestId: requestIdFrom(request.headers.get("x-request-id"), newRequestId) };
      const response = await app.fetch(request, state);
      record(request, response.status, state, start);
      return response;
    },
    answerAgain({ url, authorization, requestId: requested }) {
      const start = now();
      const known = answers.find({ url, authorization });
      if (!known) return undefined;
      const { status, headers, text, caller } = known;
      const requestId = requestIdFrom(requested, newRequestId);
      record({ method: "GET", url }, status, { requestId, tokenId: caller.tokenId }, start);
      return { status, headers: jsonHeaders(requestId, headers), text };
    },
  };
}

/** Returns the request id of the client if it is safe to log, otherwise a new id. */
export function requestIdFrom(requested: string | null, newRequestId: () => string): string {
  return requested !== null && SANE_REQUEST_ID.test(requested) ? requested : newRequestId();
}

function createApp(options: HandlerOptions, answers: AnswerCache): Hono<{ Bindings: State }> {
  const app = new Hono<{ Bindings: State }>();
  if (options.loopbackOnly) {
    // Prevents DNS rebinding: a web page can point its own host name to this server. The requests of the page then have
    // that host name, which is not one of this machine, and are refused.
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
    for (const name of names) app.on(operationRow(name).method, path, (c) => answer(name, c, options, answers));
    const methods = names.map((name) => operationRow(name).method);
    app.all(path, async (c) => (await authenticate(c, options)) && methodNotAllowed(c, methods));
  }
  app.notFound(async (c) => {
    // Unknown paths need a token, too, so that paths are not disclosed. Hono does not pass an error of this function to
    // `onError`.
    try {
      await authenticate(c, options);
    } catch (error) {
      return failureResponse(error, c, options);
    }
    return errorResponse(404, { code: "NOT_FOUND", message: "unknown path" }, c.env.requestId);
  });
  app.onError((error, c) => failureResponse(error, c, options));
  return app;
}

const misdirected = {
  code: "MISDIRECTED_REQUEST",
  message: "this server accepts only the hosts localhost, 127.0.0.1 and [::1]",
};

/**
 * Returns the paths of the API with their operations. Paths with a fixed last segment come first, so that no path
 * parameter matches that segment.
 */
function routes(): [path: string, names: OperationName[]][] {
  const paths = new Map<string, OperationName[]>();
  for (const name of Object.keys(operations) as OperationName[]) {
    const { path } = operationRow(name);
    paths.set(path, [...(paths.get(path) ?? []), name]);
  }
  const isStatic = (path: string) => !/\/:\w+$/.test(path);
  return [...paths].sort(([a], [b]) => Number(isStatic(b)) - Number(isStatic(a)));
}

async function answer(
  name: OperationName,
  c: RequestOf,
  options: HandlerOptions,
  answers: AnswerCache,
): Promise<Response> {
  const { raw } = c.req;
  // The version is read before the token is looked up, because the answer depends on both.
  const asOf = raw.method === "GET" ? answers.refresh() : undefined;
  const caller = await authenticate(c, options);
  const { limits = LIMITS, yieldToEventLoop = async () => {} } = options;
  const { input, context } = await readRequest(name, raw, c.req.param(), { limits, yieldToEventLoop });
  const { requestId } = c.env;
  const onReplay = (isReplay: boolean) => void (c.env.replayed = isReplay);
  const result = await caller.answer(name, input, { ...context, requestId, onReplay });
  await yieldToEventLoop();
  const success = await renderSuccess(name, result, { isReplay: c.env.replayed, yieldToEventLoop });
  const { status, headers, text } = success;
  if (text !== null) answers.set(questionOf(raw), { status, headers, text, caller }, asOf);
  return successResponse(success, requestId);
}

function questionOf({ url, headers }: Request): Question {
  return { url, authorization: headers.get("authorization") };
}

/** Returns the caller of a request. @throws ServiceError 401 if the token is missing or not valid */
async function authenticate(c: RequestOf, options: HandlerOptions): Promise<Caller> {
  const header = c.req.raw.headers.get("authorization");
  if (header === null) throw unauthorized("a token is required: authorization: Bearer TOKEN");
  const token = BEARER.exec(header)?.[1];
  const caller = token === undefined ? undefined : await options.authenticate(token);
  if (!caller) throw unauthorized("the token is unknown, expired or revoked");
  c.env.tokenId = caller.tokenId;
  return caller;
}

const unauthorized = (message: string) => new ServiceError(401, { code: "UNAUTHORIZED", message });

function methodNotAllowed(c: RequestOf, methods: readonly string[]): Response {
  const allow = methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ");
  const body = { code: "METHOD_NOT_ALLOWED", message: `this path supports ${allow}` };
  return errorResponse(405, body, c.env.requestId, { allow });
}

function failureResponse(error: unknown, c: RequestOf, options: HandlerOptions): Response {
  const known = error instanceof ServiceError ? error : options.refusalOf?.(error);
  if (known !== error) c.env.error = error;
  if (known) {
    const headers: Headers = known.status === 401 ? { "www-authenticate": challenge(c) } : retryHeaders(known);
    return errorResponse(known.status, known.body, c.env.requestId, headers);
  }
  const message = `internal error. The log has the details under the request id ${c.env.requestId}`;
  return errorResponse(500, { code: "INTERNAL", message }, c.env.requestId);
}

/** RFC 6750 §3: without a token, the challenge names only the scheme. */
function challenge(c: RequestOf): string {
  return c.req.raw.headers.has("authorization") ? 'Bearer error="invalid_token"' : "Bearer";
}

/** Returns the host name of a URL: `http://localhost:8080/v1` → `localhost`. */
function hostOf(url: string): string {
  const start = url.indexOf("//") + 2;
  return url.slice(start, url.indexOf("/", start)).replace(/:\d*$/, "").toLowerCase();
}

/** Returns the path of a URL without the query, which can contain private data. */
function pathOf(url: string): string {
  const path = url.slice(url.indexOf("/", url.indexOf("//") + 2));
  const end = path.search(/[?#]/);
  return end === -1 ? path : path.slice(0, end);
}
