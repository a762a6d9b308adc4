/** Tests random edits of random texts. The result has the target value, and the rest of the text keeps its bytes. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readDocument, readDocuments } from "../../src/documents/document.ts";
import { editYaml } from "../../src/documents/edit-yaml.ts";
import type { JsonObject } from "../../src/schemas/json.ts";
import { edited, edits, scalarEdits } from "../arbitraries/json-edits.ts";
import { document, textOf, textOptions } from "../arbitraries/yaml-text.ts";
import { propertyRuns } from "../effort.ts";
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
      { numRuns: propertyRuns(3000) },
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
      { numRuns: propertyRuns(1000) },
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
      { numRuns: propertyRuns(500) },
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
      { numRuns: propertyRuns(1000) },
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
      { numRuns: propertyRuns(1000) },
    );
  });

  it("moves each block with the comment above it, and loses comments without identities", () => {
    let lost = 0;
    fc.assert(
      fc.property(
        fc.array(fc.record({ parent: fc.nat(20), moved: fc.nat(20), isNew: fc.boolean() }), {
          minLength: 2,
          maxLength: 12,
        }),
        fc.integer({ min: 1, max: 4 }),
        (choices, step) => {
          const ids = choices.map((_, index) => `b${index}`);
          const before = forest(ids, (index) => choices[index]!.parent);
          const text = blockText("blocks", before, "", " ".repeat(step));
          const wanted = forest(ids, (index) =>
            choices[index]!.moved % 3 === 0 ? choices[index]!.moved : choices[index]!.parent,
          );
          // Puts some blocks into a new container.
          const wrapped = wanted.map((block, index) =>
            choices[index]?.isNew ? { id: `new${index}`, children: [block] } : block,
          );
          const target = { blocks: wrapped } as unknown as JsonObject;
          const after = editYaml(text, 0, target, ({ id }) => (typeof id === "string" ? id : undefined));
          expect(valueOf(after)).toEqual(target);
          const lines = after.split("\n").map((line) => line.trim());
          for (const id of ids) expect(lines[lines.indexOf(`- id: ${id}`) - 1]).toBe(`# about ${id}`);
          // The control: without identities, a moved block is printed again without its comment.
          const without = editYaml(text, 0, target)
            .split("\n")
            .map((line) => line.trim());
          lost += ids.filter((id) => without[without.indexOf(`- id: ${id}`) - 1] !== `# about ${id}`).length;
        },
      ),
      { numRuns: propertyRuns(300) },
    );
    expect(lost).toBeGreaterThan(0);
  });
});

type Node = { id: string; children?: Node[] };

/** Builds a random forest. Each id is below an earlier id or at the top level. */
function forest(ids: readonly string[], parentOf: (index: number) => number): Node[] {
  const nodes: Node[] = ids.map((id) => ({ id }));
  const top: Node[] = [];
  for (const [index, node] of nodes.entries()) {
    const parent = parentOf(index) % (index + 1);
    if (parent === index) top.push(node);
    else (nodes[parent]!.children ??= []).push(node);
  }
  return top;
}

/** Returns the blocks as YAML, with a comment above each block. */
function blockText(key: string, blocks: readonly Node[], margin: string, step: string): string {
  const inner = margin + step;
  const items = blocks.map(
    ({ id, children }) =>
      `${inner}# about ${id}\n${inner}- id: ${id}\n${children ? blockText("children", children, `${inner}  `, step) : ""}`,
  );
  return `${margin}${key}:\n${items.join("")}`;
}
