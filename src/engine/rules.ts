/** The rule of each operation. The module of a rule is loaded at the first request for the operation. */

/* oxlint-disable typescript/unbound-method -- a rule is written as a method for brevity and uses no `this` */

import type { LazyRules } from "./rule.ts";

const assignments = () => import("./assignments.ts");
const currencies = () => import("./currency-catalog.ts");
const drafts = () => import("./drafts.ts");
const forms = () => import("./forms.ts");
const formReads = () => import("./form-reads.ts");
const formAccess = () => import("./form-access.ts");
const formDefaults = () => import("./form-defaults.ts");
const layouts = () => import("./layouts.ts");
const surfaces = () => import("./surfaces.ts");
const versions = () => import("./versions.ts");

export const rules: LazyRules = {
  createForm: async () => (await forms()).formRules.createForm,
  listForms: async () => (await formReads()).formReadRules.listForms,
  listAvailableForms: async () => (await formReads()).formReadRules.listAvailableForms,
  getForm: async () => (await formReads()).formReadRules.getForm,
  updateForm: async () => (await forms()).formRules.updateForm,
  deleteForm: async () => (await forms()).formRules.deleteForm,
  updateFormDefaults: async () => (await formDefaults()).formDefaultRules.updateFormDefaults,
  getFormAccess: async () => (await formAccess()).formAccessRules.getFormAccess,
  replaceFormAccess: async () => (await formAccess()).formAccessRules.replaceFormAccess,
  createLayout: async () => (await layouts()).layoutRules.createLayout,
  listLayouts: async () => (await layouts()).layoutRules.listLayouts,
  getLayout: async () => (await layouts()).layoutRules.getLayout,
  updateLayout: async () => (await layouts()).layoutRules.updateLayout,
  archiveLayout: async () => (await layouts()).layoutRules.archiveLayout,
  getSurfaceDefinitions: async () => (await surfaces()).surfaceRules.getSurfaceDefinitions,
  saveDraft: async () => (await drafts()).draftRules.saveDraft,
  publishLayout: async () => (await versions()).versionRules.publishLayout,
  listVersions: async () => (await versions()).versionRules.listVersions,
  getVersion: async () => (await versions()).versionRules.getVersion,
  restoreDraft: async () => (await drafts()).draftRules.restoreDraft,
  replaceAssignments: async () => (await assignments()).assignmentRules.replaceAssignments,
  listCurrencies: async () => {
    const { CURRENCY_LINES } = await currencies();
    return async () => CURRENCY_LINES.split("\n").map((line) => ({ code: line.slice(0, 3), name: line.slice(4) }));
  },
};
