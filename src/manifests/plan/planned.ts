/**
 * Defines a plan: its phases, steps and resources. Schemas validate a plan file, and the types are derived from these
 * schemas. plan.ts creates a plan. plan-file.ts writes the plan to a file. apply/ applies the plan.
 */

import * as z from "zod/mini";
import type { DraftContent } from "../../schemas/draft.ts";
import { FormConfig } from "../../schemas/form.ts";
import { Target } from "../../schemas/layout.ts";
import { targetKey } from "../../schemas/target-key.ts";
import { Identifier } from "../../schemas/text.ts";
import { MODES } from "../../schemas/words.ts";
import { objectText } from "../address.ts";
import { Subject } from "../state.ts";

/**
 * The phases, in the order in which they run. The order satisfies all rules of the service. Within a phase, only steps
 * of the same resource depend on each other.
 *
 * - `create`: Creates forms and layouts.
 * - `widen`: Updates name, config, metadata and `isPublic`. Activates forms. Adds modes.
 * - `fields`: Saves and publishes drafts that create fields. Other drafts may show these fields.
 * - `content`: Saves and publishes other drafts.
 * - `access`: Replaces access rows. Also replaces assignments, unless `orderAssignments` chooses another phase.
 * - `defaults`: Sets and clears defaults.
 * - `narrow`: Removes modes and deactivates forms. The service refuses both while the form is a default.
 * - `narrowContent`: Saves and publishes drafts of resources that lost modes. The service checks a draft for all modes
 *   that its layout still has.
 * - `loseFields`: Saves and publishes drafts that delete fields. After the earlier phases, other layouts no longer show
 *   these fields. Also saves and publishes drafts that show a field that another resource creates late
 *   (`waitForFields`).
 * - `delete`: Deletes forms without a manifest.
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
/**
 * The content of a draft. Only the members that the comparison uses are checked. The service checks the other members
 * when the draft is saved.
 */
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
/** The id of a version that was read. Null if no version existed. Absent if the server does not show the version. */
const VersionRead = z.optional(z.nullable(Text));

/**
 * One request. The request lacks the ids that earlier steps of the resource create. Apply adds these ids when it sends
 * the request.
 */
const StepRequest = z.discriminatedUnion("operation", [
  z.object({ operation: z.literal("createForm"), object: ObjectKey, body: NewForm }),
  z.object({ operation: z.literal("updateForm"), body: FormBody }),
  z.object({ operation: z.literal("createLayout"), body: NewLayout }),
  z.object({ operation: z.literal("updateLayout"), body: LayoutBody }),
  /** `replaces`: the id of the draft that was read. */
  z.object({ operation: z.literal("saveDraft"), content: Content, replaces: VersionRead }),
  /**
   * `draft`: the id of the existing draft. Absent if an earlier step of this resource saves the draft. `published`: the
   * id of the published version that was read.
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
  /** `take`: the modes for which the form becomes the default. `leave`: the modes without a default after this step. */
  z.object({
    operation: z.literal("updateFormDefaults"),
    take: z.readonly(z.array(KnownMode)),
    leave: z.readonly(z.array(KnownMode)),
  }),
  z.object({ operation: z.literal("deleteForm") }),
]);
export type StepRequest = z.output<typeof StepRequest>;

export const CONTENT_OPERATIONS: ReadonlySet<StepRequest["operation"]> = new Set(["saveDraft", "publishLayout"]);

const PlannedStep = z.object({
  phase: z.enum(PHASES),
  request: StepRequest,
  /**
   * Digests of what the step overwrites, by aspect. An aspect that the server does not show has no digest. A draft has
   * a digest in addition to its id, because a draft can change. A published version has no digest, because the request
   * names its id. Absent if there is no digest.
   */
  replaces: z.exactOptional(Digests),
});
export type PlannedStep = z.output<typeof PlannedStep>;
export type Replaced = NonNullable<PlannedStep["replaces"]>;

/** A confirmation with its own option. The option --yes does not include this confirmation. `lost` lists the losses. */
const Need = z.object({ consent: z.enum(["allow-delete", "allow-replace"]), what: Text, lost: Texts });
export type Need = z.output<typeof Need>;

/** The schema of the type `Change` in content-diff.ts. */
const Change = z.object({
  kind: z.enum(["added", "removed", "changed", "moved"]),
  path: Text,
  id: z.exactOptional(Text),
  before: z.optional(z.unknown()),
  after: z.optional(z.unknown()),
});

/**
 * How the manifest and the target differ in an aspect:
 *
 * - `same`: no difference
 * - `here`: the manifest has changed since the last apply or export
 * - `there`: the target has changed since then
 * - `both`: the manifest and the target have changed since then
 * - `differs`: there is a difference, and neither the lock nor a stamp shows which side has changed
 * - `missing`: the record or the content does not exist
 * - `unobservable`: the server does not show the aspect
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
  /** The file and line of the manifest. */
  place: z.exactOptional(z.object({ file: Text, line: z.number() })),
  /** The changes of the steps, with paths such as `types`, `access.roles.Recruiter`, `layout.blocks[3].grid`. */
  changes: z.readonly(z.array(Change)),
  /** Texts about the consequences of the steps: "role Recruiter loses EDIT". */
  effects: Texts,
  /** Texts with further facts. Examples: the server does not show an aspect, or another user has made a change. */
  notes: Texts,
  needs: z.readonly(z.array(Need)),
  /** States what has to be read from the target for a comparison with the plan. */
  subject: Subject,
  /** The digest of everything that was read of the resource. If a later digest differs, the plan is stale. */
  read: Text,
  drift: z.readonly(z.record(Text, Drift)),
  /** The digest of the content from which a migration computed the desired content: see manifest.ts. */
  computedFrom: z.exactOptional(Text),
  steps: z.readonly(z.array(PlannedStep)),
  /** The base of the resource in the lock after all steps are applied. */
  base: Digests,
});
export type PlannedResource = z.output<typeof PlannedResource>;

export const Plan = z.object({ resources: z.readonly(z.array(PlannedResource)) });
export type Plan = z.output<typeof Plan>;

/** Returns a text for the owner of the fields of a resource. The owner is an object, or a surface with a scope. */
export function fieldsOwner({ object, subject }: PlannedResource): string {
  if (object) return objectText(object);
  if (subject.kind === "Form") return objectText(subject.object);
  const { surface, target } = subject;
  const { moduleKey, objectKey, scopeId } = target;
  return moduleKey && objectKey ? objectText({ moduleKey, objectKey }) : `${surface} ${targetKey({ scopeId })}`;
}

/** What the stamps of a plan contain. Undefined if drafts are not stamped. */
export type Stamping = { ref?: string } | undefined;

/**
 * The parts of a resource during its planning. The functions for record, content, access and defaults add to these
 * parts.
 */
export type Parts = {
  changes: PlannedResource["changes"];
  effects: string[];
  notes: string[];
  needs: Need[];
  steps: PlannedStep[];
  drift: Record<string, Drift>;
  base: Record<string, string>;
};

export function newParts(): Parts {
  return { changes: [], effects: [], notes: [], needs: [], steps: [], drift: {}, base: {} };
}

/** @param replaces digests of what the step overwrites, see `PlannedStep` */
export function addStep(parts: Parts, phase: Phase, request: StepRequest, replaces?: Replaced): void {
  parts.steps.push({ phase, request, ...(replaces && { replaces }) });
}
