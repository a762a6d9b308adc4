/** Turns an error into a failure: code, message, hint and exit code. */

import {
  type AskedServer,
  FailedAfterWrite,
  type Failure,
  RefusedCommand,
  type CommandSubject,
} from "./commands/failure.ts";
import { isSystemError, reasonOf, type SystemError } from "./disk/file-errors.ts";
import { LocatedError } from "./documents/located-error.ts";
import { FormctlError } from "./error.ts";
import { EXIT_CODE_OF, type ErrorCode, type ExitCode } from "./exit-codes.ts";
import { type ErrorBody, isInvalid } from "./schemas/error-body.ts";
import { ServiceError } from "./service.ts";
import { Interrupted } from "./terminal/interrupted.ts";

/** An error that is neither from formctl nor from the system is an internal error. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof FailedAfterWrite) return failedAfterWrite(error);
  if (error instanceof RefusedCommand) return refused(error.refusal, error);
  if (error instanceof ServiceError) return refused(error);
  if (error instanceof FormctlError) return ownFailure(error);
  if (isSystemError(error)) return systemFailure(error);
  const { stack, message } = error instanceof Error ? error : new Error(String(error));
  return ownFailure(
    new FormctlError(
      "INTERNAL",
      `internal error: ${message}`,
      `Please report this with your command line:\n${stack ?? message}`,
    ),
  );
}

/** Includes the answer of the service, if that is the cause. */
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
  };
}

function exitCodeOf(error: FormctlError): ExitCode {
  if (error instanceof Interrupted) return error.exitCode;
  // The service has found the problems, so that its status decides.
  if (error instanceof LocatedError && error.cause instanceof ServiceError) return exitOfRefusal(error.cause);
  return EXIT_CODE_OF[error.code];
}

function systemFailure(error: SystemError): Failure {
  const { syscall, path } = error;
  const about = path === undefined ? "" : ` ${path}`;
  return ownFailure(
    new FormctlError(
      "SYSTEM_CALL_FAILED",
      `the system call ${syscall}${about} failed: ${reasonOf(error)}`,
      "Check that the file or folder exists, its permissions, and the free space on the disk.",
    ),
  );
}

/** The texts of the files with problems, by name. */
export function sourcesOf(error: unknown): ReadonlyMap<string, string> {
  if (error instanceof FailedAfterWrite) return sourcesOf(error.cause);
  return error instanceof LocatedError ? error.sources : new Map();
}

/** Reports the writes that are done, then the failure itself. */
function failedAfterWrite({ lead, cause, done: [...done], isStopped, hint }: FailedAfterWrite): Failure {
  const failed = describeFailure(cause);
  const after = { ...failed, message: `${lead}: ${failed.message}`, ...(hint && { hint }), done };
  if (!isStopped) return after;
  return {
    ...after,
    code: "STOPPED_AFTER_WRITE" satisfies ErrorCode,
    hint: "Check the current state before you run the command again.",
    exitCode: EXIT_CODE_OF.STOPPED_AFTER_WRITE,
  };
}

/** The code is the service's; the exit code follows the status (docs/decisions.md, "Exit codes"). */
function refused(error: ServiceError, typed: RefusalContext = {}): Failure {
  const code = error.status === 401 && !Object.hasOwn(HINTS, error.code) ? "UNAUTHORIZED" : error.code;
  // A code of another server may be the name of a member that every object has.
  const hint =
    error.hint ?? (Object.hasOwn(HINTS, code) ? HINTS[code]?.({ ...typed, meta: error.body.meta }) : undefined);
  return {
    code: error.code,
    message: messageOf(error, typed),
    ...(hint && { hint }),
    exitCode: exitOfRefusal(error),
    ...apiOf(error),
  };
}

/** The service does not report which id is missing, to hide ids of other organizations. Adds the address that the user typed. */
function messageOf({ status, message }: ServiceError, { subject }: RefusalContext): string {
  if (status !== 404 || !subject || subject.kind === "object" || message.includes(subject.text)) return message;
  return `${message}: ${subject.text}`;
}

/** Empty for a refusal of formctl itself. */
function apiOf({ status, said }: ServiceError): Pick<Failure, "api"> {
  return said === null ? {} : { api: { ...said, status } };
}

/** The status decides; the code and the members of the error choose among the exit codes of a status. */
function exitOfRefusal({ status, code, body, needsConfirmation }: ServiceError): ExitCode {
  if (body.meta?.["partiallyApplied"] === true) return 9;
  if (status === 401 || status === 403) return 4;
  if (status === 429 || status >= 500) return 7;
  if (status === 409) {
    // The draft is invalid; the state does not conflict.
    if (code === "DRAFT_INVALID" || isInvalid(body.validation)) return 3;
    if (code === "FIELD_CHANGES_UNCONFIRMED" || needsConfirmation) return 8;
  }
  if (status === 409 || status === 412) return 6;
  // The API document defines a code for a missing record, but no status (R105).
  if (status === 404 || code === "NOT_FOUND") return 5;
  return status === 400 || status === 422 ? 3 : 1;
}

/** The subject of the command, and the server. */
type RefusalContext = { subject?: CommandSubject | undefined; server?: AskedServer | undefined };

type Refused = RefusalContext & { meta: ErrorBody["meta"] };

/** The next step by code, for a refusal without one. */
const HINTS: Readonly<Record<string, (refused: Refused) => string>> = {
  NOT_FOUND: whereToLook,
  DRAFT_STALE: staleDraft,
  DRAFT_MISSING: ({ subject }) => `Save a draft first: formctl layouts draft push ${layoutOf(subject)} FILE`,
  DRAFT_INVALID: ({ subject }) =>
    `Correct the draft and save it again: formctl layouts draft push ${layoutOf(subject)} FILE`,
  VERSION_IS_DRAFT: ({ subject }) => `Publish the draft instead: formctl layouts publish ${layoutOf(subject)}`,
  LAYOUT_FORM_OWNED: () => "Change or delete the form instead: formctl forms update, formctl forms delete.",
  ASSIGNMENT_DEFAULT_TAKEN: () => "Use --take-over, which clears the current default first.",
  IDEMPOTENCY_CONFLICT: () => "Remove clientMutationId from the file: the command creates a new one.",
  UNAUTHORIZED: anotherToken,
};

/** The draft was deleted, published or saved again, or another version was published: `meta` has the current ids. */
function staleDraft({ subject, meta = {} }: Refused): string {
  const layout = layoutOf(subject);
  const { currentDraftVersionId: draft } = meta;
  const versions = `formctl layouts versions list ${layout}`;
  if (draft === null) return `The layout has no draft: it was published or deleted. See: ${versions}`;
  if (meta["currentPublishedVersionId"] !== undefined) return `Another version was published. See: ${versions}`;
  const change = typeof draft === "string" ? `The current draft is ${draft}` : "The draft changed";
  return `${change}. See: formctl layouts draft show ${layout}`;
}

/** No command lists the objects of a server. */
function whereToLook({ subject }: RefusalContext): string {
  if (isLayoutId(subject)) return "List the layouts: formctl layouts list";
  return "List a local store: formctl local show. Check the server: formctl doctor";
}

/** Logging in helps only if the stored token is used. */
function anotherToken({ server }: RefusalContext): string {
  const login = `formctl auth login${server?.profile === undefined ? "" : ` --profile ${server.profile}`}`;
  if (server?.tokenFrom === "FORMCTL_TOKEN")
    return `The token is from FORMCTL_TOKEN. Set another one, or unset it and log in: ${login}`;
  if (server?.tokenFrom === "--token-file") return "The token is from --token-file. Specify a file with another token.";
  return `Log in again: ${login}`;
}

function layoutOf(subject: CommandSubject | undefined): string {
  return subject?.kind === "layout" ? subject.text : "LAYOUT";
}

/** An address of a form in place of a layout was found before the layout was read. */
function isLayoutId(subject: CommandSubject | undefined): boolean {
  return subject?.kind === "layout" && !subject.text.includes("/");
}
