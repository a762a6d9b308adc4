/** Manifests that can't be used, with every problem of every file. */

import { type LocatedError, problemsError } from "../../documents/located-error.ts";
import type { Located } from "../../schemas/diagnostic.ts";

/** @param sources the texts of the files by name, for showing the lines in question */
export function invalidManifests(problems: readonly Located[], sources: ReadonlyMap<string, string>): LocatedError {
  return problemsError("MANIFESTS_INVALID", { problems, sources }, "the manifests can't be used");
}
