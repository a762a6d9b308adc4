/**
 * Plans of few manifests for an object with many forms. The forms are requested by name. The result must be the
 * same as with the whole list.
 */

import { describe, expect, it } from "vitest";
import { type CurrentOptions, readCurrent } from "../../src/state/read.ts";
import { openReader } from "../../src/state/reader.ts";
import type { Input } from "../../src/schemas/operations.ts";
import { type Service, ServiceError } from "../../src/service.ts";
import { CANDIDATE, form, openScene } from "../plan/plan-scene.ts";

/** An object with forty forms, four on each page. Records the queries of the list. */
async function openMany(change: (service: Service) => Partial<Service> = () => ({})) {
  const scene = await openScene();
  const made = Array.from({ length: 40 }, (_, index) => form(`Form ${index}`, { access: { users: [], roles: [] } }));
  await scene.make(made);
  const queries: NonNullable<Input<"listForms">["query"]>[] = [];
  const changed = { ...scene.service, ...change(scene.service) };
  const service: Service = {
    ...changed,
    async listForms({ query = {}, ...object }) {
      queries.push(query);
      return changed.listForms({ ...object, query: { ...query, limit: 4 } });
    },
  };
  const read = (options: Partial<CurrentOptions> & Pick<CurrentOptions, "wanted">) =>
    readCurrent({ service, known: new Map(), concurrency: 3, byName: () => [], ...options });
  return { service, scene, queries, read };
}

const namesOf = (forms: readonly { form: { name: string } }[]) => forms.map(({ form: { name } }) => name).sort();

describe("the forms of an object with many forms", () => {
  it("are requested by name, with two requests", async () => {
    const { read, queries } = await openMany();
    const current = await read({ wanted: [form("Form 30"), form("Missing")] });
    expect([...current.forms.values()].map(({ form: { name } }) => name)).toEqual(["Form 30"]);
    expect(queries).toHaveLength(2);
    expect(queries[1]!.filters).toEqual({
      op: "and",
      items: [{ field: "name", operator: "in", value: ["Form 30", "Missing"] }],
    });
  });

  it("include the default forms if a manifest sets a default", async () => {
    const { read, scene } = await openMany();
    const { data } = await scene.service.listForms({ ...CANDIDATE, query: { limit: 100 } });
    const body = { defaultViewFormId: data.find(({ name }) => name === "Form 7")!.id };
    await scene.service.updateFormDefaults({ ...CANDIDATE, body });
    const forms = async (defaultFor: "VIEW"[]) =>
      namesOf((await read({ wanted: [form("Form 30", { defaultFor })] })).objects.get("staffing/candidate")!.forms);
    expect(await forms(["VIEW"])).toEqual(["Form 30", "Form 7"]);
    expect(await forms([])).toEqual(["Form 30"]);
  });

  it("include the forms of which a new form may be the rename", async () => {
    const { read } = await openMany();
    const byName = () => ["Form 1", "Deleted"];
    const forms = async (name: string) =>
      namesOf((await read({ wanted: [form(name)], byName })).objects.get("staffing/candidate")!.forms);
    expect(await forms("New")).toEqual(["Form 1"]);
    expect(await forms("Form 2")).toEqual(["Form 2"]);
  });

  it("are all listed if the lock has a layout of a form that is not found by its name", async () => {
    const { read, scene } = await openMany();
    const { data } = await scene.service.listForms({ ...CANDIDATE, query: { limit: 100 } });
    const { viewLayoutId, name } = data[20]!;
    const wanted = form("Former name");
    const current = await read({ wanted: [wanted], known: new Map([[wanted.address, viewLayoutId!]]) });
    expect(current.forms.get(wanted.address)!.form.name).toBe(name);
    expect(current.objects.get("staffing/candidate")!.forms).toHaveLength(40);
  });

  it("are all listed without the option, and if most of them are needed", async () => {
    const { read } = await openMany();
    const some = await read({ wanted: [form("Form 30")], byName: undefined });
    expect(some.objects.get("staffing/candidate")!.forms).toHaveLength(40);
    const most = Array.from({ length: 200 }, (_, index) => form(`Form ${index}`));
    expect((await read({ wanted: most })).objects.get("staffing/candidate")!.forms).toHaveLength(40);
  });

  const withoutFilters: [string, (service: Service) => Partial<Service>][] = [
    [
      "ignores",
      ({ listForms }) => ({
        listForms: ({ query, ...object }) => listForms({ ...object, query: { ...query, filters: undefined } }),
      }),
    ],
    [
      "does not state that it obeys",
      ({ listForms }) => ({
        async listForms(input) {
          const { data, meta } = await listForms(input);
          return { data, meta: { ...meta, filtered: undefined } };
        },
      }),
    ],
    [
      "refuses",
      ({ listForms }) => ({
        async listForms(input) {
          if (!input.query?.filters) return listForms(input);
          throw new ServiceError(422, { code: "VALIDATION_FAILED", message: "unknown parameter filters" });
        },
      }),
    ],
  ];
  it.each(withoutFilters)("are all listed where the server %s filters", async (_, change) => {
    const { service } = await openMany(change);
    const needed = { object: CANDIDATE, names: new Set(["Form 30"]), defaults: true };
    const [list] = await openReader(() => service, { concurrency: 3 }).neededForms([needed]);
    expect([list!.forms.length, list!.isWhole]).toEqual([40, true]);
  });
});

it("need no memory for the pages that a hostile server only announces", async () => {
  const { service } = await openMany();
  const hostile: Service = {
    ...service,
    async listForms(input) {
      if ((input.query?.page ?? 1) > 1) throw new ServiceError(503, { code: "BUSY", message: "the server is busy" });
      const { data, meta } = await service.listForms(input);
      return { data, meta: { ...meta, total: 1e12, hasMore: true } };
    },
  };
  await expect(openReader(() => hostile, { concurrency: 3 }).forms([CANDIDATE])).rejects.toMatchObject({ status: 503 });
});
