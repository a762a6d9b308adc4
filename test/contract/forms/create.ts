/** Creating and reading forms. */

import { describe, expect, it } from "vitest";
import type { Provider } from "../provider.ts";
import { CANDIDATE, conflictOf, invalidAt, inWorld, MILESTONE, MISSING, PLACEMENT, refusal } from "./world.ts";

/** Returns a config of exactly `bytes` bytes as JSON text. */
const configOf = (bytes: number) => ({ note: "x".repeat(bytes - JSON.stringify({ note: "" }).length) });

export function createCases(provider: Provider): void {
  describe("creating a form", () => {
    it(
      "answers the form as it was given, with ids of its own (R14-R19, R58, R63)",
      inWorld(provider, async ({ service, clock }) => {
        const config = { title: "Apply", successMessage: "Thank you", description: "Two minutes", tone: ["warm"] };
        const body = {
          name: "Intake",
          types: ["EDIT" as const, "CREATE" as const],
          isActive: false,
          isPublic: true,
          config,
        };
        const form = await service.createForm({ ...CANDIDATE, body });
        expect(form).toMatchObject({ ...body, createdAt: clock.now.toISOString(), updatedAt: clock.now.toISOString() });
        expect(form.types).toEqual(["EDIT", "CREATE"]);
        expect(form.id).not.toBe("");
        expect(form.publicToken).not.toBeNull();
        expect(await service.getForm({ ...CANDIDATE, formId: form.id })).toEqual(form);
      }),
    );

    it(
      "is active, not public and without config by default",
      inWorld(provider, async ({ newForm }) => {
        const form = await newForm("Intake", ["CREATE"]);
        expect(form).toMatchObject({ isActive: true, isPublic: false, publicToken: null, config: null });
      }),
    );

    it(
      "creates exactly one layout with the name and modes of the form (R7, R21)",
      inWorld(provider, async ({ reader, newForm }) => {
        const form = await newForm("Profile", ["VIEW", "EDIT"]);
        const layout = await reader.getLayout({ layoutId: form.viewLayoutId });
        expect(layout).toMatchObject({ name: "Profile", surface: "DYNAMIC_OBJECT", supportedModes: ["VIEW", "EDIT"] });
        expect(layout.target).toMatchObject({ ...CANDIDATE, formId: form.id });
        expect(form.viewLayoutName).toBe("Profile");
        expect(await reader.listLayouts({ query: { formId: form.id } })).toHaveLength(1);
      }),
    );

    it(
      "has a draft for each mode and can be used in none (R22, R23, R25)",
      inWorld(provider, async ({ service, newForm }) => {
        const form = await newForm("Profile", ["VIEW", "EDIT"]);
        const state = { state: "DRAFT_ONLY", layoutId: form.viewLayoutId, layoutName: "Profile" };
        expect(form.layoutAvailability).toEqual({ VIEW: state, EDIT: state });
        expect(form.usableTypes).toEqual([]);
        expect(form.layoutWarnings.map(({ type, code }) => [type, code])).toEqual([
          ["VIEW", "LAYOUT_DRAFT_ONLY"],
          ["EDIT", "LAYOUT_DRAFT_ONLY"],
        ]);
        const versions = await service.listVersions({ layoutId: form.viewLayoutId });
        expect(versions.map(({ status }) => status)).toEqual(["DRAFT"]);
      }),
    );

    it(
      "keeps two forms of one name apart by their ids",
      inWorld(provider, async ({ newForm }) => {
        const first = await newForm("Intake", ["CREATE"]);
        const second = await newForm("Intake", ["CREATE"]);
        expect(second.id).not.toBe(first.id);
        expect(second.viewLayoutId).not.toBe(first.viewLayoutId);
      }),
    );

    it(
      "trims the name and keeps an empty config empty",
      inWorld(provider, async ({ newForm }) => {
        expect(await newForm("  Intake \t", ["CREATE"], { config: {} })).toMatchObject({ name: "Intake", config: {} });
      }),
    );

    const wrongBodies: [what: string, body: unknown, fields: string[]][] = [
      ["no name and no types", {}, ["name", "types"]],
      ["a blank name", { name: "  ", types: ["VIEW"] }, ["name"]],
      ["a name of 201 characters", { name: "n".repeat(201), types: ["VIEW"] }, ["name"]],
      ["no mode (R16)", { name: "A", types: [] }, ["types"]],
      ["a mode twice (R16)", { name: "A", types: ["VIEW", "VIEW"] }, ["types[1]"]],
      ["an unknown mode (R16)", { name: "A", types: ["VIEW", "WORKSPACE"] }, ["types[1]"]],
      ["types that are no list", { name: "A", types: "VIEW" }, ["types"]],
      [
        "flags that are no booleans",
        { name: "A", types: ["VIEW"], isActive: 1, isPublic: "no" },
        ["isActive", "isPublic"],
      ],
      ["a config that is a list", { name: "A", types: ["VIEW"], config: [] }, ["config"]],
      [
        "texts that are no texts",
        { name: "A", types: ["VIEW"], config: { title: 1, description: null } },
        ["config.description", "config.title"],
      ],
      [
        "visual structure in config (R20)",
        { name: "A", types: ["VIEW"], config: { regions: [], blocks: [], layout: {} } },
        ["config.blocks", "config.layout", "config.regions"],
      ],
      ["16 KiB and a byte of config", { name: "A", types: ["VIEW"], config: configOf(16 * 1024 + 1) }, ["config"]],
      ["an unknown member", { name: "A", types: ["VIEW"], isactive: false }, ["isactive"]],
      [
        "members that every object has",
        { name: "A", types: ["VIEW"], toString: 1, valueOf: 1 },
        ["toString", "valueOf"],
      ],
      ["a member that is not safe to copy", { name: "A", types: ["VIEW"], constructor: 1 }, ["constructor"]],
    ];
    it.each(wrongBodies)("refuses %s", (_what, body, fields) =>
      inWorld(provider, async ({ service }) => {
        const request = service.createForm({ ...CANDIDATE, body: body as never });
        expect(await refusal(request)).toEqual(invalidAt(...fields));
        expect((await service.listForms(CANDIDATE)).data).toEqual([]);
      })(),
    );

    it(
      "accepts a name of 200 characters and 16 KiB of config",
      inWorld(provider, async ({ newForm }) => {
        const name = "n".repeat(200);
        const config = configOf(16 * 1024);
        expect(await newForm(name, ["VIEW"], { config })).toMatchObject({ name, config });
      }),
    );

    it(
      "refuses a form of a subordinate object, and accepts one of its parent (R10, R11)",
      inWorld(provider, async ({ service }) => {
        const body = { name: "Milestone", types: ["CREATE" as const] };
        const refused = await refusal(service.createForm({ ...MILESTONE, body }));
        expect(refused).toEqual(conflictOf("OBJECT_IS_SUBORDINATE"));
        expect(refused.body.message).toContain("the forms of its parent object staffing/placement");
        expect((await service.createForm({ ...PLACEMENT, body })).name).toBe("Milestone");
      }),
    );

    it(
      "refuses a form of a module or an object that does not exist (R11, R105)",
      inWorld(provider, async ({ service }) => {
        const body = { name: "Intake", types: ["CREATE" as const] };
        expect(await refusal(service.createForm({ ...CANDIDATE, moduleKey: "nobody", body }))).toEqual(MISSING);
        expect(await refusal(service.createForm({ ...CANDIDATE, objectKey: "nobody", body }))).toEqual(MISSING);
      }),
    );
  });

  describe("reading a form", () => {
    it(
      "finds it under its own object only (R4, R65, R105)",
      inWorld(provider, async ({ service, newForm }) => {
        const { id: formId } = await newForm("Intake", ["CREATE"]);
        expect((await service.getForm({ ...CANDIDATE, formId })).id).toBe(formId);
        expect(await refusal(service.getForm({ ...PLACEMENT, formId }))).toEqual(MISSING);
        expect(await refusal(service.getForm({ ...CANDIDATE, formId: "frm_nobody" }))).toEqual(MISSING);
      }),
    );

    it(
      "shows the layout's own name once that has changed, and not the form's (R21)",
      inWorld(provider, async ({ service, newForm }) => {
        const { id: formId, viewLayoutId: layoutId } = await newForm("Intake", ["CREATE"]);
        const renamed = await service.updateForm({ ...CANDIDATE, formId, body: { name: "Application" } });
        expect(renamed).toMatchObject({ name: "Application", viewLayoutName: "Intake" });
        await service.updateLayout({ layoutId, body: { name: "Application page" } });
        const form = await service.getForm({ ...CANDIDATE, formId });
        expect(form).toMatchObject({ name: "Application", viewLayoutName: "Application page" });
        expect(form.layoutAvailability.CREATE?.layoutName).toBe("Application page");
      }),
    );
  });
}
