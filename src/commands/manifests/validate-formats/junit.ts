/** JUnit's XML, which most services show as test results: a suite for each file, a case for each problem in it. */

import type { Located } from "../../../schemas/diagnostic.ts";
import { visible } from "../../../terminal/escape.ts";
import { pathFromBase, type Validated } from "./validated.ts";

export function asJunit(validated: Validated): string {
  const { problems, files, strict } = validated;
  const byFile = new Map<string, Located[]>(files.map((file) => [file, []]));
  for (const problem of problems) byFile.set(problem.file, [...(byFile.get(problem.file) ?? []), problem]);
  const fails = ({ severity }: Located) => strict || severity === "error";
  const suites = [...byFile].map(([file, found]) => {
    const name = attribute(pathFromBase(file, validated));
    const told = new Map<string, number>();
    const cases = found.map((problem) => {
      const title = `${problem.code} at ${problem.line}:${problem.column}`;
      const count = (told.get(title) ?? 0) + 1;
      told.set(title, count);
      // Of two cases with one name some services show only the first.
      const isFailure = fails(problem);
      return testcase(problem, { file: name, name: count === 1 ? title : `${title} (${count})`, isFailure });
    });
    // A file without a problem has passed, which counts too.
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
  const text = attribute(message);
  const verdict = isFailure
    ? `<failure type="${attribute(code)}" message="${text}">${file}:${line}:${column}: ${text}</failure>`
    : `<system-out>warning: ${file}:${line}:${column}: ${text}</system-out>`;
  return `    <testcase classname="${file}" name="${attribute(name)}">${verdict}</testcase>\n`;
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };

/** Text of an attribute or element. XML can't hold every character, not even as an entity. */
function attribute(text: string): string {
  return (
    visible(text)
      .replace(/[\uFFFE\uFFFF]/g, (character) => `\\u${character.charCodeAt(0).toString(16)}`)
      .replace(/[&<>"']/g, (character) => ENTITIES[character]!)
      // An agent of Azure obeys this wherever it stands in a line.
      .replace(/##(?=\[|vso\[)/gi, "#&#35;")
  );
}
