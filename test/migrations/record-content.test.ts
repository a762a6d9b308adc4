/** A record of migrations in the content of a draft: any entries are read back, within the limits of the API. */

import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import * as fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { EMPTY_RECORD, readRecordContent, recordContent } from "../../src/migrations/record-content.ts";
import type { MigrationEntry } from "../../src/migrations/record.ts";
import { readShape } from "../../src/schemas/shape.ts";
import { DraftFile } from "../../src/schemas/draft-schema.ts";
import type { Json } from "../../src/schemas/json.ts";
import { MAX_JSON_BYTES, MAX_NESTING } from "../../src/schemas/json-limits.ts";
import { forgedContent } from "./forged-record.ts";
import { entry } from "./record-targets.ts";

const text = fc.string({ unit: "binary" });
const time = fc.constant("2026-11-22T10:00:00.000Z");
const step = fc.record({ name: text, answer: fc.jsonValue(), at: time });
const arbitraryEntry: fc.Arbitrary<MigrationEntry> = fc
  .record({ name: text, steps: fc.array(step), state: fc.constantFrom("running", "done", "baseline", "reverting") })
  .map(({ name, ...members }) => entry(name, members as Partial<MigrationEntry>));

describe("the content of a record", () => {
  it("is a draft that the API accepts, and contains the entries", () => {
    fc.assert(
      fc.property(fc.array(arbitraryEntry, { maxLength: 5 }), fc.uuid(), fc.boolean(), (entries, write, isNew) => {
        const content = recordContent(entries, write, isNew);
        expect(readShape(DraftFile, content)).toMatchObject({ ok: true });
        const plain = JSON.parse(JSON.stringify(entries)) as unknown;
        expect(readRecordContent(content, "a layout")).toEqual({ entries: plain, write, isNew });
      }),
      { numRuns: 200 },
    );
  });

  it("is read in the order of displayOrder, with other ids", () => {
    const entries = [entry("1", { steps: [{ name: "a", answer: randomBytes(60_000).toString("hex"), at: "" }] })];
    const content = recordContent(entries, "w");
    const [section] = content.blocks;
    const children = section!.children!.toReversed().map((block, index) => ({ ...block, id: `other-${index}` }));
    expect(children.length).toBeGreaterThan(5);
    expect(readRecordContent({ blocks: [{ ...section!, children }] }, "a layout")).toMatchObject({
      entries,
      write: "w",
    });
  });

  it("compresses 1 MiB of usual entries to less than 128 KiB", () => {
    const answer = { id: "frm_4mq3xr7ud2hj5wkeyb6tz2na", name: "Candidate intake", types: ["CREATE", "VIEW"] };
    const steps = Array.from({ length: 9_000 }, (_, index) => ({
      name: `create the form ${index}`,
      answer: { ...answer, id: `frm_${index}` },
      at: new Date(1_790_000_000_000 + index).toISOString(),
    }));
    const entries = [entry("1", { steps })];
    expect(JSON.stringify(entries).length).toBeGreaterThan(1024 * 1024);
    expect(JSON.stringify(recordContent(entries, "w")).length).toBeLessThan(128 * 1024);
  });

  it("is refused if one character of the data was changed", () => {
    const content = recordContent([entry("1")], "w");
    const damaged = JSON.parse(JSON.stringify(content).replace('"data":"H', '"data":"I')) as typeof content;
    expect(damaged).not.toEqual(content);
    expect(() => readRecordContent(damaged, "a layout")).toThrow("a part of it was changed");
  });

  it("is undefined in a new layout", () => {
    expect(readRecordContent(EMPTY_RECORD, "a layout")).toBeUndefined();
  });
});

/** Returns entries whose only step has this JSON text as its answer. */
const withAnswer = (answer: string) =>
  JSON.stringify([entry("1", { steps: [{ name: "a", answer: "ANSWER", at: "" }] })]).replace('"ANSWER"', answer);

const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

/** Returns 600 MiB as 0.8 MB of gzip. A file of gzip may consist of several compressed parts. */
function bomb(): Uint8Array {
  const mebibyte = gzipSync("x".repeat(1024 * 1024));
  const [start = "", end = ""] = withAnswer('"-"').split("-");
  return Buffer.concat([gzipSync(start), ...Array.from({ length: 600 }, () => mebibyte), gzipSync(end)]);
}

describe("a forged record that takes more memory than its draft", () => {
  it.each([
    // A text of 600 MiB is too long for V8. With another reason, the whole text would have been decompressed.
    ["600 MiB of a text", bomb, "it has more than 32 MiB"],
    ["100,000 levels", () => withAnswer(nested(100_000)), "it has more than 256 levels"],
    [
      "10 million values",
      () => withAnswer(`[${"0,".repeat(10_000_000)}0]`),
      "it has values that need more than 128 MiB of memory",
    ],
  ])("is refused without being parsed: %s", (_what, entriesOf, reason) => {
    const content = forgedContent(entriesOf());
    const parse = vi.spyOn(JSON, "parse");
    onTestFinished(() => parse.mockRestore());
    expect(() => readRecordContent(content, "a layout")).toThrow(`can't be read: ${reason}`);
    expect(parse).not.toHaveBeenCalled();
  });
});

describe("entries that exceed the limits of reading", () => {
  const deep = JSON.parse(nested(MAX_NESTING)) as Json;
  it.each([
    ["too large", "x".repeat(MAX_JSON_BYTES), "it would have more than 32 MiB"],
    ["too deep", deep, "it would have more than 256 levels"],
  ])("are not written: %s", (_what, answer, reason) => {
    const entries = [entry("1", { steps: [{ name: "a", answer, at: "" }] })];
    expect(() => recordContent(entries, "w")).toThrow(reason);
  });
});
