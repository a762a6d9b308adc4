/** Finds the records that the path of a request names, in the organization of the actor. */

import { findFormParts } from "../store/forms.ts";
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
  const { moduleKey, objectKey, formId, layoutId, versionId } = parameters;
  const hasObject = moduleKey !== undefined && objectKey !== undefined;
  // All queries begin before the first has its result: on a database on another machine, they share a round trip.
  const [object, parts, layout, version] = await Promise.all([
    hasObject ? findObject(tx, moduleKey, objectKey) : undefined,
    formId === undefined ? undefined : findFormParts(tx, formId),
    layoutId === undefined ? undefined : findLayout(tx, layoutId),
    layoutId === undefined || versionId === undefined ? undefined : findVersion(tx, layoutId, versionId),
  ]);
  if (hasObject && !object) {
    const address = `${moduleKey}/${objectKey}`;
    throw notFound(`the object ${address} does not exist`, nearest(address, await listObjectAddresses(tx)));
  }
  if (formId !== undefined && parts?.form.object_id !== object?.id)
    throw notFound(`the form does not exist in ${moduleKey}/${objectKey}`);
  if (layoutId !== undefined && !layout) throw notFound("the layout does not exist");
  if (versionId !== undefined && !version) throw notFound("the version does not exist in the layout");
  return {
    ...(object && { object }),
    ...(parts && { form: parts.form, parts }),
    ...(layout && { layout }),
    ...(version && { version }),
  };
}
