/** Edits of a text, by feature of YAML. */

import { describe, expect, it } from "vitest";
import { timed } from "../cpu-time.ts";
import { readDocument } from "../../src/documents/document.ts";
import { editYaml, Uneditable } from "../../src/documents/edit-yaml.ts";
import type { JsonObject } from "../../src/schemas/json.ts";

// oxlint-disable-next-line typescript/no-explicit-any -- a test changes any member of the value
type Loose = any;

/** Returns the text after `change` has changed its value. */
function edit(text: string, change: (value: Loose) => void): string {
  const value = structuredClone(readDocument(text, "").value);
  change(value);
  return editYaml(text, 0, value as JsonObject, ({ id }) => (typeof id === "string" ? id : undefined));
}

describe("a changed scalar", () => {
  it.each<[string, string, (value: Loose) => void, string]>([
    ["keeps plain style and the comment", "a: one # why\n", (v) => (v.a = "two"), "a: two # why\n"],
    ["keeps single quotes", "a: 'one'\n", (v) => (v.a = "it's"), "a: 'it''s'\n"],
    ["keeps double quotes", 'a: "one"\n', (v) => (v.a = 'say "two"'), 'a: "say \\"two\\""\n'],
    ["is quoted where a plain scalar would be a number", "a: one\n", (v) => (v.a = "12"), "a: '12'\n"],
    ["loses its quotes as a number", "a: '1'\n", (v) => (v.a = 2), "a: 2\n"],
    [
      "stays a literal scalar",
      "a: |  # text\n  one\n\n  two\nb: 1\n",
      (v) => (v.a = "x\ny\n"),
      "a: |  # text\n  x\n  y\nb: 1\n",
    ],
    ["stays a folded scalar", "a: >-\n  one\n  two\n", (v) => (v.a = "one three"), "a: >-\n  one three\n"],
    [
      "becomes a literal scalar if it has several lines",
      "a: one # c\n",
      (v) => (v.a = "x\ny"),
      "a: |- # c\n  x\n  y\n",
    ],
    ["is quoted between brackets if needed", "a: [x, y] # c\n", (v) => (v.a[1] = "p, q"), "a: [x, 'p, q'] # c\n"],
    ["replaces an omitted value", "a: # c\nb: 1\n", (v) => (v.a = 1), "a: 1 # c\nb: 1\n"],
    ["keeps its anchor and loses its tag", "a: &x !!str 5\n", (v) => (v.a = 6), "a: &x 6\n"],
    ["escapes control characters", "a: one\n", (v) => (v.a = "\u202Eevil"), 'a: "\\u202eevil"\n'],
    ["is replaced after an explicit key", "? a\n: one\n", (v) => (v.a = "two"), "? a\n: two\n"],
    ["is replaced on the line after its key", "a:\n  one\nb: 1\n", (v) => (v.a = "two"), "a:\n  two\nb: 1\n"],
    ["is replaced in a pair without braces", "a: [k: 1, 2]\n", (v) => (v.a[0].k = 3), "a: [k: 3, 2]\n"],
    ["keeps CRLF line ends", "a: 1\r\nb: 2\r\n", (v) => (v.b = "x\ny"), "a: 1\r\nb: |-\r\n  x\r\n  y\r\n"],
    ["keeps the byte order mark", "\uFEFFa: 1\n", (v) => (v.a = 2), "\uFEFFa: 2\n"],
    ["adds no line break at the end", "a: 1", (v) => (v.a = 2), "a: 2"],
    [
      "is replaced between document markers",
      "%YAML 1.2\n--- # d\na: 1\n...\n",
      (v) => (v.a = 2),
      "%YAML 1.2\n--- # d\na: 2\n...\n",
    ],
  ])("%s", (_title, text, change, expected) => {
    expect(edit(text, change)).toBe(expected);
  });
});

describe("a member or item", () => {
  it.each<[string, string, (value: Loose) => void, string]>([
    ["is added after its predecessor", "a: 1 # a\nc: 3\n", (v) => Object.assign(v, { d: 4 }), "a: 1 # a\nc: 3\nd: 4\n"],
    [
      "is added in the style of its neighbors",
      "l:\n  - {id: a}\n  # end\n",
      (v) => v.l.push({ id: "b" }),
      "l:\n  - {id: a}\n  - {id: b}\n  # end\n",
    ],
    [
      "is added with the padding of its neighbors",
      "l:\n- { id: a }\n",
      (v) => v.l.push({ id: "b", size: [1] }),
      "l:\n- { id: a }\n- { id: b, size: [ 1 ] }\n",
    ],
    [
      "is added in block style among block items",
      "l:\n  - id: a\n",
      (v) => v.l.unshift({ id: "b", g: { s: 1 } }),
      "l:\n  - id: b\n    g:\n      s: 1\n  - id: a\n",
    ],
    [
      "is added with the blank line that separates the others",
      "l:\n  - 1\n\n  - 2\n",
      (v) => v.l.push(3),
      "l:\n  - 1\n\n  - 2\n\n  - 3\n",
    ],
    [
      "is added to a flow list of several lines",
      "l: [\n  1, # one\n  2\n  ]\n",
      (v) => v.l.push(3),
      "l: [\n  1, # one\n  2,\n  3\n  ]\n",
    ],
    ["is added after a trailing comma", "l: [\n  1,\n  ]\n", (v) => v.l.push(2), "l: [\n  1,\n  2,\n  ]\n"],
    ["is added to empty brackets", "l: [] # none\n", (v) => v.l.push({ id: "a" }), "l: # none\n  - id: a\n"],
    [
      "is removed without the comment above it",
      "l:\n  # both\n  - 1 # one\n  - 2\n",
      (v) => v.l.shift(),
      "l:\n  # both\n  - 2\n",
    ],
    ["is removed from a flow list", "l: [1, 2, 3]\n", (v) => v.l.splice(1, 1), "l: [1, 3]\n"],
    ["is removed as the last one", "l:\n  - 1\nb: 2\n", (v) => v.l.pop(), "l: []\nb: 2\n"],
    [
      "is removed from the first line of an item",
      "l:\n  - a: 1\n    # b\n    b: 2\n",
      (v) => delete v.l[0].a,
      "l:\n  - # b\n    b: 2\n",
    ],
    [
      "is removed from below the first comment of the file",
      "# file\na: 1\nb: 2\n",
      (v) => delete v.a,
      "# file\nb: 2\n",
    ],
    [
      "moves with the comment above it",
      "l:\n  # a\n  - id: a\n  - id: b\n  # c\n  - id: c\n",
      (v) => v.l.unshift(v.l.pop()),
      "l:\n  # c\n  - id: c\n  # a\n  - id: a\n  - id: b\n",
    ],
    [
      "moves and changes at the same time",
      "l:\n  - {id: a, n: 'x'} # a\n  - {id: b, n: y}\n",
      (v) => (v.l.reverse(), (v.l[1].n = "z")),
      "l:\n  - {id: b, n: y}\n  - {id: a, n: 'z'} # a\n",
    ],
    [
      "is written in flow style where such members are",
      "l:\n  - id: a\n    ref: {k: 1}\n",
      (v) => v.l.push({ id: "b", ref: { k: 2 } }),
      "l:\n  - id: a\n    ref: {k: 1}\n  - id: b\n    ref: {k: 2}\n",
    ],
    ["is replaced by a list", "a: one # c\nb: 1\n", (v) => (v.a = [1, { x: 1 }]), "a: # c\n  - 1\n  - x: 1\nb: 1\n"],
    [
      "is replaced by a scalar, which keeps the first comment",
      "a: # c\n  - 1\n  - 2\nb: 1\n",
      (v) => (v.a = null),
      "a: null # c\nb: 1\n",
    ],
    [
      "is indented like the text around it",
      "a:\n    b:\n        - 1\n",
      (v) => (v.a.c = { d: 1 }),
      "a:\n    b:\n        - 1\n    c:\n        d: 1\n",
    ],
  ])("%s", (_title, text, change, expected) => {
    expect(edit(text, change)).toBe(expected);
  });
});

describe("an item that moves to another list", () => {
  const blocks = `blocks:
  # first
  - id: a # one
    children:
      # detached

      # pay
      # rate
      - id: b # two
        ref: {k: 'x'} # three
        text: |
          # not a comment
            two
  - id: c
    children:
      - id: d
`;
  const listOf = (value: Loose, id: string): Loose => value.blocks.find((block: Loose) => block.id === id).children;

  it("keeps its text and the comments above it", () => {
    const after = edit(blocks, (value) => {
      const [b] = listOf(value, "a").splice(0, 1);
      b.ref.k = "y";
      listOf(value, "c").push(b);
    });
    expect(after).toBe(`blocks:
  # first
  - id: a # one
    children: [] # detached
  - id: c
    children:
      - id: d
      # pay
      # rate
      - id: b # two
        ref: {k: 'y'} # three
        text: |
          # not a comment
            two
`);
  });

  it("is indented like its new list, and leaves the other comments", () => {
    const after = edit(blocks, (value) => {
      value.blocks.unshift(listOf(value, "a")[0]);
      listOf(value, "a")[0] = { id: "e" };
    });
    expect(after).toBe(`blocks:
  # pay
  # rate
  - id: b # two
    ref: {k: 'x'} # three
    text: |
      # not a comment
        two
  # first
  - id: a # one
    children:
      - id: e
      # detached
  - id: c
    children:
      - id: d
`);
  });

  it("moves into a new item, with an item that moves into it", () => {
    const after = edit(blocks, (value) => {
      const b = listOf(value, "a")[0];
      delete value.blocks[0].children;
      b.children = [listOf(value, "c")[0]];
      value.blocks[1].children = [{ id: "new", children: [b] }];
    });
    expect(after).toBe(`blocks:
  # first
  - id: a # one
  - id: c
    children:
      - id: new
        children:
          # pay
          # rate
          - id: b # two
            ref: {k: 'x'} # three
            text: |
              # not a comment
                two
            children:
              - id: d
`);
  });

  it("is printed again if its list is in flow style, or its identity is not unique", () => {
    const flow = "l:\n  - id: a # one\nm: [{id: b}]\n";
    expect(edit(flow, (v) => v.m.push(...v.l.splice(0, 1)))).toBe("l: [] # one\nm: [{id: b}, {id: a}]\n");
    const twice = "l:\n  - id: a # one\nm:\n  - id: a\n    k: 1\nn:\n  - id: b\n";
    expect(edit(twice, (v) => v.n.push(...v.l.splice(0, 1)))).toBe(
      "l: [] # one\nm:\n  - id: a\n    k: 1\nn:\n  - id: b\n  - id: a\n",
    );
  });

  it("is printed again if it would separate an alias from its anchor", () => {
    const text = "l:\n  - id: a\n    v: &x {k: 1}\nm:\n  - id: b\n    v: *x\nn:\n  - id: c\n";
    const after = edit(text, (v) => v.n.push(...v.l.splice(0, 1)));
    expect(readDocument(after, "").value).toEqual({
      l: [],
      m: [{ id: "b", v: { k: 1 } }],
      n: [{ id: "c" }, { id: "a", v: { k: 1 } }],
    });
  });

  it("keeps CRLF line ends", () => {
    const text = "l:\r\n  # a\r\n  - id: a\r\n    k: 1\r\nm:\r\n  - id: b\r\n";
    expect(edit(text, (v) => v.m.unshift(...v.l.splice(0, 1)))).toBe(
      "l: []\r\nm:\r\n  # a\r\n  - id: a\r\n    k: 1\r\n  - id: b\r\n",
    );
  });
});

describe("an anchor", () => {
  it("that changes is replaced by its value at an alias that does not change", () => {
    expect(edit("a: &x {k: 1}\nb: *x\nc: *x\n", (v) => (v.a = v.c = { k: 2 }))).toBe(
      "a: &x {k: 2}\nb: {k: 1}\nc: *x\n",
    );
  });

  it("stays where an alias changes, which is replaced by its value", () => {
    expect(edit("a: &x [1]\nb: *x # c\nc: *x\n", (v) => (v.b = [1, 2]))).toBe("a: &x [1]\nb: [1, 2] # c\nc: *x\n");
  });

  it("that is removed is replaced by its value at its aliases", () => {
    expect(edit("a: &x one\nb: *x\nc: 1\n", (v) => delete v.a)).toBe("b: one\nc: 1\n");
  });

  it("that moves after its alias is replaced by its value at the alias", () => {
    expect(edit("- &x {id: a}\n".replace(/^/, "l:\n") + "- id: b\n  r: *x\n", (v) => v.l.reverse())).toBe(
      "l:\n- id: b\n  r:\n    id: a\n- &x {id: a}\n",
    );
  });

  it("of a value is resolved in a key", () => {
    expect(edit("a: &k name\nb: {*k : 1}\n", (v) => (v.a = "other"))).toBe("a: &k other\nb: {name : 1}\n");
  });
});

describe("JSON", () => {
  it("stays JSON, with a line for each member if it had those", () => {
    const text = JSON.stringify({ a: "x", l: [{ id: "a" }], m: {} }, null, 2);
    const after = edit(text, (v) => {
      v.a = "y, z";
      v.l.push({ id: "b", size: [1] });
      v.m.k = true;
    });
    const expected = { a: "y, z", l: [{ id: "a" }, { id: "b", size: [1] }], m: { k: true } };
    expect(after).toBe(JSON.stringify(expected, null, 2));
  });

  it("on one line stays on one line", () => {
    expect(edit('{"a": 1, "l": [1, 2]}', (v) => v.l.push("x"))).toBe('{"a": 1, "l": [1, 2, "x"]}');
  });
});

describe("a text", () => {
  it("of 20,000 lines and 9,000 keys in one mapping is edited in time", async () => {
    const keys = Array.from({ length: 9_000 }, (_, index) => `k${index}: v${index} # c\n`).join("");
    const items = Array.from({ length: 11_000 }, (_, index) => `  - {id: i${index}, n: 1}\n`).join("");
    const text = `${keys}list:\n${items}`;
    const { result: after, busy } = await timed(() =>
      edit(text, (v) => {
        v.k17 = "other";
        v.list[500].n = 2;
        v.list.splice(7_000, 1);
      }),
    );
    // About two seconds on an ordinary machine.
    expect(busy).toBeLessThan(20_000);
    const expected = text
      .replace("v17 ", "other ")
      .replace("i500, n: 1", "i500, n: 2")
      .replace(/ {2}- \{id: i7000,.*\n/, "");
    expect(after).toBe(expected);
  });

  it("whose root is not a mapping is refused", () => {
    expect(() => editYaml("- 1\n", 0, { a: 1 })).toThrow(Uneditable);
  });

  it("that would have another value after the edit is refused", () => {
    // A literal scalar with `|+` contains the empty lines that follow. After the deletion, `b` would also contain the
    // empty line of `c`.
    const text = "a:\n  b: |+\n    kept\n\n  c: 1\n\n  d: 2\n";
    expect(() => edit(text, (v) => delete v.a.c)).toThrow(Uneditable);
  });
});
