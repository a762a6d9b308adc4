/** The rules of layouts in the model: records, drafts, versions and assignments. */

import {
  ANY_TEXT,
  type Block,
  canonical,
  conflict,
  type Content,
  type Field,
  isSameSet,
  type Json,
  type LayoutRecord,
  type Mode,
  MODES,
  modesOf,
  objectOf,
  type Organization,
  refuseInvalid,
  type StagedField,
  type VersionRecord,
  type World,
} from "./records.ts";
import { check, fieldAfter, fieldsOf, needsOf } from "./verdict.ts";

type OfLayout = World & { layout: LayoutRecord };
type OfVersion = OfLayout & { version: VersionRecord };
type Body = { body: Json };

const draftOf = ({ versions }: LayoutRecord) => versions.find(({ status }) => status === "DRAFT");
const publishedOf = ({ versions }: LayoutRecord) => versions.find(({ status }) => status === "PUBLISHED");

function summary(layout: LayoutRecord, { content: _content, number, modes, ...version }: VersionRecord): Json {
  return { ...version, version: number, supportedModes: modes, layoutId: layout.id };
}

const shownVersion = (layout: LayoutRecord, version: VersionRecord): Json => ({
  ...summary(layout, version),
  ...version.content,
});

function shown(organization: Organization, layout: LayoutRecord): Json {
  const { id, surface, target, name, metadata, createdAt, updatedAt } = layout;
  const [current, draft] = [publishedOf(layout), draftOf(layout)];
  const supportedModes = modesOf(organization, layout);
  const shared = { layoutId: id, surface, supportedModes, target };
  const assignments = layout.assignments.map((row) => ({ ...row, ...shared, isDefault: false }));
  const asDefault = { id: layout.defaultId, ...shared, roleId: null, priority: 0, isDefault: true };
  return {
    id,
    ownerScope: "ORGANIZATION",
    surface,
    supportedModes,
    target,
    name,
    metadata,
    status: current ? "ACTIVE" : "DRAFT",
    currentVersionId: current?.id ?? null,
    latestDraftVersionId: draft?.id ?? null,
    currentVersion: current ? summary(layout, current) : null,
    latestDraftVersion: draft ? summary(layout, draft) : null,
    assignments: layout.isDefault ? [asDefault, ...assignments] : assignments,
    createdAt,
    updatedAt,
  };
}

function regionsOf(surface: string): Content["regions"] {
  const main = { key: "main", label: "Main", layout: "grid", columns: 12, displayOrder: 0, config: {} };
  const sidebar = { key: "sidebar", label: "Sidebar", layout: "sidebar", columns: 4, displayOrder: 1, config: {} };
  if (surface === "DASHBOARD") return [{ ...main, label: "Dashboard", layout: "dashboard_grid" }];
  return surface === "ORGANIZATION" || surface === "USER" ? [main] : [main, sidebar];
}

/** Adds a layout with its first draft: the default regions and no blocks (R7, R25). */
export function newLayout(
  world: World,
  input: Pick<LayoutRecord, "formId" | "surface" | "target" | "name" | "metadata" | "modes">,
): LayoutRecord {
  const times = { createdAt: world.now, updatedAt: world.now };
  const id = world.newId("layout");
  const layout: LayoutRecord = {
    ...input,
    id,
    versions: [],
    assignments: [],
    defaultId: world.newId("assignment"),
    isDefault: false,
    ...times,
  };
  world.organization.layouts.push(layout);
  const empty = { schemaVersion: 1, blocks: [], stagedFieldDefinitions: [], scriptBindings: [], metadata: null };
  storeDraft({ ...world, layout }, { ...empty, regions: regionsOf(layout.surface) }, null);
  return layout;
}

/** Replaces the draft by a new draft with the same number (R51). */
function storeDraft(world: OfLayout, content: Content, sourceVersionId: string | null): VersionRecord {
  const { organization, layout, newId, now } = world;
  const modes = [...modesOf(organization, layout)];
  layout.versions = layout.versions.filter(({ status }) => status !== "DRAFT");
  const draft: VersionRecord = {
    id: newId("version"),
    number: layout.versions.length + 1,
    status: "DRAFT",
    modes,
    validation: check(layout.surface, content, modes, fieldsOf(organization, layout)),
    content,
    sourceVersionId,
    createdAt: now,
    publishedAt: null,
  };
  layout.versions.push(draft);
  layout.updatedAt = now;
  return draft;
}

function savedDraft(world: OfLayout, draft: VersionRecord): Json {
  const { organization, layout } = world;
  return {
    draftVersionId: draft.id,
    draftVersion: shownVersion(layout, draft),
    validation: draft.validation,
    layout: shown(organization, layout),
    stagedFieldDefinitions: draft.content.stagedFieldDefinitions.map((item) => {
      const { field, isRefused, ...impact } = impactOf(world, item, draft.content);
      const isConfirmed = impact.requires.length > 0;
      const state = isRefused ? "invalid" : isConfirmed ? "needs_confirmation" : "ready";
      const valueCount = field?.valueCount ?? 0;
      return { ...item, state, valueImpact: impact.reasons.length > 0 ? { ...impact, valueCount } : null };
    }),
  };
}

/**
 * Returns the effect of a staged change, and whether the change is invalid. The sequences stage one change at a time,
 * so other staged changes are not considered.
 */
function impactOf({ organization, layout }: OfLayout, item: StagedField, content: Content) {
  const field = fieldsOf(organization, layout).find(({ key }) => key === item.key);
  const known = item.action === "create" ? undefined : field;
  const shows = ({ ref }: Block) => ref?.fieldKey === item.key;
  const referencedByLayouts = organization.layouts
    .filter((other) => other !== layout && other.target["objectKey"] === layout.target["objectKey"])
    .filter((other) => known && publishedOf(other)?.content.blocks.some(shows))
    .map(({ id }) => id);
  const isRefused =
    (item.action === "create") === (field !== undefined) || (item.action === "delete" && content.blocks.some(shows));
  return { field: known, isRefused, referencedByLayouts, ...needsOf(item, known, referencedByLayouts.length > 0) };
}

function publish(world: OfLayout & Body) {
  const { organization, layout, body, now } = world;
  const draft = draftOf(layout);
  if (!draft) throw conflict("DRAFT_MISSING");
  const meta = { currentDraftVersionId: draft.id };
  if (draft.id !== body["draftVersionId"]) throw conflict("DRAFT_STALE", { meta });
  const expected = body["expectedPublishedVersionId"];
  const currentPublishedVersionId = publishedOf(layout)?.id ?? null;
  if (expected !== undefined && expected !== currentPublishedVersionId)
    throw conflict("DRAFT_STALE", { meta: { ...meta, currentPublishedVersionId } });
  const confirmations = body["confirmFieldChanges"] as Json[];
  const { content } = draft;
  const isStaged = ({ draftId }: Json) => content.stagedFieldDefinitions.some((item) => item.draftId === draftId);
  refuseInvalid(
    confirmations.flatMap((row, index) => (isStaged(row) ? [] : [`confirmFieldChanges[${index}].draftId`])),
  );
  const modes = [...modesOf(organization, layout)];
  const fields = fieldsOf(organization, layout);
  const validation = check(layout.surface, content, modes, fields);
  if (validation.errors.length > 0) {
    // The draft gets the new validation, although the publish is refused. No other refusal changes a record.
    draft.validation = validation;
    throw conflict("DRAFT_INVALID", { validation, errors: validation.errors.map(() => ({ message: ANY_TEXT })) });
  }
  const impacts = content.stagedFieldDefinitions.flatMap((item) => {
    const { field, isRefused: _isRefused, ...impact } = impactOf(world, item, content);
    const given = confirmations.find(({ draftId }) => draftId === item.draftId);
    if (impact.requires.every((member) => given?.[member])) return [];
    const { draftId, action } = item;
    return [{ draftId, fieldKey: item.key, action, valueCount: field?.valueCount ?? 0, ...impact }];
  });
  if (impacts.length > 0) throw conflict("FIELD_CHANGES_UNCONFIRMED", { impacts });

  const committed = content.stagedFieldDefinitions.map((item) => {
    commit(fields, item);
    const { draftId, action, key } = item;
    return { draftId, action, key, fieldDefinitionId: fieldId(world, key, action) };
  });
  const published = publishedOf(layout);
  if (published) published.status = "ARCHIVED";
  const blocks = content.blocks.map((block) => withField(block, content.stagedFieldDefinitions));
  draft.content = { ...content, blocks, stagedFieldDefinitions: [] };
  const after = committed.length > 0 ? check(layout.surface, draft.content, modes, fields) : validation;
  Object.assign(draft, { status: "PUBLISHED", modes, validation: after, publishedAt: now });
  layout.updatedAt = now;
  return {
    versionId: draft.id,
    publishedVersion: shownVersion(layout, draft),
    layout: shown(organization, layout),
    validation: after,
    committedFieldDefinitions: committed,
  };
}

function commit(fields: Field[], item: StagedField): void {
  const index = fields.findIndex(({ key }) => key === item.key);
  if (item.action === "create") fields.push(fieldAfter(item, undefined));
  else if (item.action === "delete") fields.splice(index, 1);
  else fields[index] = fieldAfter(item, fields[index]);
}

/** Returns the id of a field. A created field gets a new id. The model uses ids of fields only in answers. */
function fieldId({ organization, layout, newId }: OfLayout, key: string, action: string): string {
  const object = objectOf(organization, layout.target["objectKey"])!;
  if (action === "create") object.fieldIds[key] = newId("field");
  return (object.fieldIds[key] ??= newId("field"));
}

/** Returns a block that shows the created field instead of the staged field. */
function withField(block: Block, staged: readonly StagedField[]): Block {
  const item = staged.find(({ draftId }) => draftId === block.ref?.draftFieldDefinitionId);
  return item ? { ...block, source: "dynamic_field", ref: { fieldKey: item.key } } : block;
}

/** Refuses a second organization default of a surface, a target and a mode. */
function refuseOtherDefaults({ organization, layout }: OfLayout, modes: readonly Mode[]): void {
  const isSameTarget = (other: LayoutRecord) =>
    other.surface === layout.surface && canonical(other.target) === canonical(layout.target);
  for (const other of organization.layouts) {
    if (other === layout || !other.isDefault || !isSameTarget(other)) continue;
    const taken = modes.filter((mode) => other.modes.includes(mode)).sort();
    if (taken.length === 0) continue;
    throw conflict("ASSIGNMENT_DEFAULT_TAKEN", {
      meta: { layoutId: other.id, layoutName: other.name, modes: taken },
    });
  }
}

function refuseFormOwned({ formId }: LayoutRecord): void {
  if (formId !== null) throw conflict("LAYOUT_FORM_OWNED");
}

export const layoutRules = {
  createLayout(world: World & Body) {
    const { organization, body } = world;
    const { surface, target, name, metadata, supportedModes } = body as LayoutRecord & { supportedModes: Mode[] };
    if (surface === "DYNAMIC_OBJECT") {
      const isKnown = target["moduleKey"] === "staffing" && objectOf(organization, target["objectKey"]);
      refuseInvalid(isKnown ? [] : ["target.objectKey"]);
      if (target["formId"] !== undefined) throw conflict("LAYOUT_FORM_OWNED");
    }
    return shown(
      organization,
      newLayout(world, { formId: null, surface, target, name, metadata, modes: supportedModes }),
    );
  },

  listLayouts({ organization, query }: World & { query: Json }) {
    const { surface, mode, objectKey } = query;
    return organization.layouts
      .filter((layout) => surface === undefined || layout.surface === surface)
      .filter((layout) => mode === undefined || modesOf(organization, layout).includes(mode as Mode))
      .filter(({ target }) => objectKey === undefined || target["objectKey"] === objectKey)
      .map((layout) => shown(organization, layout));
  },

  getLayout: ({ organization, layout }: OfLayout) => shown(organization, layout),

  updateLayout(world: OfLayout & Body) {
    const { organization, layout, body, now } = world;
    const {
      name = layout.name,
      metadata = layout.metadata,
      supportedModes,
      surface,
      target,
    } = body as Partial<LayoutRecord & { supportedModes: Mode[] }>;
    if (surface !== undefined || target !== undefined || supportedModes) refuseFormOwned(layout);
    refuseInvalid(["surface", "target"].filter((member) => body[member] !== undefined));
    const modes = supportedModes && !isSameSet(supportedModes, layout.modes) ? supportedModes : layout.modes;
    if (modes !== layout.modes && layout.isDefault) refuseOtherDefaults(world, modes);
    const isSame = name === layout.name && canonical(metadata) === canonical(layout.metadata) && modes === layout.modes;
    Object.assign(layout, { name, metadata, modes, updatedAt: isSame ? layout.updatedAt : now });
    return shown(organization, layout);
  },

  saveDraft(world: OfLayout & Body) {
    const { clientMutationId: _id, expectedDraftVersionId: expected, ...content } = world.body;
    const currentDraftVersionId = draftOf(world.layout)?.id ?? null;
    if (expected !== undefined && expected !== currentDraftVersionId)
      throw conflict("DRAFT_STALE", { meta: { currentDraftVersionId } });
    const blocks = (content["blocks"] as Block[]).map((block) => ({ ...block, id: block.id ?? world.newId("block") }));
    return savedDraft(world, storeDraft(world, { ...(content as Content), blocks }, null));
  },

  publishLayout: publish,

  listVersions: ({ layout }: OfLayout) => layout.versions.map((version) => shownVersion(layout, version)).reverse(),

  getVersion: ({ layout, version }: OfVersion) => shownVersion(layout, version),

  restoreDraft(world: OfVersion) {
    const { version } = world;
    if (version.status === "DRAFT") throw conflict("VERSION_IS_DRAFT");
    return savedDraft(world, storeDraft(world, version.content, version.id));
  },

  replaceAssignments(world: OfLayout & Body) {
    const { organization, layout, body, newId, now } = world;
    const roles = body["roles"] as { roleId: string; priority: number }[];
    const isUnknown = ({ roleId }: Json) => !organization.roles.includes(roleId as string);
    refuseInvalid(roles.flatMap((row, index) => (isUnknown(row) ? [`roles[${index}].roleId`] : [])));
    refuseFormOwned(layout);
    const isDefault = body["organizationDefault"] === true;
    if (isDefault) refuseOtherDefaults(world, layout.modes);
    const assignments = roles.map((row) => ({ id: newId("assignment"), ...row }));
    Object.assign(layout, { assignments, isDefault, updatedAt: now });
    return shown(organization, layout);
  },

  archiveLayout({ organization, layout }: OfLayout) {
    refuseFormOwned(layout);
    organization.layouts = organization.layouts.filter((other) => other !== layout);
    organization.replays = organization.replays.filter(({ ownerId }) => ownerId !== layout.id);
    return undefined;
  },

  getSurfaceDefinitions({ query }: World & { query: { surface?: string } }) {
    const surfaces = query.surface
      ? [query.surface]
      : ["DYNAMIC_OBJECT", "CONTRACTOR", "ORGANIZATION", "SALES_INVOICE", "COST_INVOICE", "DASHBOARD", "USER"];
    return surfaces.map((surface) => ({ surface, supportedModes: [...MODES], regions: regionsOf(surface) }));
  },
};
