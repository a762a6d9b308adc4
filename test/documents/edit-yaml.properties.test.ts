/** Random texts and random edits: the result has the target value, and the rest of the text keeps its bytes. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readDocument, readDocuments } from "../../src/documents/document.ts";
import { editYaml } from "../../src/documents/edit-yaml.ts";
import type { JsonObject } from "../../src/schemas/json.ts";
import { edited, edits, scalarEdits } from "../arbitraries/json-edits.ts";
import { document, textOf, textOptions } from "../arbitraries/yaml-text.ts";
import { json } from "./arbitrary-json.ts";

const valueOf = (text: string) => readDocument(text, "").value as JsonObject;
const commentsOf = (text: string) => text.match(/# c\d+/g) ?? [];

describe("editYaml", () => {
  it("returns a text with the target value", () => {
    fc.assert(
      fc.property(document, textOptions, edits, (tree, options, list) => {
        const text = textOf(tree, options);
        const wanted = edited(valueOf(text), list);
        expect(valueOf(editYaml(text, 0, wanted))).toEqual(wanted);
      }),
      { numRuns: 3000 },
    );
  });

  it("keeps every comment and every line without a changed value where only scalars change", () => {
    fc.assert(
      fc.property(document, textOptions, scalarEdits, (tree, options, list) => {
        const text = textOf(tree, options);
        fc.pre(!/[&*|>]/.test(text));
        const before = valueOf(text);
        const wanted = edited(before, list, true);
        const after = editYaml(text, 0, wanted);
        expect(commentsOf(after)).toEqual(commentsOf(text));
        const lines = new Set(text.split("\n"));
        const changed = after.split("\n").filter((line) => !lines.has(line));
        expect(changed.length).toBeLessThanOrEqual(list.length);
      }),
      { numRuns: 1000 },
    );
  });

  it("returns the same text for the same value", () => {
    fc.assert(
      fc.property(document, textOptions, (tree, options) => {
        const text = textOf(tree, options);
        expect(editYaml(text, 0, structuredClone(valueOf(text)))).toBe(text);
      }),
    );
  });

  it("does not change other documents of the text", () => {
    fc.assert(
      fc.property(document, document, document, textOptions, edits, (first, second, third, options, list) => {
        const texts = [first, second, third].map((tree) => textOf(tree, options));
        const [a = "", b = "", c = ""] = texts;
        const mark = `---${options.newline}`;
        const wanted = edited(valueOf(b), list);
        const after = editYaml(a + mark + b + mark + c, 1, wanted);
        expect(after.startsWith(a + mark)).toBe(true);
        expect(after.endsWith(mark + c)).toBe(true);
        expect(readDocuments(after, "")[1]!.value).toEqual(wanted);
      }),
      { numRuns: 500 },
    );
  });

  it("returns JSON for JSON", () => {
    const object = json.map((value) => ({ value, "a b": [value], c: { d: value } }));
    fc.assert(
      fc.property(object, edits, fc.constantFrom(0, 2, 4), (value, list, indent) => {
        const text = JSON.stringify(value, null, indent);
        const wanted = edited(value, list);
        expect(JSON.parse(editYaml(text, 0, wanted))).toEqual(wanted);
      }),
      { numRuns: 1000 },
    );
  });

  it("replaces any value by any other", () => {
    fc.assert(
      fc.property(
        document,
        textOptions,
        fc.dictionary(fc.constantFrom("a", "b", "c"), json, { minKeys: 1 }),
        (tree, options, wanted) => {
          const target = JSON.parse(JSON.stringify(wanted)) as JsonObject;
          expect(valueOf(editYaml(textOf(tree, options), 0, target))).toEqual(target);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
