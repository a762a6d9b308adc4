/** Why nothing can be planned, told at the lines of the manifests that speak of it. */

import { problemsError } from "../../documents/located-error.ts";
import { AmbiguousNames, MissingObjects } from "../../manifests/current/read-errors.ts";
import type { Wanted } from "../../manifests/manifest.ts";
import type { ManifestSet } from "../../manifests/read/read.ts";
import { objectText } from "../../manifests/address.ts";

/** What is missing or ambiguous with its lines; any other error as it is. */
export function atTheirLines(error: unknown, wanted: readonly Wanted[], { sources }: ManifestSet): unknown {
  if (error instanceof MissingObjects) {
    const missing = new Set(error.objects.map(objectText));
    const problems = wanted.flatMap((each) => {
      const object = each.kind === "Form" ? objectText(each.object) : "";
      // Told once: the others are about the same.
      if (!missing.delete(object)) return [];
      const message = `the object ${object} does not exist`;
      return [each.locate({ severity: "error", code: "OBJECT_MISSING", message, path: "object" })];
    });
    return problemsError("OBJECT_MISSING", { problems, sources, hint: error.hint });
  }
  if (error instanceof AmbiguousNames) {
    const manifests = new Map(wanted.map((each) => [each.address, each]));
    const problems = error.ambiguities.flatMap(({ address, message }) => {
      const manifest = manifests.get(address);
      return manifest ? [manifest.locate({ severity: "error", code: "AMBIGUOUS_NAME", message, path: "name" })] : [];
    });
    return problemsError("AMBIGUOUS_NAME", { problems, sources, hint: error.hint });
  }
  return error;
}
