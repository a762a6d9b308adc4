/** The cases about creating a layout of the organization. */

import { asDocumented, SURFACES } from "../../../src/schemas/words.ts";
import { describe, expect, it } from "vitest";
import type { Surface } from "../../../src/schemas/layout.ts";
import { CANDIDATE, conflictOf, invalidAt, MILESTONE, PLACEMENT, refusal, VISIT } from "../forms/world.ts";
import { isNotAccepted } from "../in-world.ts";
import type { Provider } from "../provider.ts";
import { codesOf, contractorPage, inWorld, type LayoutBody } from "./world.ts";

const TARGETS: Record<Surface, LayoutBody["target"]> = {
  DYNAMIC_OBJECT: CANDIDATE,
  DASHBOARD: { dashboardKey: "ops" },
  CONTRACTOR: {},
  USER: { entityId: "usr_1" },
  SALES_INVOICE: { scopeId: "export" },
  COST_INVOICE: { scopeId: "export", entityId: "inv_1" },
  ORGANIZATION: { scopeId: null },
};

export function createCases(provider: Provider): void {
  describe("creating a layout", () => {
    it(
      "returns the layout in DRAFT, with name, modes, target and metadata as given (R31, R32, R33, R85)",
      inWorld(provider, async ({ service, reader, clock, requiredMutation }) => {
        const body: LayoutBody = {
          surface: "SALES_INVOICE",
          supportedModes: ["EDIT", "VIEW"],
          target: { scopeId: "export", entityId: null },
          name: "  Export invoice ",
          metadata: { owner: { team: "billing" }, tags: [1, null] },
        };
        const layout = await service.createLayout({ body: { ...body, ...requiredMutation() } });
        expect(layout).toMatchObject({
          ...body,
          name: "Export invoice",
          ownerScope: "ORGANIZATION",
          status: "DRAFT",
          currentVersionId: null,
          currentVersion: null,
          assignments: [],
          createdAt: clock.now.toISOString(),
          updatedAt: clock.now.toISOString(),
        });
        expect(await reader.getLayout({ layoutId: layout.id })).toEqual(layout);
      }),
    );

    it.each(SURFACES)(
      "begins on %s with version 1: the surface's regions, no blocks, no publish (R37, R45)",
      (surface) =>
        inWorld(provider, async ({ service, newLayout }) => {
          const layout = await newLayout({ surface, target: TARGETS[surface], supportedModes: ["VIEW"] });
          const query = provider.accepts("getSurfaceDefinitions", "surface") ? { surface } : {};
          const { surfaces } = await service.getSurfaceDefinitions({ query });
          const versions = await service.listVersions({ layoutId: layout.id });
          expect(versions).toMatchObject([
            {
              id: layout.latestDraftVersionId,
              version: 1,
              status: "DRAFT",
              schemaVersion: 1,
              regions: surfaces.find((one) => one.surface === surface)!.regions,
              blocks: [],
              stagedFieldDefinitions: [],
              scriptBindings: [],
              metadata: null,
              supportedModes: ["VIEW"],
              sourceVersionId: null,
              publishedAt: null,
            },
          ]);
          expect(versions[0]!.validation).toMatchObject({ state: "valid_with_warnings", errors: [] });
          expect(codesOf(versions[0]!.validation.warnings)).toContain("MODE_EMPTY");
          expect(layout.latestDraftVersion).toMatchObject({ id: layout.latestDraftVersionId, status: "DRAFT" });
        })(),
    );

    it(
      "checks the first draft like any other: CREATE lacks what the object requires",
      inWorld(provider, async ({ newLayout }) => {
        const layout = await newLayout({ surface: "DYNAMIC_OBJECT", target: CANDIDATE, supportedModes: ["CREATE"] });
        expect(layout.latestDraftVersion?.validation.state).toBe("invalid");
        expect(codesOf(layout.latestDraftVersion!.validation.errors)).toEqual([
          "REQUIRED_FIELD_MISSING",
          "REQUIRED_FIELD_MISSING",
        ]);
      }),
    );

    it(
      "treats missing metadata as null",
      inWorld(provider, async ({ newLayout }) => {
        expect(await newLayout()).toMatchObject({ metadata: null });
        expect(await newLayout({ metadata: {} })).toMatchObject({ metadata: {} });
      }),
    );

    it(
      "creates any number of layouts for one target",
      inWorld(provider, async ({ newLayout }) => {
        const [first, second] = [await newLayout(), await newLayout()];
        expect(second.id).not.toBe(first.id);
        expect(second).toMatchObject({ name: first.name, target: first.target });
      }),
    );

    it(
      "accepts a subordinate object, which refuses only standalone forms (R10)",
      inWorld(provider, async ({ newLayout }) => {
        const layout = await newLayout({ surface: "DYNAMIC_OBJECT", target: MILESTONE, supportedModes: ["VIEW"] });
        expect(layout.target).toEqual(MILESTONE);
      }),
    );

    it(
      "refuses the target of a form, which already has its layout (R34, R86)",
      inWorld(provider, async ({ service, newForm, acceptedMutation }) => {
        const form = await newForm(["VIEW"]);
        const body = { ...contractorPage, surface: "DYNAMIC_OBJECT" as const, ...acceptedMutation() };
        for (const formId of [form.id, "frm_nobody"]) {
          const refused = await refusal(service.createLayout({ body: { ...body, target: { ...CANDIDATE, formId } } }));
          expect(refused).toEqual(conflictOf("LAYOUT_FORM_OWNED"));
          expect(refused.body.clientMutationId).toBe(body.clientMutationId);
        }
        const nearMiss = { ...body, target: { ...CANDIDATE, formId: null } };
        expect(await service.createLayout({ body: nearMiss })).toMatchObject({ target: CANDIDATE });
      }),
    );

    it(
      "refuses a missing object and an object of another organization with the same response (R105)",
      inWorld(provider, async ({ service, acceptedMutation }) => {
        const mutation = acceptedMutation();
        const refuse = (target: LayoutBody["target"]) =>
          refusal(
            service.createLayout({ body: { ...contractorPage, surface: "DYNAMIC_OBJECT", target, ...mutation } }),
          );
        const foreign = await refuse(VISIT);
        expect(foreign).toEqual(invalidAt("target.objectKey"));
        expect(foreign.body.clientMutationId).toBe(mutation.clientMutationId);
        const never = await refuse({ moduleKey: "care", objectKey: "shift" });
        expect(JSON.stringify(never.body).replaceAll("shift", "visit")).toBe(JSON.stringify(foreign.body));
        expect(await refuse({ ...PLACEMENT, objectKey: "nothing" })).toEqual(invalidAt("target.objectKey"));
      }),
    );

    const wrong: [what: string, members: Record<string, unknown>, fields: string[]][] = [
      ["no surface", { surface: undefined }, ["surface"]],
      ["a surface that is none", { surface: "PAGE" }, ["surface"]],
      ["no modes", { supportedModes: undefined }, ["supportedModes"]],
      ["an empty list of modes", { supportedModes: [] }, ["supportedModes"]],
      ["a mode twice", { supportedModes: ["VIEW", "VIEW"] }, ["supportedModes[1]"]],
      ["an unknown mode", { supportedModes: ["WORKSPACE"] }, ["supportedModes[0]"]],
      ["no target", { target: undefined }, ["target"]],
      ["no object for an object's page", { surface: "DYNAMIC_OBJECT" }, ["target.moduleKey", "target.objectKey"]],
      ["no key for a dashboard", { surface: "DASHBOARD" }, ["target.dashboardKey"]],
      ["no key for a dashboard and no name", { surface: "DASHBOARD", name: 7 }, ["name", "target.dashboardKey"]],
      ["a target of another surface", { target: { dashboardKey: "ops" } }, ["target.dashboardKey"]],
      ["an unknown member of the target", { target: { page: "x" } }, ["target.page"]],
      ["an id that is invalid in a path", { target: { scopeId: "a/../b" } }, ["target.scopeId"]],
      ["no name", { name: undefined }, ["name"]],
      ["a blank name", { name: "  " }, ["name"]],
      ["metadata that is a list", { metadata: [] }, ["metadata"]],
      ["an unknown member", { ownerScope: "SYSTEM" }, ["ownerScope"]],
      ["an empty clientMutationId", { clientMutationId: "" }, ["clientMutationId"]],
    ];
    it.each(wrong)("refuses %s", (_what, members, fields) =>
      inWorld(provider, async ({ service, reader, requiredMutation }) => {
        const body = { ...contractorPage, ...requiredMutation(), ...members };
        expect(await refusal(service.createLayout({ body }))).toEqual(invalidAt(...fields));
        expect(await reader.listLayouts({})).toEqual([]);
      })(),
    );

    it(
      "refuses INVOICE, and names the two kinds of invoices",
      inWorld(provider, async ({ service, requiredMutation }) => {
        const body = { ...contractorPage, ...requiredMutation(), surface: "INVOICE" };
        const refused = await refusal(service.createLayout({ body: asDocumented(body) }));
        expect(refused).toEqual(invalidAt("surface"));
        expect(refused.body.fieldErrors!["surface"]![0]).toMatch(/SALES_INVOICE or COST_INVOICE/);
      }),
    );

    const limits: [what: string, path: string, members: (size: number) => Partial<LayoutBody>, most: number][] = [
      ["a name", "name", (size) => ({ name: "n".repeat(size) }), 200],
      ["metadata in bytes of JSON", "metadata", (size) => ({ metadata: { a: "é".repeat((size - 8) / 2) } }), 16 * 1024],
      ["a clientMutationId", "clientMutationId", (size) => ({ clientMutationId: "c".repeat(size) }), 128],
    ];
    it.each(limits)("accepts %s of the maximum length, and refuses longer ones", (_what, path, members, most) =>
      inWorld(provider, async ({ service, reader, requiredMutation }) => {
        const create = (size: number) =>
          service.createLayout({ body: { ...contractorPage, ...requiredMutation(), ...members(size) } });
        if (await isNotAccepted(provider, "createLayout", Object.keys(members(most)), () => create(most))) return;
        await create(most);
        expect(await refusal(create(most + 2))).toEqual(invalidAt(path));
        expect(await reader.listLayouts({})).toHaveLength(1);
      })(),
    );
  });
}
