/** Changing and deleting forms. */

import { describe, expect, it } from "vitest";
import { isNotAccepted } from "../in-world.ts";
import type { Provider } from "../provider.ts";
import { CANDIDATE, conflictOf, invalidAt, inWorld, listed, MISSING, REQUIRED_FIELDS, refusal } from "./world.ts";

export function changeCases(provider: Provider): void {
  describe("changing a form", () => {
    it(
      "changes what the body names and nothing else (R66, R72, R76)",
      inWorld(provider, async ({ service, newForm, clock }) => {
        const form = await newForm("Intake", ["CREATE"], { config: { title: "Apply" } });
        const at = { ...CANDIDATE, formId: form.id };
        clock.advance(1000);
        const updatedAt = clock.now.toISOString();
        const renamed = await service.updateForm({ ...at, body: { name: "Application" } });
        expect(renamed).toEqual({ ...form, name: "Application", updatedAt });
        expect(await service.updateForm({ ...at, body: { config: { description: "Short" } } })).toEqual({
          ...renamed,
          config: { description: "Short" },
        });
        expect(await service.updateForm({ ...at, body: { config: null } })).toEqual({ ...renamed, config: null });
        expect(await service.getForm(at)).toEqual({ ...renamed, config: null });
      }),
    );

    it(
      "keeps updatedAt if nothing changes",
      inWorld(provider, async ({ service, newForm, clock }) => {
        const form = await newForm("Profile", ["VIEW", "EDIT"], { config: { title: "A", description: "B" } });
        clock.advance(1000);
        for (const body of [
          {},
          { name: " Profile " },
          { types: ["EDIT" as const, "VIEW" as const] },
          { config: { description: "B", title: "A" }, isActive: true, isPublic: false },
        ]) {
          const update = () => service.updateForm({ ...CANDIDATE, formId: form.id, body });
          if (await isNotAccepted(provider, "updateForm", Object.keys(body), update)) continue;
          expect(await update()).toEqual(form);
        }
      }),
    );

    it(
      "replaces the modes as a whole, and the layout follows (R59, R72)",
      inWorld(provider, async ({ service, reader, newForm }) => {
        const form = await newForm("Profile", ["VIEW", "EDIT"]);
        const types = ["CREATE" as const, "VIEW" as const];
        const changed = await service.updateForm({ ...CANDIDATE, formId: form.id, body: { types } });
        expect(changed.types).toEqual(types);
        expect(Object.keys(changed.layoutAvailability).sort()).toEqual(["CREATE", "VIEW"]);
        expect((await reader.getLayout({ layoutId: form.viewLayoutId })).supportedModes).toEqual(types);
        expect((await reader.listLayouts({ query: { formId: form.id, mode: "EDIT" } })).length).toBe(0);
      }),
    );

    it(
      "keeps the order of modes that are a subset of the former ones as it is given",
      inWorld(provider, async ({ service, newForm }) => {
        const form = await newForm("All", ["CREATE", "VIEW", "EDIT"]);
        const body = { types: ["EDIT" as const, "CREATE" as const] };
        expect((await service.updateForm({ ...CANDIDATE, formId: form.id, body })).types).toEqual(body.types);
      }),
    );

    const wrongBodies: [what: string, body: unknown, fields: string[]][] = [
      ["no mode (R73)", { types: [] }, ["types"]],
      ["a mode twice (R73)", { types: ["EDIT", "EDIT"] }, ["types[1]"]],
      ["an unknown mode", { types: ["EDIT", "PRINT"] }, ["types[1]"]],
      ["null for types", { types: null }, ["types"]],
      ["null for the name", { name: null }, ["name"]],
      ["a blank name", { name: " " }, ["name"]],
      ["visual structure in config (R20)", { config: { blocks: [] } }, ["config.blocks"]],
      ["an unknown member, with everything else", { name: "New", type: "VIEW" }, ["type"]],
      ["the id", { id: "frm_other" }, ["id"]],
    ];
    it.each(wrongBodies)("refuses %s", (_what, body, fields) =>
      inWorld(provider, async ({ service, newForm }) => {
        const form = await newForm("Profile", ["VIEW", "EDIT"]);
        const at = { ...CANDIDATE, formId: form.id };
        expect(await refusal(service.updateForm({ ...at, body: body as never }))).toEqual(invalidAt(...fields));
        expect(await service.getForm(at)).toEqual(form);
      })(),
    );

    it(
      "refuses to remove a mode that is a default, and then changes nothing at all (R75, R66)",
      inWorld(provider, async ({ service, newForm, makeDefault }) => {
        const form = await newForm("Profile", ["VIEW", "EDIT"]);
        const other = await newForm("Other", ["CREATE"]);
        await makeDefault(form, "EDIT");
        await makeDefault(other, "CREATE");
        const at = { ...CANDIDATE, formId: form.id };
        const refused = await refusal(
          service.updateForm({ ...at, body: { name: "Renamed", config: { title: "New" }, types: ["VIEW"] } }),
        );
        expect(refused).toEqual(conflictOf("FORM_TYPE_IS_DEFAULT"));
        expect(refused.body.message).toContain("EDIT");
        expect(refused.body.message).toContain("formctl forms defaults clear staffing/candidate EDIT");
        expect(await service.getForm(at)).toEqual(form);

        expect((await service.updateForm({ ...at, body: { types: ["CREATE", "EDIT"] } })).types).toEqual([
          "CREATE",
          "EDIT",
        ]);
        await service.updateFormDefaults({ ...CANDIDATE, body: { defaultEditFormId: null } });
        expect((await service.updateForm({ ...at, body: { types: ["CREATE"] } })).types).toEqual(["CREATE"]);
      }),
    );

    it(
      "refuses to deactivate a form that is a default, and deactivates it once that is cleared (R78)",
      inWorld(provider, async ({ service, newForm, makeDefault }) => {
        const form = await newForm("Profile", ["VIEW", "EDIT"]);
        await makeDefault(form, "VIEW", "EDIT");
        const request = { ...CANDIDATE, formId: form.id, body: { isActive: false } };
        const update = () => service.updateForm(request);
        if (await isNotAccepted(provider, "updateForm", ["isActive"], update)) return;
        const refused = await refusal(update());
        expect(refused).toEqual(conflictOf("FORM_IS_DEFAULT"));
        expect(refused.body.message).toContain("VIEW, EDIT");
        expect((await service.updateForm({ ...request, body: { isActive: true } })).isActive).toBe(true);
        await service.updateFormDefaults({ ...CANDIDATE, body: { defaultViewFormId: null, defaultEditFormId: null } });
        expect((await service.updateForm(request)).isActive).toBe(false);
        expect((await service.updateForm({ ...request, body: { isActive: true } })).isActive).toBe(true);
      }),
    );

    it(
      "gives a public form a token until it is no longer public (R18)",
      inWorld(provider, async ({ service, newForm }) => {
        const form = await newForm("Intake", ["CREATE"]);
        const at = { ...CANDIDATE, formId: form.id };
        const publish = () => service.updateForm({ ...at, body: { isPublic: true } });
        if (await isNotAccepted(provider, "updateForm", ["isPublic"], publish)) return;
        const { publicToken } = await publish();
        expect(publicToken).not.toBeNull();
        expect((await service.updateForm({ ...at, body: { isPublic: true, name: "New" } })).publicToken).toBe(
          publicToken,
        );
        const closed = await service.updateForm({ ...at, body: { isPublic: false } });
        expect(closed).toMatchObject({ isPublic: false, publicToken: null });
        const again = await service.updateForm({ ...at, body: { isPublic: true } });
        expect(again.publicToken).not.toBe(publicToken);
      }),
    );

    it(
      "removes a deleted mode from access rows, and removes empty rows (R74)",
      inWorld(provider, async (world) => {
        const { service, newForm, memberId, roleId } = world;
        const form = await newForm("Profile", ["VIEW", "EDIT"]);
        const at = { ...CANDIDATE, formId: form.id };
        const [ana, dana, recruiter] = [
          await memberId("ana@northwind.example"),
          await memberId("dana@northwind.example"),
          await roleId("recruiter"),
        ];
        await service.replaceFormAccess({
          ...at,
          body: {
            users: [
              { membershipId: dana, types: ["EDIT"] },
              { membershipId: ana, types: ["EDIT", "VIEW"] },
            ],
            roles: [{ roleId: recruiter, types: ["EDIT"] }],
          },
        });
        await service.updateForm({ ...at, body: { types: ["VIEW", "CREATE"] } });
        const left = { users: [{ membershipId: ana, types: ["VIEW"] }], roles: [] };
        expect(await service.getFormAccess(at)).toEqual(left);
        expect(await listed(world, form)).toMatchObject({ directUserAccessCount: 1, roleAccessCount: 0 });
        // A mode that is added again doesn't restore its access rows.
        await service.updateForm({ ...at, body: { types: ["VIEW", "EDIT"] } });
        expect(await service.getFormAccess(at)).toEqual(left);
      }),
    );

    it(
      "keeps access if the modes are only reordered",
      inWorld(provider, async ({ service, newForm, memberId }) => {
        const form = await newForm("Profile", ["VIEW", "EDIT"]);
        const at = { ...CANDIDATE, formId: form.id };
        const matrix = {
          users: [{ membershipId: await memberId("ana@northwind.example"), types: ["EDIT" as const] }],
          roles: [],
        };
        await service.replaceFormAccess({ ...at, body: matrix });
        expect((await service.updateForm({ ...at, body: { types: ["EDIT", "VIEW"] } })).types).toEqual([
          "VIEW",
          "EDIT",
        ]);
        expect(await service.getFormAccess(at)).toEqual(matrix);
      }),
    );
  });

  describe("deleting a form", () => {
    it(
      "refuses to delete a default form, names the modes, and deletes it after they are cleared (R60, R67)",
      inWorld(provider, async ({ service, newForm, makeDefault }) => {
        const form = await newForm("Profile", ["VIEW", "EDIT"]);
        const at = { ...CANDIDATE, formId: form.id };
        await makeDefault(form, "VIEW", "EDIT");
        const refused = await refusal(service.deleteForm(at));
        expect(refused).toEqual(conflictOf("FORM_IS_DEFAULT"));
        expect(refused.body.message).toBe(
          '"Profile" is the default for VIEW, EDIT. Clear it first: formctl forms defaults clear staffing/candidate VIEW EDIT',
        );
        await service.updateFormDefaults({ ...CANDIDATE, body: { defaultViewFormId: null } });
        expect(await refusal(service.deleteForm(at))).toEqual(conflictOf("FORM_IS_DEFAULT"));
        await service.updateFormDefaults({ ...CANDIDATE, body: { defaultEditFormId: null } });
        expect(await service.deleteForm(at)).toBeUndefined();
      }),
    );

    it(
      "deletes the layout, its versions, the access rows and the uploaded files (R83)",
      inWorld(provider, async ({ service, reader, newForm, publish, memberId, local }) => {
        const form = await newForm("Intake", ["CREATE"], { isPublic: true });
        const kept = await newForm("Kept", ["CREATE"], { isPublic: true });
        const at = { ...CANDIDATE, formId: form.id };
        const layoutId = form.viewLayoutId;
        await publish(form, REQUIRED_FIELDS);
        const [version] = await service.listVersions({ layoutId });
        const membershipId = await memberId("ana@northwind.example");
        await service.replaceFormAccess({ ...at, body: { users: [{ membershipId, types: ["CREATE"] }], roles: [] } });
        const bytes = new TextEncoder().encode("curriculum vitae");
        await local.addUpload({ formId: form.id, fileName: "cv.txt", bytes });
        await local.addUpload({ formId: kept.id, fileName: "cv.txt", bytes });

        await service.deleteForm(at);
        expect(await refusal(service.getForm(at))).toEqual(MISSING);
        expect(await refusal(service.getFormAccess(at))).toEqual(MISSING);
        expect(await refusal(service.deleteForm(at))).toEqual(MISSING);
        expect(await refusal(reader.getLayout({ layoutId }))).toEqual(MISSING);
        expect(await refusal(service.listVersions({ layoutId }))).toEqual(MISSING);
        expect(await refusal(service.getVersion({ layoutId, versionId: version!.id }))).toEqual(MISSING);
        expect(await refusal(local.listUploads(form.id))).toEqual(MISSING);
        expect(await local.listUploads(kept.id)).toHaveLength(1);
        expect((await service.getForm({ ...CANDIDATE, formId: kept.id })).id).toBe(kept.id);
      }),
    );
  });
}
