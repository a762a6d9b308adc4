/** What a layout is to show may have become wrong without anybody touching it: it stands in the way only where it would be sent. */

import type { Plan } from "../../manifests/plan/planned.ts";
import { invalidManifests } from "../../manifests/read/invalid-manifests.ts";
import type { Located } from "../../schemas/diagnostic.ts";
import type { LoadedManifests } from "./load-manifests.ts";

/**
 * The problems of the manifests, where those of a layout that the plan neither saves nor publishes are warnings. What
 * would be sent keeps its errors.
 */
export function problemsOfPlan({ resources }: Plan, { problems, ofContents }: LoadedManifests): Located[] {
  const sent = new Set(
    resources
      .filter(({ steps }) =>
        steps.some(({ request: { operation } }) => operation === "saveDraft" || operation === "publishLayout"),
      )
      .map(({ address }) => address),
  );
  return problems.map((problem) => {
    const address = ofContents.get(problem);
    return address === undefined || sent.has(address) ? problem : { ...problem, severity: "warning" };
  });
}

/** @throws MANIFESTS_INVALID where an error is left among the problems of a plan that is to be carried out */
export function requireSoundContents(problems: readonly Located[], sources: ReadonlyMap<string, string>): void {
  if (problems.some(({ severity }) => severity === "error")) throw invalidManifests(problems, sources);
}
