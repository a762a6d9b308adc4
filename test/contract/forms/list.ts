/** The cases about lists of forms: pages, order, filters, and active forms. */

import { describe, expect, it } from "vitest";
import type { Mode } from "../../../src/schemas/form.ts";
import type { Filter, FilterCondition } from "../../../src/schemas/page.ts";
import { listAll, pages } from "../../../src/lists/form-pages.ts";
import { isNotAccepted } from "../in-world.ts";
import type { Provider } from "../provider.ts";
import {
  CANDIDATE,
  field,
  type FormsWorld,
  invalidAt,
  inWorld,
  listed,
  MILESTONE,
  MISSING,
  PLACEMENT,
  REQUIRED_FIELDS,
  refusal,
} from "./world.ts";

/** Creates five forms. From oldest to newest: Profile, Apply, apply again, 50%_off, Zoë. */
async function fiveForms({ newForm }: FormsWorld): Promise<void> {
  await newForm("Profile", ["VIEW", "EDIT"]);
  await newForm("Apply", ["CREATE"], { isPublic: true });
  await newForm("apply again", ["EDIT", "CREATE"], { isActive: false });
  await newForm("50%_off", ["CREATE", "VIEW", "EDIT"]);
  await newForm("Zoë", ["VIEW"]);
}

export function listCases(provider: Provider): void {
  describe("listing forms", () => {
    it(
      "is empty for an object without forms, and for a subordinate one (R10)",
      inWorld(provider, async ({ service, newForm }) => {
        await newForm("Intake", ["CREATE"]);
        for (const object of [PLACEMENT, MILESTONE]) {
          expect(await service.listForms(object)).toEqual({
            data: [],
            meta: { page: 1, limit: 20, total: 0, hasMore: false },
          });
          expect(await service.listAvailableForms(object)).toEqual([]);
        }
      }),
    );

    it(
      "is read page by page and whole, with the same forms",
      inWorld(provider, async (world) => {
        await fiveForms(world);
        const { listForms } = world.service;
        const read = await Array.fromAsync(pages(listForms, CANDIDATE, { pageSize: 2 }));
        expect(read.map(({ items }) => items.length)).toEqual([2, 2, 1]);
        expect(read.flatMap(({ items }) => items)).toEqual(await listAll(listForms, CANDIDATE));
      }),
    );

    it(
      "shows each form as it is read alone, with default flags and access counts (R24)",
      inWorld(provider, async (world) => {
        const { service, newForm, makeDefault, publish, memberId, roleId } = world;
        const profile = await newForm("Profile", ["VIEW", "EDIT"]);
        const intake = await newForm("Intake", ["CREATE"], { config: { title: "Apply" } });
        await publish(intake, REQUIRED_FIELDS);
        await publish(profile, [field("full_name", ["VIEW"])]);
        await makeDefault(profile, "VIEW");
        await makeDefault(intake, "CREATE");
        const members = [await memberId("ana@northwind.example"), await memberId("bo@northwind.example")];
        await service.replaceFormAccess({
          ...CANDIDATE,
          formId: profile.id,
          body: {
            users: members.map((membershipId) => ({ membershipId, types: ["VIEW" as const, "EDIT" as const] })),
            roles: [{ roleId: await roleId("recruiter"), types: ["VIEW"] }],
          },
        });
        const flags = { isDefaultCreate: false, isDefaultView: false, isDefaultEdit: false };
        const counts = { directUserAccessCount: 0, roleAccessCount: 0 };
        expect(await listed(world, profile)).toEqual({
          ...(await service.getForm({ ...CANDIDATE, formId: profile.id })),
          ...flags,
          isDefaultView: true,
          directUserAccessCount: 2,
          roleAccessCount: 1,
        });
        const row = await listed(world, intake);
        expect(row).toEqual({
          ...(await service.getForm({ ...CANDIDATE, formId: intake.id })),
          ...flags,
          ...counts,
          isDefaultCreate: true,
        });
        expect(row.usableTypes).toEqual(["CREATE"]);
        expect((await listed(world, profile)).usableTypes).toEqual(["VIEW"]);
      }),
    );

    it(
      "gives pages, oldest first, and an empty one past the end (R64)",
      inWorld(provider, async (world) => {
        await fiveForms(world);
        const page = async (number: number) => {
          const answer = await world.service.listForms({ ...CANDIDATE, query: { page: number, limit: 2 } });
          const { nextCursor: _, ...meta } = answer.meta;
          return { names: answer.data.map(({ name }) => name), meta };
        };
        const meta = { limit: 2, total: 5 };
        expect(await page(1)).toEqual({ names: ["Profile", "Apply"], meta: { ...meta, page: 1, hasMore: true } });
        expect(await page(2)).toEqual({ names: ["apply again", "50%_off"], meta: { ...meta, page: 2, hasMore: true } });
        expect(await page(3)).toEqual({ names: ["Zoë"], meta: { ...meta, page: 3, hasMore: false } });
        expect(await page(4)).toEqual({ names: [], meta: { ...meta, page: 4, hasMore: false } });
      }),
    );

    it(
      "continues after the page of a cursor",
      inWorld(provider, async (world) => {
        await fiveForms(world);
        const ask = (query: object) => world.service.listForms({ ...CANDIDATE, query: { limit: 2, ...query } });
        const first = await ask({});
        if (await isNotAccepted(provider, "listForms", ["cursor"], () => ask({ cursor: "abc" }))) return;
        const { nextCursor: cursor } = first.meta;
        const second = await ask({ page: 2, cursor, count: "hasMore" });
        expect(second.data.map(({ name }) => name)).toEqual(["apply again", "50%_off"]);
        expect(second.meta).toEqual({ page: 2, limit: 2, hasMore: true, nextCursor: expect.any(String) as string });
        // The next page is not shifted by the deletion of a form on an earlier page.
        await world.service.deleteForm({ ...CANDIDATE, formId: first.data[0]!.id });
        const third = await ask({ page: 3, cursor: second.meta.nextCursor });
        expect(third.data.map(({ name }) => name)).toEqual(["Zoë"]);
        expect(third.meta).toEqual({ page: 3, limit: 2, total: 4, hasMore: false });
        const filters = {
          op: "and" as const,
          items: [{ field: "name" as const, operator: "eq" as const, value: "Zoë" }],
        };
        expect((await ask({ cursor, filters })).data.map(({ name }) => name)).toEqual(["Zoë"]);
      }),
    );

    it(
      "finds forms by the start of the id, and the default forms",
      inWorld(provider, async (world) => {
        await fiveForms(world);
        const { service } = world;
        const [profile, apply] = (await service.listForms(CANDIDATE)).data;
        const find = async (...items: FilterCondition[]) => {
          const filters: Filter = { op: "or", items };
          return (await service.listForms({ ...CANDIDATE, query: { filters } })).data.map(({ id }) => id);
        };
        const byId = () => find({ field: "id", operator: "startsWith", value: profile!.id.slice(0, -1) });
        if (await isNotAccepted(provider, "listForms", ["filters"], byId)) return;
        expect(await byId()).toContain(profile!.id);
        await service.updateFormDefaults({
          ...CANDIDATE,
          body: { defaultViewFormId: profile!.id, defaultCreateFormId: apply!.id },
        });
        const isView: FilterCondition = { field: "isDefaultView", operator: "eq", value: true };
        const isCreate: FilterCondition = { field: "isDefaultCreate", operator: "ne", value: false };
        expect(await find(isView)).toEqual([profile!.id]);
        expect(await find(isView, isCreate)).toEqual([profile!.id, apply!.id]);
        expect(await find({ ...isView, operator: "ne" })).not.toContain(profile!.id);
      }),
    );

    it(
      "finds nothing by U+0000, which no id contains, and refuses it in a filter",
      inWorld(provider, async ({ service }) => {
        const formId = "frm_\0";
        expect(await refusal(service.getForm({ ...CANDIDATE, formId }))).toEqual(MISSING);
        expect(await refusal(service.deleteForm({ ...CANDIDATE, formId }))).toEqual(MISSING);
        expect(await refusal(service.listForms({ moduleKey: "staffing", objectKey: "\0" }))).toEqual(MISSING);
        const conditions: FilterCondition[] = [
          { field: "name", operator: "eq", value: "\0" },
          { field: "id", operator: "startsWith", value: "\0" },
          { field: "name", operator: "contains", value: "\0" },
        ];
        for (const condition of conditions) {
          const query = { filters: { op: "and" as const, items: [condition] } };
          expect(await refusal(service.listForms({ ...CANDIDATE, query }))).toMatchObject({ status: 400 });
        }
      }),
    );

    it(
      "counts only as it is asked to",
      inWorld(provider, async (world) => {
        await fiveForms(world);
        const meta = async (count: "exact" | "none" | "hasMore") =>
          (await world.service.listForms({ ...CANDIDATE, query: { limit: 5, count } })).meta;
        if (await isNotAccepted(provider, "listForms", ["count"], () => meta("none"))) return;
        expect(await meta("exact")).toEqual({ page: 1, limit: 5, total: 5, hasMore: false });
        expect(await meta("hasMore")).toEqual({ page: 1, limit: 5, hasMore: false });
        expect(await meta("none")).toEqual({ page: 1, limit: 5 });
      }),
    );

    const cursorOf = (text: string) => Buffer.from(text).toString("base64url");
    const CURSOR = cursorOf("2026-01-01T00:00:00.000Z frm_1");
    const wrongQueries: [what: string, query: object, fields: string[]][] = [
      ["page 0", { page: 0 }, ["page"]],
      ["limit 0", { limit: 0 }, ["limit"]],
      ["limit 101", { limit: 101 }, ["limit"]],
      ["half a page", { page: 1.5 }, ["page"]],
      ["an order by something else", { sort: [{ field: "isPublic", direction: "asc" }] }, ["sort[0].field"]],
      ["an unknown parameter", { pages: 1 }, ["pages"]],
      ["a cursor of another list", { cursor: "abc" }, ["cursor"]],
      ["a cursor with another part", { cursor: cursorOf("2026-01-01T00:00:00.000Z frm_1 x") }, ["cursor"]],
      ["a cursor with an order", { cursor: CURSOR, sort: [{ field: "name", direction: "asc" }] }, ["cursor"]],
      [
        "a filter on something else",
        { filters: { op: "and", items: [{ field: "id", operator: "eq", value: "x" }] } },
        ["filters.items[0]"],
      ],
      [
        "101 values to look for",
        { filters: { op: "and", items: [{ field: "name", operator: "in", value: Array(100).fill("x") }] } },
        ["filters"],
      ],
      [
        "a text of 201 characters",
        { filters: { op: "and", items: [{ field: "name", operator: "contains", value: "x".repeat(201) }] } },
        ["filters"],
      ],
    ];
    it.each(wrongQueries)("refuses %s", (_what, query, fields) =>
      inWorld(provider, async ({ service }) => {
        const list = () => service.listForms({ ...CANDIDATE, query });
        if (await isNotAccepted(provider, "listForms", Object.keys(query), list)) return;
        expect(await refusal(list())).toEqual(invalidAt(...fields));
      })(),
    );

    // The engine begins the queries of a read before its object is found. The order of its errors is the same.
    it.each(provider.isEngine ? wrongQueries : [])("reports a missing object before %s", (_what, query) =>
      inWorld(provider, async ({ service }) => {
        const list = service.listForms({ ...CANDIDATE, objectKey: "missing", query });
        expect(await refusal(list)).toMatchObject({ status: 404 });
      })(),
    );

    it(
      "accepts limits 1 and 100, any columns and 100 values to look for",
      inWorld(provider, async (world) => {
        await fiveForms(world);
        const { service } = world;
        expect((await service.listForms({ ...CANDIDATE, query: { limit: 1 } })).data).toHaveLength(1);
        expect((await service.listForms({ ...CANDIDATE, query: { limit: 100 } })).data).toHaveLength(5);
        const columns = () => service.listForms({ ...CANDIDATE, query: { limit: 100, columns: ["name"] } });
        if (await isNotAccepted(provider, "listForms", ["columns"], columns)) return;
        expect((await columns()).data).toHaveLength(5);
        const value = Array.from({ length: 99 }, (_, index) => (index === 98 ? "Zoë" : "x".repeat(200)));
        const filters: Filter = { op: "and", items: [{ field: "name", operator: "in", value }] };
        expect((await service.listForms({ ...CANDIDATE, query: { filters } })).data).toHaveLength(1);
      }),
    );

    const orders: [
      sort: { field: "name" | "createdAt" | "updatedAt"; direction?: "asc" | "desc" }[],
      names: string[],
    ][] = [
      [[{ field: "name" }], ["50%_off", "Apply", "apply again", "Profile", "Zoë"]],
      [[{ field: "name", direction: "desc" }], ["Zoë", "Profile", "apply again", "Apply", "50%_off"]],
      [[{ field: "createdAt", direction: "desc" }], ["Zoë", "50%_off", "apply again", "Apply", "Profile"]],
      [
        [{ field: "updatedAt", direction: "desc" }, { field: "name" }],
        ["Apply", "Zoë", "50%_off", "apply again", "Profile"],
      ],
      [[], ["Profile", "Apply", "apply again", "50%_off", "Zoë"]],
    ];
    it.each(orders)("orders by %j", (sort, names) =>
      inWorld(provider, async (world) => {
        await fiveForms(world);
        const { service, clock } = world;
        const list = () => service.listForms({ ...CANDIDATE, query: { sort } });
        if (await isNotAccepted(provider, "listForms", ["sort"], list)) return;
        const { data } = await service.listForms(CANDIDATE);
        clock.advance(1000);
        await service.updateForm({ ...CANDIDATE, formId: data[1]!.id, body: { config: {} } });
        const sorted = await list();
        expect(sorted.data.map(({ name }) => name)).toEqual(names);
      })(),
    );

    it(
      "orders what is equal by id, so that pages do not overlap",
      inWorld(provider, async ({ service }) => {
        const body = { name: "Twin", types: ["VIEW" as const] };
        for (let count = 0; count < 5; count++) await service.createForm({ ...CANDIDATE, body });
        const byName = { sort: [{ field: "name" as const, direction: "desc" as const }] };
        for (const order of provider.accepts("listForms", "sort") ? [{}, { sort: [] }, byName] : [{}]) {
          const ids: string[] = [];
          for (const page of [1, 2, 3]) {
            const { data } = await service.listForms({ ...CANDIDATE, query: { page, limit: 2, ...order } });
            ids.push(...data.map(({ id }) => id));
          }
          expect(ids).toEqual([...new Set(ids)].sort());
          expect(ids).toHaveLength(5);
        }
      }),
    );

    const modes = (operator: "eq" | "ne" | "in", value: Mode[]) => ({ field: "types" as const, operator, value });
    const ALL = ["Profile", "Apply", "apply again", "50%_off", "Zoë"];
    const filters: [what: string, items: Filter["items"], names: string[]][] = [
      ["a name", [{ field: "name", operator: "eq", value: "Apply" }], ["Apply"]],
      ["no such name", [{ field: "name", operator: "eq", value: "apply" }], []],
      [
        "another name",
        [{ field: "name", operator: "ne", value: "Apply" }],
        ["Profile", "apply again", "50%_off", "Zoë"],
      ],
      ["one of some names", [{ field: "name", operator: "in", value: ["Zoë", "Apply", "Nobody"] }], ["Apply", "Zoë"]],
      ["none of no names", [{ field: "name", operator: "in", value: [] }], []],
      [
        "a part of a name in any case",
        [{ field: "name", operator: "contains", value: "APPLY" }],
        ["Apply", "apply again"],
      ],
      ["a part beyond ASCII in any case", [{ field: "name", operator: "contains", value: "OË" }], ["Zoë"]],
      ["the characters % and _ as themselves", [{ field: "name", operator: "contains", value: "%_" }], ["50%_off"]],
      ["a % that is not there", [{ field: "name", operator: "contains", value: "a%y" }], []],
      ["active ones", [{ field: "isActive", operator: "eq", value: true }], ["Profile", "Apply", "50%_off", "Zoë"]],
      ["those that are not active", [{ field: "isActive", operator: "ne", value: true }], ["apply again"]],
      ["public ones", [{ field: "isPublic", operator: "eq", value: true }], ["Apply"]],
      [
        "those with a mode",
        [{ field: "types", operator: "contains", value: "CREATE" }],
        ["Apply", "apply again", "50%_off"],
      ],
      ["the same set of modes", [modes("eq", ["CREATE", "EDIT"])], ["apply again"]],
      ["another set of modes", [modes("ne", ["EDIT", "CREATE"])], ["Profile", "Apply", "50%_off", "Zoë"]],
      [
        "those with one of some modes",
        [modes("in", ["VIEW", "CREATE"])],
        ["Profile", "Apply", "apply again", "50%_off", "Zoë"],
      ],
      ["those with one of no modes", [modes("in", [])], []],
      ["nothing in particular", [], ALL],
      [
        "both of two things",
        [
          { field: "types", operator: "contains", value: "CREATE" },
          { field: "name", operator: "contains", value: "a" },
        ],
        ["Apply", "apply again"],
      ],
      [
        "one of two things inside",
        [
          {
            op: "or",
            items: [
              { field: "isPublic", operator: "eq", value: true },
              { op: "and", items: [modes("eq", ["VIEW"])] },
            ],
          },
        ],
        ["Apply", "Zoë"],
      ],
      ["one of no things", [{ op: "or", items: [] }], []],
      ["the exact start of a name", [{ field: "name", operator: "startsWith", value: "Zo" }], ["Zoë"]],
      ["no start in another case", [{ field: "name", operator: "startsWith", value: "zo" }], []],
      ["no id that starts otherwise", [{ field: "id", operator: "startsWith", value: "lay_" }], []],
      ["no default form", [{ field: "isDefaultView", operator: "eq", value: true }], []],
      ["those that are not the default", [{ field: "isDefaultView", operator: "eq", value: false }], ALL],
      [
        "a name that is not the default",
        [
          { field: "name", operator: "eq", value: "Zoë" },
          { field: "isDefaultCreate", operator: "ne", value: true },
        ],
        ["Zoë"],
      ],
    ];
    it.each(filters)("finds %s", (_what, items, names) =>
      inWorld(provider, async (world) => {
        await fiveForms(world);
        const query = { filters: { op: "and" as const, items }, limit: 100 };
        const list = () => world.service.listForms({ ...CANDIDATE, query });
        if (await isNotAccepted(provider, "listForms", ["filters"], list)) return;
        const { data, meta } = await list();
        expect(data.map(({ name }) => name)).toEqual(names);
        expect(meta.total).toBe(names.length);
      })(),
    );
  });

  describe("listing available forms", () => {
    it(
      "returns the active forms, including unusable ones, optionally of one mode (R68, R84)",
      inWorld(provider, async (world) => {
        await fiveForms(world);
        const { service } = world;
        const names = async (query: { type?: Mode }) =>
          (await service.listAvailableForms({ ...CANDIDATE, query })).map(({ name }) => name);
        expect(await names({})).toEqual(["Profile", "Apply", "50%_off", "Zoë"]);
        expect(await names({ type: "CREATE" })).toEqual(["Apply", "50%_off"]);
        expect(await names({ type: "EDIT" })).toEqual(["Profile", "50%_off"]);
        const [form] = await service.listAvailableForms(CANDIDATE);
        expect(form).toEqual(await service.getForm({ ...CANDIDATE, formId: form!.id }));
        expect(form!.usableTypes).toEqual([]);
      }),
    );

    it(
      "refuses an unknown mode",
      inWorld(provider, async ({ service }) => {
        const query = { type: "WORKSPACE" as never };
        expect(await refusal(service.listAvailableForms({ ...CANDIDATE, query }))).toEqual(invalidAt("type"));
      }),
    );
  });
}
