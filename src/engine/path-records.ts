/** Finds the records that the path of a request names, in the organization of the actor. */

import { findForm } from "../store/forms.ts";
import { findLayout } from "../store/layouts.ts";
import { findObject, listObjectAddresses } from "../store/objects.ts";
import type { OrgTx } from "../store/store.ts";
import { findVersion } from "../store/versions.ts";
import { nearest } from "../base/nearest.ts";
import { notFound } from "./refuse.ts";

/**
 * Finds the records from the object or layout down to the form or version.
 *
 * @param parameters the path's parameters by name
 * @returns the records that the parameters name: `object`, `form`, `layout`, `version`
 * @throws ServiceError 404 for the first record that does not exist or belongs to another organization (R105)
 */
export async function findPathRecords(
  tx: OrgTx,
  parameters: Readonly<Record<string, string>>,
): Promise<Record<string, unknown>> {
  // PostgreSQL refuses a query with the character U+0000. No id and no key contains this character.
  if (Object.values(parameters).some((value) => value.includes("\0"))) throw notFound("no record has this path");
  const { moduleKey, objectKey, formId, layoutId, versionId } = parameters;
  const records: Record<string, unknown> = {};
  if (moduleKey !== undefined && objectKey !== undefined) {
    const object = await findObject(tx, moduleKey, objectKey);
    if (!object) {
      const address = `${moduleKey}/${objectKey}`;
      throw notFound(`the object ${address} does not exist`, nearest(address, await listObjectAddresses(tx)));
    }
    records["object"] = object;
    if (formId !== undefined) {
      const form = await findForm(tx, object.id, formId);
      if (!form) throw notFound(`the form does not exist in ${moduleKey}/${objectKey}`);
      records["form"] = form;
    }
  }
  if (layoutId !== undefined) {
    const layout = await findLayout(tx, layoutId);
    if (!layout) throw notFound("the layout does not exist");
    records["layout"] = layout;
    if (versionId !== undefined) {
      const version = await findVersion(tx, layout.id, versionId);
      if (!version) throw notFound("the version does not exist in the layout");
      records["version"] = version;
    }
  }
  return records;
}
