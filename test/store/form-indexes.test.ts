/**
 * Queries for few forms of an object use an index. So their time does not depend on the number of the object's forms.
 */

import type { SQLInputValue } from "node:sqlite";
import type { Sql } from "sql-template-tag";
import { expect, it, onTestFinished } from "vitest";
import type { Filter, FilterCondition } from "../../src/schemas/page.ts";
import { filterCondition, selectiveKey, sortOrder } from "../../src/store/form-filters.ts";
import { countForms, type FormPosition, listForms, listFormsById } from "../../src/store/forms.ts";
import { objectIdAt } from "../../src/store/objects.ts";
import { copyOrganization } from "../../src/store/organization-copy.ts";
import { emptyStore } from "../../src/store/sqlite-schema.ts";
import type { OrgTx, Store } from "../../src/store/store.ts";

/** Returns the plan of SQLite for each query that `work` runs. */
async function plansOf(work: (tx: OrgTx) => Promise<unknown>): Promise<string[]> {
  const db = emptyStore();
  onTestFinished(() => db.close());
  const plans: string[] = [];
  const explain = async ({ sql, values }: Sql) => {
    const rows = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...(values as SQLInputValue[]));
    plans.push(rows.map((row) => String(row["detail"])).join("\n"));
    return [];
  };
  const first = async (query: Sql) => void (await explain(query));
  await work({
    all: explain,
    first,
    run: async () => 0,
    write: async () => {},
    pages: async function* () {},
    cache: new Map(),
    orgId: "org_1",
  });
  return plans;
}

async function plansOfList(filters: Filter | undefined, after?: FormPosition): Promise<string[]> {
  const key = selectiveKey(filters);
  return plansOf(async (tx) => {
    const selection = { condition: filterCondition(tx, filters), key };
    const objectId = objectIdAt(tx, "staffing", "candidate");
    await listForms(tx, objectId, { ...selection, order: sortOrder([], key), limit: 101, offset: 0, after });
    await countForms(tx, objectId, selection);
  });
}

const all = (...items: Filter["items"]): Filter => ({ op: "and", items });
const any = (...items: Filter["items"]): Filter => ({ op: "or", items });
const ACTIVE: FilterCondition = { field: "isActive", operator: "eq", value: true };
const NAME: FilterCondition = { field: "name", operator: "eq", value: "A" };
const BY_NAME = /^SEARCH forms USING (COVERING )?INDEX forms_by_name \(object_id=\? AND name=\?\)/m;
const BY_ID = /SEARCH forms USING (COVERING )?INDEX sqlite_autoindex_forms_\d \(id(=|>)\?/m;

it.each<[string, Filter, RegExp]>([
  ["one name", all(NAME), BY_NAME],
  ["several names", all({ field: "name", operator: "in", value: ["A", "B", "C"] }), BY_NAME],
  ["a name and another condition", all(ACTIVE, NAME), BY_NAME],
  ["a name in a group", all(ACTIVE, any(NAME)), BY_NAME],
  ["the start of an id", all({ field: "id", operator: "startsWith", value: "frm_abcdef" }), BY_ID],
  [
    "the default forms",
    any(
      { field: "isDefaultView", operator: "eq", value: true },
      { field: "isDefaultEdit", operator: "ne", value: false },
    ),
    BY_ID,
  ],
])("a filter by %s reads only the forms that it selects", async (_, filters, index) => {
  for (const plan of await plansOfList(filters)) expect(plan).toMatch(index);
});

it("the page after a cursor reads only its own forms", async () => {
  const [plan] = await plansOfList(undefined, { created_at: "2026-01-01", id: "frm_1" });
  expect(plan).toMatch(/^SEARCH forms USING INDEX forms_by_object \(object_id=\? AND \(created_at,id\)>\(\?,\?\)\)\n/);
});

it.each<[string, Filter]>([
  ["that selects by name or otherwise", any(NAME, ACTIVE)],
  ["that excludes a name", all({ ...NAME, operator: "ne" })],
  ["that excludes default forms", all({ field: "isDefaultView", operator: "eq", value: false })],
  ["without conditions", any()],
])("a filter %s reads the forms of the object in their order", async (_, filters) => {
  const [plan] = await plansOfList(filters);
  expect(plan).toMatch(/SEARCH forms USING INDEX forms_by_object \(object_id=\?\)/);
  expect(plan).not.toContain("ORDER BY");
});

it("counts the forms of an object without reading their rows", async () => {
  const [, plan] = await plansOfList(undefined);
  expect(plan).toMatch(
    /^SEARCH forms USING COVERING INDEX forms_by_name \(object_id=\?\)\nSCALAR SUBQUERY 1\nSEARCH m .*\nSEARCH o .*$/,
  );
});

it("finds the layouts of forms by their owner", async () => {
  const [plan] = await plansOf((tx) => listFormsById(tx, ["frm_1", "frm_2"]));
  expect(plan).toMatch(
    /^SEARCH forms .+\nSEARCH l USING INDEX sqlite_autoindex_layouts_\d \(owner_form_id=\?\) LEFT-JOIN\n/,
  );
  expect(plan).not.toMatch(/SCAN|\(org_id=/);
});

it("the copy of some forms reads only the records of these forms", async () => {
  const plans = await plansOf(async (tx) => {
    const into: Store = {
      read: (work) => work(tx),
      write: (work) => work({ ...tx, run: async () => 0 }),
      close: async () => undefined,
    };
    await copyOrganization(tx, into, "org_1", ["frm_1", "frm_2"]);
  });
  expect(plans.length).toBeGreaterThan(10);
  for (const plan of plans) {
    expect(plan).toMatch(/^SEARCH f USING (COVERING )?INDEX sqlite_autoindex_forms_\d \(id=\?/);
    expect(plan).not.toMatch(/SCAN|\(org_id=/);
  }
});
