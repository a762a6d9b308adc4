/** Publishes a draft. Staged field changes that change a type or clear values require confirmation. */

import { FormctlError } from "../../base/error.ts";
import type { PublishedAnswer } from "../../schemas/answers.ts";
import type { Impact } from "../../schemas/error-body.ts";
import { type Service, ServiceError, unconfirmedImpacts } from "../../service.ts";
import type { CommandContext } from "../command.ts";
import type { Input } from "../../schemas/operations.ts";
import { quoted } from "../../base/shell-quote.ts";
import { mayOmitId } from "./options.ts";

/** The confirmed staged field changes, by their ids in the draft, such as `d_pay`. */
type FieldConfirmations = {
  /** All effects of these changes are confirmed. */
  confirmed: readonly string[];
  /** Only the type change is confirmed. */
  typeChanges?: readonly string[];
  /** Only the clearing of values is confirmed. */
  valueClears?: readonly string[];
};

export type PublishRequest = FieldConfirmations & {
  layoutId: string;
  draftVersionId: string;
  /** By default, a new id. */
  clientMutationId?: string | undefined;
  /**
   * The id that the published version must have. Null if there must be no published version. Undefined omits the check.
   */
  expectedPublishedVersionId?: string | null | undefined;
  /** The address of the layout, for the command that the hint suggests. */
  layout: string;
};

/**
 * Publishes exactly this draft. At a terminal, asks the user about each unconfirmed change.
 *
 * @throws ServiceError if the service refuses. For unconfirmed changes, the hint has the flags that confirm them
 * @throws CONSENT_MISSING if the user declines
 */
export async function publishDraft(
  context: CommandContext,
  service: Service,
  request: PublishRequest,
): Promise<PublishedAnswer> {
  try {
    return await send(context, service, request);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const impacts = unconfirmedImpacts(error, request.confirmed);
    if (impacts.length === 0) throw error;
    const ids = impacts.flatMap(({ draftId }) => draftId ?? []);
    const isReadable = impacts.every(({ action, fieldKey }) => action !== undefined && fieldKey !== undefined);
    const message = isReadable ? impacts.map(impactText).join("; ") : error.message;
    const isConfirmable = ids.length === impacts.length;
    if (!context.prompter || !isConfirmable) {
      const hint = isConfirmable && { hint: howToConfirm(ids, request) };
      throw error.reworded({ message, needsConfirmation: true, ...hint });
    }
    for (const impact of impacts) {
      const words = ["--confirm-field-change", impact.draftId!];
      if (await context.confirm(`${impactText(impact)}. Publish anyway?`, words)) continue;
      throw new FormctlError(
        "CONSENT_MISSING",
        `not published: you declined to ${impactText(impact)}`,
        "The draft is unchanged.",
      );
    }
    return send(context, service, { ...request, confirmed: [...request.confirmed, ...ids] });
  }
}

function send(context: CommandContext, service: Service, request: PublishRequest): Promise<PublishedAnswer> {
  const { layoutId, draftVersionId, expectedPublishedVersionId: expected } = request;
  const clientMutationId = request.clientMutationId ?? context.newMutationId();
  const expectation = expected === undefined ? {} : { expectedPublishedVersionId: expected };
  const body = { clientMutationId, draftVersionId, confirmFieldChanges: confirmationsOf(request), ...expectation };
  return service.publishLayout({ layoutId, body }, mayOmitId(request.clientMutationId !== undefined));
}

function howToConfirm(ids: readonly string[], request: PublishRequest): string {
  return `To confirm and publish: formctl layouts publish ${request.layout} ${confirmationFlags(request, ids)}`;
}

/**
 * Returns a change and its effects as text, such as `delete pay_rate: 57 values would be cleared, other published
 * layouts use it: lay_…`. Omits the parts that the server does not report.
 */
function impactText(impact: Impact): string {
  const { draftId, action, fieldKey, reasons = [], valueCount, referencedByLayouts = [] } = impact;
  const effects: string[] = [];
  if (reasons.includes("TYPE_CHANGE")) effects.push("its type would change");
  if (reasons.includes("VALUE_CLEAR")) effects.push(`${countText(valueCount)} would be cleared`);
  if (referencedByLayouts.length > 0) effects.push(`other published layouts use it: ${referencedByLayouts.join(", ")}`);
  const change = action !== undefined && fieldKey !== undefined ? `${action} ${fieldKey}` : undefined;
  const what = change ?? (draftId === undefined ? "a staged field change" : `the staged change ${draftId}`);
  const how = effects.join(", ") || reasons.join(", ");
  return how === "" ? what : `${what}: ${how}`;
}

function countText(count: number | undefined): string {
  return count === undefined ? "values" : count === 1 ? "1 value" : `${count} values`;
}

type Confirmation = NonNullable<Input<"publishLayout">["body"]["confirmFieldChanges"]>[number];

/** Returns the confirmations in the API format, one for each change. */
function confirmationsOf({ confirmed, typeChanges = [], valueClears = [] }: FieldConfirmations): Confirmation[] {
  const all = new Set([...confirmed, ...typeChanges, ...valueClears]);
  return [...all].map((draftId) => {
    const isFull = confirmed.includes(draftId);
    return {
      draftId,
      ...((isFull || typeChanges.includes(draftId)) && { confirmTypeChange: true }),
      ...((isFull || valueClears.includes(draftId)) && { confirmValueClear: true }),
    };
  });
}

/** Returns the options that confirm all effects of the changes `draftIds`. Includes the existing confirmations. */
function confirmationFlags(
  { confirmed, typeChanges = [], valueClears = [] }: FieldConfirmations,
  draftIds: readonly string[],
): string {
  const full = new Set([...confirmed, ...draftIds]);
  const flags = (option: string, ids: Iterable<string>) => [...ids].map((id) => `${option} ${quoted(id)}`);
  const partly = (ids: readonly string[]) => new Set(ids.filter((id) => !full.has(id)));
  return [
    ...flags("--confirm-field-change", full),
    ...flags("--confirm-type-change", partly(typeChanges)),
    ...flags("--confirm-value-clear", partly(valueClears)),
  ].join(" ");
}
