/** Tests that a long document is printed in parts, with the same text as in one part. */

import { expect, it } from "vitest";
import { printResult } from "../../src/commands/output.ts";
import type { Terminal } from "../../src/terminal/terminal.ts";

const listOf = (count: number) =>
  Array.from({ length: count }, (_, id) => ({ id, name: `Form\n"${id}"`, types: ["VIEW"], config: {} }));
const objectOf = (count: number) => ({
  target: { "a\nb": [1, {}] },
  note: undefined,
  none: [],
  resources: listOf(count),
});

it.each([
  ["a list of 0 items", listOf(0), 1],
  ["a list of 1 item", listOf(1), 1],
  ["a list of 3,000 items", listOf(3_000), 2],
  ["an object with a list of 3,000 items", objectOf(3_000), 2],
  ["an object without members", {}, 1],
  ["an object with undefined members", { a: undefined, b: null }, 1],
  ["a text", 'a "text"\n', 1],
])("prints %s as one document", async (_name, value: unknown, most) => {
  const printed: string[] = [];
  const terminal = { out: (text: string) => void printed.push(text) } as unknown as Terminal;
  const output = { format: "json", isRaw: false, isWide: false, pick: undefined } as const;
  await printResult({ view: () => undefined }, value, { output, terminal, isDone: false });
  expect(printed.join("")).toBe(`${JSON.stringify(value, null, 2)}\n`);
  expect(printed.length).toBeGreaterThanOrEqual(most);
  for (const text of printed) expect(text.length).toBeLessThan(101_000);
});
