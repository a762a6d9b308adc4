/** Defines the errors for objects that do not exist, and for manifests that could mean several records. */

import { FormctlError } from "../../error.ts";
import type { ObjectKey } from "../manifest.ts";
import { objectText } from "../address.ts";

export class MissingObjects extends FormctlError {
  override readonly name = "MissingObjects";
  readonly objects: readonly ObjectKey[];

  constructor(objects: readonly ObjectKey[]) {
    const names = objects.map(objectText).join(", ");
    super(
      "OBJECT_MISSING",
      objects.length === 1 ? `the object ${names} does not exist` : `these objects do not exist: ${names}`,
      "The API can't create objects: create it where the organization is set up, or correct the name.",
    );
    this.objects = objects;
  }
}

/** The ids of several records that one manifest could mean, with a message. */
export type Ambiguity = { address: string; message: string; ids: readonly string[] };

export class AmbiguousNames extends FormctlError {
  override readonly name = "AmbiguousNames";
  readonly ambiguities: readonly Ambiguity[];

  constructor(
    ambiguities: readonly Ambiguity[],
    hint = "Rename or delete one of them, so that the manifest means one record.",
  ) {
    const [first] = ambiguities;
    const more = ambiguities.length > 1 ? ` (and ${ambiguities.length - 1} more)` : "";
    super("AMBIGUOUS_NAME", `${first?.message ?? "a name is ambiguous"}${more}`, hint);
    this.ambiguities = ambiguities;
  }
}
