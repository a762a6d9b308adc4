/** What is not done to the layout of a form: its form has the say. */

import type { LayoutRecord } from "../store/layouts.ts";
import { conflict } from "./refuse.ts";

/**
 * Ends what only layouts of the organization itself allow.
 *
 * @param why goes on from "it": `"has no assignments"`
 * @throws ServiceError 409 LAYOUT_FORM_OWNED (R88, R98, R99)
 */
export function refuseFormOwned(layout: LayoutRecord, why: string): void {
  if (layout.owner_form_id === null) return;
  throw conflict(
    "LAYOUT_FORM_OWNED",
    `the layout "${layout.name}" belongs to the form ${layout.owner_form_id}: it ${why}`,
  );
}
