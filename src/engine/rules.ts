/** Every operation's rule, in one table. */

import { currencyRules } from "./currencies.ts";
import { formAccessRules } from "./form-access.ts";
import { formDefaultRules } from "./form-defaults.ts";
import { formRules } from "./forms.ts";
import { assignmentRules } from "./assignments.ts";
import { draftRules } from "./drafts.ts";
import { layoutRules } from "./layouts.ts";
import { surfaceRules } from "./surfaces.ts";
import { versionRules } from "./versions.ts";
import type { Rules } from "./world.ts";

export const rules: Rules = {
  ...formRules,
  ...formDefaultRules,
  ...formAccessRules,
  ...layoutRules,
  ...surfaceRules,
  ...draftRules,
  ...versionRules,
  ...assignmentRules,
  ...currencyRules,
};
