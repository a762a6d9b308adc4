/** Adds the form Candidate referral, and makes it the default form for new candidates. */

import { defineMigration } from "formctl";

const CANDIDATE = { moduleKey: "staffing", objectKey: "candidate" };
/** Ids differ between targets, so a pipeline sets the variable. The default is the id in the demo. */
const RECRUITER = process.env["RECRUITER_ROLE"] ?? "rol_recruiter";

export default defineMigration({
  async run(service, step) {
    const form = await step("create the form", () =>
      service.createForm({ ...CANDIDATE, body: { name: "Candidate referral", types: ["CREATE"] } }),
    );
    const path = { ...CANDIDATE, formId: form.id };
    const layoutId = form.viewLayoutId!;

    const { draftVersionId } = await step("save its layout", () =>
      service.saveDraft({
        layoutId,
        body: {
          schemaVersion: 1,
          regions: [{ key: "main", label: "Referral", layout: "grid", columns: 12 }],
          blocks: [field("f_name", "full_name", "Name"), field("f_email", "email", "E-mail")],
        },
      }),
    );
    await step("publish it", () => service.publishLayout({ layoutId, body: { draftVersionId } }));
    await step("set its title", () =>
      service.updateForm({ ...path, body: { config: { title: "Refer a candidate" } } }),
    );
    await step("give recruiters access", () =>
      service.replaceFormAccess({ ...path, body: { users: [], roles: [{ roleId: RECRUITER, types: ["CREATE"] }] } }),
    );
    await step("make it the default", () =>
      service.updateFormDefaults({ ...CANDIDATE, body: { defaultCreateFormId: form.id } }),
    );
  },

  async down(service, step, answers) {
    const { id: formId } = answers["create the form"] as { id: string };
    const { data: forms } = await service.listForms({ ...CANDIDATE, query: {} });
    const intake = forms.find(({ name }) => name === "Candidate intake");
    await step("restore the default", () =>
      service.updateFormDefaults({ ...CANDIDATE, body: { defaultCreateFormId: intake?.id ?? null } }),
    );
    await step("delete the form", () => service.deleteForm({ ...CANDIDATE, formId }));
  },
});

function field(id: string, fieldKey: string, label: string) {
  return {
    id,
    type: "field",
    source: "dynamic_field",
    ref: { fieldKey },
    regionKey: "main",
    config: { label },
    requiredPolicy: "required",
  };
}
