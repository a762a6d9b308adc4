/** Checks SARIF logs and XML documents that commands print. */

import { Ajv } from "ajv";

/**
 * The part of SARIF 2.1.0 (OASIS, section 3) that formctl writes. The output was also validated with the schema of the
 * standard.
 */
const text = {
  type: "object",
  properties: { text: { type: "string", minLength: 1 } },
  required: ["text"],
  additionalProperties: false,
};
const whole = { type: "integer", minimum: 1 };
const level = { enum: ["error", "warning", "note"] };
const object = (properties: Record<string, unknown>, required = Object.keys(properties)) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const SARIF = object({
  $schema: { const: "https://json.schemastore.org/sarif-2.1.0.json" },
  version: { const: "2.1.0" },
  runs: {
    type: "array",
    items: object({
      tool: object({
        driver: object({
          name: { const: "formctl" },
          rules: {
            type: "array",
            uniqueItems: true,
            items: object({
              id: { type: "string", pattern: "^[A-Z_]+$" },
              shortDescription: text,
              help: text,
              defaultConfiguration: object({ level }),
            }),
          },
        }),
      }),
      columnKind: { enum: ["utf16CodeUnits", "unicodeCodePoints"] },
      invocations: {
        type: "array",
        items: object({ executionSuccessful: { type: "boolean" }, exitCode: { type: "integer" } }),
      },
      results: {
        type: "array",
        items: object({
          ruleId: { type: "string" },
          ruleIndex: { type: "integer", minimum: 0 },
          level,
          message: text,
          locations: {
            type: "array",
            minItems: 1,
            // A location has a place in a file, the address of its subject, or both.
            items: {
              ...object(
                {
                  physicalLocation: object({
                    artifactLocation: object({ uri: { type: "string", pattern: "^[A-Za-z0-9%._~/-]+$" } }),
                    region: object({ startLine: whole, startColumn: whole }),
                  }),
                  logicalLocations: {
                    type: "array",
                    minItems: 1,
                    items: object({ fullyQualifiedName: { type: "string", minLength: 1 } }),
                  },
                },
                [],
              ),
              minProperties: 1,
            },
          },
        }),
      },
    }),
  },
});

const isSarif = new Ajv().compile(SARIF);

/** Returns the errors of a SARIF log. Empty for a valid log. */
export function sarifErrors(log: unknown): unknown[] {
  return isSarif(log) ? [] : (isSarif.errors ?? []);
}

/** Returns what is wrong with an XML document: characters that XML forbids, and tags that are not closed. */
export function xmlErrors(xml: string): string[] {
  const tags = [...xml.matchAll(/<(\/?)([a-z-]+)(?:\s[^<>]*?)?(\/?)>/g)];
  const open: string[] = [];
  const unbalanced = tags.flatMap(([tag, isEnd, name = "", isEmpty]) => {
    if (isEmpty) return [];
    if (!isEnd) open.push(name);
    return isEnd && open.pop() !== name ? [tag] : [];
  });
  return [
    ...(xml.match(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu) ?? []),
    ...(xml.match(/&(?!(?:amp|lt|gt|quot|apos|#\d+);)/g) ?? []),
    ...unbalanced,
    ...open,
  ];
}
