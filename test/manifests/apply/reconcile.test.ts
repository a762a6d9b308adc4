/** The state of a step on the target. If the server does not show a member, the state is unknown. */

import { expect, it } from "vitest";
import { openLookup } from "../../../src/manifests/apply/lookup.ts";
import { areVersionsChanged, readStepState } from "../../../src/manifests/apply/reconcile.ts";
import type { PlannedResource, StepRequest } from "../../../src/manifests/plan/planned.ts";
import type { Service } from "../../../src/service.ts";
import { content, form as wantedForm, openScene } from "../plan-scene.ts";

const resource = {
  address: "staffing/candidate/Note",
  kind: "Form",
  object: { moduleKey: "staffing", objectKey: "candidate" },
  formId: "frm_1",
} as PlannedResource;

const request: StepRequest = { operation: "updateForm", body: { types: ["VIEW", "EDIT"], config: { title: "Note" } } };

it.each([
  ["applied where the server shows all members", { config: { title: "Note" } }, { state: "applied", ids: {} }],
  ["not applied where a member differs", { config: { title: "Other" } }, { state: "notApplied" }],
  ["not applied where the modes differ", { types: ["VIEW"] }, { state: "notApplied" }],
  ["unknown where the server does not show a member", {}, { state: "unknown" }],
])("an update of a form is %s", async (_, shown, expected) => {
  const form = { id: "frm_1", name: "Note", types: ["EDIT", "VIEW"], ...shown };
  const service = { getForm: () => Promise.resolve(form) } as unknown as Service;
  expect(await readStepState({ service, resource, known: {}, lookup: openLookup(service) }, request)).toEqual(expected);
});

it("finds a draft that another user saved after the plan was created", async () => {
  const scene = await openScene();
  const note = (...fields: string[]) => wantedForm("Note", { content: content(...fields) });
  await scene.make([note("full_name")]);
  const planned = (await scene.plan([note("full_name", "email")])).resources[0]!;
  const { service } = scene;
  const reading = { service, resource: planned, known: {}, lookup: openLookup(service) };
  const isChanged = () => areVersionsChanged(reading, { steps: planned.steps, applied: new Set() });
  expect(await isChanged()).toBe(false);
  const { viewLayoutId: layoutId } = await scene.form("Note");
  await service.saveDraft({ layoutId, body: { ...content("phone"), schemaVersion: 1, clientMutationId: "theirs" } });
  expect(await isChanged()).toBe(true);
});
