/** The port of commands: the table of operations as functions, and the errors of a service. */

import { FormctlError } from "./error.ts";
import type { Answer, FormAnswer, LayoutAnswer } from "./schemas/answers.ts";
import { type ErrorBody, type Impact, isInvalid } from "./schemas/error-body.ts";
import type { JsonObject } from "./schemas/json.ts";
import type { Input, OperationName, Output } from "./schemas/operations.ts";

/** Options of one call. */
export type CallOptions = {
  /**
   * Identifies a write without a clientMutationId: requests with the same key have one effect and one answer
   * (docs/decisions.md, "Replays"). Default over HTTP: a new key for each write.
   */
  idempotencyKey?: string;
  /** Sends the write only once, even with an id: the service may not recognize a repetition. */
  isOnce?: boolean;
  /**
   * Called when the answer is certainly a stored response, and nothing was written again. Without this call the answer
   * may still be one: not every server reports it.
   */
  onReplay?: () => void;
};

/** The answers of any server: members that the API document does not promise may be missing. */
export type Service = { [N in OperationName]: (input: Input<N>, options?: CallOptions) => Promise<Answer<N>> };

/** The answers of our engine: every member is present. */
export type FullService = { [N in OperationName]: (input: Input<N>, options?: CallOptions) => Promise<Output<N>> };

/**
 * The service has refused the request. `status` is the HTTP status that the answer has or would have. `body` is the
 * part of the answer that formctl reads, `said` is the original.
 */
export class ServiceError extends Error {
  override readonly name: string = "ServiceError";
  readonly status: number;
  readonly body: ErrorBody;
  /** The original error object, and in `body` the whole answer if that has more. Null for a refusal of formctl itself. */
  readonly said: JsonObject | null;
  /** The next step. */
  readonly hint: string | undefined;
  /** The end of the wait that the service requests. */
  readonly retryAt: Date | undefined;
  /** The refusal is about a missing confirmation, whatever its code is. */
  readonly needsConfirmation: boolean = false;

  constructor(status: number, body: ErrorBody, hint?: string, retryAt?: Date, said: JsonObject | null = body) {
    super(body.message);
    this.status = status;
    this.body = body;
    this.hint = hint;
    this.retryAt = retryAt;
    this.said = said;
  }

  get code(): string {
    return this.body.code;
  }

  /** A copy with another message, hint or meaning. The answer of the service stays. */
  reworded(changes: { message?: string; hint?: string; needsConfirmation?: boolean }): ServiceError {
    const copy = new ServiceError(this.status, this.body, this.hint, this.retryAt, this.said);
    return Object.assign(copy, { message: this.message, needsConfirmation: this.needsConfirmation }, changes);
  }
}

/** A refusal of formctl itself without a request, with the status and code of the service. */
export function localRefusal(status: number, code: string, message: string, hint?: string): ServiceError {
  return new ServiceError(status, { code, message }, hint, undefined, null);
}

/** The impacts that a publish still needs confirmed. Servers report them under various codes. */
export function unconfirmedImpacts({ status, body }: ServiceError, confirmed: readonly string[]): Impact[] {
  if (status !== 409 || isInvalid(body.validation)) return [];
  return (body.impacts ?? []).filter(({ draftId }) => draftId === undefined || !confirmed.includes(draftId));
}

/**
 * The pages of a list are not complete, or changed during the read.
 *
 * @param what `the forms of staffing/candidate`
 */
export function incompleteList(what: string, reason: string): FormctlError {
  return new FormctlError(
    "LIST_INCOMPLETE",
    `${what} could not be listed completely: ${reason}`,
    "An incomplete list is not used. Try again. If the error repeats, the server does not page this list correctly.",
  );
}

/** A write was accepted, but its result was not reported and can't be read (docs/decisions.md, "Tolerance"). */
export class NotConfirmed extends FormctlError {
  override readonly name = "NotConfirmed";
  /** The original answer; undefined if it is empty. */
  readonly said: unknown;

  constructor(message: string, hint: string, said?: unknown) {
    super("NOT_CONFIRMED", message, hint);
    this.said = said;
  }
}

/** Undefined when the token has no permission to read: it may still have one to write. */
export async function unlessForbidden<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ServiceError && error.status === 403) return undefined;
    throw error;
  }
}

/**
 * The server does not show something that the command needs.
 *
 * @param what `the layout of the form Candidate intake (frm_1)`
 */
export function notShown(what: string, hint?: string): FormctlError {
  return new FormctlError("NOT_SHOWN", `the server does not show ${what}`, hint);
}

/** The id of the layout that a form owns (R21). @throws NOT_SHOWN */
export function layoutIdOf({ id, name, viewLayoutId }: Pick<FormAnswer, "id" | "name" | "viewLayoutId">): string {
  if (viewLayoutId !== undefined) return viewLayoutId;
  throw notShown(`the layout of the form "${name}" (${id})`);
}

/** The context of a request; over HTTP, from its headers. */
export type RequestContext = {
  /** The same id in the log of the server and the log of writes. */
  requestId?: string;
  /** Identifies a write without a clientMutationId (docs/decisions.md, "Replays"). */
  idempotencyKey?: string;
  /** The write is done only if the record has one of these entity tags (docs/decisions.md, "Extensions"). */
  ifMatch?: string;
  /** Why the request can't be read. Thrown after the checks of permission and path. */
  unreadable?: ServiceError;
  /** Called when the answer is a stored response, and nothing was written again. */
  onReplay?: () => void;
};

/** The sender of requests with a token. */
export type Caller = { tokenId: string; service(context: RequestContext): FullService };

/** A path with its query, and a JSON body. */
export type RawRequest = { method: string; path: string; body?: unknown };
/** `body`: text if it is not JSON, undefined if it is empty. */
export type RawAnswer = { status: number; headers: Readonly<Record<string, string>>; body: unknown };

/** Undefined when the layout does not exist, or the server does not have the endpoint. */
export async function readLayout(service: Service, layoutId: string): Promise<LayoutAnswer | undefined> {
  try {
    return await service.getLayout({ layoutId });
  } catch (error) {
    if (error instanceof ServiceError && (error.status === 404 || error.status === 405)) return undefined;
    throw error;
  }
}
