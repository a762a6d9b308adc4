/** Defines the readers for the responses of any server of the API. answers.ts has their types, and states their rules. */

import {
  type Answered,
  flag,
  id,
  listOf,
  nullable,
  number,
  object,
  type Reader,
  record,
  text,
  InvalidAnswer,
} from "./answer-shape.ts";
import type { PublishedAnswer, SavedDraftAnswer, SurfacesAnswer, VersionAnswer } from "./answers.ts";
import type { Block, DraftContent, Region } from "./draft.ts";
import type { ReportedValidation } from "./error-body.ts";
import { isJsonObject, type JsonObject } from "./json.ts";
import type { OperationName } from "./operation-types.ts";
import { readValidation } from "./read-error.ts";
import { BINDING_KEYS, REF_MEMBERS, TARGET_KEYS } from "./words.ts";

const ModeState = record({}, { state: text, layoutId: id, layoutName: text, versionId: id });
/** Reads the states of a form by mode. Values that are not objects stay unchanged. */
const ModeStates: Reader<Record<string, Answered<typeof ModeState> | undefined>> = (value) => {
  const states = object(value);
  for (const state of Object.values(states)) if (isJsonObject(state)) ModeState(state);
  return states as ReturnType<typeof ModeStates>;
};

const formMembers = {
  isActive: flag,
  isPublic: flag,
  config: nullable(object),
  viewLayoutId: id,
  viewLayoutName: text,
  layoutAvailability: ModeStates,
  usableTypes: listOf(text),
  layoutWarnings: listOf(record({}, { type: text, code: text, message: text })),
  publicToken: nullable(text),
  objectId: id,
  organizationId: id,
  createdAt: text,
  updatedAt: text,
};

const Form = record({ id, name: text, types: listOf(text) }, formMembers);

const FormListed = record(
  { id, name: text, types: listOf(text) },
  {
    ...formMembers,
    isDefaultCreate: flag,
    isDefaultView: flag,
    isDefaultEdit: flag,
    directUserAccessCount: number,
    roleAccessCount: number,
  },
);

const Defaults = record(
  {},
  { defaultCreateFormId: nullable(id), defaultViewFormId: nullable(id), defaultEditFormId: nullable(id) },
);

/**
 * Both lists are required. A missing list would be read as empty. Writing the empty list back would delete all rows
 * (R80).
 */
const Access = record(
  {
    users: listOf(record({ membershipId: id, types: listOf(text) }, {})),
    roles: listOf(record({ roleId: id, types: listOf(text) }, {})),
  },
  {},
);

/** Reads a string, a number that is an id, or null. */
const key = nullable<string>((value) => (typeof value === "number" ? id(value) : text(value)));

/** Returns a reader of objects with the given members. Each value is a key, an id or null. */
function keys<const Name extends string>(names: readonly Name[]): Reader<{ [K in Name]?: string | null | undefined }> {
  const members = Object.fromEntries(names.map((name) => [name, key])) as Record<Name, typeof key>;
  return record({}, members);
}

/** The maximum nesting of blocks in a response. No real layout has more levels. */
const MAX_LEVELS = 64;
let level = 0;

const blocks: Reader<Block[]> = (value) => {
  if (level >= MAX_LEVELS) throw new InvalidAnswer(`is nested more than ${MAX_LEVELS} levels deep`);
  level++;
  try {
    return readBlocks(value);
  } finally {
    level--;
  }
};

const readBlocks = listOf(
  record(
    { type: text },
    {
      id,
      source: text,
      ref: keys(REF_MEMBERS),
      regionKey: text,
      displayOrder: number,
      grid: object,
      config: object,
      requiredPolicy: text,
      supportedModes: listOf(text),
      children: blocks,
    },
  ),
) as Reader<Block[]>;

const regions = listOf(
  record(
    { key: text },
    { label: nullable(text), layout: text, columns: nullable(number), displayOrder: number, config: object },
  ),
) as Reader<Region[]>;

const content = {
  schemaVersion: number,
  regions,
  blocks,
  stagedFieldDefinitions: listOf(
    record(
      { draftId: id },
      {
        action: text,
        existingFieldDefinitionId: nullable(id),
        scopeId: nullable(id),
        name: text,
        key: text,
        type: text,
        config: nullable(object),
        presentation: nullable(object),
      },
    ),
  ) as Reader<DraftContent["stagedFieldDefinitions"]>,
  scriptBindings: listOf(
    record(
      {},
      {
        id,
        scriptId: id,
        hook: text,
        target: keys(BINDING_KEYS),
        enabled: flag,
        priority: number,
        config: nullable(object),
      },
    ),
  ) as unknown as Reader<DraftContent["scriptBindings"]>,
  metadata: nullable(object),
};

const Validation: Reader<ReportedValidation> = (value) => {
  const validation = readValidation(value);
  if (validation) return validation;
  throw new InvalidAnswer("is not a validation");
};

/**
 * Reads a version. Servers name its id `id`, `versionId` or, for a draft, `draftVersionId` (R45). A version without a
 * status is a draft if its `draftVersionId` equals its id.
 */
const Version: Reader<VersionAnswer> = (value) => {
  const version = object(value);
  const named = version["id"] ?? version["versionId"] ?? version["draftVersionId"];
  if (named !== undefined) version["id"] = named;
  const read = readVersion(version);
  if (read.status === undefined && read.draftVersionId === read.id) read.status = "DRAFT";
  return read;
};
const versionMembers = {
  layoutId: id,
  version: number,
  status: text,
  supportedModes: listOf(text),
  validation: Validation,
  sourceVersionId: nullable(id),
  createdAt: text,
  publishedAt: nullable(text),
  draftVersionId: id,
};
const readVersion = record({ id }, { ...versionMembers, ...content });

const Layout = record(
  { id },
  {
    ownerScope: text,
    surface: text,
    supportedModes: listOf(text),
    target: keys(TARGET_KEYS),
    name: text,
    metadata: nullable(object),
    status: text,
    currentVersionId: nullable(id),
    latestDraftVersionId: nullable(id),
    currentVersion: nullable(Version),
    latestDraftVersion: nullable(Version),
    assignments: listOf(record({}, { id, roleId: nullable(id), priority: number, isDefault: flag })),
    createdAt: text,
    updatedAt: text,
  },
);

/**
 * Reads the response to a saved draft. The id and validation of the draft are at one of several paths
 * (docs/decisions.md, "Tolerance").
 */
const SavedDraft: Reader<SavedDraftAnswer> = (value) => {
  const saved = object(value);
  const draft = [saved["draftVersion"], saved["version"]].find(isJsonObject);
  fill(saved, {
    draftVersion: draft,
    draftVersionId: draft?.["id"] ?? saved["id"] ?? saved["versionId"],
    validation: draft?.["validation"] ?? ("state" in saved ? { ...saved } : undefined),
  });
  // Only a number is the number of the draft.
  if (isJsonObject(saved["version"])) delete saved["version"];
  return readSavedDraft(saved);
};
const readSavedDraft = record(
  { draftVersionId: id },
  {
    draftVersion: Version,
    validation: Validation,
    layout: Layout,
    stagedFieldDefinitions: listOf(record({}, { draftId: id, state: text })),
  },
);

/**
 * Reads the response to a publish. The response is the published version, contains that version, or contains only its
 * id.
 */
const Published: Reader<PublishedAnswer> = (value) => {
  const published = object(value);
  const inside = [published["publishedVersion"], published["version"]].find(isJsonObject);
  const version = inside ?? (published["id"] === undefined ? undefined : { ...published });
  fill(published, { publishedVersion: version, versionId: version?.["id"], validation: version?.["validation"] });
  return readPublished(published);
};
const readPublished = record(
  { versionId: id },
  {
    publishedVersion: Version,
    validation: Validation,
    layout: Layout,
    committedFieldDefinitions: listOf(
      record({}, { draftId: id, action: text, fieldDefinitionId: nullable(id), key: text }),
    ),
  },
);

/** Fills in missing members from other paths of the same response. */
function fill(holder: JsonObject, members: JsonObject): void {
  for (const [name, value] of Object.entries(members)) if (value !== undefined) holder[name] ??= value;
}

/** Reads built-in blocks: a list of blocks or component keys, or a map by component key. */
const builtInBlocks: Reader<JsonObject[]> = (value) => {
  if (!isJsonObject(value))
    return listOf((one) => (typeof one === "string" ? { componentKey: one } : object(one)))(value);
  return Object.entries(value).map(([componentKey, block]) => ({ componentKey, ...(isJsonObject(block) && block) }));
};

const readSurface = record(
  { surface: text },
  { regions, supportedModes: listOf(text), defaultSections: blocks, builtInBlocks },
);

/** Reads surface definitions: a list, `{surfaces}`, or a map from surface to a definition or its regions. */
const Surfaces: Reader<SurfacesAnswer> = (value) => {
  const holder = isJsonObject(value) ? value : { surfaces: value };
  const { surfaces = holder } = holder;
  if (Array.isArray(surfaces)) return { ...holder, surfaces: listOf(readSurface)(surfaces) };
  const entries = Object.entries(object(surfaces)).filter(([, one]) => typeof one === "object" && one !== null);
  if (entries.length === 0) throw new InvalidAnswer("contains no surfaces");
  const definitions = entries.map(([surface, one]) => ({ surface, ...(isJsonObject(one) ? one : { regions: one }) }));
  return { surfaces: listOf(readSurface)(definitions) };
};

const Currency = record({ code: text }, { name: text });

const nothing: Reader<void> = () => undefined;

/**
 * The reader for the response of each operation. `read` reads a record, or one item of a list. `key` is the member that
 * identifies an item.
 */
export const answerReaders = {
  createForm: { kind: "record", read: Form },
  listForms: { kind: "list", read: FormListed, key: "id" },
  listAvailableForms: { kind: "list", read: Form, key: "id" },
  updateFormDefaults: { kind: "record", read: Defaults },
  getForm: { kind: "record", read: Form },
  updateForm: { kind: "record", read: Form },
  deleteForm: { kind: "record", read: nothing },
  getFormAccess: { kind: "record", read: Access },
  replaceFormAccess: { kind: "record", read: Access },
  createLayout: { kind: "record", read: Layout },
  listLayouts: { kind: "list", read: Layout, key: "id" },
  getSurfaceDefinitions: { kind: "record", read: Surfaces },
  getLayout: { kind: "record", read: Layout },
  updateLayout: { kind: "record", read: Layout },
  saveDraft: { kind: "record", read: SavedDraft },
  publishLayout: { kind: "record", read: Published },
  listVersions: { kind: "list", read: Version, key: "id" },
  getVersion: { kind: "record", read: Version },
  restoreDraft: { kind: "record", read: SavedDraft },
  replaceAssignments: { kind: "record", read: Layout },
  archiveLayout: { kind: "record", read: nothing },
  listCurrencies: { kind: "list", read: Currency, key: "code" },
} as const satisfies Record<OperationName, AnswerReader>;

export type AnswerReader =
  | { kind: "record"; read: Reader<unknown> }
  | { kind: "list"; read: Reader<unknown>; key: string };
