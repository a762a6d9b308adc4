/** What an error costs and how it is told: error → code, message, hint, exit code. The only such table. */

import type { ExitCode } from "./exit-codes.ts";
import { IncompleteList, NotConfirmed, NotShown, OutcomeUnknown, ServiceError } from "./service.ts";
import { type ErrorBody, isInvalid } from "./schemas/error-body.ts";
import { BaseUrlError } from "./schemas/base-url.ts";
import { NoAnswer } from "./client/no-answer.ts";
import { CredentialsError } from "./config/credentials.ts";
import { NoTokenError } from "./config/token.ts";
import { SettingError } from "./config/setting-rows.ts";
import { AddressError } from "./commands/addresses.ts";
import { ConsentError, InvalidValue, UsageError } from "./commands/command.ts";
import type { Failure } from "./commands/failure.ts";
import { type AskedServer, RefusedCommand, type Subject } from "./commands/refused-command.ts";
import { FailedAfterWrite } from "./commands/after-write.ts";
import { OrganizationChoiceError } from "./local-service.ts";
import { StoreError, type StoreErrorCode } from "./store/store.ts";
import { InvalidDocument } from "./documents/invalid-document.ts";
import { RecordError } from "./manifests/apply/append-log.ts";
import { RunInProgress } from "./manifests/apply/run-lock.ts";
import { StalePlan } from "./manifests/apply/stale-plan.ts";
import { DraftHasWarnings } from "./manifests/apply/strict.ts";
import { UnknownLayouts } from "./manifests/apply/unknown-layouts.ts";
import { InvalidManifests } from "./manifests/read/invalid-manifests.ts";
import { UnusablePlan } from "./manifests/plan/plan-file.ts";
import { AmbiguousNames, MissingObjects, PlanRefused, UnknownTargets } from "./manifests/current/read-errors.ts";
import { Held } from "./disk/hold.ts";
import { UnfitFile } from "./disk/unfit-file.ts";
import { UnwritableFile } from "./disk/unwritable-file.ts";
import { NoWorkingDirectory } from "./system-world.ts";
import { Interrupted } from "./terminal/interrupted.ts";
import { UnwritableOutput } from "./terminal/write-all.ts";

const STORE_EXIT: Record<StoreErrorCode, ExitCode> = {
  STORE_MISSING: 5,
  STORE_EXISTS: 6,
  STORE_BUSY: 6,
  STORE_OUTCOME_UNKNOWN: 7,
  STORE_CORRUPT: 1,
  STORE_FOREIGN: 1,
  STORE_NEWER: 1,
  STORE_READ_ONLY: 1,
  STORE_FULL: 1,
  STORE_UNUSABLE: 1,
};

/** Any error as a failure. An error that no line here knows is our own mistake, and says how to report it. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof UsageError) return failure("USAGE", error, 64);
  if (error instanceof ConsentError) return failure("CONSENT_MISSING", error, 8);
  if (error instanceof InvalidValue) return failure("INVALID_VALUE", error, 3);
  if (error instanceof SettingError) return failure("SETTING_INVALID", error, 64);
  if (error instanceof BaseUrlError) return failure("BASE_URL_INVALID", error, 64);
  if (error instanceof NoTokenError) return failure("NO_TOKEN", error, 4);
  if (error instanceof CredentialsError) return failure("CREDENTIALS_UNUSABLE", error, 4);
  // Whoever redirects or can't prove who it is has not answered as the service.
  if (error instanceof NoAnswer) return failure(error.code, error, 7);
  if (error instanceof OutcomeUnknown) return unknownOutcome(error);
  if (error instanceof NotConfirmed) return failure("NOT_CONFIRMED", error, 7);
  if (error instanceof NotShown) return failure("NOT_SHOWN", error, 7);
  if (error instanceof FailedAfterWrite) return failedAfterWrite(error);
  if (error instanceof OrganizationChoiceError) return failure("ORGANIZATION_UNCLEAR", error, 64);
  if (error instanceof AddressError) {
    return error.kind === "missing" ? failure("NOT_FOUND", error, 5) : failure("AMBIGUOUS_NAME", error, 6);
  }
  if (error instanceof StoreError) return failure(error.code, error, STORE_EXIT[error.code]);
  if (error instanceof InvalidDocument) return invalidDocument(error);
  if (error instanceof InvalidManifests) return invalidManifests(error);
  if (error instanceof PlanRefused) return planRefused(error);
  if (error instanceof MissingObjects) return failure("OBJECT_MISSING", error, 5);
  if (error instanceof AmbiguousNames) return failure("AMBIGUOUS_NAME", error, 6);
  if (error instanceof IncompleteList) return failure("LIST_INCOMPLETE", error, 6);
  if (error instanceof UnknownTargets) return failure("USAGE", error, 64);
  if (error instanceof UnusablePlan) return failure("PLAN_UNUSABLE", error, 3);
  if (error instanceof UnfitFile) return failure("FILE_UNFIT", error, 3);
  if (error instanceof UnwritableFile) return failure("FILE_UNWRITABLE", error, 1);
  if (error instanceof RunInProgress) return failure("RUN_IN_PROGRESS", error, 6);
  if (error instanceof Held) return failure("FILE_HELD", error, 6);
  if (error instanceof StalePlan) return planned("PLAN_STALE", error, 6);
  if (error instanceof UnknownLayouts) return planned("LAYOUT_UNKNOWN", error, 6);
  if (error instanceof RecordError) return failure("RECORD_UNWRITABLE", error, 1);
  if (error instanceof DraftHasWarnings) return failure(error.code, error, 3);
  if (error instanceof RefusedCommand) return refused(error.refusal, error);
  if (error instanceof ServiceError) return refused(error);
  if (error instanceof UnwritableOutput) return failure("OUTPUT_UNWRITABLE", error, 1);
  if (error instanceof Interrupted) return failure("INTERRUPTED", error, error.exitCode);
  if (error instanceof NoWorkingDirectory) return failure("NO_WORKING_DIRECTORY", error, 1);
  if (isSystemError(error)) return systemFailure(error);
  const { stack, message } = error instanceof Error ? error : new Error(String(error));
  return {
    code: "INTERNAL",
    message: `formctl made a mistake: ${message}`,
    hint: `Please report this, with what you typed:\n${stack ?? message}`,
    exitCode: 1,
  };
}

type SystemError = Error & { code: string; syscall: string; path?: string };

/** The system refused a call that no module expected to fail: no mistake of this program. */
function isSystemError(error: unknown): error is SystemError {
  return error instanceof Error && "syscall" in error && typeof error.syscall === "string" && "code" in error;
}

function systemFailure({ code, syscall, path }: SystemError): Failure {
  const about = path === undefined ? "" : ` ${path}`;
  return {
    code: "SYSTEM_CALL_FAILED",
    message: `the operating system refused ${syscall}${about} (${code})`,
    hint: "Is the file or folder still there, may it be used, and is the disk full?",
    exitCode: 1,
  };
}

/** The texts that a failure complains about, by file. */
export function sourcesOf(error: unknown): ReadonlyMap<string, string> {
  if (error instanceof InvalidManifests || error instanceof PlanRefused) return error.sources;
  if (error instanceof FailedAfterWrite) return sourcesOf(error.cause);
  return error instanceof InvalidDocument ? new Map([[error.file, error.text]]) : new Map();
}

/** With what the server said last. */
function unknownOutcome(error: OutcomeUnknown): Failure {
  const { cause } = error;
  return {
    ...failure("OUTCOME_UNKNOWN", error, 7),
    ...(cause instanceof ServiceError && apiOf(cause)),
  };
}

/** The writes that are done come first, then the failure as it reads without a write before it. */
function failedAfterWrite({ lead, cause, done: [...done], isStopped, hint }: FailedAfterWrite): Failure {
  const failed = describeFailure(cause);
  const after = { ...failed, message: `${lead}: ${failed.message}`, ...(hint && { hint }), done };
  if (!isStopped) return after;
  return {
    ...after,
    code: "STOPPED_AFTER_WRITE",
    hint: "Look at what is there before you type it again.",
    exitCode: 7,
  };
}

function failure(code: string, error: Error & { hint?: string | undefined }, exitCode: ExitCode): Failure {
  return { code, message: error.message, ...(error.hint && { hint: error.hint }), exitCode };
}

/** About a resource of a plan, which stands in a file. */
function planned(code: string, error: StalePlan | UnknownLayouts, exitCode: ExitCode): Failure {
  const { at } = error;
  return { ...failure(code, error, exitCode), ...(at && { location: { ...at, column: 1 } }) };
}

function invalidManifests({ message, problems: [...problems] }: InvalidManifests): Failure {
  const first = problems.find(({ severity }) => severity === "error") ?? problems[0];
  return {
    code: "MANIFESTS_INVALID",
    message,
    exitCode: 3,
    ...(first && { location: { file: first.file, line: first.line, column: first.column } }),
    problems,
  };
}

const PLAN_REFUSALS: Record<PlanRefused["kind"], string> = {
  missing: "OBJECT_MISSING",
  ambiguous: "AMBIGUOUS_NAME",
  taken: "ASSIGNMENT_DEFAULT_TAKEN",
};

function planRefused({ kind, message, hint, problems: [...problems] }: PlanRefused): Failure {
  const [first] = problems;
  return {
    code: PLAN_REFUSALS[kind],
    message,
    hint,
    exitCode: kind === "missing" ? 5 : 6,
    ...(first && { location: { file: first.file, line: first.line, column: first.column } }),
    problems,
  };
}

/** Where the service has found the problems, all that it said is in the failure too. */
function invalidDocument(error: InvalidDocument): Failure {
  const [first] = error.problems;
  const refusal = error.cause instanceof ServiceError ? error.cause : undefined;
  return {
    code: "INVALID_FILE",
    message: error.message,
    exitCode: refusal ? exitOfRefusal(refusal) : 3,
    ...(first && { location: { file: first.file, line: first.line, column: first.column } }),
    problems: error.problems,
    ...(refusal && apiOf(refusal)),
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
