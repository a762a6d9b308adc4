/** `formctl forms delete`: deletes a form with its layout, versions, access rows and uploaded files (R83). */

import { hasCode } from "../../base/error.ts";
import type { FormAnswer } from "../../schemas/answers.ts";
import { DEFAULT_KEY } from "../../schemas/words.ts";
import type { Mode } from "../../schemas/form.ts";
import { type Service, ServiceError } from "../../service.ts";
import { visible } from "../../terminal/escape.ts";
import { formArgument } from "../address-arguments.ts";
import type { FormAddress } from "../../lists/forms.ts";
import { findFormId } from "../lookups.ts";
import { accepted, refusedAfter } from "../failed-command.ts";
import { type CommandContext, defineCommand, flag } from "../command.ts";
import { modesByDefault, refusedAsDefault } from "./defaults.ts";
import { plural } from "../../base/plural.ts";

type Deleted = { deleted: true; id: string; name: string } | { deleted: false; id: null; name: string };

export default defineCommand({
  details: `Permanently deletes the form, its layout with all versions, its access rows and the files uploaded through it. A form
that is a default is refused until the default is cleared; --clear-defaults clears it first. The command asks for
confirmation; without a terminal, --allow-delete confirms.`,
  examples: [
    'formctl forms delete "staffing/candidate/Candidate intake" --clear-defaults --dry-run',
    'formctl forms delete "staffing/candidate/Candidate intake" --clear-defaults --allow-delete',
    'formctl forms delete "staffing/placement/Placement quick add" --if-exists --allow-delete',
  ],
  args: { form: formArgument },
  options: {
    ifExists: flag("--if-exists", "Succeed if the form does not exist"),
    clearDefaults: flag("--clear-defaults", "First clear the defaults that use the form"),
    allowDelete: flag("--allow-delete", "Confirm the deletion; --yes does not"),
  },
  writes: true,
  async run(context, { form: address, ifExists, clearDefaults }): Promise<Deleted> {
    const service = await context.service();
    const { moduleKey, objectKey } = address;
    const object = { moduleKey, objectKey };
    const found = await findIfExists(service, address, ifExists);
    if (!found) return { deleted: false, id: null, name: address.form };
    const { formId, form } = found;
    const defaults = form ? await modesByDefault(service, object, form) : [];
    if (form && defaults.length > 0 && !clearDefaults)
      throw refusedAsDefault("FORM_IS_DEFAULT", form, object, defaults);
    await context.consent({
      question: `Delete the form "${form?.name ?? formId}" of ${moduleKey}/${objectKey}?`,
      lost: form
        ? await lossesOf(context, service, address, form, defaults)
        : [`the form ${formId}, its layout, access and uploaded files`],
      flag: "--allow-delete",
    });
    const remove = () => service.deleteForm({ ...object, formId });
    if (defaults.length === 0) await remove();
    else {
      const body = Object.fromEntries(defaults.map((mode) => [DEFAULT_KEY[mode], null]));
      await accepted(() => service.updateFormDefaults({ ...object, body }));
      await refusedAfter(`the default for ${defaults.join(", ")} is cleared, but the form is not deleted`, remove);
    }
    return { deleted: true, id: formId, name: form?.name ?? formId };
  },
  view(result, terminal) {
    const name = `the form ${visible(result.name)}`;
    terminal.line(
      result.deleted ? `Deleted ${name} (${visible(result.id)}).` : `${name.replace("the", "The")} does not exist.`,
    );
  },
});

/** Finds the form. @returns undefined with `--if-exists` if the form is missing. A missing object is always an error */
async function findIfExists(
  service: Service,
  address: FormAddress,
  ifExists: boolean,
): Promise<Awaited<ReturnType<typeof findFormId>> | undefined> {
  try {
    return await findFormId(service, address);
  } catch (error) {
    if (ifExists && hasCode(error, "NOT_FOUND")) return undefined;
    throw error;
  }
}

/** Returns the data that is deleted with the form, as far as this data is known. */
async function lossesOf(
  context: CommandContext,
  service: Service,
  { moduleKey, objectKey }: FormAddress,
  form: FormAnswer,
  defaults: readonly Mode[],
): Promise<string[]> {
  const { users, roles } = await service.getFormAccess({ moduleKey, objectKey, formId: form.id });
  const versions = form.viewLayoutId === undefined ? undefined : await countVersions(service, form.viewLayoutId);
  const layout = form.viewLayoutName === undefined ? "" : ` "${form.viewLayoutName}"`;
  return [
    `the form "${form.name}" (${form.id})`,
    `its layout${layout}${versions === undefined ? "" : ` with ${plural(versions, "version")}`}`,
    ...(defaults.length > 0 ? [`the default for ${defaults.join(", ")}`] : []),
    ...(users.length + roles.length > 0
      ? [`access of ${plural(users.length, "user")} and ${plural(roles.length, "role")}`]
      : []),
    ...(await uploadsLost(context, form)),
  ];
}

/**
 * Returns undefined if the layout can't be read. A token may have the permission to delete a form without the
 * permission to read its layout.
 */
async function countVersions(service: Service, layoutId: string): Promise<number | undefined> {
  try {
    return (await service.listVersions({ layoutId })).length;
  } catch (error) {
    if (error instanceof ServiceError && (error.status === 403 || error.status === 404)) return undefined;
    throw error;
  }
}

/**
 * Returns the loss of uploaded files as text; empty if there are none. A server does not report the number of files.
 */
async function uploadsLost(context: CommandContext, form: FormAnswer): Promise<string[]> {
  try {
    const uploads = await (await context.local()).listUploads(form.id);
    return uploads.length === 0 ? [] : [plural(uploads.length, "uploaded file")];
  } catch (error) {
    if (hasCode(error, "USAGE")) return ["every file that was uploaded through it"];
    throw error;
  }
}
