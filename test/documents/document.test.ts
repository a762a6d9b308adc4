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
    ["blocks[0].regionKey", "6:16", "a scalar"],
    ["blocks[0].config", "7:5", "the key of a mapping"],
    ["blocks", "4:1", "the key of a list"],
    ["blocks[1]", "10:5", "the start of a list item"],
    ["blocks[0].children", "9:5", "the key of an omitted value"],
    ["blocks[0].ref.fieldKey", "5:5", "the nearest ancestor of a missing member"],
    ["blocks[7]", "4:1", "the list of a missing item"],
    ["blocks[1].config", "10:26", "an alias"],
    ["blocks[1].config.label", "8:14", "a part of an alias at its anchor"],
    ["", "1:1", "the start of the document"],
    ["nothing.like[3].it", "1:1", "the start for an unknown path"],
  ])("locates %s at %s: %s", (path, place) => {
    expect(at(draft, path)).toBe(place);
  });

  it("counts columns in characters, not in code units", () => {
    expect(at('{"😀": "😀😀", "b": 1}', "b")).toBe("1:18");
  });

  it("locates quoted keys and keys that contain dots", () => {
    expect(at("\"a.b\":\n  'c d': 5\n", '["a.b"]["c d"]')).toBe("2:10");
  });

  it("locates a path in its own document where two documents have it", () => {
    const [, second] = readDocuments("a: 1\n---\n\na: 2\n", "two.yaml");
    expect(second!.locate("a")).toEqual({ line: 4, column: 4 });
  });

  it("reads the text again to locate a path after another file was read", () => {
    const texts: (string | undefined)[] = ["x: 1\na:\n  b: 2\n"];
    let reads = 0;
    const reread = () => {
      reads++;
      return texts[0];
    };
    const document = readDocuments(texts[0]!, "first.yaml", reread)[0]!;
    expect(document.locate("a.b")).toEqual({ line: 3, column: 6 });
    expect(reads).toBe(0);
    readDocuments("other: 1\n", "second.yaml");
    expect(document.locate("a.b")).toEqual({ line: 3, column: 6 });
    expect(document.locate("x")).toEqual({ line: 1, column: 4 });
    expect(reads).toBe(1);
  });

  it("locates every path at the start of the document if the text has changed", () => {
    const document = readDocuments("\n# a comment\na:\n  b: 2\n", "first.yaml", () => undefined)[0]!;
    readDocuments("other: 1\n", "second.yaml");
    expect(document.locate("a.b")).toEqual({ line: 3, column: 1 });
    expect(document.locate("")).toEqual({ line: 3, column: 1 });
  });

  it("locates ten thousand paths in one long line in time", async () => {
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
  it("keeps all members of the diagnostic", () => {
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

  it("locates a diagnostic without a path at the start of the document", () => {
    const diagnostic: Diagnostic = { severity: "error", code: "X", message: "x" };
    expect(locateDiagnostic(readDocument("# c\n\na: 1", "a.yaml"), diagnostic)).toMatchObject({ line: 3, column: 1 });
  });
});

describe("readDocument", () => {
  it("refuses a second document and reports its position", () => {
    expect(() => readDocument("a: 1\n---\nb: 2\n", "two.yaml")).toThrow(/^two\.yaml:3:1: unexpected second document/);
  });

  it("accepts document markers around one document", () => {
    expect(readDocument("---\na: 1\n---\n", "one.yaml").value).toEqual({ a: 1 });
  });

  it("refuses a file larger than 4 MiB without parsing it", () => {
    const read = () => readDocument(new Uint8Array(4 * 1024 * 1024 + 1), "big.yaml");
    expect(read).toThrow(/is 4\.0 MiB, and the limit is 4 MiB/);
    expect(() => readDocument("ü".repeat(2 * 1024 * 1024 + 1), "big.yaml")).toThrow(/4 MiB/);
  });

  it("reads a file of exactly 4 MiB", () => {
    const text = `a: ${"x".repeat(4 * 1024 * 1024 - 3)}`;
    expect(readDocument(Buffer.from(text), "big.yaml").value).toEqual({ a: text.slice(3) });
  });

  it("accepts 10,000 keys in a mapping and refuses 10,001", () => {
    const keys = (count: number) => Array.from({ length: count }, (_, index) => `k${index}: 1`).join("\n");
    expect(Object.keys(readDocument(keys(10_000), "k.yaml").value as object)).toHaveLength(10_000);
    expect(() => readDocument(keys(10_001), "k.yaml")).toThrow(/^k\.yaml:10001:1: the file has more than 10000 keys/);
  });

  it("accepts 64 levels, aliases included, and refuses more", () => {
    const nest = (levels: number, inside: string) => "[".repeat(levels) + inside + "]".repeat(levels);
    expect(readDocument(nest(64, ""), "d.yaml").value).toBeDefined();
    expect(() => readDocument(nest(65, ""), "d.yaml")).toThrow(/nested more than 64/);
    const aliased = (levels: number) => `- &a ${nest(30, "")}\n- ${nest(levels, "*a")}\n`;
    expect(readDocument(aliased(33), "d.yaml").value).toBeDefined();
    expect(() => readDocument(aliased(34), "d.yaml")).toThrow(/nested more than 64/);
  });

  it("refuses an unpaired surrogate and reports its position", () => {
    expect(() => readDocument("a: x\nb: \ud800", "s.yaml")).toThrow(
      /^s\.yaml:2:4: the file contains an unpaired surrogate/,
    );
  });

  it("stops after 100 problems and reports that there are more", () => {
    const text = "- .nan\n".repeat(500);
    const { problems, message } = refusal(text, "many.yaml");
    expect(problems).toHaveLength(101);
    expect(problems[100]!.message).toBe("the file has more than 100 problems. Correct these and check again");
    expect(message).toBe("many.yaml:1:3: [0] must be a finite number: JSON has no infinity and no NaN (and 100 more)");
  });

  it("keeps the text of the file in the error", () => {
    expect(refusal("a: 1\na: 2\n", "a.yaml").sources).toEqual(new Map([["a.yaml", "a: 1\na: 2\n"]]));
  });
});
