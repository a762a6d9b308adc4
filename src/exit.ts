/** How an error is reported: error → code, message, hint, exit code. */

import { type AskedServer, FailedAfterWrite, type Failure, RefusedCommand, type Subject } from "./commands/failure.ts";
import { LocatedError } from "./documents/located-error.ts";
import { FormctlError } from "./error.ts";
import { EXIT_CODE_OF, type ErrorCode, type ExitCode } from "./exit-codes.ts";
import { type ErrorBody, isInvalid } from "./schemas/error-body.ts";
import { ServiceError } from "./service.ts";
import { Interrupted } from "./terminal/interrupted.ts";

/** Any error as a failure. An error that is neither formctl's nor the system's is an internal error, and says how to report it. */
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
      `formctl made a mistake: ${message}`,
      `Please report this, with what you typed:\n${stack ?? message}`,
    ),
  );
}

/** With what the service said last, if an answer of it is the cause. */
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
  // The service has found the problems, and its status decides.
  if (error instanceof LocatedError && error.cause instanceof ServiceError) return exitOfRefusal(error.cause);
  return EXIT_CODE_OF[error.code];
}

type SystemError = Error & { code: string; syscall: string; path?: string };

/** The system refused a call that no module expected to fail: no mistake of this program. */
function isSystemError(error: unknown): error is SystemError {
  return error instanceof Error && "syscall" in error && typeof error.syscall === "string" && "code" in error;
}

function systemFailure({ code, syscall, path }: SystemError): Failure {
  const about = path === undefined ? "" : ` ${path}`;
  return ownFailure(
    new FormctlError(
      "SYSTEM_CALL_FAILED",
      `the operating system refused ${syscall}${about} (${code})`,
      "Is the file or folder still there, may it be used, and is the disk full?",
    ),
  );
}

/** The texts that a failure complains about, by file. */
export function sourcesOf(error: unknown): ReadonlyMap<string, string> {
  if (error instanceof FailedAfterWrite) return sourcesOf(error.cause);
  return error instanceof LocatedError ? error.sources : new Map();
}

/** The writes that are done come first, then the failure as it reads without a write before it. */
function failedAfterWrite({ lead, cause, done: [...done], isStopped, hint }: FailedAfterWrite): Failure {
  const failed = describeFailure(cause);
  const after = { ...failed, message: `${lead}: ${failed.message}`, ...(hint && { hint }), done };
  if (!isStopped) return after;
  return {
    ...after,
    code: "STOPPED_AFTER_WRITE" satisfies ErrorCode,
    hint: "Look at what is there before you type it again.",
    exitCode: EXIT_CODE_OF.STOPPED_AFTER_WRITE,
  };
}

/** The code is the service's; the exit code follows the status (docs/decisions.md, "Exit codes"). */
function refused(error: ServiceError, typed: Typed = {}): Failure {
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

/** The service never says which id is missing, so that foreign ones look the same; the user gets to know what was typed. */
function messageOf({ status, message }: ServiceError, { subject }: Typed): string {
  if (status !== 404 || !subject || subject.kind === "object" || message.includes(subject.text)) return message;
  return `${message}: ${subject.text}`;
}

/** Nothing where no service was asked. */
function apiOf({ status, said }: ServiceError): Pick<Failure, "api"> {
  return said === null ? {} : { api: { ...said, status } };
}

/** By the status; the code and the members of the error choose only among the codes of a status. */
function exitOfRefusal({ status, code, body, needsConfirmation }: ServiceError): ExitCode {
  if (body.meta?.["partiallyApplied"] === true) return 9;
  if (status === 401 || status === 403) return 4;
  if (status === 429 || status >= 500) return 7;
  if (status === 409) {
    // The fault is the draft's, not that of the state of things.
    if (code === "DRAFT_INVALID" || isInvalid(body.validation)) return 3;
    if (code === "FIELD_CHANGES_UNCONFIRMED" || needsConfirmation) return 8;
  }
  if (status === 409 || status === 412) return 6;
  // The API document gives a missing record its code, and no status (R105).
  if (status === 404 || code === "NOT_FOUND") return 5;
  return status === 400 || status === 422 ? 3 : 1;
}

/** What the command was about, and which server it asked. */
type Typed = { subject?: Subject | undefined; server?: AskedServer | undefined };

type Refused = Typed & { meta: ErrorBody["meta"] };

/** The next step by code, where the refusal itself has none. */
const HINTS: Readonly<Record<string, (refused: Refused) => string>> = {
  NOT_FOUND: whereToLook,
  DRAFT_STALE: staleDraft,
  DRAFT_MISSING: ({ subject }) => `Save a draft first: formctl layouts draft push ${layoutOf(subject)} FILE`,
  DRAFT_INVALID: ({ subject }) =>
    `Correct the draft and save it again: formctl layouts draft push ${layoutOf(subject)} FILE`,
  VERSION_IS_DRAFT: ({ subject }) => `Publish it as it is: formctl layouts publish ${layoutOf(subject)}`,
  LAYOUT_FORM_OWNED: () => "Change or delete the form instead: formctl forms update, formctl forms delete.",
  ASSIGNMENT_DEFAULT_TAKEN: () => "Take it over with --take-over, which clears the present holder first.",
  IDEMPOTENCY_CONFLICT: () => "Leave clientMutationId out of the file: the command makes a new one.",
  UNAUTHORIZED: anotherToken,
};

/** The draft was deleted or published, another version was published, or the draft was saved again: `meta` has the present ids. */
function staleDraft({ subject, meta = {} }: Refused): string {
  const layout = layoutOf(subject);
  const { currentDraftVersionId: draft } = meta;
  const versions = `formctl layouts versions list ${layout}`;
  if (draft === null) return `The layout has no draft: it was published or deleted. See: ${versions}`;
  if (meta["currentPublishedVersionId"] !== undefined) return `Another version was published. See: ${versions}`;
  const change = typeof draft === "string" ? `The current draft is ${draft}` : "The draft changed";
  return `${change}. See: formctl layouts draft show ${layout}`;
}

/** The same words in both places, so that a script reads the same document. No command lists the objects of a server. */
function whereToLook({ subject }: Typed): string {
  if (isLayoutId(subject)) return "See what there is: formctl layouts list";
  return "See what there is: formctl local show; of a server, whether it is the right one: formctl doctor";
}

/** Logging in helps only where what is stored is used. */
function anotherToken({ server }: Typed): string {
  const login = `formctl auth login${server?.profile === undefined ? "" : ` --profile ${server.profile}`}`;
  if (server?.tokenFrom === "FORMCTL_TOKEN")
    return `FORMCTL_TOKEN holds it. Set another, or unset it and log in: ${login}`;
  if (server?.tokenFrom === "--token-file") return "It is from --token-file: name a file with another.";
  return `Log in again: ${login}`;
}

function layoutOf(subject: Subject | undefined): string {
  return subject?.kind === "layout" ? subject.text : "LAYOUT";
}

/** A form in the place of a layout has been found before its layout is asked for. */
function isLayoutId(subject: Subject | undefined): boolean {
  return subject?.kind === "layout" && !subject.text.includes("/");
}
