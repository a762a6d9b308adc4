/** The rules that read forms: one, a page of all, the active ones. */

import { availableForms, pageOfForms } from "./form-list.ts";
import { toOneForm } from "./form-records.ts";
import type { Rules } from "./world.ts";

export const formReadRules = {
  listForms: (world, { query }) => pageOfForms(world.tx, world.object, query),
  listAvailableForms: (world, { query }) => availableForms(world.tx, world.object, query.type),
  getForm: (world) => toOneForm(world.tx, world.object, world.form),
} satisfies Partial<Rules>;
