/**
 * Derives the changes of a resource from the steps of a plan. The changes are derived when a plan is created, and again
 * when a plan file is applied. So the changes in a plan file always match its steps.
 */

import type { AccessAnswer } from "../schemas/answers.ts";
import type { Change } from "../schemas/content-diff.ts";
import { canonicalJson, isJsonObject } from "../schemas/json.ts";
import { type Mode, type ModeWord, sortedModes } from "../schemas/words.ts";
import { formatPath, type PathStep } from "../schemas/path.ts";
import { contentChanges, contentSummary, withoutStamp } from "../contents/compare.ts";
import type { NameOf } from "../manifests/references.ts";
import type { ContentState, FormState, LayoutAssignments, LayoutState } from "../state/state.ts";
import { type PlannedStep, savesContent, type StepRequest } from "./planned.ts";

type Requests = { [R in StepRequest as R["operation"]]: R };

/**
 * Returns the last request of an operation. A resource may have several such requests, for example to first add modes
 * and later remove modes.
 */
function lastOf<N extends keyof Requests>(steps: readonly PlannedStep[], operation: N): Requests[N] | undefined {
  return steps.findLast(({ request }) => request.operation === operation)?.request as Requests[N] | undefined;
}

/**
 * @param state undefined if the form does not exist
 * @param taken the modes whose default another form of the plan takes over
 */
export function formChanges(
  steps: readonly PlannedStep[],
  state: FormState | undefined,
  { nameOf, taken }: { nameOf: NameOf; taken: ReadonlySet<ModeWord> },
): Change[] {
  if (lastOf(steps, "deleteForm")) {
    const { name, types } = state?.form ?? { name: "", types: [] };
    return [{ kind: "removed", path: "form", before: { name, types: sortedModes(types) } }];
  }
  const access = lastOf(steps, "replaceFormAccess");
  const defaults = lastOf(steps, "updateFormDefaults");
  const record = lastOf(steps, "createForm")?.body ?? mergedBody(steps, "updateForm");
  return [
    ...recordChanges(record, state?.form),
    ...contentStepChanges(steps, state?.content),
    ...(access ? accessChanges(state?.access ?? { users: [], roles: [] }, access.body, nameOf) : []),
    ...(defaults ? [defaultsChange(state, defaults, taken)] : []),
  ];
}

/** @param state undefined if the layout does not exist */
export function layoutChanges(
  steps: readonly PlannedStep[],
  state: LayoutState | undefined,
  { nameOf }: { nameOf: NameOf },
): Change[] {
  const {
    surface: _surface,
    target: _target,
    ...created
  } = lastOf(steps, "createLayout")?.body ?? {
    surface: "",
    target: {},
  };
  const assignments = lastOf(steps, "replaceAssignments");
  const before = state ? state.assignments : { organizationDefault: false, roles: [] };
  return [
    ...recordChanges(state ? mergedBody(steps, "updateLayout") : created, state),
    ...contentStepChanges(steps, state?.content),
    ...(assignments ? assignmentChanges(before, assignments, nameOf) : []),
  ];
}

/**
 * Returns all members that the updates write. If two updates write the modes, the later value counts. The first update
 * adds modes. The last update removes modes.
 */
function mergedBody(steps: readonly PlannedStep[], operation: "updateForm" | "updateLayout"): object {
  return Object.assign(
    {},
    ...steps.map(({ request }) => (request.operation === operation && "body" in request ? request.body : {})),
  ) as object;
}

/**
 * `MEMBERS`: the members of existing records, in the order in which a plan lists them. `CREATED`: the members of new
 * records. A new record has its name in the address, so `CREATED` lacks the name.
 */
const MEMBERS = ["name", "config", "isActive", "isPublic", "types", "supportedModes", "metadata"] as const;
const CREATED = ["types", "isActive", "isPublic", "config", "supportedModes", "metadata"] as const;

function recordChanges(body: object, record: object | undefined): Change[] {
  const written = body as Partial<Record<string, unknown>>;
  const before = record as Partial<Record<string, unknown>> | undefined;
  return (before ? MEMBERS : CREATED).flatMap((member): Change[] => {
    if (written[member] === undefined) return [];
    const after = normalMember(member, written[member]);
    if (!before) return [{ kind: "added", path: member, after }];
    if (member === "config" || member === "metadata") return valueChanges([member], before[member], after);
    return [changeOf(member, normalMember(member, before[member]), after)];
  });
}

function normalMember(member: string, value: unknown): unknown {
  const isModes = (member === "types" || member === "supportedModes") && value !== undefined;
  return isModes ? sortedModes(value as ModeWord[]) : value;
}

/**
 * Returns the changes of the content. Returns one summary of the new content if the layout has no content yet, or if
 * the server does not show the content.
 */
function contentStepChanges(steps: readonly PlannedStep[], current: ContentState | undefined): Change[] {
  const publish = lastOf(steps, "publishLayout");
  const saved =
    steps.map(({ request }) => request).findLast(savesContent)?.content ?? (publish && current?.draft?.content);
  if (!saved) return [];
  const content = withoutStamp(saved);
  const compared = publish ? current?.published : (current?.draft ?? current?.published);
  if (!compared) return [{ kind: "added", path: "layout", after: contentSummary(content) }];
  return contentChanges(content, compared.content).map((change) => ({ ...change, path: `layout.${change.path}` }));
}

function defaultsChange(
  state: FormState | undefined,
  { take, leave }: Requests["updateFormDefaults"],
  taken: ReadonlySet<ModeWord>,
): Change {
  const before = state ? state.defaultFor : [];
  const kept = (before ?? []).filter((mode) => !leave.includes(mode) && !taken.has(mode));
  const after: Mode[] = [...kept, ...take];
  return changeOf("defaultFor", before && sortedModes(before), sortedModes(after));
}

type AccessRow = { list: "users" | "roles"; id: string; types: readonly ModeWord[] };

function accessRows({ users, roles }: AccessAnswer): AccessRow[] {
  return [
    ...users.map(({ membershipId, types }): AccessRow => ({ list: "users", id: membershipId, types })),
    ...roles.map(({ roleId, types }): AccessRow => ({ list: "roles", id: roleId, types })),
  ];
}

/** Returns a value that is equal for the same access. The order of rows and modes has no meaning. */
export function canonicalAccess(access: AccessAnswer): unknown {
  return accessRows(access)
    .map(({ list, id, types }) => canonicalJson([list, id, sortedModes(types)]))
    .toSorted();
}

function accessChanges(before: AccessAnswer, after: AccessAnswer, nameOf: NameOf): Change[] {
  const key = ({ list, id }: AccessRow) => `${list} ${id}`;
  const path = (row: AccessRow) => formatPath(["access", row.list, rowName(row, nameOf)]);
  const old = new Map(accessRows(before).map((row) => [key(row), row]));
  const rows = new Map(accessRows(after).map((row) => [key(row), row]));
  const changes: Change[] = [];
  for (const row of old.values()) {
    if (!rows.has(key(row))) changes.push({ kind: "removed", path: path(row), before: sortedModes(row.types) });
  }
  for (const row of rows.values()) {
    const types = sortedModes(row.types);
    const oldTypes = old.get(key(row))?.types;
    if (!oldTypes) changes.push({ kind: "added", path: path(row), after: types });
    else if (canonicalJson(sortedModes(oldTypes)) !== canonicalJson(types))
      changes.push({ kind: "changed", path: path(row), before: sortedModes(oldTypes), after: types });
  }
  return changes;
}

function rowName({ list, id }: AccessRow, nameOf: NameOf): string {
  return nameOf(list === "roles" ? "role" : "member", id) ?? id;
}

/**
 * Returns texts for the access that is lost with removed modes of a form. Use this function if the manifest does not
 * manage access (R74).
 */
export function lostAccess(access: AccessAnswer, removed: readonly ModeWord[], nameOf: NameOf): string[] {
  return accessRows(access).flatMap((row) => {
    const lost = row.types.filter((mode) => removed.includes(mode));
    if (lost.length === 0) return [];
    const whole = row.types.length > lost.length ? "" : ", and with it the whole access row";
    return [`${row.list === "roles" ? "role" : "member"} ${rowName(row, nameOf)} loses ${lost.join(", ")}${whole}`];
  });
}

/** Returns a value that is equal for the same assignments. The order of roles has no meaning. */
export function canonicalAssignments({ organizationDefault, roles }: LayoutAssignments): unknown {
  return { organizationDefault, roles: roles.map(({ roleId, priority }) => `${roleId} ${priority}`).toSorted() };
}

function assignmentChanges(before: LayoutAssignments | undefined, after: LayoutAssignments, nameOf: NameOf): Change[] {
  const byName = ({ organizationDefault, roles }: LayoutAssignments) => ({
    organizationDefault,
    roles: Object.fromEntries(roles.map(({ roleId, priority }) => [nameOf("role", roleId) ?? roleId, { priority }])),
  });
  return valueChanges(["assignments"], before && byName(before), byName(after));
}

/** @param before undefined if the server does not show the value. The change then has the kind `added` */
function changeOf(path: string, before: unknown, after: unknown): Change {
  return before === undefined ? { kind: "added", path, after } : { kind: "changed", path, before, after };
}

/** Returns one change for each member that differs, at any depth. Values other than objects are compared as a whole. */
function valueChanges(path: PathStep[], before: unknown, after: unknown): Change[] {
  if (isJsonObject(before) && isJsonObject(after)) {
    return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) =>
      valueChanges([...path, name], before[name], after[name]),
    );
  }
  const text = formatPath(path);
  if (before === undefined) return after === undefined ? [] : [{ kind: "added", path: text, after }];
  if (after === undefined) return [{ kind: "removed", path: text, before }];
  if (canonicalJson(before) === canonicalJson(after)) return [];
  return [{ kind: "changed", path: text, before, after }];
}
