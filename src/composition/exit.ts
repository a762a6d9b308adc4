/** Converts an error into a failure: code, message, hint, exit code. */

import {
  type AskedServer,
  FailedAfterWrite,
  FailedWithKeptFile,
  type Failure,
  RefusedCommand,
  type CommandSubject,
} from "../commands/failure.ts";
import { isSystemError, reasonOf, type SystemError } from "../disk/file-errors.ts";
import { LocatedError } from "../documents/located-error.ts";
import { FormctlError } from "../base/error.ts";
import { EXIT_CODE_OF, EXIT_OF_SIGNAL, type ErrorCode, type ExitCode } from "../base/exit-codes.ts";
import { type ErrorBody, isInvalid } from "../schemas/error-body.ts";
import { ServiceError } from "../service.ts";
import { Interrupted } from "../terminal/interrupted.ts";

/** Converts any error into a failure. An error is internal unless it comes from formctl, the service or the system. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof FailedAfterWrite) return failedAfterWrite(error);
  if (error instanceof FailedWithKeptFile) {
    const failed = describeFailure(error.cause);
    return { ...failed, hint: [failed.hint, error.kept].filter(Boolean).join("\n") };
  }
  if (error instanceof RefusedCommand) return refused(error.refusal, error);
  if (error instanceof ServiceError) return refused(error);
  if (error instanceof FormctlError) return ownFailure(error);
  if (isSystemError(error)) return systemFailure(error);
  const { stack, message } = error instanceof Error ? error : new Error(String(error));
  return ownFailure(
    new FormctlError(
      "INTERNAL",
      `internal error: ${message}`,
      `Report this error with the command line:\n${stack ?? message}`,
    ),
  );
}

/**
 * Converts an error of formctl. If its cause is an error of the service, the failure includes the original answer of
 * the service.
 */
function ownFailure(error: FormctlError): Failure {
  const { code, message, hint, cause } = error;
  const refusal = cause instanceof ServiceError ? cause : undefined;
  const { location, problems = [] } = error instanceof LocatedError ? error : {};
  return {
    code,
    message,
    ...(hint && { hint }),
    exitCode: exitCodeOf(error),
    ...(location && { location }),
    ...(problems.length > 0 && { problems: [...problems] }),
    ...(refusal && apiOf(refusal)),
    ...requestIdOf(error),
  };
}

function exitCodeOf(error: FormctlError): ExitCode {
  if (error instanceof Interrupted) return EXIT_OF_SIGNAL[error.signal];
  // The service reported the problems, so the HTTP status determines the exit code.
  if (error instanceof LocatedError && error.cause instanceof ServiceError) return exitOfRefusal(error.cause);
  return EXIT_CODE_OF[error.code];
}

/** Converts the error of a system call, such as reading a file. Called if no other module has handled the error. */
function systemFailure(error: SystemError): Failure {
  const { syscall, path } = error;
  const about = path === undefined ? "" : ` ${path}`;
  return ownFailure(
    new FormctlError(
      "SYSTEM_CALL_FAILED",
      `the system call ${syscall}${about} failed: ${reasonOf(error)}`,
      "Check that the file or folder exists, its permissions, and the free space of the disk.",
    ),
  );
}

/** Returns the text of each file in which the error reports problems, by file name. */
export function sourcesOf(error: unknown): ReadonlyMap<string, string> {
  if (error instanceof FailedAfterWrite || error instanceof FailedWithKeptFile) return sourcesOf(error.cause);
  return error instanceof LocatedError ? error.sources : new Map();
}

/** Converts a failure after a write. The message starts with the writes that are done. */
function failedAfterWrite({ lead, cause, done: [...done], isStopped, hint }: FailedAfterWrite): Failure {
  const failed = describeFailure(cause);
  const after = { ...failed, message: `${lead}: ${failed.message}`, ...(hint && { hint }), done };
  if (!isStopped) return after;
  return {
    ...after,
    code: "STOPPED_AFTER_WRITE" satisfies ErrorCode,
    hint: "Check the current state before you try again.",
    exitCode: EXIT_CODE_OF.STOPPED_AFTER_WRITE,
  };
}

/**
 * Converts a refusal of the service. The failure has the code of the service. Its exit code depends on the status
 * (docs/decisions.md, "Exit codes").
 */
function refused(error: ServiceError, asked: Asked = {}): Failure {
  const code = error.status === 401 && !Object.hasOwn(HINTS, error.code) ? "UNAUTHORIZED" : error.code;
  // The code comes from a server, so it may be `constructor`. `HINTS` inherits a member with that name.
  const hint =
    error.hint ?? (Object.hasOwn(HINTS, code) ? HINTS[code]?.({ ...asked, meta: error.body.meta }) : undefined);
  return {
    code: error.code,
    message: messageOf(error, asked),
    ...(hint && { hint }),
    exitCode: exitOfRefusal(error),
    ...apiOf(error),
    ...requestIdOf(error),
  };
}

/**
 * Returns the message of the service. A message about a missing record gets the address from the command line, because
 * the service does not report which id is missing: an id of another organization gets the same answer.
 */
function messageOf({ status, message }: ServiceError, { subject }: Asked): string {
  // A message with a suggestion ("Did you mean …?") already names the missing record.
  const isNamed = !subject || subject.kind === "object" || message.includes(subject.text) || message.endsWith("?");
  if (status !== 404 || isNamed) return message;
  return `${message}: ${subject.text}`;
}

/** Returns the request id of an error, or of the error that caused it. */
function requestIdOf(error: unknown): Pick<Failure, "requestId"> {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth++) {
    // A check for the class NoAnswer would load the client after each failure.
    const { requestId } = cause as { requestId?: unknown };
    if (typeof requestId === "string") return { requestId };
  }
  return {};
}

/** Returns the original answer of the service; empty if no request was sent. */
function apiOf({ status, said }: ServiceError): Pick<Failure, "api"> {
  return said === null ? {} : { api: { ...said, status } };
}

/**
 * Derives the exit code from the status. Status 409 has three exit codes:
 *
 * - 3 for an invalid draft
 * - 8 for a missing confirmation
 * - 6 for any other conflict
 *
 * `needsConfirmation` states that impacts of a publication are not confirmed. It is set by
 * commands/layouts/publish-draft.ts and apply/steps.ts.
 */
function exitOfRefusal({ status, code, body, needsConfirmation }: ServiceError): ExitCode {
  if (body.meta?.["partiallyApplied"] === true) return 9;
  if (status === 401 || status === 403) return 4;
  if (status === 429 || status >= 500) return 7;
  if (status === 409) {
    if (code === "DRAFT_INVALID" || isInvalid(body.validation)) return 3;
    if (code === "FIELD_CHANGES_UNCONFIRMED" || needsConfirmation) return 8;
  }
  if (status === 409 || status === 412) return 6;
  // The API document specifies no status for a missing record (R105). So the code alone is sufficient.
  if (status === 404 || code === "NOT_FOUND") return 5;
  return status === 400 || status === 422 ? 3 : 1;
}

type Asked = { subject?: CommandSubject | undefined; server?: AskedServer | undefined };

type Refused = Asked & { meta: ErrorBody["meta"] };

/** The next step for each error code. Used for refusals without a hint. */
const HINTS: Readonly<Record<string, (refused: Refused) => string>> = {
  NOT_FOUND: whereToLook,
  DRAFT_STALE: staleDraft,
  DRAFT_MISSING: ({ subject }) =>
    `Save a draft first: formctl layouts edit ${layoutOf(subject)}, or formctl layouts draft push ${layoutOf(subject)} FILE. If the server does not list drafts, specify the id of the draft: --draft ID`,
  DRAFT_INVALID: ({ subject }) =>
    `Correct the draft: formctl layouts edit ${layoutOf(subject)}, or formctl layouts draft push ${layoutOf(subject)} FILE`,
  VERSION_IS_DRAFT: ({ subject }) => `To publish the draft unchanged: formctl layouts publish ${layoutOf(subject)}`,
  LAYOUT_FORM_OWNED: () => "Change or delete the form instead: formctl forms update, or formctl forms delete",
  ASSIGNMENT_DEFAULT_TAKEN: () => "To clear the default of the other layout first, add --take-over.",
  IDEMPOTENCY_CONFLICT: () => "Remove clientMutationId: the command then uses a new one.",
  UNAUTHORIZED: anotherToken,
};

/**
 * Explains why the draft is stale: it was deleted, published or saved again, or another version was published. `meta`
 * has the current ids.
 */
function staleDraft({ subject, meta = {} }: Refused): string {
  const layout = layoutOf(subject);
  const { currentDraftVersionId: draft } = meta;
  const versions = `formctl layouts versions list ${layout}`;
  if (draft === null) return `The layout has no draft: it was published or deleted. See: ${versions}`;
  if (meta["currentPublishedVersionId"] !== undefined) return `Another version was published. See: ${versions}`;
  const change = typeof draft === "string" ? `The current draft is ${draft}` : "The draft changed";
  return `${change}. See: formctl layouts draft show ${layout}`;
}

/**
 * Returns the same hint for a local store and a server, so that scripts get the same document. For a server, the hint
 * suggests `formctl doctor`, because no command lists the objects of a server.
 */
function whereToLook({ subject }: Asked): string {
  if (isLayoutId(subject)) return "List the layouts: formctl layouts list";
  return "List the objects of a local store: formctl local show. For a server, check the target: formctl doctor";
}

/** Suggests another token. A login helps only if the request used the stored token. */
function anotherToken({ server }: Asked): string {
  const login = `formctl auth login${server?.profile === undefined ? "" : ` --profile ${server.profile}`}`;
  if (server?.tokenFrom === "FORMCTL_TOKEN")
    return `The token is from FORMCTL_TOKEN. Set another one, or unset it and log in: ${login}`;
  if (server?.tokenFrom === "--token-file") return "The token is from --token-file: specify a file with another one.";
  return `Log in again: ${login}`;
}

function layoutOf(subject: CommandSubject | undefined): string {
  return subject?.kind === "layout" ? subject.text : "LAYOUT";
}

/**
 * Whether the subject is the id of a layout. A text with a slash is the address of a form. The command has already
 * found that form, so a list of layouts does not help.
 */
function isLayoutId(subject: CommandSubject | undefined): boolean {
  return subject?.kind === "layout" && !subject.text.includes("/");
}
