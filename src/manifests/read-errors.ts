/** Why no plan can be made of what is there. */

import type { ObjectKey } from "./manifest.ts";
import { objectText } from "./subject.ts";

/** Manifests name objects that are not there. Exit 5. */
export class MissingObjects extends Error {
  override readonly name = "MissingObjects";
  readonly objects: readonly ObjectKey[];

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
  readonly hint = "Rename or delete one of them, so that the manifest means one record.";

  constructor(ambiguities: readonly Ambiguity[]) {
    const [first] = ambiguities;
    const more = ambiguities.length > 1 ? ` (and ${ambiguities.length - 1} more)` : "";
    super(`${first?.message ?? "a name is ambiguous"}${more}`);
    this.ambiguities = ambiguities;
  }
}

/** A list changed while its pages were read, or its pages don't make it. Exit 6. */
export class IncompleteList extends Error {
  override readonly name = "IncompleteList";
  readonly hint = "Nothing was planned. Try again when nobody else is changing forms.";

  constructor(object: ObjectKey, reason: string) {
    super(`the forms of ${objectText(object)} could not be listed completely: ${reason}`);
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
