/** Whether a step that was sent is in place: what a server does not show is not known to be. */

import { expect, it } from "vitest";
import { listingsOf } from "../../src/manifests/apply/listings.ts";
import { standing } from "../../src/manifests/apply/stands.ts";
import type { PlannedResource, StepRequest } from "../../src/manifests/plan/planned.ts";
import type { Service } from "../../src/service.ts";

const resource = {
  address: "staffing/candidate/Note",
  kind: "Form",
  object: { moduleKey: "staffing", objectKey: "candidate" },
  formId: "frm_1",
} as PlannedResource;

const request: StepRequest = { operation: "updateForm", body: { types: ["VIEW", "EDIT"], config: { title: "Note" } } };

it.each([
  ["in place where all of it is shown", { config: { title: "Note" } }, { ids: {} }],
  ["not in place where something else is shown", { config: { title: "Other" } }, "no"],
  ["not in place where what is shown differs", { types: ["VIEW"] }, "no"],
  ["unknown where a member is not shown", {}, "untold"],
])("a change of a form is %s", async (_, shown, expected) => {
  const form = { id: "frm_1", name: "Note", types: ["EDIT", "VIEW"], ...shown };
  const service = { getForm: () => Promise.resolve(form) } as unknown as Service;
  expect(await standing({ service, resource, known: {}, listings: listingsOf(service) }, request)).toEqual(expected);
});
