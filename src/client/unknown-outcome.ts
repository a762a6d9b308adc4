/** Which command shows what a write has done: told where nobody could find out. */

import type { OperationName } from "../schemas/operations.ts";

type Names = Readonly<Record<string, unknown>>;

const object = ({ moduleKey, objectKey }: Names) => `${String(moduleKey)}/${String(objectKey)}`;
const form = (names: Names) => `${object(names)}/${String(names["formId"])}`;
const layout = ({ layoutId }: Names) => String(layoutId);

const WHERE: Partial<Record<OperationName, (names: Names) => string>> = {
  createForm: (names) => `formctl forms list ${object(names)}`,
  updateForm: (names) => `formctl forms get ${form(names)}`,
  deleteForm: (names) => `formctl forms get ${form(names)}`,
  updateFormDefaults: (names) => `formctl forms defaults show ${object(names)}`,
  replaceFormAccess: (names) => `formctl forms access show ${form(names)}`,
  createLayout: () => "formctl layouts list",
  updateLayout: (names) => `formctl layouts get ${layout(names)}`,
  saveDraft: (names) => `formctl layouts draft show ${layout(names)}`,
  publishLayout: (names) => `formctl layouts versions list ${layout(names)}`,
  restoreDraft: (names) => `formctl layouts draft show ${layout(names)}`,
  replaceAssignments: (names) => `formctl layouts assignments show ${layout(names)}`,
  archiveLayout: (names) => `formctl layouts versions list ${layout(names)}`,
};

/** `Look before you try again: formctl forms list staffing/candidate` */
export function whereToLook(name: OperationName, input: Names): string {
  const command = WHERE[name]?.(input);
  return command === undefined ? "Look before you try again." : `Look before you try again: ${command}`;
}
