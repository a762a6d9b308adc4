/** Creates the errors of the service, each with its status, code and members (docs/decisions.md, "Errors"). */

import type { Permission } from "../schemas/words.ts";
import { type ErrorBody, validationBody } from "../schemas/error-body.ts";
import type { ShapeProblem } from "../schemas/shape.ts";
import { ServiceError } from "../service.ts";
import type { LayoutRecord } from "../store/layouts.ts";

export type ConflictCode =
  | "FORM_IS_DEFAULT"
  | "FORM_TYPE_IS_DEFAULT"
  | "OBJECT_IS_SUBORDINATE"
  | "LAYOUT_FORM_OWNED"
  | "DRAFT_INVALID"
  | "DRAFT_STALE"
  | "DRAFT_MISSING"
  | "VERSION_IS_DRAFT"
  | "FIELD_CHANGES_UNCONFIRMED"
  | "ASSIGNMENT_DEFAULT_TAKEN"
  | "IDEMPOTENCY_CONFLICT";

/**
 * 404 (R105). In responses of the API, the message contains no id. Therefore a record of another organization gives the
 * same response as a missing record. `near` is a similar existing name, which the message suggests.
 */
export function notFound(message: string, near?: string): ServiceError {
  const suggestion = near === undefined ? "" : `. Did you mean "${near}"?`;
  return new ServiceError(404, { code: "NOT_FOUND", message: `${message}${suggestion}` });
}

/** 403: the actor lacks the permission of the operation (R102, R103). */
export function forbidden(permission: Permission): ServiceError {
  return new ServiceError(403, { code: "FORBIDDEN", message: `the permission ${permission} is required` });
}

/** 400: lists each problem with the path of the invalid value. */
export function invalid(problems: readonly ShapeProblem[]): ServiceError {
  return new ServiceError(400, validationBody(problems));
}

/** 409: the request is valid, but the current state does not allow it. */
export function conflict(code: ConflictCode, message: string, members: Partial<ErrorBody> = {}): ServiceError {
  return new ServiceError(409, { ...members, code, message });
}

/** 412: the record changed after the client read it. Pass the current `tag` only if the client may read the record. */
export function preconditionFailed(tag: string | undefined): ServiceError {
  return new ServiceError(412, {
    code: "PRECONDITION_FAILED",
    message: "the record changed after it was read. Read it again",
    ...(tag !== undefined && { meta: { etag: tag } }),
  });
}

/**
 * Refuses an operation that only layouts of the organization allow.
 *
 * @param reason the end of the message, for example `it can't have assignments`
 * @throws ServiceError 409 LAYOUT_FORM_OWNED (R88, R98, R99) if the layout belongs to a form
 */
export function refuseFormOwned(layout: LayoutRecord, reason: string): void {
  if (layout.owner_form_id === null) return;
  throw conflict(
    "LAYOUT_FORM_OWNED",
    `the layout "${layout.name}" belongs to the form ${layout.owner_form_id}: ${reason}`,
  );
}
