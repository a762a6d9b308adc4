/** Splits the section "Skills and level" of the form Candidate profile into the sections "Level" and "Qualifications". */

import { addSection, defineMigration, moveBlocks, replaceBlocks } from "formctl";

export default defineMigration({
  match: { objects: ["staffing/candidate"], forms: ["Candidate profile"] },

  layout(content) {
    const added = addSection(content, {
      id: "sec_qualifications",
      label: "Qualifications",
      into: "tab_profile",
      after: "sec_skills",
      blocks: [],
    });
    const moved = moveBlocks(added, { id: "f_skills" }, { into: "sec_qualifications" });
    return replaceBlocks(moved, { id: "sec_skills" }, (section) => ({
      ...section,
      config: { ...section.config, label: "Level" },
    }));
  },
});
