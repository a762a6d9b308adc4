// A migration with a test (add-remarks.test.ts): a section for remarks in each layout of contacts.
// As a file of migrations/, `formctl migrate run` runs it once on each target.
import { addSection, defineMigration, findBlocks } from "formctl";

export default defineMigration({
  match: { objects: ["crm/contact"], showsField: "notes" },
  // The edited version is published. A draft is edited too, and saved again.
  drafts: "rebase",
  layout(content) {
    if (findBlocks(content, { id: "remarks" }).length > 0) return content;
    const region = content.regions[0]?.key ?? "main";
    return addSection(content, { id: "remarks", label: "Remarks", region, blocks: [] });
  },
});
