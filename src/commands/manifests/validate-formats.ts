/** Formats the result of `formctl validate` as text, and for CI services. */

import { relative, resolve, sep } from "node:path";
import { DOCUMENT_CODES } from "../../documents/problems.ts";
import { MANIFEST_CODES } from "../../manifests/problems.ts";
import type { ValidateResult } from "../../project/project.ts";
import { DIAGNOSTIC_CODES } from "../../schemas/diagnostic-codes.ts";
import type { Located } from "../../schemas/diagnostic.ts";
import { countDiagnostics, renderEach } from "../../terminal/diagnostics.ts";
import { jsonText, visible } from "../../terminal/escape.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { plural } from "../../base/plural.ts";

export type Validated = ValidateResult & {
  exitCode: 0 | 3;
  /** Whether warnings count as errors. */
  strict: boolean;
  cwd: string;
  /** The root of the repository. In the formats of CI services, paths are relative to it. */
  base: string;
};

/** Returns text: each problem with its line and a caret, then the counts. */
export function asText(validated: Validated, { style, width }: Pick<Terminal, "style" | "width">): string {
  const { problems, sources } = validated;
  return `${renderEach(problems, sources, style, width)}${countText(validated)}`;
}

/** Returns the counts as a line, such as `42 manifests in 12 files: 1 error`. */
function countText({ manifests, files, problems }: Validated): string {
  return `${plural(manifests.length, "manifest")} in ${plural(files.length, "file")}: ${countDiagnostics(problems)}\n`;
}

/** Returns the path relative to `base`, with `/` on every system. */
function pathFromBase(file: string, { cwd, base }: Validated): string {
  if (file.startsWith("<")) return file;
  return relative(base, resolve(cwd, file)).split(sep).join("/") || ".";
}

/** Returns workflow commands for GitHub Actions. In a pull request, GitHub shows each problem at its line. */
export function asGithub(validated: Validated): string {
  const data = (text: string) => visible(text).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
  const property = (text: string) => data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
  const lines = validated.problems.map(({ severity, code, message, file, line, column }) => {
    const properties = { file: pathFromBase(file, validated), line: String(line), col: String(column), title: code };
    const text = Object.entries(properties).map(([name, value]) => `${name}=${property(value)}`);
    return `::${severity} ${text.join(",")}::${data(message)}\n`;
  });
  return `${lines.join("")}${countText(validated)}`;
}

/** Returns SARIF 2.1.0 (OASIS), for code scanning and editors. */
export function asSarif(validated: Validated): string {
  const { problems, exitCode } = validated;
  const abouts = new Map<string, string>([
    ...Object.entries(DOCUMENT_CODES),
    ...Object.entries({ ...MANIFEST_CODES, ...DIAGNOSTIC_CODES }).map(([code, { about }]) => [code, about] as const),
  ]);
  const codes = [...new Set(problems.map(({ code }) => code))].sort();
  const rules = codes.map((code) => {
    const about = abouts.get(code) ?? code;
    const level = problems.find((problem) => problem.code === code)!.severity;
    return { id: code, shortDescription: { text: about }, help: { text: about }, defaultConfiguration: { level } };
  });
  const ruleIndex = new Map(codes.map((code, index) => [code, index]));
  const results = problems.map(({ code, severity, message, file, line, column }) => {
    const uri = pathFromBase(file, validated).split("/").map(encodeURIComponent).join("/");
    const physicalLocation = { artifactLocation: { uri }, region: { startLine: line, startColumn: column } };
    return {
      ruleId: code,
      ruleIndex: ruleIndex.get(code),
      level: severity,
      message: { text: visible(message) },
      locations: [{ physicalLocation }],
    };
  });
  const run = {
    tool: { driver: { name: "formctl", rules } },
    // Columns count Unicode characters, as in all output of formctl.
    columnKind: "unicodeCodePoints",
    invocations: [{ executionSuccessful: true, exitCode }],
    results,
  };
  const log = { $schema: "https://json.schemastore.org/sarif-2.1.0.json", version: "2.1.0", runs: [run] };
  return `${jsonText(log, 2)}\n`;
}

/**
 * Returns JUnit XML with a suite for each file and a case for each problem. Most CI services show JUnit XML as test
 * results.
 */
export function asJunit(validated: Validated): string {
  const { problems, files, strict } = validated;
  const byFile = new Map<string, Located[]>(files.map((file) => [file, []]));
  for (const problem of problems) byFile.set(problem.file, [...(byFile.get(problem.file) ?? []), problem]);
  const fails = ({ severity }: Located) => strict || severity === "error";
  const suites = [...byFile].map(([file, found]) => {
    const name = xmlText(pathFromBase(file, validated));
    const seen = new Map<string, number>();
    const cases = found.map((problem) => {
      // Some services show only the first of several cases with the same name. Therefore each further case gets a
      // number.
      const title = `${problem.code} at ${problem.line}:${problem.column}`;
      const number = (seen.get(title) ?? 0) + 1;
      seen.set(title, number);
      const numbered = number === 1 ? title : `${title} (${number})`;
      return testcase(problem, { file: name, name: numbered, isFailure: fails(problem) });
    });
    // A file without a problem counts as a passed test.
    if (cases.length === 0) cases.push(`    <testcase classname="${name}" name="valid"/>\n`);
    const counts = `tests="${cases.length}" failures="${found.filter(fails).length}"`;
    return `  <testsuite name="${name}" ${counts} errors="0" skipped="0">\n${cases.join("")}  </testsuite>\n`;
  });
  const tests = [...byFile.values()].reduce((sum, found) => sum + Math.max(1, found.length), 0);
  const counts = `tests="${tests}" failures="${problems.filter(fails).length}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="formctl validate" ${counts}>\n${suites.join("")}</testsuites>\n`;
}

type Case = { file: string; name: string; isFailure: boolean };

function testcase({ code, message, line, column }: Located, { file, name, isFailure }: Case): string {
  const text = xmlText(message);
  const verdict = isFailure
    ? `<failure type="${xmlText(code)}" message="${text}">${file}:${line}:${column}: ${text}</failure>`
    : `<system-out>warning: ${file}:${line}:${column}: ${text}</system-out>`;
  return `    <testcase classname="${file}" name="${xmlText(name)}">${verdict}</testcase>\n`;
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
