/** The service over HTTP: a reader of the table of operations. A row and an input become a request, its answer the output. */

import { FormctlError, hasCode } from "../error.ts";
import { isJsonObject } from "../schemas/json.ts";
import { type OperationName, operationRow, type OperationRow, operations } from "../schemas/operations.ts";
import { type CallOptions, NotConfirmed, type Service, ServiceError } from "../service.ts";
import { type AnyInput, idIn, read2xx, refused, target, unreadable } from "./call.ts";
import { fillIn, isEnough } from "./fill-in.ts";
import { isKept } from "./kept-answer.ts";
import { NoAnswer } from "./no-answer.ts";
import { InvalidAnswer } from "../schemas/answer-shape.ts";

import { readerOf } from "./read-back.ts";
import { createReads } from "./reads.ts";
import { mayHaveHappened, type Repeatability } from "./retry.ts";
import { createTransport, type Sent, type TransportOptions } from "./transport.ts";
import { whereToLook } from "./unknown-outcome.ts";

export type HttpServiceOptions = TransportOptions & {
  /** Makes the key by which a server may know a form write again. */
  newKey?: () => string;
};

/** How often it is looked for a write whose outcome is unknown: the server may still be at it. */
const LOOKS = [0, 500, 2_000];

export function httpService(options: HttpServiceOptions): Service {
  const send = createTransport(options);
  const read = createReads(options, send);
  const { sleep, ending, newKey = () => crypto.randomUUID() } = options;
  const service = {} as Record<OperationName, (input: AnyInput, call?: CallOptions) => Promise<unknown>>;
  const self = service as unknown as Service;

  for (const name of Object.keys(operations) as OperationName[]) {
    const row = operationRow(name);
    service[name] =
      row.method === "GET" ? (input) => read(name, input) : (input, call) => write(name, row, input, call);
  }
  return self;

  async function write(
    name: OperationName,
    row: OperationRow,
    input: AnyInput,
    { idempotencyKey, isOnce = false, onReplay }: CallOptions = {},
  ): Promise<unknown> {
    const path = target(row, input);
    const isKnown = hasMutationId(input);
    const repeatability: Repeatability = isKnown && !isOnce ? "replayed" : "once";
    const before = await stateBefore(name, input);
    const request = {
      method: row.method,
      path,
      repeatability,
      ...(input.body !== undefined && { body: input.body }),
      ...(!isKnown && { idempotencyKey: idempotencyKey ?? newKey() }),
    };
    let sent: Sent;
    try {
      sent = await send(request);
    } catch (error) {
      if (!(error instanceof NoAnswer) || !error.sent) throw error;
      return settle(name, input, before, `${row.method} ${path}: ${error.message}`, error);
    }
    const { answer, uncertain } = sent;
    if (answer.status >= 400) {
      const error = refused(row, sent);
      if (!isOpen(error, uncertain)) throw error;
      return settle(name, input, before, `${row.method} ${path}: ${error.message} (${answer.status})`, error);
    }
    if (answer.body.kind === "text" || (answer.body.kind === "empty" && !answer.body.certain)) {
      // Something came back that the API would not have said: perhaps it never got the request.
      const cause = unreadable(`${row.method} ${path}`, options, sent, new InvalidAnswer("it is cut off"));
      return settle(name, input, before, `${row.method} ${path}: ${cause.message}`, cause);
    }
    if (isKept(answer, row)) onReplay?.();
    if (row.result === undefined) return undefined;
    return completed(name, input, before, sent);
  }

  /** What has to be known before the write; where it may not be read, an unknown outcome stays unknown. */
  async function stateBefore(name: OperationName, input: AnyInput): Promise<unknown> {
    try {
      return await readerOf(name)?.before?.(self, input);
    } catch (error) {
      if (error instanceof ServiceError && (error.status === 403 || error.status === 404)) return undefined;
      // Half a list would make of a form that was there before one that is new.
      if (hasCode(error, "LIST_INCOMPLETE")) return undefined;
      throw error;
    }
  }

  /** The write was accepted. What its answer lacks is read. */
  async function completed(name: OperationName, input: AnyInput, before: unknown, sent: Sent): Promise<unknown> {
    let known: unknown;
    try {
      known = read2xx(name, input, sent);
    } catch (error) {
      if (!(error instanceof InvalidAnswer)) throw error;
    }
    const said = sent.answer.body.kind === "json" ? sent.answer.body.value : undefined;
    const id = idIn(said);
    const output = await quietly(() => fillIn(self, name, input, known, id));
    if (output !== undefined) return output;
    if (isEnough(name, input, known)) return known;
    const found = await quietly(() => readerOf(name)?.after(self, input, before));
    if (found) return found.output;
    const about = id === undefined ? "" : ` of ${id}`;
    throw new NotConfirmed(
      `accepted (${sent.answer.status}), not confirmed: the server does not report the result${about}`,
      whereToLook(name, input),
      said,
    );
  }

  /** Looks for the effect of a write that may have been done. @throws OUTCOME_UNKNOWN while there is no sign of it */
  async function settle(
    name: OperationName,
    input: AnyInput,
    before: unknown,
    message: string,
    cause: unknown,
  ): Promise<unknown> {
    const reader = readerOf(name);
    let looked = reader ? "reading what became of it failed too" : "it can't be told by reading";
    for (const pause of reader ? LOOKS : []) {
      if (pause > 0) await sleep(pause, ending);
      const found = await quietly(async () => {
        const output = await reader?.after(self, input, before);
        looked = "it was looked for, and there is no sign of it";
        return output;
      });
      if (found) return found.output;
    }
    throw new FormctlError(
      "OUTCOME_UNKNOWN",
      `the outcome is unknown: ${message}. It may have been done; ${looked}.`,
      whereToLook(name, input),
      cause,
    );
  }
}

const FAILURES = [NoAnswer, ServiceError, InvalidAnswer];

/** What reading says, or nothing where it fails too: the failure that led here is the one to tell. */
async function quietly<T>(look: () => Promise<T | undefined> | undefined): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    if (hasCode(error, "LIST_INCOMPLETE") || FAILURES.some((failure) => error instanceof failure)) return undefined;
    throw error;
  }
}

function hasMutationId({ body }: AnyInput): boolean {
  return isJsonObject(body) && typeof body["clientMutationId"] === "string";
}

const ABOUT_THE_REQUEST = new Set([400, 413, 415, 422]);

/** Whether a refusal leaves open what became of the write. */
function isOpen({ status, body }: ServiceError, uncertain: boolean): boolean {
  // What is partly applied is told as it is, and not looked for.
  if (body.meta?.["partiallyApplied"] === true) return false;
  if (mayHaveHappened({ kind: "answered", status, retryAfter: undefined })) return true;
  // What is wrong with the request itself was wrong with the first attempt too. Any other refusal says nothing of that one,
  // which may even be why the last one was refused.
  return uncertain && !ABOUT_THE_REQUEST.has(status);
}
