/** Which ids of a form or layout are replaced, and which are reported. */

import { describe, expect, it } from "vitest";
import type { KnownRecords } from "../../src/state/target.ts";
import type { Exported } from "../../src/export/exported.ts";
import { openIdMap } from "../../src/promotion/ids.ts";
import type { JsonObject } from "../../src/schemas/json.ts";

/** Records by kind, each with its id and names. */
function records(named: Partial<Record<keyof KnownRecords["named"], Record<string, string[]>>>): KnownRecords["named"] {
  const list = (kind: keyof KnownRecords["named"]) =>
    Object.entries(named[kind] ?? {}).map(([id, names]) => ({ id, names }));
  return {
    role: list("role"),
    member: list("member"),
    script: list("script"),
    field: list("field"),
    module: list("module"),
    other: list("other"),
  };
}

const FROM = records({
  role: { rol_a: ["Lead"], rol_b: ["nurse"] },
  script: { scr_a: ["guard"] },
  field: { fld_a: ["m/o/email"], fld_b: ["m/o/phone"] },
  module: { m: ["m", "Main"] },
  other: { q_a: ["Open"] },
});
const TO = records({
  role: { rol_1: ["Lead"], rol_2: ["LEAD "], rol_b: ["nurse"] },
  script: { scr_1: ["guard"] },
  field: { fld_1: ["m/o/email"] },
  module: { main: ["Main"] },
  other: { q_1: ["Open"] },
});

function map(members: JsonObject, layout?: JsonObject) {
  const exported = [{ kind: "Form", formId: "frm_x", layoutId: "lay_x" }] as unknown as Exported[];
  const mapped = openIdMap(FROM, TO, exported)({ address: "m/o/F", members, layout });
  return { ...mapped, unmapped: mapped.unmapped.map(({ kind, id, path }) => `${kind} ${id} ${path}`) };
}

const layout = (blocks: unknown[], more: JsonObject = {}) => ({ schemaVersion: 1, regions: [], blocks, ...more });

describe("the ids of a promotion", () => {
  it("are replaced by name, and letter case distinguishes two names", () => {
    const { members, unmapped } = map({ access: { users: [], roles: [{ roleId: "rol_a", types: ["VIEW"] }] } });
    expect(members).toEqual({ access: { users: [], roles: [{ roleId: "rol_1", types: ["VIEW"] }] } });
    expect(unmapped).toEqual([]);
  });

  it("stay if the target has the same id, and are reported if it has neither the name nor the id", () => {
    expect(map({ access: { roles: [{ roleId: "rol_b" }] } })).toMatchObject({
      members: { access: { roles: [{ roleId: "rol_b" }] } },
      unmapped: [],
    });
    expect(map({ access: { roles: [{ roleId: "rol_z" }] } }).unmapped).toEqual(["role rol_z access.roles[0]"]);
  });

  it("of fields are left out next to a key, and replaced without one, at any depth", () => {
    const mapped = map(
      {},
      layout([
        { id: "a", type: "field", ref: { fieldKey: "email", fieldId: "fld_a" } },
        { id: "b", type: "section", children: [{ id: "c", type: "field", ref: { fieldDefinitionId: "fld_a" } }] },
        { id: "d", type: "field", ref: { fieldDefinitionId: "fld_b" } },
        { id: "e", type: "relation_table", ref: { relationFieldKey: "owner", relationFieldId: "fld_z" } },
      ]),
    );
    expect(mapped.layout).toMatchObject({
      blocks: [
        { ref: { fieldKey: "email" } },
        { children: [{ ref: { fieldDefinitionId: "fld_1" } }] },
        { ref: { fieldDefinitionId: "fld_b" } },
        { ref: { relationFieldKey: "owner" } },
      ],
    });
    const [first, , , last] = mapped.layout!["blocks"] as { ref: object }[];
    expect([Object.keys(first!.ref), Object.keys(last!.ref)]).toEqual([["fieldKey"], ["relationFieldKey"]]);
    expect(mapped.unmapped).toEqual(["field fld_b layout.blocks[2].ref.fieldDefinitionId"]);
  });

  it("in staged changes and bindings are replaced, and local ids stay", () => {
    const mapped = map(
      {},
      layout([{ id: "fld_a", type: "button", source: "system", regionKey: "rol_a" }], {
        stagedFieldDefinitions: [
          { draftId: "fld_a", action: "update", existingFieldDefinitionId: "fld_a", key: "email", name: "scr_a" },
          { draftId: "s2", action: "delete", existingFieldDefinitionId: "fld_z", key: "phone", scopeId: "q_a" },
        ],
        scriptBindings: [
          { id: "scr_a", scriptId: "scr_a", hook: "onRender", target: { blockId: "fld_a" }, config: { role: "rol_a" } },
          { id: "k", scriptId: "guard", hook: "onRender" },
          { id: "z", scriptId: "scr_z", hook: "onRender" },
        ],
      }),
    );
    expect(mapped.layout).toMatchObject({
      blocks: [{ id: "fld_a", regionKey: "rol_a" }],
      stagedFieldDefinitions: [
        { draftId: "fld_a", existingFieldDefinitionId: "fld_1", name: "scr_a" },
        { draftId: "s2", key: "phone", scopeId: "q_1" },
      ],
      scriptBindings: [
        { id: "scr_a", scriptId: "scr_1", target: { blockId: "fld_a" }, config: { role: "rol_1" } },
        { scriptId: "scr_1" },
        { scriptId: "scr_z" },
      ],
    });
    expect(mapped.unmapped).toEqual(["script scr_z layout.scriptBindings[2].scriptId"]);
  });

  it("in free members are replaced if they are known, and keys of modules by the names of the modules", () => {
    const mapped = map(
      {
        object: "m/o",
        config: { title: "rol_a", list: [{ deep: "q_a" }], moduleKey: "m", text: "m", link: "frm_x", unknown: "rol_q" },
      },
      layout([{ id: "a", ref: { moduleKey: "m" }, config: { page: "lay_x" } }], { metadata: { by: "scr_a" } }),
    );
    expect(mapped.members).toEqual({
      object: "main/o",
      config: {
        title: "rol_1",
        list: [{ deep: "q_1" }],
        moduleKey: "main",
        text: "m",
        link: "frm_x",
        unknown: "rol_q",
      },
    });
    expect(mapped.layout).toMatchObject({ blocks: [{ ref: { moduleKey: "main" } }], metadata: { by: "scr_1" } });
    expect(mapped.unmapped).toEqual(["form frm_x config.link", "layout lay_x layout.blocks[0].config.page"]);
  });

  it("of saved queries, scopes and entities are kept if they have no name", () => {
    const mapped = openIdMap(
      FROM,
      TO,
      [],
    )({
      address: "DASHBOARD/Board",
      members: { target: { scopeId: "s_9", entityId: "q_a", dashboardKey: "q_a" } },
      layout: layout([{ id: "a", ref: { savedQueryId: "q_9" } }]),
    });
    expect(mapped.members).toEqual({ target: { scopeId: "s_9", entityId: "q_1", dashboardKey: "q_a" } });
    expect(mapped.unmapped.map(({ id, isKept }) => [id, isKept])).toEqual([
      ["s_9", true],
      ["q_9", true],
    ]);
  });
});
