/** Publishing one draft: field changes that would cost something are told, and made only with a person's consent. */

import type { PublishedAnswer } from "../../schemas/answers.ts";
import type { FieldChangeImpact } from "../../schemas/error-body.ts";
import { type Service, ServiceError } from "../../service.ts";
import { type CommandContext, ConsentError } from "../command.ts";
import { confirmationFlags, confirmationsOf, type FieldConfirmations } from "./field-confirmations.ts";

export type PublishRequest = FieldConfirmations & {
  layoutId: string;
  draftVersionId: string;
  /** A new one by default. */
  clientMutationId?: string | undefined;
  /** The published version that is to be replaced; null: nothing is published yet. */
  expectedPublishedVersionId?: string | null | undefined;
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
): Promise<PublishedAnswer> {
  try {
    return await send(context, service, request);
  } catch (error) {
    if (!(error instanceof ServiceError) || !error.body.impacts?.length) throw error;
    const { impacts } = error.body;
    if (!context.prompter)
      throw new ServiceError(error.status, { ...error.body, message: howToConfirm(impacts, request) });
    for (const impact of impacts) {
      if (await context.prompter.confirm(`${impactText(impact)}. Publish all the same?`, false)) continue;
      throw new ConsentError(`not published: you said no to ${impactText(impact)}`, "The draft stays as it is.");
    }
    const confirmed = [...request.confirmed, ...impacts.map(({ draftId }) => draftId)];
    return send(context, service, { ...request, confirmed });
  }
}

function send(context: CommandContext, service: Service, request: PublishRequest): Promise<PublishedAnswer> {
  const { layoutId, draftVersionId, expectedPublishedVersionId: expected } = request;
  const clientMutationId = request.clientMutationId ?? context.newMutationId();
  const expectation = expected === undefined ? {} : { expectedPublishedVersionId: expected };
  const body = { clientMutationId, draftVersionId, confirmFieldChanges: confirmationsOf(request), ...expectation };
  return service.publishLayout({ layoutId, body });
}

function howToConfirm(impacts: readonly FieldChangeImpact[], request: PublishRequest): string {
  const ids = impacts.map(({ draftId }) => draftId);
  const flags = confirmationFlags(request, ids);
  return `${impacts.map(impactText).join("; ")}. To publish all the same: formctl layouts publish ${request.layout} ${flags}`;
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

/** Says of a refusal what had been done before it. */
export async function refusedAfter<T>(done: string, publish: () => Promise<T>): Promise<T> {
  try {
    return await publish();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new ServiceError(error.status, { ...error.body, message: `${done}, but not published: ${error.message}` });
  }
}
