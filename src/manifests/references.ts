/** Names that manifests use for roles and members, and the ids that the API knows them by. */

import type { AccessAnswer } from "../schemas/answers.ts";
import type { Located } from "../schemas/diagnostic.ts";
import type { ManifestCode } from "../schemas/manifest-codes.ts";
import { nearest } from "../nearest.ts";
import { complaint } from "./complaints.ts";
import type { FormManifest, LayoutManifest, Manifest, Wanted, WantedForm, WantedLayout } from "./manifest.ts";

export type SubjectKind = "role" | "member";

export type References = {
  /** The ids that a name may mean: none, one, or several. A role's key or name, a member's e-mail address; any case, any encoding of accents. */
  idsOf: (kind: SubjectKind, name: string) => readonly string[];
  /** The name by which a manifest should call an id, or undefined. */
  nameOf: (kind: SubjectKind, id: string) => string | undefined;
  /** Every name there is, for suggestions. */
  names: (kind: SubjectKind) => readonly string[];
  /** Whether there is somebody with this id; left out where not everybody is known. */
  hasId?: (kind: SubjectKind, id: string) => boolean;
  /** Where names come from, for the way out of a complaint: "the local store", "references.prod.roles in formctl.yaml". */
  source: (kind: SubjectKind) => string;
};

/** Somebody with an id: `names` are what manifests may call them, the first is what they should. */
export type Named = { id: string; names: readonly string[] };

export function referencesOf(named: Record<SubjectKind, readonly Named[]>, source: References["source"]): References {
  const indexes = { role: indexNames(named.role), member: indexNames(named.member) };
  const namesOf = {
    role: new Map(named.role.map(({ id, names }) => [id, names])),
    member: new Map(named.member.map(({ id, names }) => [id, names])),
  };
  return {
    idsOf: (kind, name) => [...(indexes[kind].get(fold(name)) ?? [])],
    // A name that others have too would not lead back.
    nameOf: (kind, id) => namesOf[kind].get(id)?.find((name) => indexes[kind].get(fold(name))?.size === 1),
    names: (kind) => named[kind].flatMap(({ names }) => names),
    source,
  };
}

function indexNames(named: readonly Named[]): Map<string, Set<string>> {
  const index = new Map<string, Set<string>>();
  for (const { id, names } of named) {
    for (const name of names) {
      const ids = index.get(fold(name)) ?? new Set();
      index.set(fold(name), ids.add(id));
    }
  }
  return index;
}

/** In any case, and however an accent is encoded: nobody sees the difference, and some systems write one, some the other. */
function fold(name: string): string {
  return name.trim().toLowerCase().normalize("NFC");
}

/** Every name as an id, or every name that means none or several, at its place. */
export type Resolved = { wanted: Wanted[]; problems: Located[] };

/** Ids that a manifest gives itself are taken as they are, unless it is known that nobody has them. A manifest with a problem is not among the wanted ones. */
export function resolveNames(manifests: readonly Manifest[], references: References): Resolved {
  const wanted: Wanted[] = [];
  const problems: Located[] = [];
  for (const manifest of manifests) {
    const before = problems.length;
    const resolve = resolverFor(manifest, references, problems);
    const resolved = manifest.kind === "Form" ? resolveForm(manifest, resolve) : resolveLayout(manifest, resolve);
    if (problems.length === before) wanted.push(resolved);
  }
  return { wanted, problems };
}

/** The id of a row; of a name that means none or several it is told, and the row stays without. */
type Resolve = (kind: SubjectKind, path: string, id: string | undefined, name: string | undefined) => string;

function resolveForm(form: FormManifest, resolve: Resolve): WantedForm {
  const { access, ...members } = form;
  if (!access) return members;
  const matrix: AccessAnswer = {
    users: access.users.map(({ membershipId, member, types }, index) => ({
      membershipId: resolve("member", `access.users[${index}]`, membershipId, member),
      types,
    })),
    roles: access.roles.map(({ roleId, role, types }, index) => ({
      roleId: resolve("role", `access.roles[${index}]`, roleId, role),
      types,
    })),
  };
  return { ...members, access: matrix };
}

function resolveLayout(layout: LayoutManifest, resolve: Resolve): WantedLayout {
  const { assignments, ...members } = layout;
  if (!assignments) return members;
  const roles = assignments.roles.map(({ roleId, role, priority }, index) => ({
    roleId: resolve("role", `assignments.roles[${index}]`, roleId, role),
    priority,
  }));
  return { ...members, assignments: { organizationDefault: assignments.organizationDefault, roles } };
}

const CODES = {
  role: { none: "ROLE_UNKNOWN", several: "ROLE_AMBIGUOUS", idMember: "roleId" },
  member: { none: "MEMBER_UNKNOWN", several: "MEMBER_AMBIGUOUS", idMember: "membershipId" },
} as const;

function resolverFor(manifest: Manifest, references: References, problems: Located[]): Resolve {
  /** By which row an id was named first: under two names it is the same role still. */
  const named = new Map<string, string>();
  const report = (code: ManifestCode, path: string, message: string) =>
    problems.push(manifest.locate(complaint(code, `${path} ${message}`, path)));

  function idOf(kind: SubjectKind, path: string, name: string): string {
    const ids = references.idsOf(kind, name);
    const [only] = ids;
    if (only !== undefined && ids.length === 1) return only;
    const { none, several, idMember } = CODES[kind];
    if (only !== undefined) {
      report(
        several,
        path,
        `is "${name}", which means ${ids.length} ${kind}s: ${ids.join(", ")}. Name one by its ${idMember}`,
      );
      return "";
    }
    const meant = nearest(name, references.names(kind));
    const wayOut = meant === undefined ? `. Add it there, or give its ${idMember}` : ` - did you mean "${meant}"?`;
    report(none, path, `is "${name}", and ${references.source(kind)} has no such ${kind}${wayOut}`);
    return "";
  }

  return (kind, path, id, name = "") => {
    if (id !== undefined && references.hasId?.(kind, id) === false) {
      const { none, idMember } = CODES[kind];
      report(none, `${path}.${idMember}`, `is "${id}", and ${references.source(kind)} has no such ${kind}`);
      return "";
    }
    const found = id ?? idOf(kind, `${path}.${kind}`, name);
    const first = named.get(`${kind} ${found}`);
    if (first !== undefined && found !== "") {
      const code = manifest.kind === "Form" ? "ACCESS_TWICE" : "ASSIGNMENT_TWICE";
      const member = id === undefined ? kind : CODES[kind].idMember;
      report(code, `${path}.${member}`, `names the same ${kind} as ${first}, by its id or another of its names`);
    } else named.set(`${kind} ${found}`, path);
    return found;
  };
}
