/** Warnings as a reason not to publish. */

import { FormctlError } from "../../error.ts";
import { diagnosticsOf } from "../../lists/versions.ts";
import type { Diagnostic } from "../../schemas/diagnostic.ts";
import { notShown } from "../../service.ts";
import type { StepRequest } from "../plan/planned.ts";
import { layoutOf } from "./steps.ts";
import type { StepContext } from "./step-context.ts";

/** The draft could be published, and with `--strict` is not. */
export class DraftHasWarnings extends FormctlError {
  override readonly name = "DraftHasWarnings";
  readonly warnings: readonly Diagnostic[];

  constructor(warnings: readonly Diagnostic[]) {
    const count = warnings.length;
    super(
      "DRAFT_HAS_WARNINGS",
      `the draft has ${count === 1 ? "a warning" : `${count || "some"} warnings`} and is not published`,
      "Mend them, or leave --strict out.",
    );
    this.warnings = warnings;
  }
}

/** @throws DraftHasWarnings; NOT_SHOWN where neither the answer to its saving nor the draft itself says how it is */
export async function requireNoWarnings(
  { service, resource, known, validations }: StepContext,
  request: StepRequest & { operation: "publishLayout" },
): Promise<void> {
  const versionId = request.draft ?? known.draft;
  if (versionId == null) return;
  const validation =
    validations.get(versionId) ??
    (await service.getVersion({ layoutId: layoutOf(resource, known), versionId })).validation;
  if (!validation) throw notShown(`whether the draft ${versionId} has warnings`, "Leave --strict out.");
  const warnings = diagnosticsOf(validation).filter(({ severity }) => severity === "warning");
  if (warnings.length > 0 || validation.state === "valid_with_warnings") throw new DraftHasWarnings(warnings);
}
