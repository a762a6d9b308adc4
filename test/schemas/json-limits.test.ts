import { describe, expect, it } from "vitest";
import { measureJson } from "../../src/schemas/json-limits.ts";

const MiB = 1024 * 1024;
const list = (count: number, item: (index: number) => string) =>
  `[${Array.from({ length: count }, (_, at) => item(at)).join(",")}]`;

describe("the memory of JSON", () => {
  it("is refused if objects have different members, of which V8 keeps descriptions", () => {
    const text = list(600_000, (at) => `{"member_${at}":1}`);
    expect(text.length).toBeLessThan(16 * MiB);
    expect(measureJson(text).exceeded).toBe("values that need more than 128 MiB of memory");
  });

  it("is accepted for a list of the same length whose objects have the same members", () => {
    const { exceeded, memory } = measureJson(list(600_000, (at) => `{"member":${1e6 + at}}`));
    expect(exceeded).toBeUndefined();
    expect(memory).toBeGreaterThan(16 * MiB);
  });

  it("does not depend on spaces", () => {
    const value = { id: "frm_1", types: ["VIEW"], layout: { blocks: [{ type: "field" }] } };
    const plain = measureJson(JSON.stringify(value)).memory - JSON.stringify(value).length;
    const spaced = JSON.stringify(value, undefined, 2).replaceAll(":", " \n:");
    // The first text has the new member names.
    expect(measureJson(spaced).memory - spaced.length).toBeLessThanOrEqual(plain);
    expect(measureJson(JSON.stringify(value)).memory - JSON.stringify(value).length).toBe(
      measureJson(spaced).memory - spaced.length,
    );
  });

  it("is twice the length of a text with a character that needs two bytes", () => {
    const text = JSON.stringify("x".repeat(1000));
    expect(measureJson(`${text.slice(0, -1)}€"`).memory).toBeGreaterThan(measureJson(text).memory * 1.9);
  });
});
