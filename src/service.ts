/** The interface that commands use: each operation of the API as a function. Also the errors of a service. */

import { addFacts, FormctlError } from "./base/error.ts";
import type {
  AccessAnswer,
  CurrencyAnswer,
  DefaultsAnswer,
  FormAnswer,
  FormPageAnswer,
  LayoutAnswer,
  PublishedAnswer,
  SavedDraftAnswer,
  SurfacesAnswer,
  VersionAnswer,
} from "./schemas/answers.ts";
import { type ErrorBody, type Impact, isInvalid } from "./schemas/error-body.ts";
import type { JsonObject } from "./schemas/json.ts";
import type { Input, OperationName, Output } from "./schemas/operation-types.ts";
import { operations } from "./schemas/operations.ts";
import type {
  ArchiveLayoutInput,
  CreateFormInput,
  CreateLayoutInput,
  DeleteFormInput,
  GetFormAccessInput,
  GetFormInput,
  GetLayoutInput,
  GetSurfaceDefinitionsInput,
  GetVersionInput,
  ListAvailableFormsInput,
  ListCurrenciesInput,
  ListFormsInput,
  ListLayoutsInput,
  ListVersionsInput,
  PublishLayoutInput,
  ReplaceAssignmentsInput,
  ReplaceFormAccessInput,
  RestoreDraftInput,
  SaveDraftInput,
  UpdateFormDefaultsInput,
  UpdateFormInput,
  UpdateLayoutInput,
} from "./schemas/requests.ts";

/**
 * - `expected…`: the id of the version that the write replaces
 * - `clientMutationId`: the id by which the server recognizes a repeated write
 */
export type OptionalMember = "expectedDraftVersionId" | "expectedPublishedVersionId" | "clientMutationId";

export type CallOptions = {
  /**
   * Aborts the call. A request that is not sent yet is not sent, and the reason of the signal is thrown. A read that was
   * sent is cancelled, and the reason is thrown. A write that was sent is no longer awaited: OUTCOME_UNKNOWN is thrown,
   * and its `cause` is the reason. A local store checks the signal only before the call.
   */
  signal?: AbortSignal | undefined;
  /**
   * The time limit of the whole call in milliseconds: all its requests and waits. A wait that would take longer is not
   * begun: the answer that requests the wait is the result. Default: see `ClientOptions.timeout`. A local store has no
   * time limit.
   */
  timeout?: number | undefined;
  /**
   * How often a request is repeated at most, after a 429 too. Only requests that can't be done twice are repeated.
   * Default: 3 times, and after a 429 for a minute
   */
  maxRetries?: number | undefined;
  /**
   * Further headers of the requests, such as `x-correlation-id`. Of formctl's own headers, only `user-agent` can be
   * replaced.
   */
  headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Identifies a write that has no clientMutationId. Requests with the same key have one effect and one answer
   * (docs/decisions.md, "Replays"). By default, each such write over HTTP has a new key.
   */
  idempotencyKey?: string;
  /**
   * Never repeats a write that the server may have received. Without this option, a write with a clientMutationId is
   * repeated. Use this option if it is uncertain that the server recognizes the repeated request.
   */
  isOnce?: boolean;
  /**
   * The ids of the existing forms with the same name, for `createForm`. If the answer is lost, a form with this name
   * and another id counts as the new form. By default, the client lists the existing forms itself.
   */
  namesakes?: readonly string[];
  /**
   * Called with true if the answer is a stored response: nothing was written again. Called with false if the write is
   * new. Not called if the server does not report replays.
   */
  onReplay?: (isReplay: boolean) => void;
  /**
   * The members of the body that are omitted if the server refuses them. By default, the request is refused. Never
   * contains a member that the user specified.
   */
  mayOmit?: readonly OptionalMember[];
  /** Called before the write is sent without a member of `mayOmit`. If it throws, the write is not sent. */
  beforeOmission?: (member: OptionalMember) => Promise<void>;
  /**
   * Ends the wait of the request after a 429. The request is then not sent, and the reason of the signal is thrown. A
   * request that was sent is awaited.
   */
  stopWaiting?: AbortSignal;
  /**
   * Whether the caller keeps no page of a list after the next one. The client then does not limit the size of the whole
   * list, only that of each page.
   */
  isStreamed?: boolean;
  /** Called once for each wait after a 429. `isRequested` is true if the server stated how long to wait. */
  onWait?: (until: Date, isRequested: boolean) => void;
  /**
   * Called before the write is sent again after a 429. If it returns the output of the write, the write is not sent
   * again. Without this function, a write that the server may do twice is not sent again. Not called for a write with a
   * clientMutationId: the server does it only once.
   */
  beforeRepeat?: () => Promise<unknown>;
};

/**
 * The service of any server. Its answers may lack members that the API document does not promise.
 *
 * Each operation also throws these errors:
 *
 * - `ServiceError` with `UNAUTHORIZED` (401), `FORBIDDEN` (403) without the permission, or another refusal of the server
 * - `NoAnswer` if the server does not answer, or the answer can't be read
 * - `FormctlError` with `OUTCOME_UNKNOWN` if a write may be done
 * - `NotConfirmed` if a write was accepted, and its result can't be read
 */
export interface Service {
  /**
   * Creates a form, and the layout that it owns. The form is not usable until its layout is published.
   *
   * `POST /v1/custom-modules/:moduleKey/objects/:objectKey/forms`. Permission: `api.custom_forms.manage`.
   *
   * @throws ServiceError `VALIDATION_FAILED` (400)
   * @throws ServiceError `NOT_FOUND` (404) if the object does not exist
   * @throws ServiceError `OBJECT_IS_SUBORDINATE` (409): only the parent of the object can have forms
   */
  createForm: (input: CreateFormInput, options?: CallOptions) => Promise<FormAnswer>;

  /**
   * Returns a page of the forms of an object. The forms have default flags and access counts.
   *
   * `GET /v1/custom-modules/:moduleKey/objects/:objectKey/forms`. Permission: `api.custom_forms.read`.
   *
   * @throws ServiceError `VALIDATION_FAILED` (400) for an invalid query
   * @throws ServiceError `NOT_FOUND` (404) if the object does not exist
   */
  listForms: (input: ListFormsInput, options?: CallOptions) => Promise<FormPageAnswer>;

  /**
   * Returns the active forms of an object. An active form is not always usable: see `usableTypes`.
   *
   * `GET /v1/custom-modules/:moduleKey/objects/:objectKey/forms/available`. Permission: `api.custom_forms.read`.
   *
   * @throws ServiceError `VALIDATION_FAILED` (400) for an invalid query
   * @throws ServiceError `NOT_FOUND` (404) if the object does not exist
   */
  listAvailableForms: (input: ListAvailableFormsInput, options?: CallOptions) => Promise<FormAnswer[]>;

  /**
   * Sets or clears the default forms of an object.
   *
   * `PATCH /v1/custom-modules/:moduleKey/objects/:objectKey/forms/defaults`. Permission:
   * `api.custom_forms.manage`.
   *
   * @throws ServiceError `VALIDATION_FAILED` (400) if a form belongs to another object, is inactive, or does not
   *   support the mode
   * @throws ServiceError `NOT_FOUND` (404) if the object does not exist
   * @throws ServiceError `OBJECT_IS_SUBORDINATE` (409)
   */
  updateFormDefaults: (input: UpdateFormDefaultsInput, options?: CallOptions) => Promise<DefaultsAnswer>;

  /**
   * Returns a form.
   *
   * `GET /v1/custom-modules/:moduleKey/objects/:objectKey/forms/:formId`. Permission: `api.custom_forms.read`.
   *
   * @throws ServiceError `NOT_FOUND` (404) if the form does not exist
   */
  getForm: (input: GetFormInput, options?: CallOptions) => Promise<FormAnswer>;

  /**
   * Changes members of a form. Its layout gets the modes of the form. Access rows lose the modes that are
   * removed.
   *
   * `PATCH /v1/custom-modules/:moduleKey/objects/:objectKey/forms/:formId`. Permission:
   * `api.custom_forms.manage`.
   *
   * @throws ServiceError `VALIDATION_FAILED` (400)
   * @throws ServiceError `NOT_FOUND` (404) if the form does not exist
   * @throws ServiceError `FORM_TYPE_IS_DEFAULT` (409) if the form is the default for a removed mode
   * @throws ServiceError `FORM_IS_DEFAULT` (409) if a default form would become inactive
   */
  updateForm: (input: UpdateFormInput, options?: CallOptions) => Promise<FormAnswer>;

  /**
   * Deletes a form, its layout with all versions, and the files that were uploaded with the form.
   *
   * `DELETE /v1/custom-modules/:moduleKey/objects/:objectKey/forms/:formId`. Permission:
   * `api.custom_forms.manage`.
   *
   * @throws ServiceError `NOT_FOUND` (404) if the form does not exist
   * @throws ServiceError `FORM_IS_DEFAULT` (409): clear the default first
   */
  deleteForm: (input: DeleteFormInput, options?: CallOptions) => Promise<void>;

  /**
   * Returns the members and roles that may use a form.
   *
   * `GET /v1/custom-modules/:moduleKey/objects/:objectKey/forms/:formId/access`. Permission:
   * `api.custom_forms.read`.
   *
   * @throws ServiceError `NOT_FOUND` (404) if the form does not exist
   */
  getFormAccess: (input: GetFormAccessInput, options?: CallOptions) => Promise<AccessAnswer>;

  /**
   * Replaces all access rows of a form. Empty lists delete all rows.
   *
   * `PUT /v1/custom-modules/:moduleKey/objects/:objectKey/forms/:formId/access`. Permission:
   * `api.custom_forms.manage`.
   *
   * @throws ServiceError `VALIDATION_FAILED` (400) for an unknown member or role, or a mode that the form does
   *   not support
   * @throws ServiceError `NOT_FOUND` (404) if the form does not exist
   */
  replaceFormAccess: (input: ReplaceFormAccessInput, options?: CallOptions) => Promise<AccessAnswer>;

  /**
   * Creates a layout that no form owns. Creating a form creates its layout.
   *
   * `POST /v1/view-layouts`. Permission: `api.view_layouts.manage`.
   *
   * @throws ServiceError `VALIDATION_FAILED` (400)
   * @throws ServiceError `LAYOUT_FORM_OWNED` (409) if the target has a form
   * @throws ServiceError `IDEMPOTENCY_CONFLICT` (409) if another request had the same `clientMutationId`
   */
  createLayout: (input: CreateLayoutInput, options?: CallOptions) => Promise<LayoutAnswer>;

  /**
   * Returns all layouts that are not archived. The API document has no such operation, so a server may lack it
   * (404, 405).
   *
   * `GET /v1/view-layouts`. Permission: `api.view_layouts.read`.
   *
   * @throws ServiceError `VALIDATION_FAILED` (400) for an invalid query
   */
  listLayouts: (input: ListLayoutsInput, options?: CallOptions) => Promise<LayoutAnswer[]>;

  /**
   * Returns the surfaces with their default regions.
   *
   * `GET /v1/view-layouts/surface-definitions`. Permission: `api.view_layouts.read`.
   *
   * @throws ServiceError `VALIDATION_FAILED` (400) for an invalid query
   */
  getSurfaceDefinitions: (input: GetSurfaceDefinitionsInput, options?: CallOptions) => Promise<SurfacesAnswer>;

  /**
   * Returns a layout. The API document has no such operation, so a server may lack it (404, 405).
   *
   * `GET /v1/view-layouts/:layoutId`. Permission: `api.view_layouts.read`.
   *
   * @throws ServiceError `NOT_FOUND` (404) if the layout does not exist
   */
  getLayout: (input: GetLayoutInput, options?: CallOptions) => Promise<LayoutAnswer>;

  /**
   * Changes the name or metadata of a layout, or the modes of a layout that no form owns.
   *
   * `PATCH /v1/view-layouts/:layoutId`. Permission: `api.view_layouts.manage`.
   *
   * @throws ServiceError `VALIDATION_FAILED` (400), also for a surface or target
   * @throws ServiceError `NOT_FOUND` (404) if the layout does not exist
   * @throws ServiceError `LAYOUT_FORM_OWNED` (409): the form has the surface, target and modes of its layout
   * @throws ServiceError `ASSIGNMENT_DEFAULT_TAKEN` (409) if the layout is a default, and another layout is the
   *   default for an added mode
   */
  updateLayout: (input: UpdateLayoutInput, options?: CallOptions) => Promise<LayoutAnswer>;

  /**
   * Saves the draft of a layout. Replaces the whole draft. An invalid draft is saved too: see `validation`.
   *
   * `PUT /v1/view-layouts/:layoutId/draft`. Permission: `api.view_layouts.manage`.
   *
   * @throws ServiceError `VALIDATION_FAILED` (400)
   * @throws ServiceError `NOT_FOUND` (404) if the layout does not exist
   * @throws ServiceError `DRAFT_STALE` (409) if the draft is not `expectedDraftVersionId`
   * @throws ServiceError `IDEMPOTENCY_CONFLICT` (409) if another request had the same `clientMutationId`
   */
  saveDraft: (input: SaveDraftInput, options?: CallOptions) => Promise<SavedDraftAnswer>;

  /**
   * Publishes a draft, and applies its staged field changes.
   *
   * `POST /v1/view-layouts/:layoutId/publish`. Permission: `api.view_layouts.publish`.
   *
   * @throws ServiceError `VALIDATION_FAILED` (400), also for a confirmation of a change that is not staged
   * @throws ServiceError `NOT_FOUND` (404) if the layout does not exist
   * @throws ServiceError `DRAFT_INVALID` (409) if the draft has errors: see `body.validation`
   * @throws ServiceError `DRAFT_MISSING` (409) if the layout has no draft
   * @throws ServiceError `DRAFT_STALE` (409) if the draft is not the current draft, or another version is
   *   published than expected
   * @throws ServiceError `FIELD_CHANGES_UNCONFIRMED` (409) for changes that clear values: see `body.impacts`
   * @throws ServiceError `IDEMPOTENCY_CONFLICT` (409) if another request had the same `clientMutationId`
   */
  publishLayout: (input: PublishLayoutInput, options?: CallOptions) => Promise<PublishedAnswer>;

  /**
   * Returns the versions of a layout, including the draft.
   *
   * `GET /v1/view-layouts/:layoutId/versions`. Permission: `api.view_layouts.read`.
   *
   * @throws ServiceError `NOT_FOUND` (404) if the layout does not exist
   */
  listVersions: (input: ListVersionsInput, options?: CallOptions) => Promise<VersionAnswer[]>;

  /**
   * Returns a version of a layout with its content.
   *
   * `GET /v1/view-layouts/:layoutId/versions/:versionId`. Permission: `api.view_layouts.read`.
   *
   * @throws ServiceError `NOT_FOUND` (404) if the layout or the version does not exist
   */
  getVersion: (input: GetVersionInput, options?: CallOptions) => Promise<VersionAnswer>;

  /**
   * Replaces the draft of a layout with the content of a version. Publishes nothing.
   *
   * `POST /v1/view-layouts/:layoutId/versions/:versionId/restore-draft`. Permission: `api.view_layouts.manage`.
   *
   * @throws ServiceError `VALIDATION_FAILED` (400)
   * @throws ServiceError `NOT_FOUND` (404) if the layout or the version does not exist
   * @throws ServiceError `VERSION_IS_DRAFT` (409) if the version is the draft
   * @throws ServiceError `IDEMPOTENCY_CONFLICT` (409) if another request had the same `clientMutationId`
   */
  restoreDraft: (input: RestoreDraftInput, options?: CallOptions) => Promise<SavedDraftAnswer>;

  /**
   * Replaces the assignments of a layout that no form owns: the roles whose members see it, and whether it is
   * the default.
   *
   * `PUT /v1/view-layouts/:layoutId/assignments`. Permission: `api.view_layouts.manage`.
   *
   * @throws ServiceError `VALIDATION_FAILED` (400), also for an unknown role
   * @throws ServiceError `NOT_FOUND` (404) if the layout does not exist
   * @throws ServiceError `LAYOUT_FORM_OWNED` (409): a form always uses its layout
   * @throws ServiceError `ASSIGNMENT_DEFAULT_TAKEN` (409) if another layout is the default
   * @throws ServiceError `IDEMPOTENCY_CONFLICT` (409) if another request had the same `clientMutationId`
   */
  replaceAssignments: (input: ReplaceAssignmentsInput, options?: CallOptions) => Promise<LayoutAnswer>;

  /**
   * Archives a layout that no form owns. Archived layouts are hidden from reads. An archived layout can't be
   * restored.
   *
   * `POST /v1/view-layouts/:layoutId/archive`. Permission: `api.view_layouts.manage`.
   *
   * @throws ServiceError `NOT_FOUND` (404) if the layout does not exist
   * @throws ServiceError `LAYOUT_FORM_OWNED` (409): delete the form instead
   */
  archiveLayout: (input: ArchiveLayoutInput, options?: CallOptions) => Promise<void>;

  /**
   * Returns the currency catalog.
   *
   * `GET /v1/currencies`. Permission: none, any valid token.
   */
  listCurrencies: (input: ListCurrenciesInput, options?: CallOptions) => Promise<CurrencyAnswer[]>;
}

/** The service of formctl's own engine: the operations of {@link Service}, with answers that have every member. */
export type FullService = {
  [N in keyof Service]: (input: Input<N>, options?: CallOptions) => Promise<Output<N>>;
};

/** The input of an operation whose name is known only at run time. */
export type AnyInput = Readonly<Record<string, unknown>> & { body?: unknown };

/** An operation whose name is known only at run time. */
export type AnyCall = (input: AnyInput, options?: CallOptions) => Promise<unknown>;

/**
 * Wraps a service: replaces each operation with the result of `wrap`. Other members, such as `close` of a client, stay
 * as they are, but members with a symbol for a name are left out.
 */
export function mapCalls<S extends Service>(service: S, wrap: (call: AnyCall, name: OperationName) => AnyCall): S {
  const members = Object.entries(service) as unknown as [OperationName, AnyCall][];
  return Object.fromEntries(
    members.map(([name, call]) => [name, Object.hasOwn(operations, name) ? wrap(call, name) : call]),
  ) as unknown as S;
}

/** Adds the name of the operation to its error. */
export function withOperation(error: unknown, operation: OperationName): unknown {
  return error instanceof ServiceError || error instanceof FormctlError ? addFacts(error, { operation }) : error;
}

/** Returns the service with options for each call. The options of a call have precedence. */
export function withOptions<S extends Service>(service: S, common: CallOptions): S {
  return mapCalls(service, (call) => (input, options) => call(input, { ...common, ...options }));
}

/**
 * A refusal of the service. `status` is the HTTP status of the answer. A refusal without HTTP has the status that a
 * server would send. `body` has only the members that formctl reads.
 */
export class ServiceError extends Error {
  override readonly name: string = "ServiceError";
  readonly status: number;
  readonly body: ErrorBody;
  /**
   * The members of the error object in the answer. Empty if the answer is empty, or nested too deeply to be read. Null
   * if formctl itself refuses. `said.body` is the whole answer in these cases:
   *
   * - The answer is text, or JSON that is not an object.
   * - Next to the error object, the answer has other members.
   * - The error object has a `status` that differs from the HTTP status.
   */
  declare readonly said: JsonObject | null;
  readonly hint: string | undefined;
  /** The time at which the service accepts a retry; undefined if the service states no time. */
  readonly retryAt: Date | undefined;
  /** The name of the operation, such as `createForm`. */
  declare readonly operation?: string;
  /** The id that the server gave the request. The operator of the server finds the request in the log by this id. */
  declare readonly requestId?: string;
  /** The headers of the answer, by their lower-case names. They are not enumerable. */
  declare readonly headers?: Readonly<Record<string, string>>;
  /** Whether the write was refused because a confirmation is missing. Servers report this with various codes. */
  readonly needsConfirmation: boolean;

  constructor(status: number, body: ErrorBody, hint?: string, retryAt?: Date, said: JsonObject | null = body) {
    super(body.message);
    this.status = status;
    this.body = body;
    this.hint = hint;
    this.retryAt = retryAt;
    // Not enumerable: a printed error shows the answer only once.
    Object.defineProperty(this, "said", { value: said });
    this.needsConfirmation = status === 409 && body.code === "FIELD_CHANGES_UNCONFIRMED";
  }

  get code(): string {
    return this.body.code;
  }

  /** Returns a copy with another message, hint or `needsConfirmation`. The answer of the service is unchanged. */
  reworded(changes: { message?: string; hint?: string; needsConfirmation?: boolean }): ServiceError {
    const copy = new ServiceError(this.status, this.body, this.hint, this.retryAt, this.said);
    const { message, needsConfirmation } = this;
    return addFacts(Object.assign(copy, { message, needsConfirmation }, changes), this);
  }
}

/**
 * Whether a write may be done although its answer has this status. With 408 and 5xx, the server may have failed after
 * the write. Every other error status is a refusal. This includes 501: the server does not know the operation.
 */
export function mayBeDone(status: number): boolean {
  return status === 408 || (status >= 500 && status !== 501);
}

/** The pause in milliseconds before each attempt to read the effect of a write. */
const READ_BACK_PAUSES_MS = [0, 500, 2_000];

/**
 * Reads the effect of a write. Reads again while there is none: the server may still be executing the write, or a
 * replica of the server may receive the effect a moment later.
 *
 * @param read returns undefined if there is no effect
 */
export async function readBack<T>(
  read: () => Promise<T | undefined>,
  sleep: (milliseconds: number) => Promise<void>,
): Promise<T | undefined> {
  for (const pause of READ_BACK_PAUSES_MS) {
    if (pause > 0) await sleep(pause);
    const found = await read();
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Creates a refusal of formctl itself, without a request. `status` and `code` are those that the service would send.
 * Only MADE_MEANWHILE is a code of formctl.
 */
export function localRefusal(status: number, code: string, message: string, hint?: string): ServiceError {
  return new ServiceError(status, { code, message }, hint, undefined, null);
}

/**
 * Returns the impacts in the refusal of a publication that are not confirmed yet. Returns none if the status is not 409
 * or the draft is invalid. The code is not checked, because servers refuse with various codes.
 */
export function unconfirmedImpacts({ status, body }: ServiceError, confirmed: readonly string[]): Impact[] {
  if (status !== 409 || isInvalid(body.validation)) return [];
  return (body.impacts ?? []).filter(({ draftId }) => draftId === undefined || !confirmed.includes(draftId));
}

/**
 * Creates the error for an incomplete list. Pages were missing, or the list changed during the reading.
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
 * A write was accepted, but its result is unknown (docs/decisions.md, "Tolerance"). The answer does not contain the
 * result, and the result can't be read.
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
 * Calls `read`. Returns undefined if the token has no permission to read. The token may still have permission to write.
 */
export async function unlessForbidden<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ServiceError && error.status === 403) return undefined;
    throw error;
  }
}

/** Reads a resource. Returns undefined if it does not exist. */
export async function unlessMissing<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ServiceError && error.status === 404) return undefined;
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
  /** The id of the request in the server's log and in the store's audit log. */
  requestId?: string;
  /** Identifies a write without a clientMutationId (docs/decisions.md, "Replays"). */
  idempotencyKey?: string;
  /**
   * The entity tags of If-Match. The write is refused if the record has none of these tags (docs/decisions.md,
   * "Extensions").
   */
  ifMatch?: string;
  /** The error of a request that can't be parsed. It is thrown after the checks of permission and path. */
  unreadable?: ServiceError;
  /**
   * Called for a write with a clientMutationId or an Idempotency-Key. True means that the answer is a stored response:
   * nothing was written again. After a call with false, the write may still fail.
   */
  onReplay?: (isReplay: boolean) => void;
};

/** Why a token identifies no caller. `tokenId` is present if the store has the token. */
export type TokenRefusal = { reason: "unknown" | "expired" | "revoked"; tokenId?: string };

export type Caller = {
  tokenId: string;
  /** The key of the caller's organization, for the log. */
  organization: string;
  /**
   * Whether the result of `LocalService.authenticate` still applies, if the store has not changed since. False in these
   * cases:
   *
   * - The token has expired.
   * - A new day has begun: the use of the token has to be recorded again.
   * - A new minute has begun, and today's use of the token is not recorded yet: this is tried once per minute.
   */
  isCurrent(): boolean;
  /**
   * The version of the organization's records at the look-up of the token: a text that changes with each write. Undefined
   * if the store has another way to notice writes (`LocalService.version`), or none.
   */
  version?: string | undefined;
  /** Answers an operation. `input` has the operation's type. @throws ServiceError */
  answer(name: OperationName, input: unknown, context: RequestContext): Promise<unknown>;
};

/** A request. `path` includes the query; `body` is sent as JSON. */
export type RawRequest = { method: string; path: string; body?: unknown };
/** An answer. `body` is text if the answer is not JSON, and undefined if the answer is empty. */
export type RawAnswer = { status: number; headers: Readonly<Record<string, string>>; body: unknown };

/** Reads a layout. Returns undefined if the layout or the endpoint does not exist. */
export async function readLayout(
  service: Pick<Service, "getLayout">,
  layoutId: string,
): Promise<LayoutAnswer | undefined> {
  try {
    return await service.getLayout({ layoutId });
  } catch (error) {
    if (error instanceof ServiceError && (error.status === 404 || error.status === 405)) return undefined;
    throw error;
  }
}
