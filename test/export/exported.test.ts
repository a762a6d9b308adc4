/** The manifest of a form or layout that a server shows completely or in part. */

import { describe, expect, it } from "vitest";

import { documentsOf, exportForm, exportLayout, documentOf, streamOf } from "../../src/export/exported.ts";
import { contentOf } from "../../src/lists/versions.ts";
import { referencesOf } from "../../src/manifests/references.ts";
import type { DraftContent } from "../../src/schemas/draft.ts";
import type { Layout } from "../../src/schemas/layout.ts";
import type { ContentState, FormState, VersionState } from "../../src/state/state.ts";

const object = { moduleKey: "staffing", objectKey: "candidate" };
const { nameOf } = referencesOf(
  {
    role: [
      { id: "rol_1", names: ["Recruiter", "recruiter"] },
      { id: "rol_2", names: ["Twin"] },
      { id: "rol_3", names: ["Twin"] },
    ],
    member: [{ id: "mem_1", names: ["ana@northwind.example"] }],
  },
  () => "a test",
);

const shown: DraftContent = contentOf({
  regions: [{ layout: "grid", key: "main" }],
  blocks: [{ source: "system", type: "custom_html", id: "help", config: { html: "${x}" }, locked: true }],
  metadata: { formctl: { sha256: "00" }, owner: "desk" },
});

function version(content: DraftContent): VersionState {
  const trace = { id: "ver_1", number: 1, stamp: undefined, isCopy: false, shows: [] };
  return { ...trace, content, state: "valid", modes: ["VIEW", "CREATE"], committed: [] };
}

function state(more: Partial<FormState>, content: Partial<ContentState> = {}): FormState {
  return {
    form: { id: "frm_1", name: "Card", types: ["VIEW", "CREATE"], isActive: true, config: null, viewLayoutId: "lay_1" },
    defaultFor: ["VIEW"],
    access: { users: [], roles: [] },
    content: { layoutId: "lay_1", published: version(shown), draft: null, earlier: [], ...content },
    ...more,
  } as FormState;
}

describe("a form", () => {
  it("has its members in the order of the documentation, without members that servers add", () => {
    const exported = exportForm(object, state({}), nameOf);
    expect(exported.notes).toEqual([]);
    expect([...streamOf([exported, exported])].join("")).toBe(
      `kind: Form
object: staffing/candidate
name: Card
types:
  - CREATE
  - VIEW
isActive: true
config: null
defaultFor:
  - VIEW
access:
  users: []
  roles: []
layout:
  schemaVersion: 1
  regions:
    - key: main
      layout: grid
  blocks:
    - id: help
      type: custom_html
      source: system
      config:
        html: $$\{x}
  metadata:
    owner: desk
---
`.replace("\\", "") + [...streamOf([exported])].join(""),
    );
    expect(documentsOf([exported])).toEqual([documentOf(exported)]);
    expect(documentOf(exported, "./card.layout.yaml")["layout"]).toBe("./card.layout.yaml");
  });

  it("has unambiguous names instead of ids in access rows, sorted", () => {
    const access = {
      users: [
        { membershipId: "mem_2", types: ["VIEW" as const] },
        { membershipId: "mem_1", types: ["VIEW" as const, "CREATE" as const] },
      ],
      roles: ["rol_3", "rol_2", "rol_1"].map((roleId) => ({ roleId, types: ["VIEW" as const] })),
    };
    const turned = { users: access.users.toReversed(), roles: access.roles.toReversed() };
    const members = exportForm(object, state({ access }), nameOf).members["access"];
    expect(members).toEqual({
      users: [
        { member: "ana@northwind.example", types: ["CREATE", "VIEW"] },
        { membershipId: "mem_2", types: ["VIEW"] },
      ],
      roles: [
        { role: "Recruiter", types: ["VIEW"] },
        { roleId: "rol_2", types: ["VIEW"] },
        { roleId: "rol_3", types: ["VIEW"] },
      ],
    });
    expect(exportForm(object, state({ access: turned }), nameOf).members["access"]).toEqual(members);
  });

  it("omits members that the server does not show, with a note", () => {
    const { members, layout, notes } = exportForm(
      object,
      state({ defaultFor: undefined, access: undefined, content: undefined }),
      nameOf,
    );
    expect(Object.keys(members)).toEqual(["kind", "object", "name", "types", "isActive", "config"]);
    expect(layout).toBeUndefined();
    expect(notes).toEqual([
      "the layout can't be read: it is omitted",
      "the server does not show default forms: defaultFor is omitted",
    ]);
  });

  it("has the draft if nothing is published, and else a note about the draft", () => {
    const draft = version(shown);
    const unpublished = exportForm(object, state({}, { published: null, draft }), nameOf);
    expect(unpublished).toMatchObject({ members: { publish: false }, layout: { blocks: [{ id: "help" }] } });
    const published = exportForm(object, state({}, { draft: { ...draft, id: "ver_2" } }), nameOf);
    expect(published.members).not.toHaveProperty("publish");
    expect(published.notes).toEqual(["the unpublished draft ver_2 is omitted: the published version is exported"]);
  });

  it("has no layout of an unsupported schema version", () => {
    const published = version({ ...shown, schemaVersion: 2 });
    const { layout, notes } = exportForm(object, state({}, { published }), nameOf);
    expect(layout).toBeUndefined();
    expect(notes).toEqual(["the layout has schema version 2, but manifests support only 1: it is omitted"]);
  });
});

describe("a layout", () => {
  const layout = {
    id: "lay_9",
    surface: "DASHBOARD",
    supportedModes: ["VIEW"],
    target: { dashboardKey: "main", scopeId: null },
    name: "Board",
    metadata: null,
  } as unknown as Layout;
  const content = { layoutId: "lay_9", published: version(shown), draft: null, earlier: [] };

  it("has an address of surface, target and name", () => {
    const assignments = [
      { roleId: null, priority: 0, isDefault: true },
      { roleId: "rol_1", priority: 3, isDefault: false },
    ] as Layout["assignments"];
    const exported = exportLayout({ ...layout, assignments }, content, nameOf);
    expect(exported.address).toBe("DASHBOARD dashboardKey=main/Board");
    expect(exported.members).toEqual({
      kind: "Layout",
      name: "Board",
      surface: "DASHBOARD",
      supportedModes: ["VIEW"],
      target: { dashboardKey: "main" },
      metadata: null,
      assignments: { organizationDefault: true, roles: [{ role: "Recruiter", priority: 3 }] },
    });
  });

  it("has no assignments if the server does not show them", () => {
    const { members, notes } = exportLayout(layout, content, nameOf);
    expect(members).not.toHaveProperty("assignments");
    expect(notes).toEqual(["the server does not show assignments: they are omitted"]);
  });
});
