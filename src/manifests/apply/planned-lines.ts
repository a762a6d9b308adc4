/** What is refused of a plan that is made, at the lines of the manifests that it was made of: a sealed one knows them. */

import { problemsError } from "../../documents/located-error.ts";
import { AmbiguousNames, MissingObjects } from "../current/read-errors.ts";
import type { PlannedResource } from "../plan/planned.ts";
import { objectText } from "../address.ts";

export type Planned = Pick<PlannedResource, "address" | "object" | "place">;

/** ` (forms/intake.yaml:12)`, or nothing where the plan does not know it. */
export function lineText({ place }: Pick<Planned, "place">): string {
  return place ? ` (${place.file}:${place.line})` : "";
}

/** The place of the first that has one. */
export function firstPlace(resources: readonly Pick<Planned, "place">[]): Planned["place"] {
  return resources.find(({ place }) => place)?.place;
}

/** Names that mean several records and objects that are missing, with their lines; what has no line, and any other error, as it is. */
export function atPlannedLines(error: unknown, resources: readonly Planned[]): unknown {
  const sources = new Map<string, string>();
  const problemOf = (code: string, message: string, { place }: Planned) =>
    place ? [{ severity: "error" as const, code, message, ...place, column: 1 }] : [];
  if (error instanceof AmbiguousNames) {
    const { ambiguities, hint } = error;
    const problems = ambiguities.flatMap(({ address, message }) =>
      resources
        .filter((each) => each.address === address)
        .flatMap((each) => problemOf("AMBIGUOUS_NAME", message, each)),
    );
    return problems.length === ambiguities.length
      ? problemsError("AMBIGUOUS_NAME", { problems, sources, hint })
      : error;
  }
  if (error instanceof MissingObjects) {
    const { objects, hint } = error;
    const problems = objects.map(objectText).flatMap((object) => {
      const speaking = resources.find((each) => each.place && each.object && objectText(each.object) === object);
      return speaking ? problemOf("OBJECT_MISSING", `the object ${object} does not exist`, speaking) : [];
    });
    return problems.length === objects.length ? problemsError("OBJECT_MISSING", { problems, sources, hint }) : error;
  }
  return error;
}
