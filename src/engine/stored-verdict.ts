/** The verdicts that are stored with versions, so that lists of forms need not read and check contents again. */

import type { LayoutRecord } from "../store/layouts.ts";
import type { VersionedCatalog } from "./catalog.ts";
import type { Verdict } from "./verdict.ts";

/**
 * The version of the checks in schemas/draft-checks. Raise it when a check changes. Stored verdicts are then computed
 * again.
 */
export const CHECKS = 1;

/** A verdict. It is valid for one version of the fields and one version of the checks. */
export type StoredVerdict = Verdict & { fieldsVersion: number; checks: number };

/** Returns the verdict to store with a version. Returns null if the layout does not belong to a form. */
export function verdictToStore(
  { owner_form_id: formId }: Pick<LayoutRecord, "owner_form_id">,
  { fieldsVersion }: Pick<VersionedCatalog, "fieldsVersion">,
  verdict: Verdict,
): string | null {
  if (formId === null || fieldsVersion === null) return null;
  return JSON.stringify({ ...verdict, fieldsVersion, checks: CHECKS } satisfies StoredVerdict);
}
