/** The port that commands talk to: whatever answers the table of operations. */

import { FormctlError } from "./error.ts";
import type { Answer, FormAnswer, LayoutAnswer } from "./schemas/answers.ts";
import { type ErrorBody, type Impact, isInvalid } from "./schemas/error-body.ts";
import type { JsonObject } from "./schemas/json.ts";
import type { Input, OperationName, Output } from "./schemas/operations.ts";

/** What may go with one call beside its input. */
export type CallOptions = {
  /**
   * By this a service knows a write again that has no clientMutationId: the same key and the same request have one effect and
   * one answer (docs/decisions.md, "Replays"). Absent: over HTTP a new key each time.
   */
  idempotencyKey?: string;
  /** It is sent once, whatever id it carries: whether the service would know it again is not certain. */
  isOnce?: boolean;
  /**
   * Told where the answer has certainly been given before, and nothing was done again. Where it is not told, nothing is
   * certain: another server may give an old answer and not say so.
   */
  onReplay?: () => void;
};

/** What any provider answers: a server may leave out what the API document does not promise. */
export type Service = { [N in OperationName]: (input: Input<N>, options?: CallOptions) => Promise<Answer<N>> };

/** What our engine answers: every member. */
export type FullService = { [N in OperationName]: (input: Input<N>, options?: CallOptions) => Promise<Output<N>> };

/**
 * The service has answered, and the answer is no. `status` is the HTTP status that the answer has or would have; `body` is
 * what formctl reads of the answer, `said` is what the service said, unchanged.
 */
export class ServiceError extends Error {
  override readonly name: string = "ServiceError";
  readonly status: number;
  readonly body: ErrorBody;
  /** The error object as it came, and under `body` the whole answer where that holds more. Null: no service was asked. */
  readonly said: JsonObject | null;
  /** What to do about it, where the caller knows more than the answer says. */
  readonly hint: string | undefined;
  /** When the service wants to be asked again, where it says so. */
  readonly retryAt: Date | undefined;
  /** The caller knows that the service refuses for want of a confirmation, whatever the code is. */
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

  /** The same refusal with words of the caller. What the service said stays. */
  reworded(words: { message?: string; hint?: string; needsConfirmation?: boolean }): ServiceError {
    const copy = new ServiceError(this.status, this.body, this.hint, this.retryAt, this.said);
    return Object.assign(copy, { message: this.message, needsConfirmation: this.needsConfirmation }, words);
  }
}

/** A refusal of formctl itself, without a request: `status` and `code` are those that the service would answer. */
export function localRefusal(status: number, code: string, message: string, hint?: string): ServiceError {
  return new ServiceError(status, { code, message }, hint, undefined, null);
}

/** What a publish waits for: impacts may come under any code. A change that is confirmed is not what it waits for. */
export function unconfirmedImpacts({ status, body }: ServiceError, confirmed: readonly string[]): Impact[] {
  if (status !== 409 || isInvalid(body.validation)) return [];
  return (body.impacts ?? []).filter(({ draftId }) => draftId === undefined || !confirmed.includes(draftId));
}

/**
 * A list changed while its pages were read, or its pages don't make it: nothing is concluded from half a list.
 *
 * @param what `the forms of staffing/candidate`
 */
export function incompleteList(what: string, reason: string): FormctlError {
  return new FormctlError(
    "LIST_INCOMPLETE",
    `${what} could not be listed completely: ${reason}`,
    "An incomplete list is not used. Try again; if the error repeats, the server does not page this list correctly.",
  );
}

/** A write was accepted; what came of it was not reported and can't be read (docs/decisions.md, "Tolerance"). */
export class NotConfirmed extends FormctlError {
  override readonly name = "NotConfirmed";
  /** What the server did answer, as it came; undefined: nothing. */
  readonly said: unknown;

  constructor(message: string, hint: string, said?: unknown) {
    super("NOT_CONFIRMED", message, hint);
    this.said = said;
  }
}

/** What is read; undefined where the token may not read it: who may change a record need not be allowed to read it. */
export async function unlessForbidden<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ServiceError && error.status === 403) return undefined;
    throw error;
  }
}

/**
 * A server leaves out what a command can't go on without.
 *
 * @param what `the layout of the form Candidate intake (frm_1)`
 */
export function notShown(what: string, hint?: string): FormctlError {
  return new FormctlError("NOT_SHOWN", `the server does not show ${what}`, hint);
}

/** The layout that a form owns (R21). @throws NOT_SHOWN where the server leaves it out */
export function layoutIdOf({ id, name, viewLayoutId }: Pick<FormAnswer, "id" | "name" | "viewLayoutId">): string {
  if (viewLayoutId !== undefined) return viewLayoutId;
  throw notShown(`the layout of the form "${name}" (${id})`);
}

/** What comes with a request beside its input; on HTTP, in its headers. */
export type RequestContext = {
  /** By which a server's log and the trail of writes are told together. */
  requestId?: string;
  /** Makes a write repeatable that carries no clientMutationId (docs/decisions.md, "Replays"). */
  idempotencyKey?: string;
  /** The write is done only if its target still has one of these entity tags (docs/decisions.md, "Extensions"). */
  ifMatch?: string;
  /** The request can't be read, and this is why. Told when it is its turn: after permission and path. */
  unreadable?: ServiceError;
  /** Told when the answer is a kept one, and nothing was done again. */
  onReplay?: () => void;
};

/** Who sends requests with a token. */
export type Caller = { tokenId: string; service(context: RequestContext): FullService };

/** A request as it is typed: a path with its query, and a body of JSON. */
export type RawRequest = { method: string; path: string; body?: unknown };
/** A body that is not JSON is text; an empty one is undefined. */
export type RawAnswer = { status: number; headers: Readonly<Record<string, string>>; body: unknown };

/** A layout by its id; undefined where there is no such layout, or the server has no such endpoint. */
export async function readLayout(service: Service, layoutId: string): Promise<LayoutAnswer | undefined> {
  try {
    return await service.getLayout({ layoutId });
  } catch (error) {
    if (error instanceof ServiceError && (error.status === 404 || error.status === 405)) return undefined;
    throw error;
  }
}
