/** Names that manifests use for roles and members, and the ids that the API knows them by. */

import type { Located } from "../schemas/diagnostic.ts";
import type { Manifest, Wanted } from "./manifest.ts";

export type SubjectKind = "role" | "member";

export type References = {
  /** The ids that a name may mean: none, one, or several. A role's key or name, a member's e-mail address; any case. */
  idsOf(kind: SubjectKind, name: string): readonly string[];
  /** The name by which a manifest should call an id, or undefined. */
  nameOf(kind: SubjectKind, id: string): string | undefined;
  /** Every name there is, for suggestions. */
  names(kind: SubjectKind): readonly string[];
  /** Where names come from, for the way out of a complaint: "the local store", "references.prod.roles in formctl.yaml". */
  source(kind: SubjectKind): string;
};

/** Every name as an id, or every name that means none or several, at its place. */
export type Resolved = { wanted: Wanted[]; problems: Located[] };
export declare function resolveNames(manifests: readonly Manifest[], references: References): Resolved;
