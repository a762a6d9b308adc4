/**
 * Finds the full address for a short address. A short address is one of these:
 * - an id
 * - the name of a form of the default object
 * - the address that plans print for a layout
 */

import { FormctlError, hasCode } from "../base/error.ts";
import { findForm, type FormAddress } from "../lists/forms.ts";
import { isPageAddress } from "../lists/addresses.ts";
import { findLayout } from "../lists/layouts.ts";
import { isIdentifier } from "../schemas/words.ts";
import { readLayout, type Service, ServiceError } from "../service.ts";
import { mayBeShortId } from "../base/short-ids.ts";
import { configuredObject, type LayoutAddress, readForm } from "./addresses.ts";
import type { CommandContext } from "./command.ts";
import { listObjects, objectError, suggestForm, suggestLayout, unlessFailed } from "./suggest-address.ts";

const EXPECTED_FORM = `must be MODULE/OBJECT/FORM with the form's name or id, such as "staffing/candidate/Candidate profile"`;

/**
 * The id of a form or layout. The service of formctl creates ids such as `frm_vjujr3`. Some servers use numbers or
 * UUIDs.
 */
const ID = /^([a-z]{3}_[A-Za-z0-9-]+|\d+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Returns the full address of a form. @throws USAGE, NOT_FOUND or AMBIGUOUS_NAME */
export async function completeForm(text: string, context: CommandContext): Promise<FormAddress> {
  if (text.trim() === "") throw new FormctlError("USAGE", "is empty", `It ${EXPECTED_FORM}.`);
  const found = ID.test(text) ? await findById(text, context) : undefined;
  if (found) return found;
  const object = configuredObject(context.settings);
  if (object) return { ...object, form: text };
  if (/^frm_\w+$/.test(text) && context.target.kind === "local") {
    const hint = "List the forms of an object: formctl forms list MODULE/OBJECT";
    throw new FormctlError("NOT_FOUND", `the form ${text} does not exist`, hint);
  }
  if (ID.test(text) && context.target.kind === "remote") {
    throw new FormctlError(
      "USAGE",
      `is the id ${text} without its object, which requests to a server require`,
      `Specify it as MODULE/OBJECT/${text}, or set the default object: formctl config set object MODULE/OBJECT`,
    );
  }
  throw new FormctlError("USAGE", `${EXPECTED_FORM}, not "${text}"`, await suggestForm(text, context));
}

/**
 * Finds the object of a form by the form's id or the start of the id. Returns undefined for a server, because only a
 * local store lists its objects.
 */
async function findById(formId: string, context: CommandContext): Promise<FormAddress | undefined> {
  if (context.target.kind === "remote") return undefined;
  const service = await context.service();
  for (const object of await listObjects(context)) {
    try {
      const find = () => findForm(service, { ...object, form: formId });
      const { id } = await (mayBeShortId(formId) ? find() : service.getForm({ ...object, formId }));
      return { ...object, form: id };
    } catch (error) {
      const isMissing = error instanceof ServiceError ? error.status === 404 : hasCode(error, "NOT_FOUND");
      if (!isMissing) throw error;
    }
  }
  return undefined;
}

/**
 * Completes the address of a form or layout for a command that also takes objects. The error may therefore suggest an
 * object of the local store.
 *
 * @throws USAGE, NOT_FOUND or AMBIGUOUS_NAME
 */
export async function completeAny(text: string, context: CommandContext): Promise<LayoutAddress> {
  try {
    return await completeLayout(text, context);
  } catch (error) {
    if (!hasCode(error, "USAGE", "NOT_FOUND") || context.target.kind === "remote") throw error;
    throw (await objectError(text, context)) ?? error;
  }
}

/** Returns the id of a layout, or the address of the form that owns it. @throws USAGE, NOT_FOUND or AMBIGUOUS_NAME */
export async function completeLayout(text: string, context: CommandContext): Promise<LayoutAddress> {
  if (isPageAddress(text)) return findPage(text, context);
  if (/^frm_\w+$/.test(text)) return completeForm(text, context);
  const object = configuredObject(context.settings);
  if (!isIdentifier(text)) {
    if (object) return { ...object, form: text };
    if (text.includes("/") || text.trim() === "") return completeForm(text, context);
    throw new FormctlError("USAGE", `has an invalid layout id "${text}"`, await suggestLayout(text, context));
  }
  if (ID.test(text) || (!object && context.target.kind === "remote")) return { layoutId: text };
  const service = await context.service();
  try {
    if (object) return { ...object, form: (await findForm(service, { ...object, form: text })).id };
  } catch (error) {
    // No form has the name. The text may be the id of a layout: some servers use words as ids.
    if (!hasCode(error, "NOT_FOUND") || !(await layoutExists(service, text))) throw error;
  }
  if (object || (await layoutExists(service, text))) return { layoutId: text };
  const hint = /\.(ya?ml|json)$/.test(text)
    ? "Specify the layout before the file: formctl layouts draft push LAYOUT FILE"
    : await suggestLayout(text, context);
  throw new FormctlError("NOT_FOUND", `the layout ${text} does not exist`, hint);
}

async function layoutExists(service: Service, layoutId: string): Promise<boolean> {
  const layout = await unlessFailed(() => readLayout(service, layoutId));
  return layout !== undefined;
}

/**
 * Finds a layout that no form owns, by its address. If there is none, the text may be the address of a form: a module
 * may have the name of a surface as its key.
 *
 * @throws NOT_FOUND or AMBIGUOUS_NAME
 */
async function findPage(text: string, context: CommandContext): Promise<LayoutAddress> {
  try {
    return { layoutId: (await findLayout(await context.service(), text)).id };
  } catch (error) {
    const form = hasCode(error, "NOT_FOUND") ? readForm(text) : undefined;
    if (form) return form;
    throw error;
  }
}
