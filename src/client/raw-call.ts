/** Sends any request to the server, for `formctl api`. */

import { addFacts, FormctlError } from "../base/error.ts";
import { isJsonObject } from "../schemas/json.ts";
import { mayBeDone, type RawAnswer, type RawRequest, ServiceError } from "../service.ts";
import { refusal } from "./error-answer.ts";
import { type Answer, factsOf, notTheApi } from "./exchange.ts";
import { NoAnswer } from "./no-answer.ts";
import type { Repeatability } from "./retry.ts";
import type { Transport } from "./transport.ts";

/**
 * Sends a request and returns the answer as it is.
 *
 * @param signal the signal that aborts the request
 * @throws FormctlError OUTCOME_UNKNOWN if a write may have been done, for example after a lost answer or status 500
 * @throws ServiceError for any other status of 400 or higher
 * @throws NoAnswer if a read gets no usable answer, or a write was not sent
 */
export async function rawCall(send: Transport, request: RawRequest, signal?: AbortSignal): Promise<RawAnswer> {
  const { method, path } = request;
  const repeatability = repeatabilityOf(request);
  const unknown = (cause: NoAnswer | ServiceError) => {
    const status = cause instanceof ServiceError ? ` (${cause.status})` : "";
    const error = new FormctlError(
      "OUTCOME_UNKNOWN",
      `the outcome is unknown: ${method} ${path}: ${cause.message}${status}. The write may have been done.`,
      "Check the current state before you try again.",
      signal?.aborted ? signal.reason : cause,
    );
    return addFacts(error, cause);
  };
  try {
    const { answer, uncertain, retryAt } = await send({ ...request, repeatability });
    if (answer.status < 400 && isPage(answer)) throw notAnApi(answer);
    if (answer.status < 400) return { status: answer.status, headers: answer.headers.all, body: valueOf(answer) };
    const error = refusal(answer, { retryAt });
    const isOpen = uncertain || mayBeDone(answer.status);
    throw repeatability !== "read" && isOpen && !error.body.meta?.["partiallyApplied"] ? unknown(error) : error;
  } catch (error) {
    if (error instanceof NoAnswer && error.sent && repeatability !== "read") throw unknown(error);
    throw error;
  }
}

/** Whether the answer is a web page, such as a login page or a page of a proxy. */
function isPage({ headers, body }: Answer): boolean {
  return body.kind === "text" && /html/i.test(headers.get("content-type") ?? "");
}

function notAnApi({ status, headers, body }: Answer): NoAnswer {
  const text = body.kind === "text" ? body.text : "";
  const message = `the answer (${status}) is ${notTheApi(headers, text)}`;
  return addFacts(new NoAnswer("NOT_THE_API", message, { sent: true }), factsOf(headers));
}

function repeatabilityOf({ method, body }: RawRequest): Repeatability {
  if (method === "GET" || method === "HEAD") return "read";
  return isJsonObject(body) && typeof body["clientMutationId"] === "string" ? "repeatableWrite" : "singleWrite";
}

function valueOf({ body }: Answer): unknown {
  return body.kind === "json" ? body.value : body.kind === "text" ? body.text : undefined;
}
