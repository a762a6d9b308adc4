/** The cases about default forms. A default form is used if the caller names no form. */

import { describe, expect, it } from "vitest";
import type { Provider } from "../provider.ts";
import { CANDIDATE, conflictOf, invalidAt, inWorld, listed, MILESTONE, PLACEMENT, refusal, VISIT } from "./world.ts";

const NONE = { defaultCreateFormId: null, defaultViewFormId: null, defaultEditFormId: null };

export function defaultCases(provider: Provider): void {
  describe("setting defaults", () => {
    it(
      "sets given members, clears null members, keeps absent ones (R26, R69)",
      inWorld(provider, async (world) => {
        const { service, newForm } = world;
        const set = (body: object) => service.updateFormDefaults({ ...CANDIDATE, body });
        const all = await newForm("All", ["CREATE", "VIEW", "EDIT"]);
        const other = await newForm("Other", ["VIEW"]);
        expect(await set({})).toEqual(NONE);
        const first = { defaultCreateFormId: all.id, defaultViewFormId: all.id, defaultEditFormId: null };
        expect(await set({ defaultCreateFormId: all.id, defaultViewFormId: all.id })).toEqual(first);
        expect(await set({ defaultViewFormId: other.id })).toEqual({ ...first, defaultViewFormId: other.id });
        expect(await set({ defaultCreateFormId: null })).toEqual({ ...NONE, defaultViewFormId: other.id });
        expect(await set({})).toEqual({ ...NONE, defaultViewFormId: other.id });
        expect(await listed(world, other)).toMatchObject({ isDefaultView: true, isDefaultCreate: false });
        expect(await listed(world, all)).toMatchObject({ isDefaultView: false, isDefaultCreate: false });
        expect(await set({ defaultViewFormId: null, defaultEditFormId: null })).toEqual(NONE);
      }),
    );

    it(
      "accepts an active form with the mode that is not usable yet",
      inWorld(provider, async ({ service, newForm }) => {
        const form = await newForm("Intake", ["CREATE"]);
        expect(form.usableTypes).toEqual([]);
        const body = { defaultCreateFormId: form.id };
        expect(await service.updateFormDefaults({ ...CANDIDATE, body })).toEqual({ ...NONE, ...body });
      }),
    );

    it(
      "keeps the defaults of each object apart",
      inWorld(provider, async ({ service, newForm }) => {
        const candidate = await newForm("Candidate", ["VIEW"]);
        const body = { name: "Placement", types: ["VIEW" as const] };
        const placement = await service.createForm({ ...PLACEMENT, body });
        await service.updateFormDefaults({ ...CANDIDATE, body: { defaultViewFormId: candidate.id } });
        await service.updateFormDefaults({ ...PLACEMENT, body: { defaultViewFormId: placement.id } });
        expect((await service.updateFormDefaults({ ...CANDIDATE, body: {} })).defaultViewFormId).toBe(candidate.id);
        expect((await service.updateFormDefaults({ ...PLACEMENT, body: {} })).defaultViewFormId).toBe(placement.id);
      }),
    );

    it(
      "refuses a form of another object, an inactive one and one without the mode, all at once (R77, R78, R79)",
      inWorld(provider, async ({ service, newForm }) => {
        const placement = await service.createForm({ ...PLACEMENT, body: { name: "Placement", types: ["CREATE"] } });
        const inactive = await newForm("Inactive", ["VIEW"], { isActive: false });
        const viewOnly = await newForm("View only", ["VIEW"]);
        const body = {
          defaultCreateFormId: placement.id,
          defaultViewFormId: inactive.id,
          defaultEditFormId: viewOnly.id,
        };
        const refused = await refusal(service.updateFormDefaults({ ...CANDIDATE, body }));
        expect(refused).toEqual(invalidAt("defaultCreateFormId", "defaultViewFormId", "defaultEditFormId"));
        expect(refused.body.fieldErrors).toEqual({
          defaultCreateFormId: [expect.stringContaining("another object")],
          defaultViewFormId: [expect.stringContaining("inactive")],
          defaultEditFormId: [expect.stringContaining("does not support EDIT")],
        });
        const good = { defaultViewFormId: viewOnly.id };
        expect(await service.updateFormDefaults({ ...CANDIDATE, body: good })).toEqual({ ...NONE, ...good });
      }),
    );

    it(
      "reports all problems of one form",
      inWorld(provider, async ({ service, newForm }) => {
        const form = await newForm("Inactive", ["VIEW"], { isActive: false });
        const body = { defaultEditFormId: form.id };
        const refused = await refusal(service.updateFormDefaults({ ...CANDIDATE, body }));
        expect(refused).toEqual(invalidAt("defaultEditFormId"));
        expect(refused.body.fieldErrors?.["defaultEditFormId"]).toHaveLength(2);
      }),
    );

    it(
      "applies nothing when one of several is wrong",
      inWorld(provider, async ({ service, newForm }) => {
        const form = await newForm("View", ["VIEW"]);
        await service.updateFormDefaults({ ...CANDIDATE, body: { defaultViewFormId: form.id } });
        const body = { defaultViewFormId: null, defaultCreateFormId: null, defaultEditFormId: form.id };
        const refused = await refusal(service.updateFormDefaults({ ...CANDIDATE, body }));
        expect(refused).toEqual(invalidAt("defaultEditFormId"));
        const now = await service.updateFormDefaults({ ...CANDIDATE, body: {} });
        expect(now).toEqual({ ...NONE, defaultViewFormId: form.id });
      }),
    );

    it(
      "refuses a form of another organization by the same words as one that never was",
      inWorld(provider, async (world) => {
        const { service } = world;
        const contoso = await world.as("contoso");
        const foreign = await contoso.createForm({ ...VISIT, body: { name: "Visit", types: ["VIEW"] } });
        const set = (defaultViewFormId: string) =>
          refusal(service.updateFormDefaults({ ...CANDIDATE, body: { defaultViewFormId } }));
        const refused = await set(foreign.id);
        expect(refused).toEqual(invalidAt("defaultViewFormId"));
        expect(JSON.stringify((await set("frm_nobody")).body)).toBe(JSON.stringify(refused.body));
      }),
    );

    it(
      "refuses unknown members and invalid ids",
      inWorld(provider, async ({ service }) => {
        const set = (body: object) => refusal(service.updateFormDefaults({ ...CANDIDATE, body }));
        expect(await set({ defaultPrintFormId: null })).toEqual(invalidAt("defaultPrintFormId"));
        expect(await set({ defaultViewFormId: 7 })).toEqual(invalidAt("defaultViewFormId"));
        expect(await set({ defaultViewFormId: "../forms" })).toEqual(invalidAt("defaultViewFormId"));
      }),
    );

    it(
      "refuses a subordinate object with any body (R10)",
      inWorld(provider, async ({ service, newForm }) => {
        const form = await newForm("View", ["VIEW"]);
        for (const body of [{}, { defaultViewFormId: null }, { defaultViewFormId: form.id }]) {
          const refused = await refusal(service.updateFormDefaults({ ...MILESTONE, body }));
          expect(refused).toEqual(conflictOf("OBJECT_IS_SUBORDINATE"));
        }
      }),
    );
  });
}
