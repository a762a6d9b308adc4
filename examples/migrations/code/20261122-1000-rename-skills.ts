/** Shows the field "qualifications" instead of "skills" in all layouts. */

import { defineMigration, renameField } from "formctl";

export default defineMigration({
  match: { showsField: "skills" },

  layout(content) {
    return renameField(content, "skills", "qualifications");
  },
});
