import { describe, expect, it } from "vitest";
import { readDocuments } from "../../src/documents/document.ts";
import { countOf } from "../effort.ts";
import { answer, refusal } from "./answer.ts";
import { cpuTime, timed } from "../cpu-time.ts";

/** The reader accepts at most four megabytes, and 800,000 values. */
const MEGABYTES = countOf("megabytes of a malicious file");
const SIZE = MEGABYTES * 1024 * 1024;
const VALUES = (MEGABYTES / 4) * 799_000;

/** Returns `unit`, repeated until the size is reached, between `before` and `after`. */
function fill(unit: string, before = "", after = ""): string {
  const room = SIZE - Buffer.byteLength(before + after);
  return before + unit.repeat(Math.floor(room / Buffer.byteLength(unit))) + after;
}

/** Returns a text with almost the maximum number of values for its size. */
function dense(unit: string, marks: number, before = "", after = ""): string {
  return before + unit.repeat(Math.floor(VALUES / marks)) + after;
}

const levels = "bcdefghijk".split("").map((name, index, all) => {
  const below = index === 0 ? "a" : all[index - 1]!;
  return `${name}: &${name} [${`*${below},`.repeat(9)}]`;
});

const bombs: Record<string, string | Uint8Array> = {
  "aliases of aliases": ["a: &a [x,x,x,x,x,x,x,x,x]", ...levels].join("\n"),
  "a hundred aliases of a large text": `- &a ${"x".repeat(1_000_000)}\n${"- *a\n".repeat(100)}`,
  "aliases without number": dense("*a,", 1, "[&a x,", "1]"),
  "100,000 keys": Array.from({ length: 100_000 }, (_, index) => `k${index}: 1`).join("\n"),
  "one key 100,000 times": "a: 1\n".repeat(100_000),
  "keys like array indices": `{${Array.from({ length: 9999 }, (_, index) => `"${index * 7919}": 1`).join(",")}}`,
  "100,000 levels in brackets": "[".repeat(100_000),
  "100,000 levels in braces": "{a: ".repeat(100_000),
  "100,000 levels of dashes": "- ".repeat(100_000),
  "100,000 levels of question marks": "? ".repeat(100_000),
  "levels of indentation": Array.from({ length: 2000 }, (_, index) => `${" ".repeat(index)}a:`).join("\n"),
  "a scalar of a megabyte": `a: ${"x".repeat(1_000_000)}`,
  "a plain scalar of a million lines": fill(" a\n"),
  "a quoted scalar of escapes": fill("\\n", '"', '"'),
  "surrogate pairs as escapes": fill("\\ud83d\\ude00", '"', '"'),
  "long escapes": fill("\\U0001F600", '"', '"'),
  "single quotes": fill("''", "'", "'"),
  "quotes that never close": fill("a\n  ", 'a: "'),
  "a block scalar": fill(" a\n", "|\n"),
  "a folded scalar with empty lines": fill(" a\n\n", ">\n"),
  "a block scalar of byte order marks": fill("  \uFEFF\n", "a: |\n"),
  "plain lines and byte order marks": fill(" a\n\uFEFF#\n", "a:\n"),
  "a long flow line": dense("1,", 1, "[", "1]"),
  "empty lists": dense("[],", 2, "[", "1]"),
  "pairs in a list": dense("a: b,", 2, "[", "1]"),
  "explicit pairs in a list": dense("? a : b,", 3, "[", "1]"),
  "a list as a key": dense("1,", 1, "[", "1]: x"),
  "lists as keys of lists": dense("[[[1]:1]:1],", 6, "[", "1]"),
  "a tagged list after an anchor": dense("1,", 1, "&a\n!!x [", "1]"),
  anchors: dense("&a 1,", 1, "[", "1]"),
  tags: dense("!!str a,", 1, "[", "1]"),
  "refused tags": dense("!x a,", 1, "[", "1]"),
  dashes: dense("-\n", 1),
  "missing keys": dense(":\n", 1),
  documents: dense("--- 1\n", 3),
  "empty documents": dense("---\n", 3),
  "more values than are allowed": `[${"1,".repeat(1_000_000)}1]`,
  digits: fill("1"),
  "digits of a fraction": fill("1", "0."),
  spaces: fill(" "),
  tabs: fill("\t\n"),
  comments: fill("#\n"),
  "carriage returns": fill("\r"),
  "combining marks": fill("\u0301", "a: "),
  "emoji, and an error after them": fill("😀", "a: ", "\na: 1"),
  "a hundred errors in one line": `[${"{a: 1, a: 2}, ".repeat(120)}"${"😀".repeat(1_000_000)}"]`,
  "a byte that is not UTF-8 at the end": Buffer.concat([Buffer.from(fill("é", "", "12")), Buffer.from([0xff])]),
};

/**
 * The limit in milliseconds. Files of four megabytes take about one second on an ordinary machine. Without the limits
 * of the reader, they would take minutes.
 */
const IN_TIME = MEGABYTES * 3_750;

/** Returns the best time of three attempts, because garbage collection may slow one attempt down. */
async function timeToAnswer(source: string | Uint8Array): Promise<number> {
  let best = Infinity;
  for (let attempt = 0; attempt < 3 && best > IN_TIME; attempt++) {
    best = Math.min(best, (await timed(() => answer(source))).busy);
  }
  return best;
}

describe("reading of a malicious file ends in time", () => {
  it.each(Object.keys(bombs))("%s", async (name) => {
    expect(await timeToAnswer(bombs[name]!)).toBeLessThan(IN_TIME);
  });

  // The reader itself shares the values of aliases. A later step would copy or print each of them.
  it("refuses aliases that expand to billions of values", () => {
    expect(refusal(bombs["aliases of aliases"]!).message).toContain("the aliases of the file expand to too much text");
  });

  it("takes time in proportion to the size", async () => {
    const block = (index: number) =>
      `  - {id: "b${index}", type: field, config: {label: "Field ${index}", x: [1, 2]}}\n`;
    const text = (count: number) => `blocks:\n${Array.from({ length: count }, (_, index) => block(index)).join("")}`;
    const perBlock = async (count: number, repeat: number) => {
      const source = text(count);
      const work = () => {
        for (let index = 0; index < repeat; index++) readDocuments(source, "x.yaml");
      };
      return (await cpuTime(work)) / count / repeat;
    };
    await perBlock(1000, 10);
    // With quadratic time, each of the many blocks would take twenty times as long.
    expect((await perBlock(20_000, 1)) / (await perBlock(1000, 20))).toBeLessThan(4);
  });
});
