/** The meaning of each exit code, and the exit code of each error code. */

export const EXIT_CODES = {
  0: "done",
  1: "failed: another refusal of the service, or an internal error. With --contract: a difference can break formctl (doctor)",
  2: "with --detailed-exitcode: changes are pending (plan), or something is not in sync (status) or different (diff). With --check: a file would change (codemod). With --compare: the server changed (doctor)",
  3: "invalid input: a file, a value or a draft",
  4: "authentication or permission",
  5: "not found",
  6: "conflict: the current state does not allow it, a name is ambiguous, or a lock is held",
  7: "no response, or the outcome of a write is unknown",
  8: "confirmation missing or declined",
  9: "partially applied; apply again to resume",
  64: "usage: unknown command or option, a wrong value of an option, or an invalid combination",
  130: "interrupted (SIGINT)",
  143: "terminated (SIGTERM)",
} as const;

export type ExitCode = keyof typeof EXIT_CODES;

/** The exit codes after a signal. Ctrl-C sends SIGINT. At a prompt, Ctrl-C is a key, and counts as SIGINT. */
export const EXIT_OF_SIGNAL = { SIGINT: 130, SIGTERM: 143 } as const;

/** The signals that end a command. */
export type EndSignal = keyof typeof EXIT_OF_SIGNAL;

/**
 * The exit code of each error code of formctl. For an error of the service, exit.ts derives the exit code from the HTTP
 * status. A command can also derive an exit code from its result (`exitCode` of a `Command`). An example is
 * commands/manifests/apply-document.ts.
 */
export const EXIT_CODE_OF = {
  USAGE: 64,
  SETTING_INVALID: 64,
  BASE_URL_INVALID: 64,
  ORGANIZATION_UNCLEAR: 64,
  NO_EDITOR: 64,
  CLIENT_CLOSED: 64,
  STORE_CLOSED: 64,

  INVALID_VALUE: 3,
  INVALID_FILE: 3,
  FILE_UNFIT: 3,
  MANIFESTS_INVALID: 3,
  PLAN_UNUSABLE: 3,
  DRAFT_HAS_WARNINGS: 3,
  MIGRATION_INVALID: 3,

  NO_TOKEN: 4,
  CREDENTIALS_UNUSABLE: 4,
  STORE_DENIED: 4,

  NOT_FOUND: 5,
  OBJECT_MISSING: 5,
  STORE_MISSING: 5,

  AMBIGUOUS_NAME: 6,
  FORM_EXISTS: 6,
  ASSIGNMENT_DEFAULT_TAKEN: 6,
  LIST_INCOMPLETE: 6,
  RUN_IN_PROGRESS: 6,
  FILE_HELD: 6,
  PLAN_STALE: 6,
  LAYOUT_UNKNOWN: 6,
  FORM_CHANGED: 6,
  STORE_EXISTS: 6,
  STORE_BUSY: 6,
  MIGRATIONS_CHANGED: 6,
  MIGRATION_IN_PROGRESS: 6,
  MIGRATIONS_OUT_OF_STEP: 6,
  MIGRATION_CONFLICT: 6,
  MIGRATION_RECORD_AMBIGUOUS: 6,
  MIGRATION_RECORD_LOST: 6,

  UNREACHABLE: 7,
  TLS_REFUSED: 7,
  TIMED_OUT: 7,
  ABORTED: 7,
  ANSWER_CUT: 7,
  ANSWER_TOO_LARGE: 7,
  ANSWER_UNREADABLE: 7,
  LIST_TOO_LONG: 7,
  // The answer is a redirect, or is not from the API. So the service itself did not respond.
  NOT_THE_API: 7,
  REDIRECTED: 7,
  OUTCOME_UNKNOWN: 7,
  NOT_CONFIRMED: 7,
  NOT_SHOWN: 7,
  STOPPED_AFTER_WRITE: 7,
  STORE_OUTCOME_UNKNOWN: 7,
  STORE_UNREACHABLE: 7,

  CONSENT_MISSING: 8,

  // This exit code is for SIGINT. After SIGTERM, exit.ts uses the exit code of SIGTERM in `EXIT_OF_SIGNAL` instead.
  INTERRUPTED: EXIT_OF_SIGNAL.SIGINT,

  // The service has responded during the wait, so the exit code is not 7.
  WAIT_TIMED_OUT: 1,
  EDITOR_FAILED: 1,
  FILE_UNWRITABLE: 1,
  RECORD_UNWRITABLE: 1,
  OUTPUT_UNWRITABLE: 1,
  NO_WORKING_DIRECTORY: 1,
  NODE_UNSUPPORTED: 1,
  STORE_CORRUPT: 1,
  STORE_COPY_DIFFERS: 1,
  STORE_FOREIGN: 1,
  STORE_NEWER: 1,
  STORE_READ_ONLY: 1,
  STORE_FULL: 1,
  STORE_UNUSABLE: 1,
  MIGRATION_FAILED: 1,
  MIGRATION_RECORD_DAMAGED: 1,
  SYSTEM_CALL_FAILED: 1,
  INTERNAL: 1,
} as const satisfies Record<string, ExitCode>;

export type ErrorCode = keyof typeof EXIT_CODE_OF;
