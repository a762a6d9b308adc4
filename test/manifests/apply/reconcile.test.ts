/** The state of a step on the target. If the server does not show a member, the state is unknown. */

import { expect, it } from "vitest";
import { openLookup } from "../../../src/manifests/apply/lookup.ts";
import { readStepState } from "../../../src/manifests/apply/reconcile.ts";
import type { PlannedResource, StepRequest } from "../../../src/manifests/plan/planned.ts";
import type { Service } from "../../../src/service.ts";

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
