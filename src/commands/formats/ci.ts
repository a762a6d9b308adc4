/** Formats reports for CI services: workflow commands of GitHub Actions, SARIF and JUnit XML. */

import { DOCUMENT_CODES } from "../../documents/problems.ts";
import { hideTokens } from "../../base/secret.ts";
import { MANIFEST_CODES } from "../../manifests/problems.ts";
import { DIAGNOSTIC_CODES } from "../../schemas/diagnostic-codes.ts";
import { countDiagnostics } from "../../terminal/diagnostics.ts";
import { jsonText, visible } from "../../terminal/escape.ts";
import type { Failure } from "../failure.ts";
import { isCoveredByProblems } from "../print-failure.ts";
import { codeOf, type Finding, findingOfProblem, type PathOf, type Report, suitesOf, textOf } from "./report.ts";

/** Returns the report of a command that failed: its problems, or else its error with the next step. */
export function failureReport(title: Report["title"], failure: Failure): Report {
  const { code, message, hint, problems = [], location, exitCode } = failure;
  const isCovered = isCoveredByProblems(failure);
  const text = hideTokens(hint === undefined ? message : `${message}. ${hint}`);
  const [command] = title;
  const finding: Finding = {
    subject: command,
    state: code,
    level: "error",
    fails: true,
    message: text,
    ...(location && { place: location }),
  };
  return {
    title,
    summary: isCovered ? countDiagnostics(problems) : `failed: ${hideTokens(message)}`,
    exitCode,
    isComplete: false,
    problems,
    suites: isCovered ? [] : [{ name: title.join(" "), findings: [finding] }],
  };
}

/** Returns workflow commands for GitHub Actions. In a pull request, GitHub shows each finding at its line. */
export function githubText(report: Report, pathOf: PathOf): string {
  const data = (text: string) => visible(text).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
  const property = (text: string) => data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
  const lines = reportedIn(report).map((finding) => {
    const { level, place } = finding;
    const where = place && { file: pathOf(place.file), line: String(place.line), col: String(place.column ?? 1) };
    const properties = Object.entries({ ...where, title: codeOf(finding) });
    const text = properties.map(([name, value]) => `${name}=${property(value)}`).join(",");
    return `::${level === "note" ? "notice" : level} ${text}::${data(textOf(finding))}\n`;
  });
  return `${lines.join("")}${visible(report.summary)}\n`;
}

type Reported = Finding & { level: Exclude<Finding["level"], "none"> };

/** Returns the findings that have something to report, first those in files. */
function reportedIn({ problems, strict, suites }: Report): Reported[] {
  const inFiles = problems.map((problem) => findingOfProblem(problem, strict));
  const findings = [...inFiles, ...suites.flatMap((suite) => suite.findings)];
  return findings.filter((finding): finding is Reported => finding.level !== "none");
}

/** Returns SARIF 2.1.0 (OASIS), for code scanning and editors. */
export function sarifText(report: Report, pathOf: PathOf): string {
  const { exitCode, isComplete = true } = report;
  const abouts = new Map<string, string>([
    ...Object.entries(DOCUMENT_CODES),
    ...Object.entries({ ...MANIFEST_CODES, ...DIAGNOSTIC_CODES }).map(([code, { about }]) => [code, about] as const),
  ]);
  const findings = reportedIn(report);
  const byCode = new Map(findings.toReversed().map((finding) => [codeOf(finding), finding]));
  const codes = [...byCode.keys()].sort();
  const rules = codes.map((code) => {
    const { state, level } = byCode.get(code)!;
    const about = abouts.get(code) ?? state;
    return { id: code, shortDescription: { text: about }, help: { text: about }, defaultConfiguration: { level } };
  });
  const ruleIndex = new Map(codes.map((code, index) => [code, index]));
  const results = findings.map((finding) => {
    const code = codeOf(finding);
    return {
      ruleId: code,
      ruleIndex: ruleIndex.get(code),
      level: finding.level,
      message: { text: visible(textOf(finding)) },
      locations: [sarifLocation(finding, pathOf)],
    };
  });
  const run = {
    tool: { driver: { name: "formctl", rules } },
    // Columns count Unicode characters, as in all output of formctl.
    columnKind: "unicodeCodePoints",
    invocations: [{ executionSuccessful: isComplete, exitCode }],
    results,
  };
  const log = { $schema: "https://json.schemastore.org/sarif-2.1.0.json", version: "2.1.0", runs: [run] };
  return `${jsonText(log, 2)}\n`;
}

/** Returns the place in a file, if there is one, and the subject as a logical location. */
function sarifLocation({ subject, place }: Finding, pathOf: PathOf) {
  const uri = place && pathOf(place.file).split("/").map(encodeURIComponent).join("/");
  return {
    ...(place && {
      physicalLocation: {
        artifactLocation: { uri },
        region: { startLine: place.line, startColumn: place.column ?? 1 },
      },
    }),
    ...(subject !== undefined && { logicalLocations: [{ fullyQualifiedName: visible(subject) }] }),
  };
}

/**
 * Returns JUnit XML with a suite for each file and target, and a case for each finding. Most CI services show JUnit XML
 * as test results.
 */
export function junitText(report: Report, pathOf: PathOf): string {
  const files = new Set([...(report.files ?? []), ...report.problems.map(({ file }) => file)]);
  const suites = suitesOf(report).map(({ name: own, findings }) => {
    const name = xmlText(files.has(own) ? pathOf(own) : own);
    const seen = new Map<string, number>();
    const cases = findings.map((finding) => {
      // Some services show only the first of several cases with the same name. Therefore each further case gets a
      // number.
      const title = titleOf(finding);
      const number = (seen.get(title) ?? 0) + 1;
      seen.set(title, number);
      return testcase(finding, { suite: name, name: number === 1 ? title : `${title} (${number})`, pathOf });
    });
    // A file without a problem counts as a passed test.
    if (cases.length === 0) cases.push(`    <testcase classname="${name}" name="valid"/>\n`);
    const failures = findings.filter(({ fails }) => fails).length;
    const skipped = findings.filter(({ isSkipped }) => isSkipped).length;
    const counts = `tests="${cases.length}" failures="${failures}" errors="0" skipped="${skipped}"`;
    const text = `  <testsuite name="${name}" ${counts}>\n${cases.join("")}  </testsuite>\n`;
    return { text, tests: cases.length, failures };
  });
  const sum = (count: "tests" | "failures") => suites.reduce((total, suite) => total + suite[count], 0);
  const [command] = report.title;
  const counts = `tests="${sum("tests")}" failures="${sum("failures")}"`;
  const text = suites.map((suite) => suite.text).join("");
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="${xmlText(command)}" ${counts}>\n${text}</testsuites>\n`;
}

function titleOf({ subject, state, place }: Finding): string {
  return subject ?? `${state} at ${place?.line}:${place?.column}`;
}

function testcase(finding: Finding, { suite, name, pathOf }: { suite: string; name: string; pathOf: PathOf }): string {
  const { level, place, message, fails, isSkipped } = finding;
  const start = `    <testcase classname="${suite}" name="${xmlText(name)}"`;
  if (level === "none" && !isSkipped) return `${start}/>\n`;
  const where = place ? `${xmlText(pathOf(place.file))}:${place.line}:${place.column ?? 1}: ` : "";
  const text = xmlText(textOf(finding));
  const short = xmlText(message === "" ? finding.state : message);
  const verdict = fails
    ? `<failure type="${xmlText(codeOf(finding))}" message="${short}">${where}${text}</failure>`
    : isSkipped
      ? `<skipped message="${short}"/>`
      : `<system-out>${level === "warning" ? "warning: " : ""}${where}${text}</system-out>`;
  return `${start}>${verdict}</testcase>\n`;
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };

/**
 * Escapes the text of an attribute or element. XML can't contain every character, not even as an entity. A character
 * that XML can't contain becomes visible text such as `\ufffe`.
 */
function xmlText(text: string): string {
  return (
    visible(text)
      .replace(/[\uFFFE\uFFFF]/g, (character) => `\\u${character.charCodeAt(0).toString(16)}`)
      .replace(/[&<>"']/g, (character) => ENTITIES[character]!)
      // In the log of a job, Azure Pipelines executes commands after `##[` and `##vso[`, anywhere in a line.
      .replace(/##(?=\[|vso\[)/gi, "#&#35;")
  );
}
