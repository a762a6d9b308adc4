/**
 * Serves a `Service` over HTTP: routes, authentication and errors. This module depends neither on the engine nor on
 * sockets.
 */

import type { ServerResponse } from "node:http";
import { type Context, Hono } from "hono";
import { isLoopback } from "../schemas/base-url.ts";
import { type OperationName, operationRow, operations } from "../schemas/operations.ts";
import { type Caller, ServiceError } from "../service.ts";
import type { VersionOf } from "../base/versioned-cache.ts";
import { AnswerCache, type Answer, type Question } from "./answer-cache.ts";
import { type Authentication, findCaller } from "./authenticate.ts";
import { openBodyBudget, type WithinBudget } from "./body-budget.ts";
import {
  type Headers,
  retryHeaders,
  jsonHeaders,
  jsonResponse,
  errorResponse,
  renderSuccess,
  successResponse,
} from "./response.ts";
import { bodyLimit, type Limits, LIMITS } from "./limits.ts";
import { mostBytes } from "./read-body.ts";
import { type Faults, isUnanswered } from "./faults.ts";
import { readRequest } from "./read-request.ts";
import type { RequestLogEntry } from "./request-log.ts";

export type HandlerOptions = Authentication & {
  /**
   * Returns a number that changes with the data; undefined if the number is unknown. Without a number, no answer is
   * cached.
   */
  dataVersion?: VersionOf;
  /** A clock in milliseconds, for the log. */
  now: () => number;
  newRequestId: () => string;
  log?: (entry: RequestLogEntry) => void;
  /**
   * Whether to accept only the host names of this machine. True if the server listens on a loopback address and is not
   * behind a proxy.
   */
  loopbackOnly?: boolean;
  limits?: Limits;
  /** Lets the server handle other requests between the steps of a long request. */
  yieldToEventLoop?: () => Promise<void>;
  /** Translates an error such as a busy store to an error response. Returns undefined for an internal error. */
  refusalOf?(error: unknown): ServiceError | undefined;
  /** Returns why the server is not ready for requests; undefined if it is ready. By default, it is always ready. */
  readiness?: () => Promise<string | undefined>;
  version: string;
  /** The faults of `serve --fault`. With faults, no answer is repeated without its request being counted. */
  faults?: Faults;
};

/** The state of a request: the content of its log entry, and the address of its client. */
type State = {
  entry: Omit<RequestLogEntry, "method" | "path" | "status" | "ms">;
  client: () => string;
  outgoing?: ServerResponse | undefined;
  /** Whether the request checks the health of the server, such as `/readyz`. Such a request is not logged. */
  isProbe?: boolean;
};
type RequestOf = Context<{ Bindings: State }>;

const SANE_REQUEST_ID = /^[\w.-]{1,128}$/;

export type Handler = {
  /**
   * @param client returns the address of the client
   * @param outgoing the response of Node; required if the server has faults
   */
  fetch: (request: Request, client?: () => string, outgoing?: ServerResponse) => Promise<Response>;
  /**
   * Returns the cached answer to a GET request, and logs the request. If there is no cached answer, returns undefined
   * and logs nothing: pass the request to `fetch`.
   */
  answerAgain: (question: Question & { requestId: string | null }) => Answer | undefined;
};

/** Creates the request handler of a server, with its own cache of answers. */
export function createHandler(options: HandlerOptions): Handler {
  const answers = new AnswerCache(options.dataVersion ?? (() => undefined));
  const app = createApp(options, answers);
  const { log, now, newRequestId, rateLimits, faults } = options;
  const record = (request: { method: string; url: string }, status: number, entry: State["entry"], start: number) =>
    log?.({ ...entry, method: request.method, path: pathOf(request.url), status, ms: now() - start });
  return {
    async fetch(request, client = () => "", outgoing) {
      const start = now();
      const entry = { requestId: requestIdFrom(request.headers.get("x-request-id"), newRequestId) };
      const state: State = { entry, client, outgoing };
      const response = await app.fetch(request, state);
      // After a fault of the connection, the client has no answer.
      const status = isUnanswered(response) ? 0 : response.status;
      if (!state.isProbe) record(request, status, entry, start);
      return response;
    },
    answerAgain({ url, authorization, requestId: requested }) {
      const start = now();
      const known = faults ? undefined : answers.find({ url, authorization });
      // If the token has exceeded its rate limit, `fetch` refuses the request.
      if (!known || rateLimits?.takeRequest(known.caller.tokenId) === false) return undefined;
      const { status, headers, text, operation, caller } = known;
      const { tokenId, organization } = caller;
      const requestId = requestIdFrom(requested, newRequestId);
      record({ method: "GET", url }, status, { requestId, operation, organization, tokenId }, start);
      return { status, headers: jsonHeaders(requestId, headers), text };
    },
  };
}

/** Returns the client's request id if the id is safe to log. Otherwise returns a new id. */
export function requestIdFrom(requested: string | null, newRequestId: () => string): string {
  return requested !== null && SANE_REQUEST_ID.test(requested) ? requested : newRequestId();
}

function createApp(options: HandlerOptions, answers: AnswerCache): Hono<{ Bindings: State }> {
  const app = new Hono<{ Bindings: State }>();
  const withinBudget = openBodyBudget((options.limits ?? LIMITS).unanswered);
  if (options.loopbackOnly) {
    // This prevents DNS rebinding: a web page can make its own host name point to this server. A request from the page
    // has that host name, so the server refuses the request.
    app.use(async (c, next) => {
      if (isLoopback(hostOf(c.req.url))) return next();
      return errorResponse(421, misdirected, c.env.entry.requestId);
    });
  }
  const notReady = async () => (await options.readiness?.()) ?? null;
  const probes = { "/livez": async () => null, "/healthz": async () => null, "/readyz": notReady };
  for (const [path, check] of Object.entries(probes)) {
    app.get(path, async (c) => {
      c.env.isProbe = true;
      const { requestId } = c.env.entry;
      const reason = await check();
      if (reason === null) return jsonResponse(200, '{"status":"ok"}', requestId);
      return errorResponse(503, { code: "NOT_READY", message: reason }, requestId);
    });
  }
  let document: Promise<string> | undefined;
  app.get("/openapi.json", async (c) => {
    document ??= import("./openapi.ts").then(async ({ openApi }) => JSON.stringify(await openApi(options.version)));
    return jsonResponse(200, await document, c.env.entry.requestId);
  });
  for (const path of [...Object.keys(probes), "/openapi.json"]) app.all(path, (c) => methodNotAllowed(c, ["GET"]));

  for (const [path, names] of routes()) {
    for (const name of names) {
      app.on(operationRow(name).method, path, (c) => {
        const answered = () => answer(name, c, options, { answers, withinBudget });
        return options.faults ? answerFaulty(name, c, options, answered) : answered();
      });
    }
    const methods = names.map((name) => operationRow(name).method);
    app.all(path, async (c) => (await callerOf(c, options)) && methodNotAllowed(c, methods));
  }
  app.notFound(async (c) => {
    // A client without a token must not find out which paths exist, so unknown paths need a token too. Hono does not
    // pass errors of this function to `onError`, so they are handled here.
    try {
      await callerOf(c, options);
    } catch (error) {
      return failureResponse(error, c, options);
    }
    return errorResponse(404, { code: "NOT_FOUND", message: "unknown path" }, c.env.entry.requestId);
  });
  app.onError((error, c) => failureResponse(error, c, options));
  return app;
}

const misdirected = {
  code: "MISDIRECTED_REQUEST",
  message: "this server accepts only the hosts localhost, 127.0.0.1 and [::1]",
};

/**
 * Returns the paths of the API with their operations. Paths with a fixed last segment come first. Otherwise a path
 * parameter would match that segment.
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
  { answers, withinBudget }: { answers: AnswerCache; withinBudget: WithinBudget },
): Promise<Response> {
  const { raw } = c.req;
  c.env.entry.operation = name;
  // The version is read before the lookup of the token. If the token or the data changes later, this version is
  // outdated. Then the cache does not use the answer.
  const asOf = raw.method === "GET" ? answers.refresh() : undefined;
  const caller = await callerOf(c, options);
  const { limits = LIMITS, yieldToEventLoop = async () => {} } = options;
  const { entry } = c.env;
  const { requestId } = entry;
  const again = raw.method === "GET" ? answers.findFor(caller, questionOf(raw)) : undefined;
  if (again) return jsonResponse(again.status, again.text, requestId, again.headers);
  const onReplay = (isReplay: boolean) => void (entry.replayed = isReplay);
  const readAndAnswer = async () => {
    const { input, context } = await readRequest(name, raw, c.req.param(), { limits, yieldToEventLoop });
    return caller.answer(name, input, { ...context, requestId, onReplay });
  };
  const bytes = mostBytes(raw, bodyLimit(name, limits).bytes);
  const result = await withinBudget(caller.organization, bytes, readAndAnswer);
  await yieldToEventLoop();
  const success = await renderSuccess(name, result, { isReplay: entry.replayed, yieldToEventLoop });
  const { status, headers, text } = success;
  if (text !== null) answers.set(questionOf(raw), { status, headers, text, operation: name, caller }, asOf);
  return successResponse(success, requestId);
}

/** Answers a request of a server with faults. */
async function answerFaulty(
  name: OperationName,
  c: RequestOf,
  { faults, ...options }: HandlerOptions,
  answered: () => Promise<Response>,
): Promise<Response> {
  const fault = faults?.next(name);
  const { entry, outgoing } = c.env;
  if (!faults || !fault || !outgoing) return answered();
  Object.assign(entry, { operation: name, fault: fault.text } satisfies Partial<RequestLogEntry>);
  const answerOrRefuse = () => answered().catch((error: unknown) => failureResponse(error, c, options));
  return faults.answer(fault, { name, requestId: entry.requestId, outgoing, answer: answerOrRefuse });
}

function questionOf({ url, headers }: Request): Question {
  return { url, authorization: headers.get("authorization") };
}

function callerOf(c: RequestOf, options: HandlerOptions): Promise<Caller> {
  return findCaller(c.req.raw.headers.get("authorization"), options, c.env);
}

function methodNotAllowed(c: RequestOf, methods: readonly string[]): Response {
  const allow = methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ");
  const body = { code: "METHOD_NOT_ALLOWED", message: `this path supports ${allow}` };
  return errorResponse(405, body, c.env.entry.requestId, { allow });
}

function failureResponse(error: unknown, c: RequestOf, options: HandlerOptions): Response {
  const known = error instanceof ServiceError ? error : options.refusalOf?.(error);
  if (known !== error) c.env.entry.error = error;
  if (known) {
    const headers: Headers = known.status === 401 ? { "www-authenticate": challenge(c) } : retryHeaders(known);
    return errorResponse(known.status, known.body, c.env.entry.requestId, headers);
  }
  const message = `internal error. The log has the details under the request id ${c.env.entry.requestId}`;
  return errorResponse(500, { code: "INTERNAL", message }, c.env.entry.requestId);
}

/** Returns the header `WWW-Authenticate`. Without a token, it names only the scheme (RFC 6750 §3). */
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
