/** The files that `formctl migrate new` writes. */

export const TEMPLATES = ["bulk-edit", "rename-field", "replace-block", "script"] as const;
export type Template = (typeof TEMPLATES)[number];

type Text = { code: string; yaml: string };

/** Returns the text of a new migration file. @param format the language of the file */
export function templateText(template: Template, format: keyof Text): string {
  return TEXTS[template][format];
}

const TEXTS: Record<Template, Text> = {
  "bulk-edit": {
    code: `import { defineMigration } from "formctl";

export default defineMigration({
  // Without match, the migration changes all forms and layouts.
  match: { objects: ["staffing/candidate"] },

  // Returns the desired content. Blocks keep their ids, so that the plan shows only what changes.
  layout(content, about) {
    for (const region of content.regions) region.label ??= about.name;
    return content;
  },

  // Returns the desired form. null leaves it as it is.
  form(form) {
    return form.name === "OLD NAME" ? { ...form, name: "NEW NAME" } : null;
  },
});
`,
    yaml: `# Without match, the migration changes all forms and layouts.
match:
  objects: [staffing/candidate]
  forms: [Candidate intake]
# The edits run in their order, on each layout and form that matches. Blocks keep their ids.
edits:
  - setMember: { where: { type: section }, member: config.columns, value: 2 }
  - setForm: { member: config.title, value: Candidate intake }
`,
  },
  "rename-field": {
    code: `import { defineMigration, renameField } from "formctl";

const OLD = "pay_rate";
const NEW = "day_rate";

export default defineMigration({
  // The field NEW must exist on the object.
  match: { objects: ["staffing/candidate"], showsField: OLD },

  layout(content) {
    return renameField(content, OLD, NEW);
  },
});
`,
    yaml: `match:
  objects: [staffing/candidate]
  showsField: pay_rate
edits:
  - renameField: { from: pay_rate, to: day_rate }
`,
  },
  "replace-block": {
    code: `import { defineMigration, replaceBlocks } from "formctl";

export default defineMigration({
  match: { objects: ["staffing/candidate"], blockType: "custom_html" },

  layout(content) {
    // A list replaces each block with several blocks, an empty list removes it.
    return replaceBlocks(content, { type: "custom_html" }, (block) => ({
      ...block,
      type: "field",
      source: "dynamic_field",
      ref: { fieldKey: "notes" },
    }));
  },
});
`,
    yaml: `match:
  objects: [staffing/candidate]
  blockType: custom_html
edits:
  # A list of several blocks replaces one with several, an empty list removes it.
  - replaceBlocks:
      where: { type: custom_html }
      with:
        - { type: field, source: dynamic_field, ref: { fieldKey: notes } }
`,
  },
  script: {
    code: `import { defineMigration } from "formctl";

const OBJECT = { moduleKey: "staffing", objectKey: "candidate" };

export default defineMigration({
  // Each step runs once: its answer is recorded, and returned without running the step if the migration runs again.
  async run(service, step) {
    const form = await step("create the form", () =>
      service.createForm({ ...OBJECT, body: { name: "Candidate review", types: ["VIEW"] } }),
    );
    await step("describe the form", () =>
      service.updateForm({ ...OBJECT, formId: form.id, body: { config: { title: "Review" } } }),
    );
  },

  // Reverses run: formctl migrate down. Leave it out if the migration can't be reversed.
  async down(service, step, answers) {
    const { id: formId } = answers["create the form"] as { id: string };
    await step("delete the form", () => service.deleteForm({ ...OBJECT, formId }));
  },
});
`,
    yaml: `# Each step runs once. Records are named by their addresses.
steps:
  - name: create the form
    createForm:
      object: staffing/candidate
      body: { name: Candidate review, types: [VIEW] }
  - name: describe the form
    updateForm:
      form: staffing/candidate/Candidate review
      body: { config: { title: Review } }
# Reverses the steps: formctl migrate down. Leave it out if the migration can't be reversed.
down:
  - name: delete the form
    deleteForm: { form: staffing/candidate/Candidate review }
`,
  },
};
