/** A plan is carried out by consent: one for all of it, and one of its own for everything that would be lost. */

import { FormctlError } from "../../error.ts";
import { placeText } from "../../config/target.ts";
import { leftOf, type DoneBefore } from "../../manifests/apply/outcome.ts";
import type { Need, Plan, PlannedResource } from "../../manifests/plan/planned.ts";
import type { CommandContext } from "../command.ts";

export type Given = { allowDelete: boolean; allowReplace: boolean };

/**
 * @param before what an earlier run has done, and nobody has to be asked about
 * @throws CONSENT_MISSING before anything is done
 */
export async function requireConsent(
  context: CommandContext,
  { plan, before }: { plan: Plan; before?: DoneBefore },
  given: Given,
): Promise<void> {
  const { steps, resources } = leftOf(plan, before);
  const needs = resources.flatMap((resource) => openNeeds(resource, before));
  const missing = needs.filter(({ consent }) => !(consent === "allow-delete" ? given.allowDelete : given.allowReplace));
  if (missing.length > 0 && !context.prompter) throw refusedFor(missing);
  await context.consent({
    question: `Apply ${count(steps, "step")} to ${count(resources.length, "resource")} in ${placeText(context.target)}?`,
    lost: [],
    flag: "--yes",
  });
  for (const { consent, what, lost } of missing) {
    await context.consent({ question: `${capital(what)}?`, lost, flag: `--${consent}` });
  }
}

/** What is lost by a step that an earlier run has done is lost, and was consented to. */
function openNeeds({ address, needs, steps }: PlannedResource, before: DoneBefore | undefined): Need[] {
  const done = before?.get(address);
  const isDone = (operation: string) => {
    const losing = [...steps.entries()].filter(([, { request }]) => request.operation === operation);
    return losing.length > 0 && losing.every(([index]) => done?.has(index));
  };
  return needs.filter(({ consent }) => !isDone(LOSING[consent]));
}

const LOSING = { "allow-delete": "deleteForm", "allow-replace": "saveDraft" } as const;

/** Everything that would be lost, and every flag that is missing, at once. */
function refusedFor(needs: readonly Need[]): FormctlError {
  const facts = needs.map(({ what, lost }) =>
    lost.length === 0 ? `${what}.` : `${what}. Permanently deleted: ${lost.join("; ")}.`,
  );
  const flags = [...new Set(needs.map(({ consent }) => `--${consent}`))];
  return new FormctlError(
    "CONSENT_MISSING",
    `confirmation required: ${facts.join(" ")}`,
    `To confirm, add ${flags.join(" and ")}.`,
  );
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
