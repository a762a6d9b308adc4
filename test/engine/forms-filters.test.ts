/** Compares the filters and orders of lists with a simple implementation in this test. */

import { MODES } from "../../src/schemas/words.ts";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FormListItem } from "../../src/schemas/form.ts";
import type { Filter, FilterCondition, SortTerm } from "../../src/schemas/page.ts";
import { NOTE, type NotesWorld, openNotesWorld } from "./forms-world.ts";

const NAMES = [
  "a",
  "A",
  "ab",
  "aB%",
  "a_b",
  "b\\",
  "%",
  "ß",
  "İstanbul",
  "Ⅷ",
  "日本",
  "'; DROP TABLE forms",
  "x\u{10ffff}y",
  "x\ud7ff",
  "x\ue000",
];

const modes = fc.uniqueArray(fc.constantFrom(...MODES), { maxLength: 3 });
const name = fc.constantFrom(...NAMES);
const condition: fc.Arbitrary<FilterCondition> = fc.oneof(
  fc.record({
    field: fc.constant("name" as const),
    operator: fc.constantFrom("eq" as const, "ne" as const, "contains" as const),
    value: fc.oneof(name, fc.constantFrom("", "_", "%", "\\", "B", "i̇S")),
  }),
  fc.record({
    field: fc.constant("name" as const),
    operator: fc.constant("startsWith" as const),
    value: fc.oneof(name, fc.constantFrom("", "x", "x\u{10ffff}", "\u{10ffff}", "日")),
  }),
  fc.record({
    field: fc.constant("name" as const),
    operator: fc.constant("in" as const),
    value: fc.array(name, { maxLength: 3 }),
  }),
  fc.record({
    field: fc.constantFrom("isActive" as const, "isPublic" as const),
    operator: fc.constantFrom("eq" as const, "ne" as const),
    value: fc.boolean(),
  }),
  fc.record({
    field: fc.constant("types" as const),
    operator: fc.constant("contains" as const),
    value: fc.constantFrom(...MODES),
  }),
  fc.record({
    field: fc.constant("types" as const),
    operator: fc.constantFrom("eq" as const, "ne" as const, "in" as const),
    value: modes,
  }),
);
const { filter } = fc.letrec<{ filter: Filter; item: Filter | FilterCondition }>((tie) => ({
  filter: fc.record({
    op: fc.constantFrom("and" as const, "or" as const),
    items: fc.array(tie("item"), { maxLength: 3 }),
  }),
  item: fc.oneof({ maxDepth: 4 }, condition, tie("filter")),
}));

function matches(form: FormListItem, item: Filter | FilterCondition): boolean {
  if ("op" in item) {
    return item.op === "and"
      ? item.items.every((inner) => matches(form, inner))
      : item.items.some((inner) => matches(form, inner));
  }
  if (item.field === "name") {
    if (item.operator === "in") return item.value.includes(form.name);
    if (item.operator === "startsWith") return form.name.startsWith(item.value);
    if (item.operator === "contains") return form.name.toLowerCase().includes(item.value.toLowerCase());
    return (form.name === item.value) === (item.operator === "eq");
  }
  if (item.field === "types") {
    if (item.operator === "contains") return form.types.includes(item.value);
    if (item.operator === "in") return item.value.some((mode) => form.types.includes(mode));
    const isSame = item.value.length === form.types.length && item.value.every((mode) => form.types.includes(mode));
    return isSame === (item.operator === "eq");
  }
  return (form[item.field] === item.value) === (item.operator === "eq");
}

/** Compares by code points: both databases order text in this way. */
function compareText(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function compareForms(a: FormListItem, b: FormListItem, terms: readonly SortTerm[]): number {
  for (const { field, direction } of terms) {
    const text = (form: FormListItem) => (field === "name" ? form.name.toLowerCase() : form[field]);
    const order = compareText(text(a), text(b));
    if (order !== 0) return direction === "desc" ? -order : order;
  }
  return compareText(a.id, b.id);
}

describe("a list of forms", () => {
  let world: NotesWorld;
  let all: FormListItem[];
  const list = async (query: object) =>
    (await world.service.listForms({ ...NOTE, query: { limit: 100, ...query } })).data;

  beforeAll(async () => {
    world = await openNotesWorld();
    const sets = [["CREATE"], ["VIEW", "EDIT"], ["EDIT", "CREATE", "VIEW"]] as const;
    for (const [index, formName] of NAMES.entries()) {
      const body = {
        name: formName,
        types: [...sets[index % 3]!],
        isActive: index % 2 === 0,
        isPublic: index % 5 === 0,
      };
      await world.service.createForm({ ...NOTE, body });
      if (index % 4 === 0) await world.service.createForm({ ...NOTE, body });
    }
    all = await list({});
  });
  afterAll(() => world.close());

  it("contains exactly the forms that match its filter", async () => {
    await fc.assert(
      fc.asyncProperty(filter, async (filters) => {
        const found = await list({ filters });
        expect(found).toEqual(all.filter((form) => matches(form, filters)));
      }),
      { numRuns: 300 },
    );
  });

  it("states on each page that it obeys its filter, and nothing without a filter", async () => {
    const meta = async (query: object) => (await world.service.listForms({ ...NOTE, query })).meta;
    const filters: Filter = { op: "and", items: [{ field: "name", operator: "in", value: ["a", "A"] }] };
    for (const query of [{}, { page: 2, limit: 1 }, { page: 9 }, { count: "none" }]) {
      expect(await meta({ ...query, filters })).toMatchObject({ filtered: true });
      expect(await meta(query)).not.toHaveProperty("filtered");
    }
  });

  it("has the requested order; the first term for a field applies", async () => {
    const term = fc.record({
      field: fc.constantFrom("name" as const, "createdAt" as const, "updatedAt" as const),
      direction: fc.constantFrom("asc" as const, "desc" as const),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(term, { minLength: 1, maxLength: 5 }), async (sort) => {
        expect(await list({ sort })).toEqual(all.toSorted((a, b) => compareForms(a, b, sort)));
      }),
      { numRuns: 50 },
    );
  });
});
