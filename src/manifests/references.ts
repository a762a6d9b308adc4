/** Maps the names of roles and members in manifests to the ids of the API. */

import type { AccessAnswer } from "../schemas/answers.ts";
import type { Located } from "../schemas/diagnostic.ts";
import { type ManifestCode, manifestProblem } from "./problems.ts";
import { nearest } from "../base/nearest.ts";
import type { FormManifest, LayoutManifest, Manifest, Wanted, WantedForm, WantedLayout } from "./manifest.ts";

export type SubjectKind = "role" | "member";

/** Returns a name that no other id has. Undefined if there is no such name. */
export type NameOf = (kind: SubjectKind, id: string) => string | undefined;

export type References = {
  /**
   * Returns the ids for a name: none, one, or several. A name is the key or name of a role, or the e-mail address of a
   * member. Letter case makes no difference, so two names that differ in case only are ambiguous.
   */
  idsOf: (kind: SubjectKind, name: string) => readonly string[];
  nameOf: NameOf;
  /** All names, for suggestions. */
  names: (kind: SubjectKind) => readonly string[];
  /** Whether the id exists. Absent if some ids are unknown. Ids in manifests are then not checked. */
  hasId?: (kind: SubjectKind, id: string) => boolean;
  /** Returns where names are defined, for messages: "the local store", "references.prod.roles in formctl.yaml". */
  source: (kind: SubjectKind) => string;
  /** Returns the next step if these names have no id. Absent if the user can't add ids. */
  howToAdd?: (names: Unresolved) => string;
};

/**
 * The names that no known role or member has. Names that resemble a known name are left out: they may be misspelled.
 */
export type Unresolved = Readonly<Record<SubjectKind, ReadonlySet<string>>>;

/**
 * A record with its names, such as a role or member. Manifests may use any of the names. The preferred name is the
 * first.
 */
export type Named = {
  id: string;
  /** The key, if it is known that a text is a key. Promotions compare it with keys only (promotion/counterparts.ts). */
  key?: string;
  names: readonly string[];
};

export function referencesOf(named: Record<SubjectKind, readonly Named[]>, source: References["source"]): References {
  const indexes = { role: indexNames(named.role), member: indexNames(named.member) };
  return {
    idsOf: (kind, name) => indexes[kind].idsOf(name),
    nameOf: (kind, id) => indexes[kind].nameOf(id),
    names: (kind) => named[kind].flatMap(({ names }) => names),
    source,
  };
}

function indexNames(named: readonly Named[]) {
  const idsOf = new Map<string, Set<string>>();
  const namesOf = new Map(named.map(({ id, names }) => [id, names]));
  for (const { id, names } of named) {
    for (const name of names) {
      const ids = idsOf.get(fold(name)) ?? new Set();
      idsOf.set(fold(name), ids.add(id));
    }
  }
  return {
    idsOf: (name: string) => [...(idsOf.get(fold(name)) ?? [])],
    nameOf: (id: string) => namesOf.get(id)?.find((name) => idsOf.get(fold(name))?.size === 1),
  };
}

/** Normalizes a name for comparison, because letter case and the encoding of accents differ between systems. */
function fold(name: string): string {
  return name.trim().toLowerCase().normalize("NFC");
}

export type Resolved = {
  wanted: Wanted[];
  problems: Located[];
  /** The next step for the user, for unknown names that resemble no known name. */
  hint: string | undefined;
};

/**
 * Replaces names by ids. Reports ambiguous names, and roles and members that are unknown or repeated. Leaves manifests
 * with such a problem out of `wanted`.
 */
export function resolveNames(manifests: readonly Manifest[], references: References): Resolved {
  const wanted: Wanted[] = [];
  const problems: Located[] = [];
  const unresolved = { role: new Set<string>(), member: new Set<string>() };
  for (const manifest of manifests) {
    const before = problems.length;
    const resolve = resolverFor(manifest, references, { problems, unresolved });
    const resolved = manifest.kind === "Form" ? resolveForm(manifest, resolve) : resolveLayout(manifest, resolve);
    if (problems.length === before) wanted.push(resolved);
  }
  const hasUnresolved = unresolved.role.size > 0 || unresolved.member.size > 0;
  return { wanted, problems, hint: hasUnresolved ? references.howToAdd?.(unresolved) : undefined };
}

/**
 * Returns the id for a row of access or assignments. Reports an unknown id, an unknown name or an ambiguous name, and
 * then returns an empty text. Also reports a row with the same id as an earlier row.
 */
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

type Findings = { problems: Located[]; unresolved: Record<SubjectKind, Set<string>> };

function resolverFor(manifest: Manifest, references: References, { problems, unresolved }: Findings): Resolve {
  /** The path of the first row of each id. Rows are compared by id, because two names may mean the same role. */
  const firstRows = new Map<string, string>();
  const report = (code: ManifestCode, path: string, message: string) =>
    problems.push(manifest.locate(manifestProblem(code, `${path} ${message}`, path)));

  function idOf(kind: SubjectKind, path: string, name: string): string {
    const ids = references.idsOf(kind, name);
    const [only] = ids;
    if (only !== undefined && ids.length === 1) return only;
    const { none, several, idMember } = CODES[kind];
    if (only !== undefined) {
      report(
        several,
        path,
        `is "${name}", which means ${ids.length} ${kind}s: ${ids.join(", ")}. Use ${idMember} instead`,
      );
      return "";
    }
    const meant = nearest(name, references.names(kind));
    if (meant === undefined) unresolved[kind].add(name);
    const next = meant === undefined ? `. Add it there, or use ${idMember}` : `. Did you mean "${meant}"?`;
    report(none, path, `is "${name}", and ${references.source(kind)} has no such ${kind}${next}`);
    return "";
  }

  return (kind, path, id, name = "") => {
    if (id !== undefined && references.hasId?.(kind, id) === false) {
      const { none, idMember } = CODES[kind];
      report(none, `${path}.${idMember}`, `is "${id}", and ${references.source(kind)} has no such ${kind}`);
      return "";
    }
    const found = id ?? idOf(kind, `${path}.${kind}`, name);
    const first = firstRows.get(`${kind} ${found}`);
    if (first !== undefined && found !== "") {
      const code = manifest.kind === "Form" ? "ACCESS_TWICE" : "ASSIGNMENT_TWICE";
      const member = id === undefined ? kind : CODES[kind].idMember;
      report(code, `${path}.${member}`, `names the same ${kind} as ${first}, by its id or another of its names`);
    } else firstRows.set(`${kind} ${found}`, path);
    return found;
  };
}
