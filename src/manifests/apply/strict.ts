/** Warnings as a reason not to publish. */

import type { Validation } from "../../schemas/diagnostic.ts";
import type { StepRequest } from "../plan/planned.ts";
import { layoutOf } from "./steps.ts";
import type { StepContext } from "./step-context.ts";

/** The draft could be published, and with `--strict` is not: exit 3. */
export class DraftHasWarnings extends Error {
  override readonly name = "DraftHasWarnings";
  readonly code = "DRAFT_HAS_WARNINGS";
  readonly hint = "Mend them, or leave --strict out.";
  readonly validation: Validation;

  constructor(validation: Validation) {
    const count = validation.warnings.length;
    super(`the draft has ${count === 1 ? "a warning" : `${count} warnings`} and is not published`);
    this.validation = validation;
  }
}

/** @throws DraftHasWarnings */
export async function requireNoWarnings(
  { service, resource, known }: StepContext,
  request: StepRequest & { operation: "publishLayout" },
): Promise<void> {
  const versionId = request.draft ?? known.draft;
  if (versionId == null) return;
  const draft = await service.getVersion({ layoutId: layoutOf(resource, known), versionId });
  const validation = draft.validation as Validation;
  if (validation.state === "valid_with_warnings") throw new DraftHasWarnings(validation);
}
