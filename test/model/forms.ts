/** The rules of forms in the model: records, defaults, access and availability. */

import {
  type AccessRow,
  ANY_TEXT,
  canonical,
  conflict,
  type FormRecord,
  isSameSet,
  type Json,
  type LayoutRecord,
  type Mode,
  MODES,
  type ObjectRecord,
  type Organization,
  refuseInvalid,
  type World,
} from "./records.ts";
import { newLayout } from "./layouts.ts";
import { availabilityIn, fieldsOf } from "./verdict.ts";

type OfObject = World & { object: ObjectRecord };
type OfForm = OfObject & { form: FormRecord };
type Body = { body: Json };

const DEFAULTS = { CREATE: "defaultCreateFormId", VIEW: "defaultViewFormId", EDIT: "defaultEditFormId" } as const;
const FLAGS = { CREATE: "isDefaultCreate", VIEW: "isDefaultView", EDIT: "isDefaultEdit" } as const;

const defaultOf = ({ defaults }: Organization, object: ObjectRecord, mode: Mode) => defaults[`${object.key} ${mode}`];
const defaultModes = ({ organization, object, form }: OfForm) =>
  MODES.filter((mode) => defaultOf(organization, object, mode) === form.id);

function layoutOf({ layouts }: Organization, { id }: FormRecord): LayoutRecord {
  return layouts.find(({ formId }) => formId === id)!;
}

/** A form with the availability of its layout in each mode (R22, R23, R57). */
function shown(organization: Organization, object: ObjectRecord, form: FormRecord): Json {
  const { users: _users, roles: _roles, objectKey: _objectKey, ...members } = form;
  const layout = layoutOf(organization, form);
  const live = layout.versions.find(({ status }) => status === "PUBLISHED");
  const fields = fieldsOf(organization, layout);
  const layoutAvailability: Json = {};
  const layoutWarnings: Json[] = [];
  const usableTypes: Mode[] = [];
  for (const type of form.types) {
    const isServed = live?.modes.includes(type) === true;
    const { state, isUsable } = isServed
      ? availabilityIn(type, layout.surface, live.content, fields)
      : { state: "DRAFT_ONLY", isUsable: false };
    const versionId = isServed ? { versionId: live.id } : {};
    layoutAvailability[type] = { state, layoutId: layout.id, layoutName: layout.name, ...versionId };
    if (state !== "PUBLISHED") layoutWarnings.push({ type, code: `LAYOUT_${state}`, message: ANY_TEXT });
    if (isUsable && form.isActive) usableTypes.push(type);
  }
  return {
    ...members,
    organizationId: organization.id,
    objectId: object.id,
    viewLayoutId: layout.id,
    viewLayoutName: layout.name,
    layoutAvailability,
    usableTypes,
    layoutWarnings,
  };
}

function matches(form: FormRecord, query: Json): boolean {
  const { op, items } = (query["filters"] ?? { op: "and", items: [] }) as { op: string; items: Json[] };
  const holds = ({ field, operator, value }: Json) =>
    field === "name"
      ? (form.name === value) === (operator === "eq")
      : field === "isActive"
        ? form.isActive === value
        : form.types.includes(value as Mode);
  return op === "or" ? items.some(holds) : items.every(holds);
}

function ordered(forms: readonly FormRecord[], query: Json): FormRecord[] {
  const terms = query["sort"] as { field: "name" | "createdAt" | "updatedAt"; direction: string }[] | undefined;
  const [{ field, direction }] = terms?.[0] ? [terms[0]] : [{ field: "createdAt", direction: "asc" } as const];
  const key = (form: FormRecord) => form[field].toLowerCase();
  const sorted = forms.toSorted((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
  return direction === "desc" ? sorted.reverse() : sorted;
}

const formsOf = ({ organization, object }: OfObject) =>
  organization.forms.filter(({ objectKey }) => objectKey === object.key);

export const formRules = {
  createForm(world: OfObject & Body) {
    const { organization, object, body, newId, now } = world;
    if (object.isSubordinate) throw conflict("OBJECT_IS_SUBORDINATE");
    const { name, types, isActive, isPublic, config } = body as FormRecord;
    const form: FormRecord = {
      id: newId("form"),
      objectKey: object.key,
      name,
      types,
      isActive,
      isPublic,
      publicToken: isPublic ? newId("publicToken") : null,
      config,
      users: [],
      roles: [],
      createdAt: now,
      updatedAt: now,
    };
    organization.forms.push(form);
    const target = { moduleKey: "staffing", objectKey: object.key, formId: form.id };
    newLayout(world, { formId: form.id, surface: "DYNAMIC_OBJECT", target, name, metadata: null, modes: [] });
    return shown(organization, object, form);
  },

  listForms(world: OfObject & { query: Json }) {
    const { organization, object, query } = world;
    const [page, limit, count] = [Number(query["page"]), Number(query["limit"]), query["count"]];
    const found = ordered(formsOf(world), query).filter((form) => matches(form, query));
    const hasMore = found.length > page * limit;
    const data = found.slice((page - 1) * limit, page * limit).map((form) => ({
      ...shown(organization, object, form),
      ...Object.fromEntries(MODES.map((mode) => [FLAGS[mode], defaultOf(organization, object, mode) === form.id])),
      directUserAccessCount: form.users.length,
      roleAccessCount: form.roles.length,
    }));
    const meta = {
      page,
      limit,
      ...(count === "exact" && { total: found.length }),
      ...(count !== "none" && { hasMore }),
      ...(count !== "none" && hasMore && !query["sort"] && { nextCursor: ANY_TEXT }),
      ...(query["filters"] !== undefined && { filtered: true }),
    };
    return { data, meta };
  },

  listAvailableForms(world: OfObject & { query: { type?: Mode } }) {
    const { organization, object, query } = world;
    return formsOf(world)
      .filter(({ isActive, types }) => isActive && (query.type === undefined || types.includes(query.type)))
      .map((form) => shown(organization, object, form));
  },

  getForm: ({ organization, object, form }: OfForm) => shown(organization, object, form),

  updateForm(world: OfForm & Body) {
    const { organization, object, form, body, newId, now } = world;
    const changed: FormRecord = { ...form, ...body };
    const isSame = isSameSet(changed.types, form.types);
    const members = ({ name, config, isActive, isPublic }: FormRecord) =>
      canonical({ name, config, isActive, isPublic });
    if (isSame && members(changed) === members(form)) return shown(organization, object, form);
    const defaults = defaultModes(world);
    if (defaults.some((mode) => !changed.types.includes(mode))) throw conflict("FORM_TYPE_IS_DEFAULT");
    if (!changed.isActive && defaults.length > 0) throw conflict("FORM_IS_DEFAULT");
    const trimmed = (rows: readonly AccessRow[]) =>
      rows
        .map(({ id, types }) => ({ id, types: types.filter((mode) => changed.types.includes(mode)) }))
        .filter(({ types }) => types.length > 0);
    Object.assign(form, changed, {
      types: isSame ? form.types : changed.types,
      publicToken: changed.isPublic ? (form.publicToken ?? newId("publicToken")) : null,
      users: trimmed(form.users),
      roles: trimmed(form.roles),
      updatedAt: now,
    });
    return shown(organization, object, form);
  },

  deleteForm(world: OfForm) {
    const { organization, form } = world;
    if (defaultModes(world).length > 0) throw conflict("FORM_IS_DEFAULT");
    const { id: layoutId } = layoutOf(organization, form);
    organization.forms = organization.forms.filter(({ id }) => id !== form.id);
    organization.layouts = organization.layouts.filter(({ id }) => id !== layoutId);
    organization.replays = organization.replays.filter(({ ownerId }) => ownerId !== form.id && ownerId !== layoutId);
    return undefined;
  },

  updateFormDefaults({ organization, object, body }: OfObject & Body) {
    if (object.isSubordinate) throw conflict("OBJECT_IS_SUBORDINATE");
    const wanted = MODES.filter((mode) => body[DEFAULTS[mode]] !== undefined);
    const isRefused = (mode: Mode) => {
      const id = body[DEFAULTS[mode]];
      const form = organization.forms.find((each) => each.id === id);
      return id !== null && !(form?.objectKey === object.key && form.isActive && form.types.includes(mode));
    };
    refuseInvalid(wanted.filter(isRefused).map((mode) => DEFAULTS[mode]));
    for (const mode of wanted) {
      const id = body[DEFAULTS[mode]] as string | null;
      if (id === null) delete organization.defaults[`${object.key} ${mode}`];
      else organization.defaults[`${object.key} ${mode}`] = id;
    }
    return Object.fromEntries(MODES.map((mode) => [DEFAULTS[mode], defaultOf(organization, object, mode) ?? null]));
  },

  getFormAccess: ({ form }: OfForm) => access(form),

  replaceFormAccess({ organization, form, body }: OfForm & Body) {
    const { users, roles } = body as { users: Json[]; roles: Json[] };
    const rows = (list: Json[], member: string): AccessRow[] =>
      list.map((row) => ({ id: row[member] as string, types: row["types"] as Mode[] }));
    const problems = (list: readonly AccessRow[], path: string, member: string, known: readonly string[]) =>
      list.flatMap(({ id, types }, index) => [
        ...(known.includes(id) ? [] : [`${path}[${index}].${member}`]),
        ...types.flatMap((mode, position) =>
          form.types.includes(mode) ? [] : [`${path}[${index}].types[${position}]`],
        ),
      ]);
    const [userRows, roleRows] = [rows(users, "membershipId"), rows(roles, "roleId")];
    refuseInvalid([
      ...problems(userRows, "users", "membershipId", organization.members),
      ...problems(roleRows, "roles", "roleId", organization.roles),
    ]);
    Object.assign(form, { users: userRows, roles: roleRows });
    return access(form);
  },
};

function access({ users, roles }: FormRecord): Json {
  return {
    users: users.map(({ id, types }) => ({ membershipId: id, types })),
    roles: roles.map(({ id, types }) => ({ roleId: id, types })),
  };
}
