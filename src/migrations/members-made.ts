/**
 * Computes what a migration makes of the former members of a form. Every user who may write layouts can change the
 * record on a server. So a recorded former member is used only if the migration makes the current member of it.
 */

import { accessRows } from "../export/exported.ts";
import { sortedModes } from "../schemas/words.ts";
import { manifestOf } from "../manifests/read/read-manifest.ts";
import type { References, SubjectKind } from "../manifests/references.ts";
import type { FormManifest } from "../manifests/manifest.ts";
import type { Located } from "../schemas/diagnostic.ts";
import type { JsonObject } from "../schemas/json.ts";
import { callForm, type MigrationCode } from "./call-transform.ts";
import type { FormMembers, Transform } from "./definition.ts";
import type { FoundForm } from "./find-resources.ts";
import { memberDigests, membersOf, noNames, withModes } from "./form-members.ts";
import { objectText } from "../lists/addresses.ts";

export type MembersMade = {
  /** The members that the function of the migration changes. */
  changed: Partial<FormMembers> | undefined;
  /**
   * The digests of all members after the migration. Roles and users are ids. Without `defaultFor`: it also depends on
   * other forms.
   */
  digests: Readonly<Record<string, string>>;
};

/**
 * Calls the function `form` of a migration with the former members. Members that are not in `former` have their current
 * values. Returns undefined if a former member is invalid.
 *
 * @param found its state contains the access, if the user may read it
 * @throws what `callForm` throws
 */
export function membersMade(
  { about, state }: Pick<FoundForm, "about" | "state">,
  former: JsonObject,
  { transform, code, references }: { transform: Transform; code: MigrationCode; references: References },
): MembersMade | undefined {
  const { object } = about;
  const locate = (problem: object) => ({ ...problem, file: "", line: 1, column: 1 }) as Located;
  const manifestFrom = (members: JsonObject) => {
    const read = manifestOf({ ...members, kind: "Form", object: objectText(object) }, { file: "", locate });
    return "problems" in read || read.manifest.kind !== "Form" ? undefined : read.manifest;
  };
  const whole = { ...membersOf(object, state, references.nameOf), ...former } as FormMembers;
  if (!manifestFrom(whole)) return undefined;
  const changed = callForm(transform, code, whole, about);
  const made = manifestFrom({ ...whole, ...changed })!;
  const types = sortedModes(made.types);
  const { defaultFor: _ofOthers, ...digests } = memberDigests({
    ...membersOf(object, state, noNames),
    ...former,
    ...changed,
    name: made.name,
    types,
    ...(made.access && { access: accessRows(withModes(withIds(made.access, references), types), noNames) }),
  });
  return { changed, digests };
}

/** Returns access rows with ids instead of names. A name without an id becomes an empty id. */
function withIds({ users, roles }: NonNullable<FormManifest["access"]>, { idsOf }: References) {
  const idOf = (kind: SubjectKind, id: string | undefined, name = "") => id ?? idsOf(kind, name)[0] ?? "";
  return {
    users: users.map(({ membershipId, member, types }) => ({
      membershipId: idOf("member", membershipId, member),
      types,
    })),
    roles: roles.map(({ roleId, role, types }) => ({ roleId: idOf("role", roleId, role), types })),
  };
}
