/** Splits the section "Skills and level" of the form Candidate profile into the sections "Level" and "Qualifications". */

import { defineMigration, replaceBlocks } from "formctl";

export default defineMigration({
  match: { objects: ["staffing/candidate"], forms: ["Candidate profile"] },

  layout(content) {
    return replaceBlocks(content, (block) => {
      if (block.id !== "sec_skills") return undefined;
      const [level, qualifications] = block.children ?? [];
      if (!level || !qualifications) return undefined;
      return [
        { ...block, config: { label: "Level" }, children: [level] },
        { ...block, id: "sec_qualifications", config: { label: "Qualifications" }, children: [qualifications] },
      ];
    });
  },
});
