/** The number of requests that a search among many forms needs. */

import { describe, expect, it } from "vitest";
import {
  findForm,
  listAllForms,
  listDefaultForms,
  listFormsToComplete,
  listFormsWithNames,
} from "../../src/lists/forms.ts";
import type { Input } from "../../src/schemas/operations.ts";
import { type Service, ServiceError } from "../../src/service.ts";

const OBJECT = { moduleKey: "staffing", objectKey: "candidate" };
const COUNT = 5_000;

type Form = { id: string; name: string; types: ["VIEW"]; viewLayoutId: string; isDefaultView: boolean };
type Query = NonNullable<Input<"listForms">["query"]>;
type Selection = (form: Form, query: Query) => boolean;

const forms = Array.from({ length: COUNT }, (_, index): Form & Record<string, unknown> => ({
  id: `frm_${String(index).padStart(24, "a")}`,
  name: `Form ${index}`,
  types: ["VIEW"],
  viewLayoutId: `lay_${index}`,
  isDefaultCreate: false,
  isDefaultEdit: false,
  isDefaultView: index === 4_000,
}));

/** Selects a form if at least one condition matches. Conditions are on names, starts of ids, and flags. */
const select: Selection = (form, { filters }) =>
  filters === undefined ||
  filters.items.some((item) => {
    if ("op" in item) throw new Error("unexpected group");
    const value = (form as unknown as Record<string, unknown>)[item.field];
    if (item.operator === "in") return (item.value as string[]).includes(String(value));
    return item.operator === "startsWith" ? String(value).startsWith(item.value) : value === item.value;
  });

const ignoreFilters: Selection = () => true;
const refuseFilters: Selection = (_, { filters }) => {
  if (filters) throw new ServiceError(400, { code: "VALIDATION_FAILED", message: "unknown parameter filters" });
  return true;
};

type ListOptions = {
  selects?: Selection;
  hasCursors?: boolean;
  /** Whether the answer to a query states that it obeys the filter. Default: it does if the query has filters. */
  states?: (query: Query) => boolean;
};

const statesFilters = ({ filters }: Query) => filters !== undefined;
const statesNothing = () => false;

const isByName = ({ filters }: Query) => filters!.items.every((item) => "field" in item && item.field === "name");

/** Servers that do not filter. The last one states in every answer that it filters. */
const OTHER_SERVERS: [string, ListOptions][] = [
  ["ignores", { selects: ignoreFilters, states: statesNothing }],
  ["refuses", { selects: refuseFilters, states: statesNothing }],
  ["ignores, and states that it obeys,", { selects: ignoreFilters, states: () => true }],
];

function openList({ selects = select, hasCursors = true, states = statesFilters }: ListOptions = {}) {
  const queries: Query[] = [];
  const service = {
    async getForm({ formId }: Input<"getForm">) {
      const form = forms.find(({ id }) => id === formId);
      if (!form) throw new ServiceError(404, { code: "NOT_FOUND", message: "the form does not exist" });
      return form;
    },
    async listForms({ query = {} }: Input<"listForms">) {
      queries.push(query);
      const { page = 1, limit = 20, cursor, count = "exact" } = query;
      const selected = forms.filter((form) => selects(form, query));
      const start = cursor === undefined ? (page - 1) * limit : selected.findIndex(({ id }) => id === cursor) + 1;
      const data = selected.slice(start, start + limit);
      const hasMore = start + limit < selected.length;
      const nextCursor = hasMore && hasCursors ? { nextCursor: data.at(-1)!.id } : {};
      const total = count === "exact" ? { total: selected.length } : {};
      return {
        data,
        meta: { page, limit, ...total, hasMore, ...nextCursor, ...(states(query) && { filtered: true }) },
      };
    },
  } as unknown as Service;
  return { service, queries };
}

const find = (service: Service, form: string) => findForm(service, { ...OBJECT, form });

describe("a form among many", () => {
  it.each([
    ["states that it filters", statesFilters],
    ["filters without a statement", statesNothing],
  ])("is found by its name with one request of a list if the server %s", async (_, states) => {
    const { service, queries } = openList({ states });
    expect(await find(service, "Form 4321")).toBe(forms[4321]);
    expect(queries).toHaveLength(1);
  });

  it("is found by a shortened id with two", async () => {
    const { service, queries } = openList();
    forms[4_321]!.id = "frm_bcdefghijklmnopqrstuvwxyz";
    expect(await find(service, "frm_bcdefg")).toBe(forms[4_321]);
    expect(queries).toHaveLength(2);
  });

  it.each<[string, ListOptions]>(OTHER_SERVERS)("is found although the server %s filters", async (_, options) => {
    forms[4_321]!.id = "frm_bcdefghijklmnopqrstuvwxyz";
    const { service } = openList(options);
    expect(await find(service, "Form 4321")).toBe(forms[4321]);
    expect(await find(service, "frm_bcdefg")).toBe(forms[4_321]);
  });

  it("is searched in the whole list if the server does not state that it filters by the start of an id", async () => {
    const { service } = openList({
      selects: (form, query) => query.filters === undefined || (isByName(query) && select(form, query)),
      states: statesNothing,
    });
    forms[4_321]!.id = "frm_bcdefghijklmnopqrstuvwxyz";
    expect(await find(service, "frm_bcdefg")).toBe(forms[4_321]);
  });

  it("is searched among the first thousand when the name is unknown", async () => {
    const { service, queries } = openList();
    await expect(find(service, "Form 99x")).rejects.toMatchObject({
      code: "NOT_FOUND",
      hint: "Did you mean 'staffing/candidate/Form 99'?",
    });
    expect(queries.length).toBeLessThan(15);
  });
});

describe("the completion of a name among many", () => {
  it("needs one request for a start of the name", async () => {
    const { service, queries } = openList();
    const listed = await listFormsToComplete(service, OBJECT, "Form 432");
    expect(listed.map(({ name }) => name)).toEqual([
      "Form 432",
      ...Array.from({ length: 10 }, (_, n) => `Form 432${n}`),
    ]);
    expect(queries).toHaveLength(1);
  });

  it.each<[string, ListOptions, string]>([
    ["the text is empty", {}, ""],
    ["the server refuses filters", { selects: refuseFilters }, "Form 43"],
    ["the server does not state that it filters", { states: statesNothing }, "Form 43"],
  ])("reads the first thousand if %s", async (_, options, start) => {
    const { service } = openList(options);
    expect(await listFormsToComplete(service, OBJECT, start)).toEqual(forms.slice(0, 1000));
  });
});

describe("the default forms of many", () => {
  it("are found with one request after the first page", async () => {
    const { service, queries } = openList();
    expect(await listDefaultForms(service, OBJECT)).toEqual([forms[4000]]);
    expect(queries).toHaveLength(2);
  });

  it.each<[string, ListOptions]>([
    ...OTHER_SERVERS,
    ["does not state that it obeys", { selects: (_, { filters }) => filters === undefined, states: statesNothing }],
  ])("are listed although the server %s filters", async (_, options) => {
    const { service } = openList(options);
    expect(await listDefaultForms(service, OBJECT)).toContain(forms[4000]);
  });
});

describe("many forms", () => {
  it("are read by cursors, and counted once", async () => {
    const { service, queries } = openList();
    expect(await listAllForms(service, OBJECT)).toEqual(forms);
    const [first, counted, ...others] = queries;
    expect([first, counted]).toEqual([{}, { page: 1, limit: 100 }]);
    expect(others.every(({ cursor, count }) => cursor !== undefined && count === "hasMore")).toBe(true);
    expect(others.some(({ page }) => page !== undefined)).toBe(false);
  });

  it("are read by page numbers where the server reports no cursors", async () => {
    const { service, queries } = openList({ hasCursors: false });
    expect(await listAllForms(service, OBJECT)).toEqual(forms);
    expect(queries.every((query) => query.cursor === undefined && query.count === undefined)).toBe(true);
  });

  it("are read by page numbers where the server refuses its cursors", async () => {
    const { service } = openList({
      selects(_, { cursor }) {
        if (cursor !== undefined) throw new ServiceError(400, { code: "VALIDATION_FAILED", message: "unknown cursor" });
        return true;
      },
    });
    expect(await listAllForms(service, OBJECT)).toEqual(forms);
  });
});

describe("forms by their names", () => {
  const names = ["Form 4321", "Form 7"];

  it("are those with the names", async () => {
    const { service, queries } = openList();
    const listed = await listFormsWithNames(service, OBJECT, names);
    expect(listed?.map(({ name }) => name)).toEqual(["Form 7", "Form 4321"]);
    expect(queries).toHaveLength(1);
  });

  it.each<[string, ListOptions]>([...OTHER_SERVERS, ["does not state that it obeys", { states: statesNothing }]])(
    "are unknown after one request if the server %s filters",
    async (_, options) => {
      const { service, queries } = openList(options);
      expect(await listFormsWithNames(service, OBJECT, names)).toBeUndefined();
      expect(queries).toHaveLength(1);
    },
  );

  it("are unknown if the server compares names in its own way", async () => {
    forms[9]!.name = "FORM 7";
    try {
      const { service } = openList({
        selects: ({ name }, { filters }) =>
          filters === undefined || names.some((each) => each.toLowerCase() === name.toLowerCase()),
      });
      expect(await listFormsWithNames(service, OBJECT, names)).toBeUndefined();
    } finally {
      forms[9]!.name = "Form 9";
    }
  });

  it("are unknown if a later page does not state that it obeys the filter", async () => {
    const many = Array.from({ length: 150 }, (_, index) => `Form ${index}`);
    const { service } = openList({ states: ({ cursor }) => cursor === undefined });
    expect(await listFormsWithNames(service, OBJECT, many)).toBeUndefined();
  });
});
