/** The rules of default forms. An object uses its default form for a mode if the caller specifies no form. */

import { DEFAULT_KEY, MODES } from "../schemas/words.ts";
import type { FormDefaults, Mode } from "../schemas/form.ts";
import type { Output, ParsedInput } from "../schemas/operations.ts";
import type { ShapeProblem } from "../schemas/shape.ts";
import { deleteDefault, listDefaults, putDefault, type FormRecord, listFormsById } from "../store/forms.ts";
import type { ObjectRecord } from "../store/objects.ts";
import { isSubordinate } from "./forms.ts";
import { invalid } from "./refuse.ts";
import type { PathRecords, Rules, RuleContext } from "./rule.ts";

export const formDefaultRules = { updateFormDefaults } satisfies Partial<Rules>;

/**
 * Sets, clears (null) or keeps (absent) the default of each mode, in one transaction (R69).
 *
 * @throws ServiceError 409 OBJECT_IS_SUBORDINATE (R10)
 * @throws ServiceError 400 in these cases. The path of each problem names the member of the body:
 * - A form does not exist, or belongs to another object (R77).
 * - A form is inactive (R78).
 * - A form does not support the mode (R79).
 */
async function updateFormDefaults(
  context: RuleContext & PathRecords<"updateFormDefaults">,
  { body }: ParsedInput<"updateFormDefaults">,
): Promise<Output<"updateFormDefaults">> {
  const { tx, object } = context;
  // A subordinate object can't have a default form, so the body need not be checked.
  if (object.kind === "SUBORDINATE") throw await isSubordinate(tx, object);

  const named = MODES.map((mode) => body[DEFAULT_KEY[mode]]).filter((id) => typeof id === "string");
  const [found, defaults] = await Promise.all([listFormsById(tx, [...new Set(named)]), listDefaults(tx, object.id)]);
  const forms = new Map(found.map((parts) => [parts.form.id, parts]));
  const problems: ShapeProblem[] = [];
  const chosen: { mode: Mode; form: FormRecord | null }[] = [];
  for (const mode of MODES) {
    const path = DEFAULT_KEY[mode];
    const id = body[path];
    if (id === undefined) continue;
    const parts = id === null ? null : forms.get(id);
    if (parts === undefined) problems.push({ path, message: "is not the id of a form" });
    else if (parts) {
      const messages = problemsAsDefault(object, parts.form, parts.types, mode);
      problems.push(...messages.map((message) => ({ path, message })));
    }
    if (parts !== undefined) chosen.push({ mode, form: parts && parts.form });
  }
  if (problems.length > 0) throw invalid(problems);

  const answer: FormDefaults = { defaultCreateFormId: null, defaultViewFormId: null, defaultEditFormId: null };
  for (const { mode, form_id } of defaults) answer[DEFAULT_KEY[mode]] = form_id;
  for (const { mode, form } of chosen) {
    if (form) await putDefault(tx, form, mode);
    else await deleteDefault(tx, object.id, mode);
    answer[DEFAULT_KEY[mode]] = form && form.id;
  }
  return answer;
}

/**
 * Returns the reasons why a form can't be the default of a mode. If the form belongs to another object, that is the
 * only returned reason.
 */
function problemsAsDefault(object: ObjectRecord, form: FormRecord, types: readonly Mode[], mode: Mode): string[] {
  const address = `${object.module_key}/${object.key}`;
  if (form.object_id !== object.id) return [`is a form of another object than ${address}`];
  const messages: string[] = [];
  if (form.is_active === 0) messages.push(`is the inactive form "${form.name}". Activate the form first`);
  if (!types.includes(mode))
    messages.push(`is the form "${form.name}", which does not support ${mode}. Its modes: ${types.join(", ")}`);
  return messages;
}
