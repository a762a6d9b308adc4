/** The schemas of migrations in YAML, and of the member `match` of migrations in code. */

import * as z from "zod/mini";
import { AccessMatrix, FormCreate, FormPatch } from "../schemas/form-schema.ts";
import { Block, DraftFile, Region } from "../schemas/draft-schema.ts";
import { AssignmentFile, LayoutCreate, LayoutPatch, Publish, Surface } from "../schemas/layout-schema.ts";
import { isSafeKey } from "../schemas/json.ts";
import { formatPath, parsePath } from "../schemas/path.ts";
import { Identifier, Name, unique } from "../schemas/text.ts";
import { ObjectAddress } from "../manifests/manifest-schema.ts";
import { DRAFT_HANDLINGS } from "./definition.ts";

const Text = z.string().check(z.minLength(1, "must not be empty"));

function someOf<T extends z.ZodMiniType>(item: T) {
  return z.optional(z.array(item).check(z.minLength(1, "must not be empty. Remove it to select all")));
}

export const Match = z.strictObject({
  objects: someOf(ObjectAddress),
  surfaces: someOf(Surface),
  forms: someOf(Name),
  layouts: someOf(Name),
  showsField: z.optional(Text),
  blockType: z.optional(Text),
});

/** The address of a form, such as `staffing/candidate/Intake`. The last part is its name or id. */
export const FormAddress = z
  .string()
  .check(
    z.refine(
      (text) => /^[^/\s]+\/[^/\s]+\/.*\S/s.test(text),
      "must be MODULE/OBJECT/FORM, such as staffing/candidate/Intake",
    ),
  );

/** The id of a layout, its address, or the address of the form that owns the layout. */
export const LayoutAddress = z.string().check(z.minLength(1, "must not be empty"));

/** The name or id of a form of the object. Null clears the default. */
const DefaultForm = z.optional(z.nullable(Name));

/** The body of `updateFormDefaults`. Forms may also be specified by name. */
export const NamedDefaults = z.strictObject({
  defaultCreateFormId: DefaultForm,
  defaultViewFormId: DefaultForm,
  defaultEditFormId: DefaultForm,
});

/** The operations of a step, with addresses instead of ids. */
export const StepOperations = {
  createForm: z.optional(z.strictObject({ object: ObjectAddress, body: FormCreate })),
  updateForm: z.optional(z.strictObject({ form: FormAddress, body: FormPatch })),
  deleteForm: z.optional(z.strictObject({ form: FormAddress })),
  updateFormDefaults: z.optional(z.strictObject({ object: ObjectAddress, body: NamedDefaults })),
  replaceFormAccess: z.optional(z.strictObject({ form: FormAddress, body: AccessMatrix })),
  createLayout: z.optional(z.strictObject({ body: LayoutCreate })),
  updateLayout: z.optional(z.strictObject({ layout: LayoutAddress, body: LayoutPatch })),
  saveDraft: z.optional(z.strictObject({ layout: LayoutAddress, body: DraftFile })),
  publishLayout: z.optional(
    z.strictObject({
      layout: LayoutAddress,
      confirmFieldChanges: z.optional(Publish.shape.confirmFieldChanges),
    }),
  ),
  restoreDraft: z.optional(z.strictObject({ layout: LayoutAddress, versionId: Identifier })),
  replaceAssignments: z.optional(z.strictObject({ layout: LayoutAddress, body: AssignmentFile })),
  archiveLayout: z.optional(z.strictObject({ layout: LayoutAddress })),
};
export type StepOperation = keyof typeof StepOperations;
export const STEP_OPERATIONS = Object.keys(StepOperations) as StepOperation[];

/** Checks that exactly one of the members is present. @param what the noun for the message, such as `a step` */
function hasOne<K extends string>(members: readonly K[], what: string) {
  return z.check<{ [M in K]?: unknown }>(({ value, issues }) => {
    const found = members.filter((member) => value[member] !== undefined);
    if (found.length === 1) return;
    const message =
      found.length === 0
        ? `must have one of ${members.join(", ")}`
        : `must have one of ${found.join(" and ")}. Write ${what} for each`;
    issues.push({ code: "custom", input: undefined, path: [], message });
  });
}

export const MigrationStep = z.strictObject({ name: Name, ...StepOperations }).check(hasOne(STEP_OPERATIONS, "a step"));
export type MigrationStep = z.output<typeof MigrationStep>;

const Steps = z.array(MigrationStep).check(
  z.minLength(1, "must not be empty"),
  unique(({ name }) => name, "name"),
);

/** A script as data. Its operations run in the order of the list. */
export const ScriptFile = z.strictObject({
  $schema: z.optional(z.string()),
  steps: Steps,
  down: z.optional(Steps),
});
export type ScriptFile = z.output<typeof ScriptFile>;

/** Selects blocks. Every member that is present must match. */
const Where = z
  .strictObject({
    id: z.optional(Text),
    type: z.optional(Text),
    source: z.optional(Text),
    field: z.optional(Text),
    region: z.optional(Text),
    label: z.optional(Text),
  })
  .check(
    z.refine(
      (where) => Object.keys(where).length > 0,
      "must have at least one of id, type, source, field, region, label",
    ),
  );

/** The path of a member, such as `config.label`. */
const MemberPath = z
  .string()
  .check(z.refine((path) => isMemberPath(path), "must be the path of a member, such as config.label"));

function isMemberPath(path: string): boolean {
  const names = parsePath(path);
  return names.length > 0 && formatPath(names) === path && names.every((name) => isSafeKey(String(name)));
}

const BLOCKS = "must be a block or a list of blocks";
const OneTarget = z.refine<{ region?: string | undefined; into?: string | undefined }>(
  ({ region, into }) => (region === undefined) !== (into === undefined),
  "must have either region or into",
);

/**
 * The edits that a transform in YAML can list. A function in edits.ts with the name of the edit carries it out. The
 * members of the edit are the parameters of this function.
 */
export const EditOperations = {
  renameField: z.optional(z.strictObject({ from: Text, to: Text })),
  replaceBlocks: z.optional(z.strictObject({ where: Where, with: z.union([Block, z.array(Block)], BLOCKS) })),
  removeBlocks: z.optional(z.strictObject({ where: Where })),
  addRegion: z.optional(z.strictObject({ region: Region, before: z.optional(Text) })),
  addSection: z.optional(
    z
      .strictObject({
        id: Identifier,
        label: Text,
        region: z.optional(Text),
        into: z.optional(Text),
        blocks: z.array(Block),
        columns: z.optional(z.int("must be a whole number").check(z.minimum(1, "must be at least 1"))),
        after: z.optional(Text),
      })
      .check(OneTarget),
  ),
  moveBlocks: z.optional(
    z.strictObject({ where: Where, region: z.optional(Text), into: z.optional(Text) }).check(OneTarget),
  ),
  setMember: z.optional(z.strictObject({ where: Where, member: MemberPath, value: z.optional(z.unknown()) })),
  setForm: z.optional(z.strictObject({ member: MemberPath, value: z.optional(z.unknown()) })),
};
export type EditOperation = keyof typeof EditOperations;
export const EDIT_OPERATIONS = Object.keys(EditOperations) as EditOperation[];

export const MigrationEdit = z.strictObject(EditOperations).check(hasOne(EDIT_OPERATIONS, "an edit"));
export type MigrationEdit = z.output<typeof MigrationEdit>;

/** A transform as data. Its edits are applied, in their order, to each layout or form that matches. */
export const TransformFile = z.strictObject({
  $schema: z.optional(z.string()),
  match: z.optional(Match),
  edits: z.array(MigrationEdit).check(z.minLength(1, "must not be empty")),
  confirmFieldChanges: z.optional(z.array(Identifier).check(unique((draftId) => draftId))),
  drafts: z.optional(z.enum(DRAFT_HANDLINGS, `must be one of ${DRAFT_HANDLINGS.join(", ")}`)),
});
export type TransformFile = z.output<typeof TransformFile>;
