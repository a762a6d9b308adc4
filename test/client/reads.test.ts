/** Tests lists of layouts, surfaces and available forms. The server ignores every parameter. */

import { onTestFinished } from "vitest";
import { describe, expect, it } from "vitest";
import type { Input } from "../../src/schemas/operations.ts";
import { asDocumented, type Open } from "../../src/schemas/words.ts";
import { openClient } from "./open-client.ts";
import { simulateServer } from "./simulated-server.ts";

/** Opens a client of a server that answers every request with `data`. `requested` returns the URLs of the requests. */
async function openIgnorant(data: unknown) {
  const server = await simulateServer(() => ({ status: 200, body: { data } }));
  onTestFinished(() => server.close());
  const { service } = openClient(server.url);
  return { service, requested: () => server.received.map(({ url }) => url) };
}

const CANDIDATE = { moduleKey: "staffing", objectKey: "candidate" };
const LAYOUTS = [
  { id: 1, surface: "CONTRACTOR", supportedModes: ["VIEW"], target: {} },
  { id: 2, surface: "PAGE_X", supportedModes: ["VIEW", "WORKSPACE"], target: { scopeId: "export" } },
  { id: 3, surface: "DYNAMIC_OBJECT", supportedModes: ["EDIT"], target: { ...CANDIDATE, formId: 7 } },
  { id: 4 },
  // The target of this layout is missing.
  { id: 5, surface: "USER", supportedModes: [], target: null },
];

describe("layouts of a server that ignores filters", () => {
  it.each<[Open<NonNullable<Input<"listLayouts">["query"]>>, string[]]>([
    [{}, ["1", "2", "3", "4", "5"]],
    [{ surface: "CONTRACTOR" }, ["1", "4"]],
    [{ surface: "PAGE_X" }, ["2", "4"]],
    [{ mode: "VIEW" }, ["1", "2", "4"]],
    [{ mode: "EDIT", surface: "PAGE_X" }, ["4"]],
    [CANDIDATE, ["3", "4"]],
    [{ formId: "7" }, ["3", "4"]],
    [{ scopeId: "import" }, ["4", "5"]],
  ])("are filtered by %o, and one that does not show the member is kept", async (query, ids) => {
    const { service, requested } = await openIgnorant(LAYOUTS);
    expect((await service.listLayouts({ query: asDocumented(query) })).map(({ id }) => id)).toEqual(ids);
    expect(requested()[0]).toBe("/v1/view-layouts");
    expect(requested().join()).not.toMatch(/surface|mode|Key|Id/);
  });
});

describe("surface definitions of a server that ignores the surface", () => {
  const MAIN = [{ key: "main", layout: "grid", columns: 12 }];

  it.each<[string, unknown]>([
    ["a list", [{ surface: "USER" }, { surface: "PAGE_X", regions: MAIN }]],
    ["a member", { definitionVersion: 3, surfaces: [{ surface: "PAGE_X", regions: MAIN }, { surface: "USER" }] }],
    ["a map", { USER: [], PAGE_X: MAIN }],
  ])("are those of the surface in question, from %s", async (_, data) => {
    const { service, requested } = await openIgnorant(data);
    const { surfaces } = await service.getSurfaceDefinitions({ query: asDocumented({ surface: "PAGE_X" }) });
    expect(surfaces).toEqual([{ surface: "PAGE_X", regions: MAIN }]);
    expect(requested()).toEqual(["/v1/view-layouts/surface-definitions"]);
  });
});

describe("available forms of a server that ignores the type", () => {
  it("are filtered by the mode, which is also sent as a documented parameter", async () => {
    const forms = [
      { id: 1, name: "A", types: ["VIEW"] },
      { id: 2, name: "B", types: ["EDIT", "WORKSPACE"] },
    ];
    const { service, requested } = await openIgnorant(forms);
    expect(await service.listAvailableForms({ ...CANDIDATE, query: { type: "EDIT" } })).toMatchObject([{ id: "2" }]);
    expect(await service.listAvailableForms({ ...CANDIDATE, query: {} })).toHaveLength(2);
    const path = "/v1/custom-modules/staffing/objects/candidate/forms/available";
    expect(requested()).toEqual([`${path}?type=EDIT`, path]);
  });
});
