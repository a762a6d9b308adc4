/** Short descriptions of items of a draft, as `layouts versions diff` prints them. */

import { describe, expect, it } from "vitest";
import { diffLines, itemWords, renderDiff } from "../../src/terminal/diff.ts";
import { testTerminal } from "./test-terminal.ts";

const field = { id: "f", type: "field", source: "dynamic_field", ref: { fieldKey: "full_name" }, regionKey: "summary" };

describe("an item of a draft", () => {
  it.each([
    ["blocks[1]", field, "field full_name in summary"],
    ["blocks[1].children[0]", { ...field, regionKey: undefined }, "field full_name"],
    ["blocks[0]", { type: "section", source: "system", config: { label: "Money" } }, 'section "Money"'],
    ["blocks[0]", { type: "gauge", source: "telemetry", ref: { id: "x" }, regionKey: "main" }, "gauge in main"],
    ["regions[0]", { key: "main", layout: "grid", label: "Main" }, 'region grid "Main"'],
    ["stagedFieldDefinitions[0]", { draftId: "d_pay", action: "delete", key: "pay_rate" }, "delete field pay_rate"],
    [
      "stagedFieldDefinitions[0]",
      { draftId: "d", action: "create", key: "iban", type: "TEXT" },
      "create field iban (TEXT)",
    ],
    ["scriptBindings[0]", { id: "b", scriptId: "rate_guard", hook: "fieldChange" }, "script rate_guard at fieldChange"],
  ])("at %s is described: %j", (path, item, words) => {
    expect(itemWords(path, item)).toBe(words);
  });

  it.each([
    ["metadata.tags[0]", { a: 1 }],
    ["blocks[0].config", { label: "Name" }],
    ["blocks[0]", null],
  ])("has no description at %s", (path, value) => {
    expect(itemWords(path, value)).toBeUndefined();
  });
});

it("shows no control characters of a label", () => {
  const after = { type: "section", source: "system", config: { label: "a\u001b[31m\u202eb" } };
  const text = renderDiff([{ kind: "added", path: "blocks[0]", id: "s", after }], testTerminal().style);
  expect(text).toBe('+ blocks[0] (s): section "a\\u001b[31m\\u202eb"\n');
});

it("writes changes as lines of a diff", () => {
  const changes = [
    { kind: "changed", path: "blocks[0].config", id: "s", before: 1, after: "a\u001b" },
    { kind: "added", path: "modes[0]", after: "VIEW" },
    { kind: "removed", path: "modes[1]", before: "EDIT" },
    { kind: "moved", path: "blocks[1]", before: "blocks[0]" },
  ] as const;
  expect(diffLines(changes)).toEqual([
    "- blocks[0].config (s): 1",
    '+ blocks[0].config (s): "a\\u001b"',
    '+ modes[0]: "VIEW"',
    '- modes[1]: "EDIT"',
    "! blocks[1]: moved from blocks[0]",
  ]);
});
