/** A record of migrations in the content of a draft: any entries are read back, within the limits of the API. */

import { randomBytes } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EMPTY_RECORD, readRecordContent, recordContent } from "../../src/migrations/record-content.ts";
import type { MigrationEntry } from "../../src/migrations/record.ts";
import { readShape } from "../../src/schemas/shape.ts";
import { DraftFile } from "../../src/schemas/draft.ts";
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
      fc.property(fc.array(arbitraryEntry, { maxLength: 5 }), fc.uuid(), (entries, write) => {
        const content = recordContent(entries, write);
        expect(readShape(DraftFile, content)).toMatchObject({ ok: true });
        const plain = JSON.parse(JSON.stringify(entries)) as unknown;
        expect(readRecordContent(content, "a layout")).toEqual({ entries: plain, write });
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
    expect(readRecordContent({ blocks: [{ ...section!, children }] }, "a layout")).toEqual({ entries, write: "w" });
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
