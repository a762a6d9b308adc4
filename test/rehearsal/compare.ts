/** Compares the foretold refusals of a rehearsal with the refusals of a server. */

import { applyPlan } from "../../src/apply/apply.ts";
import type { Plan } from "../../src/plan/planned.ts";
import type { RehearsedEffect, Rehearsal, UnknownKind } from "../../src/rehearsal/rehearsal.ts";
import { ServiceError, type Service } from "../../src/service.ts";

/** A refusal that the server gave. `code` is a code of the service or of formctl. */
export type Given = { address: string; step: number; operation: string; status: number | undefined; code: string };

/** Applies a plan to a server, and returns its refusals. By default, steps run one after the other. */
export async function refusalsOf(plan: Plan, service: Service, now: () => Date, concurrency = 1): Promise<Given[]> {
  const { outcomes } = await applyPlan(plan, {
    service,
    journal: { write: async () => undefined, close: async () => undefined },
    strict: false,
    concurrency,
    now,
    sleep: async () => undefined,
    ending: new AbortController().signal,
    onStep: () => undefined,
  });
  return outcomes.flatMap(({ resource: address, step, operation, status, error, conflict }) => {
    const cause = conflict ?? (status === "failed" || status === "unknown" ? error : undefined);
    if (cause === undefined) return [];
    const { code = "no code" } = cause as { code?: string };
    return [{ address, step, operation, status: cause instanceof ServiceError ? cause.status : undefined, code }];
  });
}

function text({ address, step, operation, status, code }: Given): string {
  return `${address} step ${step} ${operation}: ${status ?? ""} ${code}`;
}

/** Whether the server gave exactly the foretold refusals. */
export function isAsForetold(given: readonly Given[], { refusals }: Rehearsal): boolean {
  const foretold = refusals.map((refusal) => text({ ...refusal, status: refusal.status }));
  return given.length === foretold.length && given.every((each) => foretold.includes(text(each)));
}

/**
 * Returns the differences, one line each: refusals that were not foretold, and foretold refusals that were not given.
 *
 * @param vague the kinds of unknown facts that may explain an unexpected refusal
 */
export function differences(given: readonly Given[], rehearsal: Rehearsal, vague: readonly UnknownKind[]): string[] {
  const foretold = rehearsal.refusals.map((refusal) => ({ ...refusal, status: refusal.status }));
  const foretoldTexts = new Set(foretold.map(text));
  const givenTexts = new Set(given.map(text));
  const isUnknown = ({ address, code }: Given) =>
    rehearsal.unknown.some(
      ({ kind, addresses, codes }) =>
        vague.includes(kind) && addresses.includes(address) && (codes === "any" || codes.includes(code)),
    );
  const unforetold = given.filter((each) => !foretoldTexts.has(text(each)));
  // An unknown fact can cause the refusal of an earlier step: then this step is not sent. An unknown fact can also
  // cause another refusal of the same step: then the target reports that refusal.
  const isNotReached = ({ address, step }: Given) =>
    unforetold.some((each) => isUnknown(each) && each.address === address && each.step <= step);
  return [
    ...unforetold.filter((each) => !isUnknown(each)).map((each) => `not foretold: ${text(each)}`),
    ...foretold
      .filter((each) => each.isCertain && !givenTexts.has(text(each)) && !isNotReached(each))
      .map((each) => `false alarm: ${text(each)} (${each.message})`),
  ];
}

/**
 * Returns the differences of the availability of forms and layouts, one line each. The plan must have had exactly the
 * foretold refusals: a refused step changes the effects of later steps.
 *
 * @param isWhole whether the copy contains all forms. Otherwise it lacks the contents of forms outside the plan
 */
export function effectDifferences(
  observed: readonly RehearsedEffect[],
  foretold: readonly RehearsedEffect[],
  isWhole: boolean,
): string[] {
  const linesOf = (all: readonly RehearsedEffect[]) =>
    all
      .filter(({ kind, isElsewhere }) => kind === "availability" && (isWhole || !isElsewhere))
      .map((effect) => `${effect.subject} ${effect.text}`);
  const [seen, expected] = [linesOf(observed), linesOf(foretold)];
  return [
    ...expected.filter((line) => !seen.includes(line)).map((line) => `effect that did not happen: ${line}`),
    ...seen.filter((line) => !expected.includes(line)).map((line) => `effect not foretold: ${line}`),
  ];
}
