/** Tests that a long list is printed in parts, with the same text as in one part. */

import { expect, it } from "vitest";
import { printResult } from "../../src/commands/output.ts";
import type { Terminal } from "../../src/terminal/terminal.ts";

it.each([
  [0, 1],
  [1, 1],
  [3_000, 2],
])("prints a list of %j items as one document", async (count, most) => {
  const list = Array.from({ length: count }, (_, id) => ({ id, name: `Form\n"${id}"`, types: ["VIEW"], config: {} }));
  const printed: string[] = [];
  const terminal = { out: (text: string) => void printed.push(text) } as unknown as Terminal;
  const output = { format: "json", isRaw: false, isWide: false, pick: undefined } as const;
  await printResult({ view: () => undefined }, list, { output, terminal, isDone: false });
  expect(printed.join("")).toBe(`${JSON.stringify(list, null, 2)}\n`);
  expect(printed.length).toBeGreaterThanOrEqual(most);
  for (const text of printed) expect(text.length).toBeLessThan(101_000);
});
