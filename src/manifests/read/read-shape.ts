/** A value that holds what the environment said, read by its schema. */

import { BadNumber, resolvePlain } from "../../documents/scalars.ts";
import { parsePath } from "../../schemas/path.ts";
import type { ReadBy, Schema } from "../../schemas/schema.ts";
import { readParsed, readShape, type Shape } from "../../schemas/shape.ts";
import { replaceAt, type Substituted } from "./environment.ts";

/**
 * `value` as `schema` reads it. Where it is refused for a text that is one placeholder alone, that text is read as YAML
 * reads it, so that `isActive: ${ACTIVE}` is true or false, while `name: ${YEAR}` stays text.
 *
 * @param within the path of `value` in the document that was substituted
 */
export function readFilledIn<S extends Schema>(
  schema: S,
  value: unknown,
  { filledIn }: Pick<Substituted, "filledIn">,
  within = "",
): Shape<ReadBy<S>> {
  if (filledIn.length === 0) return readParsed(schema, value);
  const asText = readShape(schema, value);
  if (asText.ok) return asText;
  const texts = new Map<string, string>();
  for (const { path, text, isWhole } of filledIn) {
    if (isWhole && path.startsWith(within)) texts.set(path.slice(within.length).replace(/^\./, ""), text);
  }
  const resolved: string[] = [];
  for (const { path } of asText.problems) {
    const plain = texts.has(path) ? resolvePlain(texts.get(path)!) : "";
    if (typeof plain === "string" || plain instanceof BadNumber) continue;
    replaceAt(value, parsePath(path), plain);
    resolved.push(path);
  }
  if (resolved.length === 0) return asText;
  const asYaml = readShape(schema, value);
  if (asYaml.ok) return asYaml;
  // What is wrong either way is told of the text.
  const first = new Map(asText.problems.map((problem) => [problem.path, problem]));
  return {
    ok: false,
    problems: asYaml.problems.map((problem) => (resolved.includes(problem.path) ? first.get(problem.path)! : problem)),
  };
}
