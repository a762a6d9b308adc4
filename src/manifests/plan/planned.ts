/**
 * A plan: phases, steps and resources. The shapes read a plan file; the types follow from them. plan.ts makes a plan,
 * apply/ carries it out, plan-file.ts seals it.
 */

import * as z from "zod/mini";
import type { DraftContent } from "../../schemas/draft.ts";
import { FormConfig } from "../../schemas/form.ts";
import { Target } from "../../schemas/layout.ts";
import { Identifier } from "../../schemas/text.ts";
import { MODES } from "../../schemas/words.ts";
import { Subject } from "../subject.ts";

/**
 * The phases run in this order, which satisfies every rule of the service. Steps of one phase are independent of each
 * other, except those of one resource.
 *
 * - create: forms and layouts that don't exist
 * - widen: name, config, activation, added modes, metadata
 * - fields: drafts that create fields, which other drafts may show
 * - content: drafts and their publication
 * - access: access rows and assignments
 * - defaults: who holds a default
 * - narrow: removed modes and deactivation, which a default forbids
 * - narrowContent: drafts of forms that lost modes; they are checked for the remaining modes
 * - loseFields: drafts that delete fields, which other layouts showed until now
 * - delete: forms that no manifest describes
 */
export const PHASES = [
  "create",
  "widen",
  "fields",
  "content",
  "access",
  "defaults",
  "narrow",
  "narrowContent",
  "loseFields",
  "delete",
] as const;
export type Phase = (typeof PHASES)[number];

const Text = z.string();
const Texts = z.readonly(z.array(Text));
const Members = z.record(Text, z.unknown());
const Digests = z.readonly(z.record(Text, Text));
const ObjectKey = z.object({ moduleKey: Text, objectKey: Text });
const KnownMode = z.enum(MODES);

const Block = z.looseObject({
  id: z.optional(Text),
  type: Text,
  source: Text,
  ref: z.optional(Members),
  get children() {
    return z.optional(z.array(Block));
  },
});
const ContentShape = z.object({
  schemaVersion: z.number(),
  regions: z.array(z.looseObject({ key: Text, layout: Text })),
  blocks: z.array(Block),
  stagedFieldDefinitions: z.array(z.looseObject({ draftId: Text, action: Text })),
  scriptBindings: z.array(z.looseObject({ scriptId: Text, hook: Text, target: z.optional(Members) })),
  metadata: z.nullable(Members),
});
/** A content with the members that comparing relies on. The service checks the rest when it is saved. */
const Content = z.custom<DraftContent>(
  (value) => ContentShape.safeParse(value).success,
  "must be the content of a draft",
);

const FormBody = z.strictObject({
  name: z.exactOptional(Text),
  types: z.exactOptional(z.array(Text)),
  config: z.exactOptional(z.nullable(FormConfig)),
  isActive: z.exactOptional(z.boolean()),
  isPublic: z.exactOptional(z.boolean()),
});
const LayoutBody = z.strictObject({
  name: z.exactOptional(Text),
  supportedModes: z.exactOptional(z.array(Text)),
  metadata: z.exactOptional(z.nullable(Members)),
});
const NewForm = z.strictObject({ ...FormBody.shape, name: Text, types: z.array(KnownMode) });
const NewLayout = z.strictObject({
  ...LayoutBody.shape,
  name: Text,
  supportedModes: z.array(Text),
  surface: Text,
  target: Target,
});
const Access = z.object({
  users: z.array(z.looseObject({ membershipId: Text, types: z.array(Text) })),
  roles: z.array(z.looseObject({ roleId: Text, types: z.array(Text) })),
});
/** The id of a version that was read; null: there was none; absent: the server does not show it. */
const VersionRead = z.optional(z.nullable(Text));

/** One request. Ids that an earlier step of the resource creates are filled in when it is sent. */
const StepRequest = z.discriminatedUnion("operation", [
  z.object({ operation: z.literal("createForm"), object: ObjectKey, body: NewForm }),
  z.object({ operation: z.literal("updateForm"), body: FormBody }),
  z.object({ operation: z.literal("createLayout"), body: NewLayout }),
  z.object({ operation: z.literal("updateLayout"), body: LayoutBody }),
  /** `replaces`: the draft that was read. */
  z.object({ operation: z.literal("saveDraft"), content: Content, replaces: VersionRead }),
  /**
   * `draft`: the draft that exists; absent: the one that this resource saves. `published`: the published version that was
   * read.
   */
  z.object({
    operation: z.literal("publishLayout"),
    draft: z.exactOptional(Text),
    confirmFieldChanges: Texts,
    published: VersionRead,
  }),
  z.object({ operation: z.literal("replaceFormAccess"), body: Access }),
  z.object({
    operation: z.literal("replaceAssignments"),
    organizationDefault: z.boolean(),
    roles: z.array(z.object({ roleId: Text, priority: z.number() })),
  }),
  /**
   * `take`: the modes for which the form becomes the default. `leave`: those for which no form is the default
   * afterwards.
   */
  z.object({
    operation: z.literal("updateFormDefaults"),
    take: z.readonly(z.array(KnownMode)),
    leave: z.readonly(z.array(KnownMode)),
  }),
  z.object({ operation: z.literal("deleteForm") }),
]);
export type StepRequest = z.output<typeof StepRequest>;

const PlannedStep = z.object({
  phase: z.enum(PHASES),
  request: StepRequest,
  /**
   * Digests of what the step overwrites, by aspect, as far as the server shows it. Absent: nothing, or the request
   * contains it.
   */
  replaces: z.exactOptional(Digests),
});
export type PlannedStep = z.output<typeof PlannedStep>;
export type Replaced = NonNullable<PlannedStep["replaces"]>;

/** A confirmation that --yes does not give. */
const Need = z.object({ consent: z.enum(["allow-delete", "allow-replace"]), what: Text, lost: Texts });
export type Need = z.output<typeof Need>;

/** Change of content-diff.ts. */
const Change = z.object({
  kind: z.enum(["added", "removed", "changed", "moved"]),
  path: Text,
  id: z.exactOptional(Text),
  before: z.optional(z.unknown()),
  after: z.optional(z.unknown()),
});

/**
 * How an aspect has changed since the last apply or export: not at all (`same`), in the manifest (`here`), on the target
 * (`there`), or on both sides (`both`). `differs`: neither the lock nor a stamp shows. `missing`: the record does not
 * exist. `unobservable`: the server does not show the aspect.
 */
const Drift = z.enum(["same", "here", "there", "both", "differs", "missing", "unobservable"]);
export type Drift = z.output<typeof Drift>;

export const PlannedResource = z.object({
  address: Text,
  kind: z.enum(["Form", "Layout"]),
  action: z.enum(["create", "update", "delete", "none"]),
  object: z.exactOptional(ObjectKey),
  formId: z.exactOptional(Identifier),
  layoutId: z.exactOptional(Identifier),
  /** The line of the manifest. */
  place: z.exactOptional(z.object({ file: Text, line: z.number() })),
  /** What the steps change: `types`, `config.title`, `access.roles.Recruiter`, `layout.blocks[3].grid`. See changes.ts. */
  changes: z.readonly(z.array(Change)),
  /** Consequences: "role Recruiter loses EDIT". */
  effects: Texts,
  /** What can't be read from the server, and what another user has changed. */
  notes: Texts,
  needs: z.readonly(z.array(Need)),
  /** What has to be read to compare the current state with the plan. */
  subject: Subject,
  /** The digest of everything that was read of the resource: if it has another one later, the plan is stale. */
  read: Text,
  drift: z.readonly(z.record(Text, Drift)),
  steps: z.readonly(z.array(PlannedStep)),
  /** What the lock holds of it once all steps are done. */
  base: Digests,
});
export type PlannedResource = z.output<typeof PlannedResource>;

export const Plan = z.object({ resources: z.readonly(z.array(PlannedResource)) });
export type Plan = z.output<typeof Plan>;

/** What the stamps of a plan contain; undefined: drafts are not stamped. */
export type Stamping = { ref?: string } | undefined;
