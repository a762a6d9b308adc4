import { describe, expect, it } from "vitest";
import { timed } from "../cpu-time.ts";
import { locateDiagnostic, readDocument, readDocuments } from "../../src/documents/document.ts";
import type { Diagnostic } from "../../src/schemas/diagnostic.ts";
import { refusal } from "./answer.ts";

const draft = `regions:
  - key: main
    layout: grid
blocks:
  - type: field
    regionKey: mian
    config: &shared
      label: "Näme 😀", note: x
    children:
  - { type: tab, config: *shared }
`.replace(", note: x", "");

const at = (text: string, path: string): string => {
  const { line, column } = readDocument(text, "draft.yaml").locate(path);
  return `${line}:${column}`;
};

describe("locate", () => {
  it.each([
    ["blocks[0].regionKey", "6:16", "a value that is written out by itself"],
    ["blocks[0].config", "7:5", "a mapping by its key"],
    ["blocks", "4:1", "a list by its key"],
    ["blocks[1]", "10:5", "an item of a list by its start"],
    ["blocks[0].children", "9:5", "a value that is left out by its key"],
    ["blocks[0].ref.fieldKey", "5:5", "a member that is missing by its nearest ancestor"],
    ["blocks[7]", "4:1", "an item that is missing by its list"],
    ["blocks[1].config", "10:26", "an alias by itself"],
    ["blocks[1].config.label", "8:14", "a part of an alias where it is written"],
    ["", "1:1", "the whole by its start"],
    ["nothing.like[3].it", "1:1", "what is nowhere by the start"],
  ])("finds %s at %s: %s", (path, place) => {
    expect(at(draft, path)).toBe(place);
  });

  it("counts columns in characters, not in code units", () => {
    expect(at('{"😀": "😀😀", "b": 1}', "b")).toBe("1:18");
  });

  it("finds quoted keys, and keys with dots in them", () => {
    expect(at("\"a.b\":\n  'c d': 5\n", '["a.b"]["c d"]')).toBe("2:10");
  });

  it("finds the first of two documents' equal paths in its own document", () => {
    const [, second] = readDocuments("a: 1\n---\n\na: 2\n", "two.yaml");
    expect(second!.locate("a")).toEqual({ line: 4, column: 4 });
  });

  it("answers ten thousand questions about one long line in time", async () => {
    const document = readDocument(
      JSON.stringify(Array.from({ length: 10_000 }, (_, id) => ({ id, ok: "😀" }))),
      "x.json",
    );
    const { busy } = await timed(() => {
      for (let index = 0; index < 10_000; index++) document.locate(`[${index}].ok`);
    });
    expect(busy).toBeLessThan(3000);
  });
});

describe("locateDiagnostic", () => {
  it("keeps all that the diagnostic says", () => {
    const diagnostic: Diagnostic = {
      severity: "warning",
      code: "UNKNOWN_REGION",
      message: 'unknown regionKey "mian"',
      path: "blocks[0].regionKey",
      blockId: "b1",
    };
    expect(locateDiagnostic(readDocument(draft, "draft.yaml"), diagnostic)).toEqual({
      ...diagnostic,
      file: "draft.yaml",
      line: 6,
      column: 16,
    });
  });

  it("puts a diagnostic without a path at the start", () => {
    const diagnostic: Diagnostic = { severity: "error", code: "X", message: "x" };
    expect(locateDiagnostic(readDocument("# c\n\na: 1", "a.yaml"), diagnostic)).toMatchObject({ line: 3, column: 1 });
  });
});

describe("readDocument", () => {
  it("refuses a second document where it begins", () => {
    expect(() => readDocument("a: 1\n---\nb: 2\n", "two.yaml")).toThrow(/^two\.yaml:3:1: begins a second document/);
  });

  it("allows separators around one document", () => {
    expect(readDocument("---\na: 1\n---\n", "one.yaml").value).toEqual({ a: 1 });
  });

  it("refuses a file over 4 MiB before it reads it", () => {
    const read = () => readDocument(new Uint8Array(4 * 1024 * 1024 + 1), "big.yaml");
    expect(read).toThrow(/is 4\.0 MiB, and the limit is 4 MiB/);
    expect(() => readDocument("ü".repeat(2 * 1024 * 1024 + 1), "big.yaml")).toThrow(/4 MiB/);
  });

  it("reads a file of exactly 4 MiB", () => {
    const text = `a: ${"x".repeat(4 * 1024 * 1024 - 3)}`;
    expect(readDocument(Buffer.from(text), "big.yaml").value).toEqual({ a: text.slice(3) });
  });

  it("refuses the 10,001st key of a mapping, and not the 10,000th", () => {
    const keys = (count: number) => Array.from({ length: count }, (_, index) => `k${index}: 1`).join("\n");
    expect(Object.keys(readDocument(keys(10_000), "k.yaml").value as object)).toHaveLength(10_000);
    expect(() => readDocument(keys(10_001), "k.yaml")).toThrow(/^k\.yaml:10001:1: the file has more than 10000 keys/);
  });

  it("reads 64 levels, written out or through an alias, and no more", () => {
    const nest = (levels: number, inside: string) => "[".repeat(levels) + inside + "]".repeat(levels);
    expect(readDocument(nest(64, ""), "d.yaml").value).toBeDefined();
    expect(() => readDocument(nest(65, ""), "d.yaml")).toThrow(/nested more than 64/);
    const aliased = (levels: number) => `- &a ${nest(30, "")}\n- ${nest(levels, "*a")}\n`;
    expect(readDocument(aliased(33), "d.yaml").value).toBeDefined();
    expect(() => readDocument(aliased(34), "d.yaml")).toThrow(/nested more than 64/);
  });

  it("refuses a lone surrogate that a string brings, where it stands", () => {
    expect(() => readDocument("a: x\nb: \ud800", "s.yaml")).toThrow(
      /^s\.yaml:2:4: half of a surrogate pair stands here/,
    );
  });

  it("stops after a hundred problems, and says so", () => {
    const text = "- .nan\n".repeat(500);
    const { problems, message } = refusal(text, "many.yaml");
    expect(problems).toHaveLength(101);
    expect(problems[100]!.message).toBe("the file has more problems than these 100");
    expect(message).toBe("many.yaml:1:3: [0] must be a finite number; JSON has no other (and 100 more)");
  });

  it("keeps the text for whoever shows the lines in question", () => {
    expect(refusal("a: 1\na: 2\n", "a.yaml").sources).toEqual(new Map([["a.yaml", "a: 1\na: 2\n"]]));
  });
});
