/** Finds layouts by their addresses, and objects by the layouts of their forms. */

import { describe, expect, it } from "vitest";
import { findLayout, layoutAt } from "../../src/lists/layouts.ts";
import { objectsIn, objectsOf, objectsWithForms } from "../../src/lists/objects.ts";
import type { LayoutAnswer } from "../../src/schemas/answers.ts";
import { type Service, ServiceError } from "../../src/service.ts";

const layout = (id: string, members: Partial<LayoutAnswer> = {}): LayoutAnswer => ({
  id,
  surface: "CONTRACTOR",
  target: {},
  name: "Card",
  ...members,
});
const own = layout("lay_own");
const system = layout("lay_system", { ownerScope: "SYSTEM" });
const archived = layout("lay_archived", { status: "ARCHIVED" });
const board = layout("lay_board", { surface: "DASHBOARD", target: { dashboardKey: "main" }, name: "Ops" });
const ofForm = (objectKey: string, members: Partial<LayoutAnswer> = {}) =>
  layout(`lay_${objectKey}`, {
    surface: "DYNAMIC_OBJECT",
    target: { moduleKey: "staffing", objectKey, formId: "frm_1" },
    ...members,
  });

function serviceWith(layouts: readonly LayoutAnswer[] | undefined) {
  const asked: unknown[] = [];
  const service = {
    async listLayouts(input: unknown) {
      asked.push(input);
      if (!layouts) throw new ServiceError(404, { code: "NOT_FOUND", message: "unknown path" });
      return layouts;
    },
    getLayout: async ({ layoutId }: { layoutId: string }) => [own, board].find(({ id }) => id === layoutId),
  } as unknown as Service;
  return { service, asked };
}

describe("a layout is found by its address", () => {
  it("in the list of its surface", async () => {
    const { service, asked } = serviceWith([own, board]);
    expect(await findLayout(service, "DASHBOARD dashboardKey=main/Ops")).toEqual(board);
    expect(asked).toEqual([{ query: { surface: "DASHBOARD" } }]);
  });

  it("in the whole list if formctl does not know the surface", async () => {
    const { service, asked } = serviceWith([layout("lay_1", { surface: "KIOSK" })]);
    expect(await findLayout(service, "KIOSK/Card")).toMatchObject({ id: "lay_1" });
    expect(asked).toEqual([{ query: {} }]);
  });

  it("if the list omits the parts of the address", async () => {
    const { service } = serviceWith([{ id: "lay_own" }]);
    expect(await findLayout(service, "CONTRACTOR/Card")).toEqual(own);
  });

  it.each<[string, LayoutAnswer[], string]>([
    ["the organization's before the system's", [system, own], "lay_own"],
    ["the system's if there is no other", [system], "lay_system"],
    ["no archived one", [archived, own], "lay_own"],
  ])("%s", (_, listed, id) => {
    expect(layoutAt("CONTRACTOR/Card", listed)).toMatchObject({ id });
  });

  it.each<[string, string, LayoutAnswer[] | undefined, object]>([
    [
      "several layouts have it",
      "CONTRACTOR/Card",
      [own, { ...own, id: "lay_twin" }],
      { code: "AMBIGUOUS_NAME", message: '2 layouts have the address "CONTRACTOR/Card": lay_own, lay_twin' },
    ],
    [
      "its name is misspelled",
      "CONTRACTOR/Crad",
      [own],
      {
        code: "NOT_FOUND",
        message: 'the layout "CONTRACTOR/Crad" does not exist',
        hint: "Did you mean CONTRACTOR/Card?",
      },
    ],
    [
      "it lacks the target",
      "DASHBOARD/Ops",
      [board],
      { code: "NOT_FOUND", hint: "Did you mean 'DASHBOARD dashboardKey=main/Ops'?" },
    ],
    [
      "its layout is archived",
      "CONTRACTOR/Card",
      [archived],
      { code: "NOT_FOUND", hint: "List the layouts: formctl layouts list" },
    ],
    [
      "the server does not list layouts",
      "CONTRACTOR/Card",
      undefined,
      { code: "NOT_FOUND", message: "this server does not list layouts" },
    ],
  ])("or refused if %s", async (_, address, listed, error) => {
    await expect(findLayout(serviceWith(listed).service, address)).rejects.toMatchObject(error);
  });
});

describe("the objects", () => {
  const listed = [
    ofForm("candidate"),
    ofForm("candidate"),
    ofForm("deleted", { status: "ARCHIVED" }),
    ofForm("placement", { target: { moduleKey: "staffing", objectKey: "placement", formId: null } }),
    own,
    { id: "lay_hidden" },
  ];
  const keys = (objects: { objectKey: string }[]) => objects.map(({ objectKey }) => objectKey);

  it("with forms are those whose forms own layouts that are not archived", () => {
    expect(keys(objectsWithForms(listed))).toEqual(["candidate"]);
  });

  it("of layouts are those that the targets name, each once", () => {
    expect(keys(objectsOf(listed))).toEqual(["candidate", "deleted", "placement"]);
  });

  it("of an organization that can have forms are those that are not subordinate", () => {
    const objects = [
      { key: "candidate", name: "Candidate", kind: "REGULAR" },
      { key: "milestone", name: "Milestone", kind: "SUBORDINATE" },
    ];
    expect(objectsIn({ modules: [{ key: "staffing", objects }] })).toEqual([
      { object: { moduleKey: "staffing", objectKey: "candidate" }, name: "Candidate" },
    ]);
  });
});
