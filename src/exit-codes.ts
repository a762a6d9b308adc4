/** What an exit code means. exit.ts says which error costs which. */

export const EXIT_CODES = {
  0: "done",
  1: "failed: the service refused for another reason, or an error of our own",
  2: "with --detailed-exitcode: changes are pending (plan), or something is not in sync (status)",
  3: "invalid input: a file, a value or a draft",
  4: "authentication or permission",
  5: "not found",
  6: "conflict: the state of things forbids it, a name is ambiguous, or a lock is held",
  7: "no answer, or the outcome of a write is unknown",
  8: "consent missing or declined",
  9: "partly applied; apply again resumes",
  64: "usage: unknown command or flag, or a bad combination",
  130: "interrupted (SIGINT)",
  143: "terminated (SIGTERM)",
} as const;

export type ExitCode = keyof typeof EXIT_CODES;
