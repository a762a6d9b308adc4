/**
 * Sends writes over HTTP. Completes an incomplete answer. After a lost answer, reads the effect of the write
 * (docs/decisions.md, "Retries and unknown outcomes").
 */

import { addFacts, FormctlError, hasCode } from "../base/error.ts";
import { nodeCrypto } from "../base/node-modules.ts";
import { InvalidAnswer } from "../schemas/answer-shape.ts";
import { isJsonObject } from "../schemas/json.ts";
import { type OperationName, operationRow, type OperationRow } from "../schemas/operations.ts";
import {
  type CallOptions,
  mayBeDone,
  NotConfirmed,
  readBack,
  type Service,
  ServiceError,
  withOptions,
} from "../service.ts";
import { type AnyInput, refused, requestPath } from "./call.ts";
import { idIn, read2xx, unreadable } from "./read-answer.ts";
import { joined, type LimitedCall } from "./call-limits.ts";
import { type Answer, factsOf } from "./exchange.ts";
import { NoAnswer } from "./no-answer.ts";
import { createOmissions } from "./optional-members.ts";
import type { Repeatability } from "./retry.ts";
import type { Sending, Sent, Transport, TransportOptions } from "./transport.ts";
import { effectOf, isEnough, wholeOutput } from "./write-effects.ts";
import { quoted } from "../base/shell-quote.ts";

export type WriteOptions = TransportOptions & {
  /** Creates the idempotency key of a write without a clientMutationId. */
  newKey?: () => string;
};

export type Write = (name: OperationName, input: AnyInput, call?: LimitedCall) => Promise<unknown>;

/** A write, and the service that reads its effect. */
type About = { name: OperationName; input: AnyInput; signal: AbortSignal | undefined; service: Service };

/**
 * @param unlimited reads the effect of a write. The reads get the limits of the call
 * @returns a function that sends a write
 * @throws ServiceError, NoAnswer, OUTCOME_UNKNOWN or NotConfirmed from the returned function
 */
export function createWrites(options: WriteOptions, send: Transport, unlimited: Service): Write {
  const { sleep, ending, newKey = () => nodeCrypto().randomUUID() } = options;
  const sendOmitting = createOmissions();
  return (name, input, call = {}) =>
    sendOmitting(name, input.body, call, (body) => write(name, body === input.body ? input : { ...input, body }, call));

  async function write(name: OperationName, input: AnyInput, call: LimitedCall): Promise<unknown> {
    const { idempotencyKey, isOnce = false, namesakes, onReplay } = call;
    const row = operationRow(name);
    const path = requestPath(row, input);
    const isKnown = hasMutationId(input);
    const repeatability: Repeatability = isKnown && !isOnce ? "repeatableWrite" : "singleWrite";
    const { signal, timeout, expires, maxRetries, headers } = call;
    const limits: LimitedCall = { signal, timeout, expires, maxRetries, headers };
    const about = { name, input, signal, service: withOptions(unlimited, limits) };
    const before = await stateBefore(about, namesakes);
    const request = {
      method: row.method,
      path,
      repeatability,
      operation: name,
      call,
      ...(input.body !== undefined && { body: input.body }),
      ...(!isKnown && { idempotencyKey: idempotencyKey ?? newKey() }),
    };
    const first = await sendOnce(request);
    const sent = call.beforeRepeat ? await repeated(first, request, call.beforeRepeat) : first;
    if (sent instanceof NoAnswer) return settle(about, before, `${row.method} ${path}: ${sent.message}`, sent);
    if ("output" in sent) return sent.output;
    const { answer, uncertain } = sent;
    if (answer.status >= 400) {
      const error = refused(row, sent);
      if (!isOpen(error, uncertain)) throw error;
      return settle(about, before, `${row.method} ${path}: ${error.message} (${answer.status})`, error);
    }
    if (answer.body.kind === "text" || (answer.body.kind === "empty" && !answer.body.certain)) {
      // The answer is cut off or comes from a proxy. It does not show whether the write was done.
      const cause = unreadable(`${row.method} ${path}`, options, sent, new InvalidAnswer("is cut off"));
      return settle(about, before, `${row.method} ${path}: ${cause.message}`, cause);
    }
    const isStored = isReplay(answer, row);
    if (isStored !== undefined) onReplay?.(isStored);
    if (row.result === undefined) return undefined;
    return completed(about, before, sent);
  }

  /** @returns NoAnswer if the write may be done, but no answer arrived */
  async function sendOnce(request: Sending): Promise<Sent | NoAnswer> {
    try {
      return await send(request);
    } catch (error) {
      if (error instanceof NoAnswer && error.sent) return error;
      throw error;
    }
  }

  /**
   * Sends a write again while the server limits the rate, unless `beforeRepeat` returns the output of the write. The
   * limit `maxRetries` applies to all attempts together.
   */
  async function repeated(
    first: Sent | NoAnswer,
    { call, ...request }: Sending,
    beforeRepeat: () => Promise<unknown>,
  ): Promise<Sent | NoAnswer | { output: unknown }> {
    let sent = first;
    let maxRetries = call?.maxRetries;
    while (!(sent instanceof NoAnswer) && sent.isLimited) {
      const output = await beforeRepeat();
      if (output !== undefined) return { output };
      if (maxRetries !== undefined) maxRetries -= sent.attempts;
      sent = await sendOnce({ ...request, call: { ...call, maxRetries } });
    }
    return sent;
  }

  /**
   * Returns the state before the write, for comparison with the state after it. Returns undefined if the server
   * refuses the read with 403 or 404, or if the list is incomplete.
   *
   * @throws NoAnswer with `sent` set to false, because the write is not sent after a failed read
   */
  async function stateBefore({ name, input, service }: About, namesakes: CallOptions["namesakes"]): Promise<unknown> {
    try {
      return await effectOf(name)?.before?.(service, input, namesakes);
    } catch (error) {
      if (error instanceof ServiceError && (error.status === 403 || error.status === 404)) return undefined;
      // An incomplete list may lack an existing form. This form would later count as created by the write.
      if (hasCode(error, "LIST_INCOMPLETE")) return undefined;
      throw error instanceof NoAnswer ? error.withSent(false) : error;
    }
  }

  /**
   * Returns the output of an accepted write.
   *
   * @throws NotConfirmed if the answer is incomplete and reading can't complete it
   */
  async function completed(about: About, before: unknown, sent: Sent): Promise<unknown> {
    const { name, input, signal, service } = about;
    let known: unknown;
    try {
      known = read2xx(name, input, sent);
    } catch (error) {
      if (!(error instanceof InvalidAnswer)) throw error;
    }
    const json = sent.answer.body.kind === "json" ? sent.answer.body.value : undefined;
    const id = idIn(json);
    const output = await quietly(signal, () => wholeOutput(service, name, input, { known, id }));
    if (output !== undefined) return output;
    if (isEnough(name, input, known)) return known;
    const found = await quietly(signal, () => effectOf(name)?.find?.(service, input, before));
    if (found) return found.output;
    const record = id === undefined ? "" : ` of ${id}`;
    const error = new NotConfirmed(
      `accepted (${sent.answer.status}), not confirmed: the server does not report the result${record}`,
      whereToLook(name, input),
      json,
    );
    throw addFacts(error, factsOf(sent.answer.headers));
  }

  /** Reads the effect of a write that may have been done. @throws OUTCOME_UNKNOWN if no effect is visible */
  async function settle(
    { name, input, signal, service }: About,
    before: unknown,
    message: string,
    cause: NoAnswer | ServiceError,
  ): Promise<unknown> {
    const effect = effectOf(name);
    let reason = effect?.find ? "reading the result failed too" : "reading can't show the result";
    const read = () =>
      quietly(signal, async () => {
        const output = await effect?.find?.(service, input, before);
        reason = "reading shows no effect so far";
        return output;
      });
    const found =
      effect?.find && !signal?.aborted && (await readBack(read, (pause) => sleep(pause, joined([signal, ending]))));
    if (found) return found.output;
    const error = new FormctlError(
      "OUTCOME_UNKNOWN",
      `the outcome is unknown: ${message}. The write may have been done; ${reason}.`,
      whereToLook(name, input),
      signal?.aborted ? signal.reason : cause,
    );
    throw addFacts(error, cause);
  }
}

const FAILURES = [NoAnswer, ServiceError, InvalidAnswer];

/**
 * Returns the result of `read`, or undefined if it fails or the call is aborted. A failed read must not hide the outcome
 * of the write.
 */
async function quietly<T>(
  signal: AbortSignal | undefined,
  read: () => Promise<T | undefined> | undefined,
): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (signal?.aborted || hasCode(error, "LIST_INCOMPLETE") || FAILURES.some((failure) => error instanceof failure))
      return undefined;
    throw error;
  }
}

function hasMutationId({ body }: AnyInput): boolean {
  return isJsonObject(body) && typeof body["clientMutationId"] === "string";
}

const ABOUT_THE_REQUEST = new Set([400, 413, 415, 422]);

/** Whether the write may have been done although this attempt was refused. */
function isOpen({ status, body }: ServiceError, uncertain: boolean): boolean {
  // The server reports the outcome itself, so the outcome is not open.
  if (body.meta?.["partiallyApplied"] === true) return false;
  if (mayBeDone(status)) return true;
  // An invalid request was invalid at the first attempt too, so nothing was written. Any other refusal may be caused by
  // an earlier attempt that succeeded.
  return uncertain && !ABOUT_THE_REQUEST.has(status);
}

/**
 * This request can't have created a record of at least this age, in milliseconds. Even a slow server answers earlier.
 */
const CLEARLY_OLDER = 10 * 60_000;

/**
 * Whether the answer is a stored response to an earlier request with the same id. A header reports a stored response.
 * Without the header, a created record that is clearly older than the answer shows it. The time of the answer is its
 * header `date`. The clock of this machine then does not matter.
 *
 * @returns undefined if there is neither a valid header nor a clearly older record
 */
export function isReplay(answer: Answer, row: Pick<OperationRow, "status">): boolean | undefined {
  const reported = answer.headers.get("idempotency-replayed")?.trim().toLowerCase();
  if (reported === "true" || reported === "false") return reported === "true";
  return isOldRecord(answer, row) || undefined;
}

function isOldRecord({ headers, body }: Answer, { status }: Pick<OperationRow, "status">): boolean {
  // Only the answer to a creation has a new record whose age can be compared.
  if (status !== 201 || body.kind !== "json" || !isJsonObject(body.value)) return false;
  const { data } = body.value;
  const { createdAt } = isJsonObject(data) ? data : body.value;
  // A time without a zone may differ from the real time by hours.
  if (typeof createdAt !== "string" || !/(Z|[+-]\d\d:?\d\d)$/i.test(createdAt)) return false;
  return Date.parse(headers.get("date") ?? "") - Date.parse(createdAt) >= CLEARLY_OLDER;
}

type Names = Readonly<Record<string, unknown>>;

const object = ({ moduleKey, objectKey }: Names) => quoted(`${String(moduleKey)}/${String(objectKey)}`);
const form = ({ moduleKey, objectKey, formId }: Names) =>
  quoted(`${String(moduleKey)}/${String(objectKey)}/${String(formId)}`);
const layout = ({ layoutId }: Names) => quoted(String(layoutId));

/** The commands that show the effect of each write. */
const SHOWN_BY: Partial<Record<OperationName, (names: Names) => string>> = {
  createForm: (names) => `formctl forms list ${object(names)}`,
  updateForm: (names) => `formctl forms get ${form(names)}`,
  deleteForm: (names) => `formctl forms get ${form(names)}`,
  updateFormDefaults: (names) => `formctl forms defaults show ${object(names)}`,
  replaceFormAccess: (names) => `formctl forms access show ${form(names)}`,
  createLayout: () => "formctl layouts list",
  updateLayout: (names) => `formctl layouts get ${layout(names)}`,
  saveDraft: (names) => `formctl layouts draft show ${layout(names)}`,
  publishLayout: (names) => `formctl layouts versions list ${layout(names)}`,
  restoreDraft: (names) => `formctl layouts draft show ${layout(names)}`,
  replaceAssignments: (names) => `formctl layouts assignments show ${layout(names)}`,
  archiveLayout: (names) => `formctl layouts versions list ${layout(names)}`,
};

/** Returns a hint such as `Check the current state before you try again: formctl forms list staffing/candidate`. */
function whereToLook(name: OperationName, input: Names): string {
  const command = SHOWN_BY[name]?.(input);
  return command === undefined
    ? "Check the current state before you try again."
    : `Check the current state before you try again: ${command}`;
}
