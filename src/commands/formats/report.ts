/**
 * The result of a command that compares, plans or writes forms and layouts, in one shape for all formats of `--format`.
 * Each command creates its report; `markdown.ts` and `ci.ts` format any report.
 */

import type { Located } from "../../schemas/diagnostic.ts";

/** What a report states about one form, layout, migration, step or command of a script. */
export type Finding = {
  /** The address or name. Absent for a problem in a file, whose message names its subject. */
  subject?: string;
  /** The state in words, such as `changed in files`, or the code of a problem or an error. */
  state: string;
  /** `none`: nothing to report. The finding is then only a passed test in JUnit. */
  level: "none" | "note" | "warning" | "error";
  /** Whether JUnit shows a failed test. */
  fails: boolean;
  /** Whether the step was not executed. */
  isSkipped?: boolean;
  message: string;
  place?: { file: string; line: number; column?: number };
};

/** Findings that belong together: those of a target, of a file, or of a migration. */
export type Suite = { name: string; findings: readonly Finding[] };

export type Table = { titles: readonly string[]; rows: readonly (readonly string[])[] };

export type Report = {
  /** The command, and what it worked on: `["formctl status", "of", "the local store"]`. */
  title: readonly [command: string, preposition?: string, subject?: string];
  /** The counts or the outcome in a line. */
  summary: string;
  exitCode: number;
  /** Whether the command did its work. Default: true */
  isComplete?: boolean;
  /** The problems in files. */
  problems: readonly Located[];
  /** Whether warnings count as errors. */
  strict?: boolean;
  /** Read files. JUnit shows those without a problem as passed tests. */
  files?: readonly string[];
  suites: readonly Suite[];
  /** The tables of the Markdown format. By default, one table with all findings. */
  tables?: readonly Table[];
  /** The folded parts of the Markdown format, as HTML title and lines of a diff. */
  details?: readonly Detail[];
};

export type Detail = {
  title: { verb: string; name: string; where: string; warning: string };
  lines: readonly string[];
};

/** Returns the path of a file in a report. */
export type PathOf = (file: string) => string;

/** Returns the code of a finding, such as `CHANGED_IN_FILES`. */
export function codeOf({ state }: Finding): string {
  return state.toUpperCase().replace(/[^A-Z0-9]+/g, "_");
}

/** Returns the message of a finding with its subject and state. */
export function textOf({ subject, state, message }: Finding): string {
  if (subject === undefined) return message;
  return [subject, state, message].filter((part) => part !== "").join(": ");
}

/** Returns the finding for a problem in a file. */
export function findingOfProblem({ code, severity, message, file, line, column }: Located, strict = false): Finding {
  return {
    state: code,
    level: severity,
    fails: strict || severity === "error",
    message,
    place: { file, line, column },
  };
}

/** Returns the problems of files as suites, followed by the suites of the report. */
export function suitesOf({ problems, strict, files = [], suites }: Report): Suite[] {
  const byFile = new Map<string, Finding[]>(files.map((file) => [file, []]));
  for (const problem of problems)
    byFile.set(problem.file, [...(byFile.get(problem.file) ?? []), findingOfProblem(problem, strict)]);
  return [...[...byFile].map(([name, findings]) => ({ name, findings })), ...suites];
}

/**
 * Returns the findings without places, for manifests that are in no file. CI services would look for the file in the
 * repository.
 */
export function withoutPlaces(report: Report): Report {
  const suites = suitesOf({ ...report, files: [] }).map(({ name, findings }) => ({
    name,
    findings: findings.map(({ place: _place, ...finding }) => ({ subject: name, ...finding })),
  }));
  return { ...report, problems: [], suites };
}
