/** SARIF 2.1.0 (OASIS): for code scanning and for editors. */

import { DOCUMENT_CODES } from "../../../documents/document-codes.ts";
import { DIAGNOSTIC_CODES } from "../../../schemas/diagnostic-codes.ts";
import { MANIFEST_CODES } from "../../../manifests/problems.ts";
import type { Located } from "../../../schemas/diagnostic.ts";
import { jsonText, visible } from "../../../terminal/escape.ts";
import { pathFromBase, type Validated } from "./validated.ts";

const ABOUT: ReadonlyMap<string, string> = new Map([
  ...Object.entries(DOCUMENT_CODES),
  ...Object.entries({ ...MANIFEST_CODES, ...DIAGNOSTIC_CODES }).map(([code, { about }]) => [code, about] as const),
]);

export function asSarif(validated: Validated): string {
  const { problems, exitCode } = validated;
  const codes = [...new Set(problems.map(({ code }) => code))].sort();
  const rules = codes.map((code) => {
    const about = ABOUT.get(code) ?? code;
    const level = problems.find((problem) => problem.code === code)!.severity;
    return { id: code, shortDescription: { text: about }, help: { text: about }, defaultConfiguration: { level } };
  });
  const ruleIndex = new Map(codes.map((code, index) => [code, index]));
  const results = problems.map((problem) => ({
    ruleId: problem.code,
    ruleIndex: ruleIndex.get(problem.code),
    level: problem.severity,
    message: { text: visible(problem.message) },
    locations: [{ physicalLocation: placeOf(problem, validated) }],
  }));
  const run = {
    tool: { driver: { name: "formctl", rules } },
    // Columns are counted in characters, as everywhere in formctl.
    columnKind: "unicodeCodePoints",
    invocations: [{ executionSuccessful: true, exitCode }],
    results,
  };
  const log = { $schema: "https://json.schemastore.org/sarif-2.1.0.json", version: "2.1.0", runs: [run] };
  return `${jsonText(log, 2)}\n`;
}

function placeOf({ file, line, column }: Located, validated: Validated) {
  const uri = pathFromBase(file, validated).split("/").map(encodeURIComponent).join("/");
  return { artifactLocation: { uri }, region: { startLine: line, startColumn: column } };
}
