/** Why no plan can be made of what is there. */

import type { Located } from "../../schemas/diagnostic.ts";
import type { ObjectKey } from "../manifest.ts";
import { objectText } from "../address.ts";

/**
 * What the manifests speak of is not there (exit 5), is there more than once, or is another's (6): each complaint at the
 * line that speaks of it.
 */
export class PlanRefused extends Error {
  override readonly name = "PlanRefused";
  readonly kind: "missing" | "ambiguous" | "taken";
  readonly problems: readonly Located[];
  /** The texts of the files, for showing the lines in question. */
  readonly sources: ReadonlyMap<string, string>;
  readonly hint: string;

  constructor(
    kind: "missing" | "ambiguous" | "taken",
    { problems, sources, hint }: { problems: readonly Located[]; sources: ReadonlyMap<string, string>; hint: string },
  ) {
    const [first] = problems;
    const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
    super(
      `${first ? `${first.file}:${first.line}:${first.column}: ${first.message}` : "nothing can be planned"}${more}`,
    );
    this.kind = kind;
    this.problems = problems;
    this.sources = sources;
    this.hint = hint;
  }
}

/** Manifests name objects that are not there. Exit 5. */
export class MissingObjects extends Error {
  override readonly name = "MissingObjects";
  readonly objects: readonly ObjectKey[];
  readonly hint = "The API makes no objects: create it where the organization is set up, or correct the name.";

  constructor(objects: readonly ObjectKey[]) {
    const names = objects.map(objectText).join(", ");
    super(objects.length === 1 ? `the object ${names} does not exist` : `these objects do not exist: ${names}`);
    this.objects = objects;
  }
}

/** Several records have the identity of one manifest. */
export type Ambiguity = { address: string; message: string; ids: readonly string[] };

/** Exit 6. */
export class AmbiguousNames extends Error {
  override readonly name = "AmbiguousNames";
  readonly ambiguities: readonly Ambiguity[];
  readonly hint: string;

  constructor(
    ambiguities: readonly Ambiguity[],
    hint = "Rename or delete one of them, so that the manifest means one record.",
  ) {
    const [first] = ambiguities;
    const more = ambiguities.length > 1 ? ` (and ${ambiguities.length - 1} more)` : "";
    super(`${first?.message ?? "a name is ambiguous"}${more}`);
    this.ambiguities = ambiguities;
    this.hint = hint;
  }
}

/** `--target` names a resource that neither manifests nor the plan have. Exit 64. */
export class UnknownTargets extends Error {
  override readonly name = "UnknownTargets";
  readonly hint: string | undefined;

  constructor(targets: readonly string[], hint: string | undefined) {
    super(`no manifest has the address ${targets.map((target) => `"${target}"`).join(", ")}`);
    this.hint = hint;
  }
}
