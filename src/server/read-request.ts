/** Translates an HTTP request to the input and the context of an operation. */

import { validationBody } from "../schemas/error-body.ts";
import { type OperationName, operationRow } from "../schemas/operations.ts";
import type { ShapeProblem } from "../schemas/shape.ts";
import { readQuery } from "../schemas/read-query.ts";
import { type RequestContext, ServiceError } from "../service.ts";
import { bodyLimit, type Limits } from "./limits.ts";
import { checkType, checkValues, readBytes, readJson } from "./read-body.ts";

export type ReadRequest = {
  input: Record<string, unknown>;
  context: Pick<RequestContext, "idempotencyKey" | "ifMatch" | "unreadable">;
};

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,128}$/;

/**
 * Returns the input and the context of the operation. The error of an invalid parameter, Idempotency-Key or JSON body
 * is returned as `context.unreadable`. The service throws this error only after the checks of permission and path. So a
 * caller without access gets the same response to invalid and to valid requests.
 *
 * @throws ServiceError 413 if the body is too large
 * @throws ServiceError 415 if the body is compressed, or not declared as JSON
 * @throws ServiceError 400 if the body is incomplete
 */
export async function readRequest(
  name: OperationName,
  request: Request,
  parameters: Record<string, string>,
  { limits, yieldToEventLoop }: { limits: Limits; yieldToEventLoop: () => Promise<void> },
): Promise<ReadRequest> {
  const row = operationRow(name);
  const { query, problems } = await readQuery(parametersOf(request.url), row);
  const input: Record<string, unknown> = { ...parameters, query };
  const context: ReadRequest["context"] = {};
  if (row.method !== "GET") {
    const key = request.headers.get("idempotency-key");
    if (key !== null) {
      if (IDEMPOTENCY_KEY.test(key)) context.idempotencyKey = key;
      else problems.push({ path: "Idempotency-Key", message: "must be 1 to 128 visible ASCII characters" });
    }
    const ifMatch = request.headers.get("if-match");
    if (ifMatch !== null) context.ifMatch = ifMatch;
    if (row.body) checkType(request.headers);
    const limit = bodyLimit(name, limits);
    const bytes = await readBytes(request, limit.bytes);
    await yieldToEventLoop();
    checkValues(bytes, limit);
    await yieldToEventLoop();
    const body = row.body ? attempt(() => readJson(bytes)) : noBody(bytes, problems);
    if (body instanceof ServiceError) return { input, context: { ...context, unreadable: body } };
    if (body !== undefined) input["body"] = body;
    await yieldToEventLoop();
  }
  if (problems.length > 0) context.unreadable = new ServiceError(400, validationBody(problems));
  return { input, context };
}

function parametersOf(url: string): URLSearchParams {
  const start = url.indexOf("?");
  return new URLSearchParams(start === -1 ? "" : url.slice(start));
}

function noBody(bytes: Uint8Array, problems: ShapeProblem[]): undefined {
  if (bytes.length > 0) problems.push({ path: "", message: "must be empty" });
}

function attempt(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}
