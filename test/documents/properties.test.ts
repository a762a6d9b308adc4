import * as fc from "fast-check";
import { CORE_SCHEMA, dump, load, loadAll } from "js-yaml";
import { describe, expect, it } from "vitest";
import { LocatedError } from "../../src/documents/located-error.ts";
import { readDocument } from "../../src/documents/document.ts";
import { toYaml } from "../../src/documents/write-yaml.ts";
import { HIDDEN } from "../../src/base/hidden-characters.ts";
import { formatPath, type PathStep } from "../../src/schemas/path.ts";
import { propertyRuns } from "../effort.ts";
import { answer, faultsOf } from "./answer.ts";
import { json } from "./arbitrary-json.ts";

const pieces = [
  "- ",
  "? ",
  ": ",
  "a",
  "b: ",
  "\n",
  "\n  ",
  "\t",
  "{",
  "}",
  "[",
  "]",
  ",",
  "&a ",
  "*a",
  "!t ",
  "!!str ",
];
const more = ["!!int ", "|\n", ">-\n", '"', "'", " #", "---\n", "...\n", "%TAG ! x\n", "%YAML 1.2\n", "<<: ", "\\"];
const rest = [
  "\\u",
  "1",
  ".nan",
  "-0",
  "~",
  "\uFEFF",
  "\r",
  "\u0007",
  "é",
  "😀",
  "\uD83D",
  "__proto__: ",
  "null",
  "\0",
];
const yamlish = fc.array(fc.constantFrom(...pieces, ...more, ...rest), { maxLength: 40 }).map((list) => list.join(""));

describe("readDocuments", () => {
  it("returns documents or located problems for any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(faultsOf(answer(bytes))).toEqual([]);
      }),
      { numRuns: propertyRuns(2000) },
    );
  });

  it("returns documents or located problems for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        expect(faultsOf(answer(text))).toEqual([]);
      }),
      { numRuns: propertyRuns(2000) },
    );
  });

  it("reads text like YAML as js-yaml does, or refuses it", () => {
    const isContent = (value: unknown) => value !== undefined && value !== null;
    fc.assert(
      fc.property(yamlish, (text) => {
        const read = answer(text);
        expect(faultsOf(read)).toEqual([]);
        if (read instanceof LocatedError) return;
        const values = read.map(({ value }) => value);
        expect(values.filter(isContent)).toEqual(
          loadAll(text.replace(/^\uFEFF/, ""), { schema: CORE_SCHEMA }).filter(isContent),
        );
        for (const document of read) document.locate("a[0].b");
      }),
      { numRuns: propertyRuns(20_000) },
    );
  });
});

describe("a JSON value", () => {
  it("is read back from JSON text of any indentation", () => {
    fc.assert(
      fc.property(json, fc.integer({ min: 0, max: 4 }), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(readDocument(text, "x.json").value).toEqual(JSON.parse(text));
      }),
      { numRuns: propertyRuns(1000) },
    );
  });

  it("is read back from the YAML that js-yaml writes, as js-yaml reads it", () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = dump(value, { noRefs: true });
        const read = readDocument(Buffer.from(text), "x.yaml").value;
        expect(read).toEqual(load(text, { schema: CORE_SCHEMA }));
        expect(read).toEqual(value);
      }),
      { numRuns: propertyRuns(1000) },
    );
  });

  it("is read back from our own YAML, which has no hidden characters", () => {
    const hidden = new RegExp(String.raw`(?!\n)${HIDDEN}`, "u");
    fc.assert(
      fc.property(json, (value) => {
        const text = toYaml(value);
        expect(text).not.toMatch(hidden);
        expect(text).not.toMatch(/^\s*::|##\[|##vso\[/m);
        expect(readDocument(text, "x.yaml").value).toEqual(value);
        expect(toYaml(readDocument(text, "x.yaml").value)).toBe(text);
      }),
      { numRuns: propertyRuns(1000) },
    );
  });
});

describe("locate", () => {
  it("locates every path of a JSON text", () => {
    fc.assert(
      fc.property(json, fc.integer({ min: 0, max: 3 }), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const document = readDocument(text, "x.json");
        const lines = text.split("\n");
        for (const { steps, value: named } of walk(JSON.parse(text))) {
          const { line, column } = document.locate(formatPath(steps));
          const found = Array.from(lines[line - 1]!)
            .slice(column - 1)
            .join("");
          const isContainer = typeof named === "object" && named !== null;
          const step = steps.at(-1);
          const expected = !isContainer
            ? JSON.stringify(named)
            : typeof step === "string"
              ? JSON.stringify(step)
              : Array.isArray(named)
                ? "["
                : "{";
          expect(found.startsWith(expected)).toBe(true);
        }
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it("locates every scalar of a YAML text", () => {
    fc.assert(
      fc.property(json, fc.constantFrom(-1, 1, 2), (shape, flowLevel) => {
        const value = withUniqueScalars(shape);
        const text = dump(value, { flowLevel, noRefs: true });
        const document = readDocument(text, "x.yaml");
        const lines = text.split("\n");
        for (const { steps, value: named } of walk(value)) {
          if (typeof named !== "string") continue;
          const { line, column } = document.locate(formatPath(steps));
          expect(lines[line - 1]!.slice(column - 1).split(/[,}\] ]/)[0]).toBe(named);
        }
      }),
      { numRuns: propertyRuns(500) },
    );
  });
});

function* walk(value: unknown, steps: PathStep[] = []): Generator<{ steps: PathStep[]; value: unknown }> {
  yield { steps, value };
  if (typeof value !== "object" || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    yield* walk(child, [...steps, Array.isArray(value) ? Number(key) : key]);
  }
}

/** Returns the tree with a unique word for each scalar and key. */
function withUniqueScalars(shape: unknown, count = { next: 0 }): unknown {
  if (typeof shape !== "object" || shape === null) return `word${count.next++}`;
  if (Array.isArray(shape)) return shape.map((item) => withUniqueScalars(item, count));
  return Object.fromEntries(
    Object.values(shape).map((child) => [`key${count.next++}`, withUniqueScalars(child, count)]),
  );
}
