/** Publishing one draft: field changes that would cost something are told, and made only with a person's consent. */

import type { FieldChangeImpact } from "../../schemas/error-body.ts";
import type { Published } from "../../schemas/layout.ts";
import { type Service, ServiceError } from "../../service.ts";
import { type CommandContext, ConsentError } from "../command.ts";

export type PublishRequest = {
  layoutId: string;
  draftVersionId: string;
  /** The staged changes, by draft id, whose loss is consented to. */
  confirmed: readonly string[];
  /** The layout as it is typed, for the line that says how to consent. */
  layout: string;
};

/**
 * Publishes exactly the draft that is named. At a terminal each unconfirmed change is asked about.
 *
 * @throws ServiceError when the service refuses; for unconfirmed changes its message names the flags that consent
 * @throws ConsentError when the person says no
 */
export async function publishDraft(
  context: CommandContext,
  service: Service,
  request: PublishRequest,
): Promise<Published> {
  try {
    return await send(context, service, request);
  } catch (error) {
    if (!(error instanceof ServiceError) || !error.body.impacts?.length) throw error;
    const { impacts } = error.body;
    if (!context.prompter)
      throw new ServiceError(error.status, { ...error.body, message: howToConfirm(impacts, request) });
    for (const impact of impacts) {
      if (await context.prompter.confirm(`${impactText(impact)}. Publish all the same?`, false)) continue;
      throw new ConsentError(`not published: not confirmed: ${impactText(impact)}`, "The draft stays as it is.");
    }
    const confirmed = [...request.confirmed, ...impacts.map(({ draftId }) => draftId)];
    return send(context, service, { ...request, confirmed });
  }
}

function send(context: CommandContext, service: Service, request: PublishRequest): Promise<Published> {
  const { layoutId, draftVersionId, confirmed } = request;
  // A confirmation of a change is one of all that it does: the type and the values go together.
  const confirmFieldChanges = [...new Set(confirmed)].map((draftId) => ({
    draftId,
    confirmTypeChange: true,
    confirmValueClear: true,
  }));
  const clientMutationId = context.newMutationId();
  return service.publishLayout({ layoutId, body: { clientMutationId, draftVersionId, confirmFieldChanges } });
}

function howToConfirm(impacts: readonly FieldChangeImpact[], { confirmed, layout }: PublishRequest): string {
  const ids = new Set([...confirmed, ...impacts.map(({ draftId }) => draftId)]);
  const flags = [...ids].map((draftId) => `--confirm-field-change ${draftId}`).join(" ");
  return `${impacts.map(impactText).join("; ")}. To publish all the same: formctl layouts publish ${layout} ${flags}`;
}

/** `delete pay_rate: 57 values would be cleared, and lay_… shows it too` */
function impactText({ action, fieldKey, reasons, valueCount, referencedByLayouts }: FieldChangeImpact): string {
  const effects: string[] = [];
  if (reasons.includes("TYPE_CHANGE")) effects.push("its type would change");
  if (reasons.includes("VALUE_CLEAR"))
    effects.push(`${valueCount} ${valueCount === 1 ? "value" : "values"} would be cleared`);
  if (referencedByLayouts?.length) effects.push(`other published layouts use it: ${referencedByLayouts.join(", ")}`);
  return `${action} ${fieldKey}: ${effects.join(", ") || reasons.join(", ")}`;
}
