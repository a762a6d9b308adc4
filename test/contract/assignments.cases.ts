/** The cases about assignments of layouts, and the resolution of layouts by assignments. */

import { describe, expect, it } from "vitest";
import type { Mode } from "../../src/schemas/form.ts";
import type { Input } from "../../src/schemas/operations.ts";
import { asDocumented } from "../../src/schemas/words.ts";
import { CANDIDATE, conflictOf, invalidAt, MISSING, refusal } from "./forms/world.ts";
import { contractorDraft, inWorld, type Layout, type LayoutBody, type LayoutsWorld } from "./layouts/world.ts";
import type { Provider } from "./provider.ts";

type Set = Omit<Input<"replaceAssignments">["body"], "clientMutationId">;

function assigner({ service, mutation }: LayoutsWorld) {
  return ({ id: layoutId }: { id: string }, set: Set): Promise<Layout> =>
    service.replaceAssignments({ layoutId, body: { ...mutation(), ...set } });
}

export function assignmentCases(provider: Provider): void {
  describe("assignments", () => {
    it(
      "are answered with the layout, the default first and the roles as given (R46, R96)",
      inWorld(provider, async (world) => {
        const layout = await world.newLayout();
        const [recruiter, officer] = [await world.roleId("recruiter"), await world.roleId("compliance_officer")];
        world.clock.advance(1000);
        const assigned = await assigner(world)(layout, {
          organizationDefault: true,
          roles: [{ roleId: officer, priority: -3 }, { roleId: recruiter }],
        });
        const { surface, supportedModes, target } = layout;
        const shared = { id: expect.any(String) as string, layoutId: layout.id, surface, supportedModes, target };
        expect(assigned).toEqual({
          ...layout,
          updatedAt: world.clock.now.toISOString(),
          assignments: [
            { ...shared, roleId: null, priority: 0, isDefault: true },
            { ...shared, roleId: officer, priority: -3, isDefault: false },
            { ...shared, roleId: recruiter, priority: 0, isDefault: false },
          ],
        });
        expect(new Set(assigned.assignments.map((one) => one.id)).size).toBe(3);
        expect(await world.reader.getLayout({ layoutId: layout.id })).toEqual(assigned);
        const turned = await assigner(world)(layout, { roles: [{ roleId: recruiter }, { roleId: officer }] });
        expect(turned.assignments.map((one) => one.roleId)).toEqual([recruiter, officer]);
      }),
    );

    it(
      "are replaced as a whole (R96)",
      inWorld(provider, async (world) => {
        const assign = assigner(world);
        const layout = await world.newLayout();
        const [recruiter, manager] = [await world.roleId("recruiter"), await world.roleId("account_manager")];
        await assign(layout, { organizationDefault: true, roles: [{ roleId: recruiter, priority: 1 }] });
        const second = await assign(layout, { roles: [{ roleId: manager, priority: 2 }] });
        expect(second.assignments).toMatchObject([{ roleId: manager, priority: 2, isDefault: false }]);
        expect((await assign(layout, {})).assignments).toEqual([]);
      }),
    );

    it(
      "can be repeated unchanged",
      inWorld(provider, async (world) => {
        const assign = assigner(world);
        const layout = await world.newLayout();
        const set = { organizationDefault: true, roles: [{ roleId: await world.roleId("recruiter"), priority: 5 }] };
        const roles = (answer: Layout) => answer.assignments.map(({ roleId, priority }) => [roleId, priority]);
        expect(roles(await assign(layout, set))).toEqual(roles(await assign(layout, set)));
      }),
    );

    it(
      "share a role among layouts",
      inWorld(provider, async (world) => {
        const assign = assigner(world);
        const roles = [{ roleId: await world.roleId("recruiter"), priority: 1 }];
        const [first, second] = [await world.newLayout(), await world.newLayout()];
        await assign(first, { roles });
        await assign(second, { roles });
        const listed = await world.reader.listLayouts({});
        expect(listed.map((layout) => layout.assignments.length)).toEqual([1, 1]);
      }),
    );

    it(
      "are refused for the layout of a form (R99)",
      inWorld(provider, async (world) => {
        const form = await world.newForm(["VIEW"]);
        const { clientMutationId } = world.mutation();
        const body = { clientMutationId, organizationDefault: false };
        const refused = await refusal(world.service.replaceAssignments({ layoutId: form.viewLayoutId, body }));
        expect(refused).toEqual(conflictOf("LAYOUT_FORM_OWNED"));
        expect(refused.body.clientMutationId).toBe(clientMutationId);
        const own = await world.newLayout({ surface: "DYNAMIC_OBJECT", target: CANDIDATE });
        expect((await assigner(world)(own, { organizationDefault: true })).assignments).toHaveLength(1);
      }),
    );

    it(
      "refuse roles that are not the organization's, foreign or never there, by the same words, and change nothing",
      inWorld(provider, async (world) => {
        const assign = assigner(world);
        const layout = await world.newLayout();
        const [recruiter, nurse] = [await world.roleId("recruiter"), await world.roleId("nurse")];
        const before = await assign(layout, { roles: [{ roleId: recruiter }] });
        const refuse = (roleId: string) =>
          refusal(
            world.service.replaceAssignments({
              layoutId: layout.id,
              body: { clientMutationId: "try", roles: [{ roleId: recruiter, priority: 2 }, { roleId }] },
            }),
          );
        const foreign = await refuse(nurse);
        expect(foreign).toEqual(invalidAt("roles[1].roleId"));
        expect(JSON.stringify((await refuse("rol_nobody")).body)).toBe(JSON.stringify(foreign.body));
        expect(await world.reader.getLayout({ layoutId: layout.id })).toEqual(before);
      }),
    );

    const wrong: [what: string, set: (roleId: string) => Record<string, unknown>, fields: string[]][] = [
      ["no clientMutationId", () => ({ clientMutationId: undefined }), ["clientMutationId"]],
      ["an unknown member", () => ({ default: true }), ["default"]],
      ["a default that is text", () => ({ organizationDefault: "yes" }), ["organizationDefault"]],
      ["a role twice", (roleId) => ({ roles: [{ roleId }, { roleId, priority: 1 }] }), ["roles[1].roleId"]],
      ["half a priority", (roleId) => ({ roles: [{ roleId, priority: 0.5 }] }), ["roles[0].priority"]],
      ["a priority over 32 bits", (roleId) => ({ roles: [{ roleId, priority: 2 ** 31 }] }), ["roles[0].priority"]],
      ["a role without an id", () => ({ roles: [{ priority: 1 }] }), ["roles[0].roleId"]],
      ["an unknown member of a role", (roleId) => ({ roles: [{ roleId, order: 1 }] }), ["roles[0].order"]],
    ];
    it.each(wrong)("refuse %s", (_what, set, fields) =>
      inWorld(provider, async (world) => {
        const layout = await world.newLayout();
        const roleId = await world.roleId("recruiter");
        expect(await refusal(assigner(world)(layout, set(roleId)))).toEqual(invalidAt(...fields));
        const nearMiss = await assigner(world)(layout, { roles: [{ roleId, priority: 2 ** 31 - 1 }] });
        expect(nearMiss.assignments).toMatchObject([{ priority: 2 ** 31 - 1 }]);
      })(),
    );
  });

  describe("the organization default", () => {
    it(
      "is one for a surface, target and mode: a second is refused, and names the holder",
      inWorld(provider, async (world) => {
        const assign = assigner(world);
        const holder = await world.newLayout({ name: "Holder", supportedModes: ["VIEW", "EDIT"] });
        const rival = await world.newLayout({ supportedModes: ["EDIT", "CREATE"] });
        await assign(holder, { organizationDefault: true });
        const set = { organizationDefault: true, roles: [{ roleId: await world.roleId("recruiter") }] };
        const refused = await refusal(assign(rival, set));
        expect(refused).toEqual(conflictOf("ASSIGNMENT_DEFAULT_TAKEN"));
        expect(refused.body.message).toContain("Holder");
        expect(refused.body.meta).toEqual({ layoutId: holder.id, layoutName: "Holder", modes: ["EDIT"] });
        expect(refused.body.clientMutationId).toEqual(expect.any(String));
        expect(await world.reader.getLayout({ layoutId: rival.id })).toEqual(rival);

        await assign(holder, {});
        expect((await assign(rival, set)).assignments).toHaveLength(2);
      }),
    );

    const elsewhere: [what: string, members: Partial<LayoutBody>][] = [
      ["another mode", { supportedModes: ["CREATE"] }],
      ["another surface", { surface: "USER" }],
      ["another target", { target: { scopeId: "export" } }],
    ];
    it.each(elsewhere)("may be another one for %s", (_what, members) =>
      inWorld(provider, async (world) => {
        const assign = assigner(world);
        await assign(await world.newLayout(), { organizationDefault: true });
        const other = await assign(await world.newLayout(members), { organizationDefault: true });
        expect(other.assignments).toMatchObject([{ isDefault: true }]);
      })(),
    );

    it(
      "is the same for a target without a member and with null for it",
      inWorld(provider, async (world) => {
        const assign = assigner(world);
        await assign(await world.newLayout({ target: {} }), { organizationDefault: true });
        const rival = await world.newLayout({ target: { scopeId: null } });
        expect(await refusal(assign(rival, { organizationDefault: true }))).toEqual(
          conflictOf("ASSIGNMENT_DEFAULT_TAKEN"),
        );
      }),
    );

    it(
      "is each organization's own",
      inWorld(provider, async (world) => {
        const layout = await world.newLayout();
        await assigner(world)(layout, { organizationDefault: true });
        const contoso = await world.as("contoso");
        const { surface, supportedModes, target, name } = layout;
        const theirs = await contoso.createLayout({
          body: asDocumented({ surface, supportedModes, target, name, ...world.requiredMutation() }),
        });
        const body = { clientMutationId: "theirs", organizationDefault: true };
        const answer = await contoso.replaceAssignments({ layoutId: theirs.id, body });
        expect(answer.assignments).toMatchObject([{ isDefault: true }]);
      }),
    );

    it(
      "follows the modes of its layout, as far as no other layout is the default for a new one",
      inWorld(provider, async (world) => {
        const assign = assigner(world);
        const patch = ({ id: layoutId }: Layout, supportedModes: Mode[]) =>
          world.service.updateLayout({ layoutId, body: { supportedModes } });
        const holder = await world.newLayout({ supportedModes: ["VIEW"] });
        const rival = await world.newLayout({ supportedModes: ["EDIT"] });
        await assign(holder, { organizationDefault: true });
        const before = await assign(rival, { organizationDefault: true });

        const refused = await refusal(patch(rival, ["EDIT", "VIEW"]));
        expect(refused).toEqual(conflictOf("ASSIGNMENT_DEFAULT_TAKEN"));
        expect(refused.body.meta).toMatchObject({ layoutId: holder.id, modes: ["VIEW"] });
        expect(await world.reader.getLayout({ layoutId: rival.id })).toEqual(before);

        const nearMiss = await patch(rival, ["EDIT", "CREATE"]);
        expect(nearMiss.assignments).toMatchObject([{ isDefault: true, supportedModes: ["EDIT", "CREATE"] }]);
        const third = await world.newLayout({ supportedModes: ["CREATE"] });
        expect(await refusal(assign(third, { organizationDefault: true }))).toEqual(
          conflictOf("ASSIGNMENT_DEFAULT_TAKEN"),
        );
        // The holder of the default gives up CREATE, so another layout can take CREATE.
        await patch(rival, ["EDIT"]);
        expect((await assign(third, { organizationDefault: true })).assignments).toHaveLength(1);
      }),
    );
  });

  describe("the layout that a member sees", () => {
    const BO = "bo@northwind.example";
    const DANA = "dana@northwind.example";

    const resolverOf = ({ local }: LayoutsWorld) => {
      const place = { organization: "northwind", surface: "CONTRACTOR", target: {}, mode: "VIEW", memberEmail: BO };
      return (members: Partial<typeof place> = {}) => local.resolveLayout({ ...place, ...members });
    };

    async function published(world: LayoutsWorld, set: Set, members: Partial<LayoutBody> = {}) {
      const layout = await world.newLayout(members);
      await world.publishNew(layout.id);
      return assigner(world)(layout, set);
    }

    it(
      "is that of a role with the lowest priority number, of equals the oldest, before the organization default",
      inWorld(provider, async (world) => {
        const resolve = resolverOf(world);
        const [recruiter, manager] = [await world.roleId("recruiter"), await world.roleId("account_manager")];
        expect(await resolve()).toBeNull();
        const fallback = await published(world, { organizationDefault: true });
        expect(await resolve()).toEqual({
          layoutId: fallback.id,
          layoutName: fallback.name,
          versionId: fallback.currentVersionId,
          reason: "ORGANIZATION_DEFAULT",
        });
        const far = await published(world, { roles: [{ roleId: recruiter, priority: 7 }] });
        expect(await resolve()).toMatchObject({ layoutId: far.id, reason: "ROLE" });
        const near = await published(world, { roles: [{ roleId: manager, priority: 3 }] }, { name: "Near" });
        await published(world, { roles: [{ roleId: recruiter, priority: 3 }] });
        expect(await resolve()).toEqual({
          layoutId: near.id,
          layoutName: "Near",
          versionId: near.currentVersionId,
          reason: "ROLE",
        });
        expect(await resolve({ memberEmail: DANA })).toMatchObject({ layoutId: fallback.id });
      }),
    );

    it(
      "is published, not archived, of the very target, and serves the mode",
      inWorld(provider, async (world) => {
        const resolve = resolverOf(world);
        const set = { roles: [{ roleId: await world.roleId("recruiter") }] };
        await assigner(world)(await world.newLayout(), set);
        await published(world, set, { target: { scopeId: "export" } });
        await published(world, set, { supportedModes: ["EDIT"] });
        const archived = await published(world, set);
        await world.service.archiveLayout({ layoutId: archived.id });
        expect(await resolve()).toBeNull();
        expect(await resolve({ target: { scopeId: "export" } })).toMatchObject({ reason: "ROLE" });
        expect(await resolve({ mode: "EDIT" })).toMatchObject({ reason: "ROLE" });
      }),
    );

    it(
      "serves a new mode only from the next publish on",
      inWorld(provider, async (world) => {
        const resolve = resolverOf(world);
        const layout = await published(world, { organizationDefault: true }, { supportedModes: ["VIEW"] });
        await world.service.updateLayout({ layoutId: layout.id, body: { supportedModes: ["VIEW", "EDIT"] } });
        expect(await resolve({ mode: "EDIT" })).toBeNull();
        await world.publishNew(layout.id, contractorDraft);
        expect(await resolve({ mode: "EDIT" })).toMatchObject({ layoutId: layout.id });

        const near = { roles: [{ roleId: await world.roleId("recruiter"), priority: 1 }] };
        const later = await published(world, near, { supportedModes: ["VIEW"] });
        await world.service.updateLayout({ layoutId: later.id, body: { supportedModes: ["EDIT"] } });
        const far = { roles: [{ roleId: await world.roleId("recruiter"), priority: 2 }] };
        const ready = await published(world, far, { supportedModes: ["EDIT"] });
        expect(await resolve({ mode: "EDIT" })).toMatchObject({ layoutId: ready.id, reason: "ROLE" });
      }),
    );

    it(
      "is not asked for with words that mean nothing",
      inWorld(provider, async (world) => {
        const resolve = resolverOf(world);
        expect(await refusal(resolve({ surface: "PAGE", mode: "PRINT" }))).toEqual(invalidAt("surface", "mode"));
        expect(await refusal(resolve({ target: { page: "x" } }))).toEqual(invalidAt("target.page"));
        const desk = { dashboardKey: "desk" };
        expect(await refusal(resolve({ target: desk }))).toEqual(invalidAt("target.dashboardKey"));
        expect(await refusal(resolve({ surface: "DASHBOARD" }))).toEqual(invalidAt("target.dashboardKey"));
        expect(await refusal(resolve({ memberEmail: "eve@contoso.example" }))).toEqual(MISSING);
      }),
    );
  });
}
