/**
 * Creates the organization for the copy of a server. Its objects, fields, roles and members come from the organization
 * file, and from layouts, access rows and steps. Facts that the server does not show are assumed in favor of the plan.
 * These assumptions are reported.
 */

import type { CopiedForm, CopiedLayout, CopiedVersion } from "../local-service.ts";
import { walkBlocks } from "../contents/normal.ts";
import { fieldsOwner, type PlannedResource, savesContent, type StepRequest } from "../plan/planned.ts";
import type { RehearsalRequest, UnknownFact, UnknownKind } from "./rehearsal.ts";
import { plural } from "../base/plural.ts";
import { fieldsOf, objectOf } from "../schemas/catalog.ts";
import type { Block, DraftContent, StagedField } from "../schemas/draft.ts";
import type { SeedField, SeedOrganization } from "../schemas/organization.ts";
import { contentOfMode } from "../schemas/draft-modes.ts";
import { stagedOptions } from "../schemas/staged-fields.ts";
import { targetKey } from "../schemas/target-key.ts";
import { FIELD_TYPES, type FieldType, type Surface } from "../schemas/words.ts";
import { objectText } from "../lists/addresses.ts";

/** What is known about the fields and scripts of the target. */
export type KnownFields = {
  /**
   * Whether the fields of an owner are known. The organization file must list the owner's fields, and layouts must name
   * no other fields. The owner is a result of `fieldsOwner`: an object, or a surface and scope.
   */
  isKnown: (owner: string) => boolean;
  knowsScripts: boolean;
};

type Options = Pick<RehearsalRequest, "organization" | "current" | "nameOf"> & {
  /** The resources with steps. */
  changed: readonly PlannedResource[];
  forms: readonly CopiedForm[];
  layouts: readonly CopiedLayout[];
};

export function copiedOrganization(options: Options): {
  organization: SeedOrganization;
  fields: KnownFields;
  unknown: UnknownFact[];
} {
  const { organization: file } = options;
  const owners = readOwners(options);
  const grantees = copiedGrantees(options);
  const kinds = unknownKinds(options);
  return {
    organization: {
      id: file?.id,
      key: file?.key ?? "copy",
      name: file?.name ?? "Copy",
      roles: grantees.roles,
      members: grantees.members,
      scripts: file?.scripts ?? [],
      customFields: copiedCustomFields(options, owners),
      modules: copiedModules(options, owners),
    },
    fields: {
      isKnown: (owner) => owners.get(owner)?.isKnown ?? file !== undefined,
      knowsScripts: file !== undefined,
    },
    unknown: [...kinds, ...grantees.unknown, ...unknownFields(options, owners)],
  };
}

/** An object, or a surface and scope, with the fields that its layouts name. */
type Owner = {
  surface: Surface;
  target: Readonly<Record<string, unknown>>;
  /** The fields of the organization file. Undefined if the file does not list the object. */
  listed: readonly SeedField[] | undefined;
  /** The additional fields of the copy. Contents name these fields, but the organization file does not list them. */
  added: SeedField[];
  /** The keys of the added fields that published layouts show. These fields certainly exist. */
  missing: string[];
  isKnown: boolean;
};

type Content = { content: DraftContent; isPublished: boolean };

function readOwners({ organization: file, changed, layouts }: Options): Map<string, Owner> {
  const owners = new Map<string, Owner>();
  const contents = new Map<string, Content[]>();
  const add = (owner: string, { surface, target }: Pick<Owner, "surface" | "target">, found: readonly Content[]) => {
    const listed = file && fieldsOf(file, { surface, target });
    if (!owners.has(owner)) {
      owners.set(owner, { surface, target, listed, added: [], missing: [], isKnown: listed !== undefined });
    }
    const known = contents.get(owner) ?? [];
    contents.set(owner, known);
    known.push(...found);
  };
  for (const { surface, target, versions } of layouts) {
    add(ownerOfLayout(surface, target), { surface, target }, versions.flatMap(contentsOf));
  }
  for (const resource of changed) {
    const { subject, steps } = resource;
    const found = steps.flatMap(({ request }) =>
      request.operation === "saveDraft" ? [{ content: request.content, isPublished: false }] : [],
    );
    const scope =
      subject.kind === "Form"
        ? { surface: "DYNAMIC_OBJECT" as const, target: subject.object }
        : { surface: subject.surface, target: subject.target };
    add(fieldsOwner(resource), scope, found);
  }
  for (const [name, owner] of owners) addNamedFields(owner, contents.get(name)!);
  return owners;
}

/**
 * Returns the contents from which fields are known. A published version that the server reports as invalid may show a
 * deleted field. Then only the modes in which it is valid prove that fields exist.
 */
function contentsOf({ content, status, modes, shown }: CopiedVersion): Content[] {
  if (status !== "PUBLISHED") return [{ content, isPublished: false }];
  if (!shown || shown.invalid.length === 0) return [{ content, isPublished: true }];
  return shown.published.map((mode) => ({ content: contentOfMode(content, mode, modes), isPublished: true }));
}

function ownerOfLayout(surface: string, { moduleKey, objectKey, scopeId }: CopiedLayout["target"]): string {
  return moduleKey && objectKey ? objectText({ moduleKey, objectKey }) : `${surface} ${targetKey({ scopeId })}`;
}

/** A reference to an existing field, from a block or a staged change. `type` is a type that the field may have. */
type FieldName = { key: string | undefined; id: string | undefined; type: FieldType; options: string[] };

/** Adds the fields that only contents name. The organization file does not list these fields. */
function addNamedFields(owner: Owner, contents: readonly Content[]): void {
  const known = owner.listed ?? [];
  const keys = new Set(known.map(({ key }) => key));
  const ids = new Set(known.flatMap(({ id }) => id ?? []));
  const created = new Set(contents.flatMap(({ content }) => createdKeys(content)));
  // Published contents come first: the fields in them exist, whatever a draft stages.
  const sorted = contents.toSorted((a, b) => Number(b.isPublished) - Number(a.isPublished));
  for (const { content, isPublished } of sorted) {
    for (const { key, id, type, options } of namedFields(content)) {
      if ((key !== undefined && keys.has(key)) || (id !== undefined && ids.has(id))) continue;
      // If the organization file lists the object, a field that only a draft names is an error of the draft.
      if (!isPublished && owner.listed !== undefined && !isOnlyById({ key, id }, known)) continue;
      if (!isPublished && key !== undefined && created.has(key)) continue;
      const added = newField(key ?? `field_${id}`, id, type, options);
      owner.added.push(added);
      keys.add(added.key);
      if (id !== undefined) ids.add(id);
      if (isPublished) owner.missing.push(added.key);
    }
  }
  if (owner.added.length > 0) owner.isKnown = false;
}

/** Whether the organization file may list the field without an id. The content names this field only by id. */
function isOnlyById({ key, id }: Pick<FieldName, "key" | "id">, known: readonly SeedField[]): boolean {
  return key === undefined && id !== undefined && known.some((field) => field.id === undefined);
}

function createdKeys({ stagedFieldDefinitions }: DraftContent): string[] {
  return stagedFieldDefinitions.flatMap(({ action, key }) => (action === "create" && key !== undefined ? [key] : []));
}

function namedFields({ blocks, stagedFieldDefinitions }: DraftContent): FieldName[] {
  const names: FieldName[] = [];
  walkBlocks(blocks, (block) => names.push(...namedBy(block)));
  for (const staged of stagedFieldDefinitions) if (staged.action !== "create") names.push(changedBy(staged));
  return names.filter(({ key, id }) => key !== undefined || id !== undefined);
}

function namedBy({ type, source, ref = {} }: Block): FieldName[] {
  if (source !== "dynamic_field" && source !== "custom_field" && source !== "dynamic_relation") return [];
  const isRelation = type === "relation_table" || source === "dynamic_relation";
  const key = (isRelation ? ref.relationFieldKey : ref.fieldKey) ?? undefined;
  const id = (isRelation ? ref.relationFieldId : (ref.fieldId ?? ref.fieldDefinitionId)) ?? undefined;
  return [{ key, id, type: isRelation ? "REFERENCE" : "TEXT", options: [] }];
}

/**
 * Returns the field that a staged change affects. If the copy gets this field, the field has the staged type and
 * options from the start. So the change needs no confirmation on the copy.
 */
function changedBy(staged: StagedField): FieldName {
  const { key, existingFieldDefinitionId, type } = staged;
  return {
    key,
    id: existingFieldDefinitionId ?? undefined,
    type: FIELD_TYPES.find((known) => known === type) ?? "TEXT",
    options: stagedOptions(staged) ?? [],
  };
}

function newField(key: string, id: string | undefined, type: FieldType, options: string[]): SeedField {
  const members = { required: false, options, default: null, valueCount: 0, config: {} };
  return { id, key, name: key, type, ...members };
}

function copiedModules({ organization: file, current, changed, forms }: Options, owners: ReadonlyMap<string, Owner>) {
  const withForms = new Set(forms.map(({ object }) => objectText(object)));
  const modules = new Map(
    (file?.modules ?? []).map((module) => [module.key, { ...module, objects: [...module.objects] }]),
  );
  const needed = [
    ...[...current.objects.values()].map(({ object }) => object),
    ...changed.flatMap(({ object }) => object ?? []),
    ...[...owners.values()].flatMap(({ surface, target: { moduleKey, objectKey } }) =>
      surface === "DYNAMIC_OBJECT" ? [{ moduleKey: String(moduleKey), objectKey: String(objectKey) }] : [],
    ),
  ];
  for (const { moduleKey, objectKey } of needed) {
    const module = modules.get(moduleKey) ?? { id: undefined, key: moduleKey, name: moduleKey, objects: [] };
    modules.set(moduleKey, module);
    if (module.objects.some(({ key }) => key === objectKey)) continue;
    module.objects.push({ id: undefined, key: objectKey, name: objectKey, kind: "REGULAR", parent: null, fields: [] });
  }
  return [...modules.values()].map((module) => ({
    ...module,
    objects: module.objects.map((object) => {
      const address = objectText({ moduleKey: module.key, objectKey: object.key });
      const fields = [...object.fields, ...(owners.get(address)?.added ?? [])];
      // An object with forms is not subordinate, whatever the organization file states.
      return withForms.has(address)
        ? { ...object, fields, kind: "REGULAR" as const, parent: null }
        : { ...object, fields };
    }),
  }));
}

function copiedCustomFields(
  { organization: file }: Options,
  owners: ReadonlyMap<string, Owner>,
): SeedOrganization["customFields"] {
  const added = [...owners.values()].flatMap(({ surface, target, added: fields }) =>
    surface === "DYNAMIC_OBJECT"
      ? []
      : fields.map((field) => ({ ...field, surface, scopeId: (target["scopeId"] as string | undefined) ?? null })),
  );
  return [...(file?.customFields ?? []), ...added];
}

/** Reports the objects that get new forms and may be subordinate. The target refuses forms of subordinate objects. */
function unknownKinds({ organization: file, changed, forms }: Options): UnknownFact[] {
  const withForms = new Set(forms.map(({ object }) => objectText(object)));
  const creating = changed.filter(({ object, steps }) => {
    if (!object || withForms.has(objectText(object))) return false;
    return (
      steps.some(({ request }) => request.operation === "createForm") &&
      !(file && objectOf(file, object.moduleKey, object.objectKey))
    );
  });
  if (creating.length === 0) return [];
  const objects = [...new Set(creating.map(({ object }) => objectText(object!)))];
  const text = `whether ${objects.join(", ")} can have forms: no organization file lists ${objects.length === 1 ? "it" : "them"}`;
  return [{ kind: "kinds", text, addresses: creating.map(({ address }) => address), codes: ["OBJECT_IS_SUBORDINATE"] }];
}

type Grantee = "roles" | "members";

/**
 * Returns the roles and members of the organization file. Adds those that access rows and assignments name. Also adds
 * the roles that steps name, unless the file lists roles with all their ids. Then the copy refuses an unlisted role.
 * The same applies to members.
 */
function copiedGrantees(options: Options) {
  const { organization: file, changed, forms, layouts, nameOf } = options;
  const existing = { roles: new Set<string>(), members: new Set<string>() };
  for (const { access } of forms) addGrantees(existing, access);
  for (const { assignments } of layouts) for (const { roleId } of assignments) existing.roles.add(roleId);
  const isListed = (kind: Grantee) => file !== undefined && file[kind].every(({ id }) => id !== undefined);
  const unchecked: { address: string; ids: string[] }[] = [];
  for (const { address, steps } of changed) {
    const named = { roles: new Set<string>(), members: new Set<string>() };
    for (const { request } of steps) addNamed(named, request);
    const ids = (["roles", "members"] as const).flatMap((kind) => {
      if (isListed(kind)) return [];
      const added = [...named[kind]].filter((id) => !existing[kind].has(id));
      for (const id of added) existing[kind].add(id);
      return [...named[kind]].filter((id) => !file?.[kind].some((one) => one.id === id));
    });
    if (ids.length > 0) unchecked.push({ address, ids });
  }
  const idsIn = (kind: Grantee) => new Set(file?.[kind].flatMap(({ id }) => id ?? []));
  const [fileRoles, fileMembers] = [idsIn("roles"), idsIn("members")];
  const roles = [...existing.roles].filter((id) => !fileRoles.has(id));
  const members = [...existing.members].filter((id) => !fileMembers.has(id));
  return {
    roles: [...(file?.roles ?? []), ...roles.map((id) => ({ id, key: id, name: nameOf("role", id) ?? id }))],
    members: [
      ...(file?.members ?? []),
      ...members.map((id) => ({ id, email: `${id}@copy.invalid`, name: nameOf("member", id) ?? id, roles: [] })),
    ],
    unknown: unknownGrantees(unchecked, (id) => nameOf("role", id) ?? nameOf("member", id)),
  };
}

function unknownGrantees(
  unchecked: readonly { address: string; ids: readonly string[] }[],
  nameOf: (id: string) => string | undefined,
): UnknownFact[] {
  if (unchecked.length === 0) return [];
  const names = [...new Set(unchecked.flatMap(({ ids }) => ids))].map((id) => {
    const name = nameOf(id);
    return name === undefined ? id : `${name} (${id})`;
  });
  const shown = names.length > 3 ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more` : names.join(", ");
  const text = `whether these roles and members exist: ${shown}`;
  return [{ kind: "grantees", text, addresses: unchecked.map(({ address }) => address), codes: ["VALIDATION_FAILED"] }];
}

type GranteeIds = Record<Grantee, Set<string>>;

function addGrantees(ids: GranteeIds, { users, roles }: CopiedForm["access"]): void {
  for (const { membershipId } of users) ids.members.add(membershipId);
  for (const { roleId } of roles) ids.roles.add(roleId);
}

function addNamed(ids: GranteeIds, request: StepRequest): void {
  if (request.operation === "replaceAssignments") for (const { roleId } of request.roles) ids.roles.add(roleId);
  if (request.operation !== "replaceFormAccess") return;
  for (const { membershipId } of request.body.users) ids.members.add(membershipId);
  for (const { roleId } of request.body.roles) ids.roles.add(roleId);
}

const CONTENT_CODES = ["DRAFT_INVALID", "FIELD_CHANGES_UNCONFIRMED", "DRAFT_HAS_WARNINGS"];

/** Reports the unknown facts about fields. Refusals of contents may depend on these facts. */
function unknownFields(options: Options, owners: ReadonlyMap<string, Owner>): UnknownFact[] {
  const writing = options.changed.filter(({ steps }) =>
    steps.some(({ request }) => request.operation === "saveDraft" || request.operation === "publishLayout"),
  );
  const byOwner = Map.groupBy(writing, fieldsOwner);
  const facts: UnknownFact[] = [];
  const report = (kind: UnknownKind, text: string, resources: readonly PlannedResource[]) => {
    const codes = kind === "values" || kind === "layouts" ? ["FIELD_CHANGES_UNCONFIRMED"] : CONTENT_CODES;
    facts.push({ kind, text, addresses: resources.map(({ address }) => address), codes });
  };
  for (const [name, resources] of byOwner) {
    const owner = owners.get(name)!;
    const title = owner.surface === "DYNAMIC_OBJECT" ? name : `the surface ${owner.surface}`;
    if (owner.listed === undefined)
      report("fields", `the fields of ${title}: no organization file lists them`, resources);
    else if (owner.missing.length > 0) {
      const keys = owner.missing.join(", ");
      report(
        "fields",
        `the fields of ${title}: published layouts show ${keys}, which the organization file lacks`,
        resources,
      );
    } else if (!owner.isKnown) {
      report("fields", `the fields of ${title} that layouts name by id: the organization file has no ids`, resources);
    } else
      report("currentFields", `whether the organization file is up to date with the fields of ${title}`, resources);
    const risky = resources.filter((resource) => unconfirmedLosses(resource).length > 0);
    if (risky.length === 0) continue;
    const lacksCounts = unconfirmedKeys(risky).some(
      (key) => owner.listed?.find((field) => field.key === key)?.valueCount === undefined,
    );
    if (lacksCounts) {
      const text = `how many values the changed fields of ${title} have: publishing may require confirmFieldChanges`;
      report("values", text, risky);
    }
    const unread = unreadForms(options, name);
    if (unread > 0) {
      const text = `whether the layouts of ${plural(unread, "other form")} of ${title} show the deleted fields: they were not read`;
      report("layouts", text, risky);
    }
  }
  return facts;
}

/** Returns the unconfirmed staged changes that may lose values. */
function unconfirmedLosses({ steps }: PlannedResource): StagedField[] {
  const requests = steps.map(({ request }) => request);
  const publish = requests.find((request) => request.operation === "publishLayout");
  if (publish?.operation !== "publishLayout") return [];
  const staged = requests.flatMap((request) => (savesContent(request) ? request.content.stagedFieldDefinitions : []));
  return staged.filter(({ draftId, action, type, config }) => {
    const mayLose = action === "delete" || (action === "update" && (type !== undefined || hasOptions(config)));
    return mayLose && !publish.confirmFieldChanges.includes(draftId);
  });
}

function hasOptions(config: StagedField["config"]): boolean {
  return config != null && Object.hasOwn(config, "options");
}

function unconfirmedKeys(resources: readonly PlannedResource[]): string[] {
  return resources.flatMap((resource) => unconfirmedLosses(resource).flatMap(({ key }) => key ?? []));
}

/** Returns the number of forms of an object whose layout content was not read. */
function unreadForms({ current, layouts }: Options, object: string): number {
  const read = new Set(
    layouts.flatMap(({ formId, versions }) => (formId !== null && versions.length > 0 ? [formId] : [])),
  );
  const forms = current.objects.get(object)?.forms ?? [];
  return forms.filter(({ form, content, inPlace }) => !read.has(form.id) && !content && !inPlace).length;
}
