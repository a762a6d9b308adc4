/** The interface that commands use: each operation of the API as a function, and the errors of a service. */

import { FormctlError } from "./error.ts";
import type { Answer, FormAnswer, LayoutAnswer } from "./schemas/answers.ts";
import { type ErrorBody, type Impact, isInvalid } from "./schemas/error-body.ts";
import type { JsonObject } from "./schemas/json.ts";
import type { Input, OperationName, Output } from "./schemas/operations.ts";

/** Options of one call. */
export type CallOptions = {
  /**
   * Identifies a write that has no clientMutationId. Requests with the same key have one effect and one answer
   * (docs/decisions.md, "Replays"). By default, each such write over HTTP has a new key.
   */
  idempotencyKey?: string;
  /**
   * Does not repeat a write that the server may have received, even if the write has a clientMutationId: the server may
   * not recognize the repeated request.
   */
  isOnce?: boolean;
  /**
   * For `createForm`: the ids of the existing forms with the same name, if the caller has read them. If the answer is
   * lost, a form with the name and another id is recognized as the new one. By default, the client lists the forms
   * itself.
   */
  namesakes?: readonly string[];
  /**
   * Called with true if the answer is a stored response: nothing was written again. Called with false if the write is
   * new. Not called if the server does not report whether it has replayed the answer.
   */
  onReplay?: (isReplay: boolean) => void;
};

/** The service of any server. Its answers may lack members that the API document does not promise. */
export type Service = { [N in OperationName]: (input: Input<N>, options?: CallOptions) => Promise<Answer<N>> };

/** The service of formctl's own engine. Its answers have every member. */
export type FullService = { [N in OperationName]: (input: Input<N>, options?: CallOptions) => Promise<Output<N>> };

/**
 * A refusal of the service. `status` is the HTTP status of the answer. A refusal without HTTP has the status that a
 * server would send. `body` has only the members that formctl reads.
 */
export class ServiceError extends Error {
  override readonly name: string = "ServiceError";
  readonly status: number;
  readonly body: ErrorBody;
  /**
   * The error object as the service sent it. If the answer has other content, or is not an object, `said.body` is the
   * whole answer. Null if formctl itself refuses.
   */
  readonly said: JsonObject | null;
  /** The next step for the user. */
  readonly hint: string | undefined;
  /** The time at which the service accepts a retry; undefined if the service states no time. */
  readonly retryAt: Date | undefined;
  /** Whether the write was refused because a confirmation is missing. Servers report this with various codes. */
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

  /** Returns a copy with another message, hint or `needsConfirmation`. The answer of the service is unchanged. */
  reworded(changes: { message?: string; hint?: string; needsConfirmation?: boolean }): ServiceError {
    const copy = new ServiceError(this.status, this.body, this.hint, this.retryAt, this.said);
    return Object.assign(copy, { message: this.message, needsConfirmation: this.needsConfirmation }, changes);
  }
}

/**
 * Whether a write may be done although its answer has this status. With 408 and 5xx, the server may have failed after
 * the write. With 501, the server does not know the operation. Every other error status is a refusal.
 */
export function mayBeDone(status: number): boolean {
  return status === 408 || (status >= 500 && status !== 501);
}

/** Creates a refusal of formctl itself, without a request, with the status and code that the service uses. */
export function localRefusal(status: number, code: string, message: string, hint?: string): ServiceError {
  return new ServiceError(status, { code, message }, hint, undefined, null);
}

/**
 * Returns the impacts of a publication that are not confirmed yet. Servers use various codes for this refusal, so it is
 * recognized by its status and by a draft that is not invalid.
 */
export function unconfirmedImpacts({ status, body }: ServiceError, confirmed: readonly string[]): Impact[] {
  if (status !== 409 || isInvalid(body.validation)) return [];
  return (body.impacts ?? []).filter(({ draftId }) => draftId === undefined || !confirmed.includes(draftId));
}

/**
 * Creates the error for a list whose pages are incomplete, or changed while they were read.
 *
 * @param what the list, such as `the forms of staffing/candidate`
 */
export function incompleteList(what: string, reason: string): FormctlError {
  return new FormctlError(
    "LIST_INCOMPLETE",
    `${what} could not be listed completely: ${reason}`,
    "An incomplete list is not used. Try again. If the error repeats, the server does not page this list correctly.",
  );
}

/**
 * A write was accepted, but the server did not return its result, and the result can't be read (docs/decisions.md,
 * "Tolerance").
 */
export class NotConfirmed extends FormctlError {
  override readonly name = "NotConfirmed";
  /** The original answer; undefined if it is empty. */
  readonly said: unknown;

  constructor(message: string, hint: string, said?: unknown) {
    super("NOT_CONFIRMED", message, hint);
    this.said = said;
  }
}

/**
 * Calls `read`. Returns undefined if the token has no permission to read: the token may still have permission to write.
 */
export async function unlessForbidden<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ServiceError && error.status === 403) return undefined;
    throw error;
  }
}

/**
 * Creates the error for a value that the command needs and the server does not return.
 *
 * @param what the value, such as `the layout of the form Candidate intake (frm_1)`
 */
export function notShown(what: string, hint?: string): FormctlError {
  return new FormctlError("NOT_SHOWN", `the server does not show ${what}`, hint);
}

/** Returns the id of the layout that a form owns (R21). @throws NOT_SHOWN */
export function layoutIdOf({ id, name, viewLayoutId }: Pick<FormAnswer, "id" | "name" | "viewLayoutId">): string {
  if (viewLayoutId !== undefined) return viewLayoutId;
  throw notShown(`the layout of the form "${name}" (${id})`);
}

/** The context of a request. Over HTTP it comes from the headers. */
export type RequestContext = {
  /** The id of the request in the log of the server and in the audit log of the store. */
  requestId?: string;
  /** Identifies a write without a clientMutationId (docs/decisions.md, "Replays"). */
  idempotencyKey?: string;
  /** The write is executed only if the record has one of these entity tags (docs/decisions.md, "Extensions"). */
  ifMatch?: string;
  /** The error of a request that can't be parsed. It is thrown after the checks of permission and path. */
  unreadable?: ServiceError;
  /**
   * Called for a write with an id or key: with true if the answer is a stored response, and nothing was written again.
   * The write may still fail after a call with false.
   */
  onReplay?: (isReplay: boolean) => void;
};

/** Why a token identifies no caller. `tokenId` is present if the store has the token. */
export type TokenRefusal = { reason: "unknown" | "expired" | "revoked"; tokenId?: string };

/** The caller that a token identifies. */
export type Caller = {
  tokenId: string;
  /** The key of the caller's organization, for the log. */
  organization: string;
  /**
   * Whether the result of `LocalService.authenticate` still applies, if the store has not changed since. False when the
   * token has expired, or when its use has to be recorded again: on the next day or, if the use was not recorded yet,
   * in the next minute.
   */
  isCurrent(): boolean;
  /** Answers an operation. `input` has the operation's type. @throws ServiceError */
  answer(name: OperationName, input: unknown, context: RequestContext): Promise<unknown>;
};

/** A request. `path` includes the query; `body` is sent as JSON. */
export type RawRequest = { method: string; path: string; body?: unknown };
/** An answer. `body` is text if it is not JSON, and undefined if it is empty. */
export type RawAnswer = { status: number; headers: Readonly<Record<string, string>>; body: unknown };

/** Reads a layout. Returns undefined if the layout does not exist, or the server does not have the endpoint. */
export async function readLayout(service: Service, layoutId: string): Promise<LayoutAnswer | undefined> {
  try {
    return await service.getLayout({ layoutId });
  } catch (error) {
    if (error instanceof ServiceError && (error.status === 404 || error.status === 405)) return undefined;
    throw error;
  }
}
