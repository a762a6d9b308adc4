/** The shape of a sealed plan: whatever a later step relies on, so that a file made by hand is refused and crashes nothing. */

import * as z from "zod/mini";
import { Identifier } from "./text.ts";

const Text = z.string();
const Texts = z.array(Text);
const Members = z.record(Text, z.unknown());
const Digests = z.record(Text, Text);
const ObjectKey = z.object({ moduleKey: Text, objectKey: Text });
const VersionId = z.optional(z.nullable(Text));

const Content = z.object({
  regions: z.array(Members),
  blocks: z.array(Members),
  stagedFieldDefinitions: z.array(z.looseObject({ draftId: Text, action: Text })),
  scriptBindings: z.array(Members),
  metadata: z.nullable(Members),
});

const Access = z.object({
  users: z.array(z.looseObject({ membershipId: Text, types: Texts })),
  roles: z.array(z.looseObject({ roleId: Text, types: Texts })),
});

const FormMembers = {
  name: z.optional(Text),
  types: z.optional(Texts),
  config: z.optional(z.nullable(Members)),
  isActive: z.optional(z.boolean()),
  isPublic: z.optional(z.boolean()),
};
const LayoutMembers = {
  name: z.optional(Text),
  supportedModes: z.optional(Texts),
  metadata: z.optional(z.nullable(Members)),
};

const Request = z.discriminatedUnion("operation", [
  z.object({ operation: z.literal("createForm"), object: ObjectKey, body: z.strictObject(FormMembers) }),
  z.object({ operation: z.literal("updateForm"), body: z.strictObject(FormMembers) }),
  z.object({
    operation: z.literal("createLayout"),
    body: z.strictObject({ ...LayoutMembers, surface: Text, target: Members }),
  }),
  z.object({ operation: z.literal("updateLayout"), body: z.strictObject(LayoutMembers) }),
  z.object({ operation: z.literal("saveDraft"), content: Content, replaces: VersionId }),
  z.object({
    operation: z.literal("publishLayout"),
    draft: z.optional(Text),
    confirmFieldChanges: Texts,
    published: VersionId,
  }),
  z.object({ operation: z.literal("replaceFormAccess"), body: Access }),
  z.object({
    operation: z.literal("replaceAssignments"),
    organizationDefault: z.boolean(),
    roles: z.array(z.object({ roleId: Text, priority: z.number() })),
  }),
  z.object({ operation: z.literal("updateFormDefaults"), take: Texts, leave: Texts }),
  z.object({ operation: z.literal("deleteForm") }),
]);

const PHASES = [
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

const Step = z.object({ phase: z.enum(PHASES), request: Request, replaces: z.optional(Digests) });

const common = { address: Text, name: Text, formerName: z.optional(Text), content: z.boolean(), fields: Texts };
const Subject = z.discriminatedUnion("kind", [
  z.object({
    ...common,
    kind: z.literal("Form"),
    object: ObjectKey,
    formId: z.optional(Text),
    types: Texts,
    access: z.enum(["rows", "empty", "unmanaged"]),
    defaultFor: Texts,
  }),
  z.object({ ...common, kind: z.literal("Layout"), surface: Text, target: Members, isDefault: z.boolean() }),
]);

const Resource = z.object({
  address: Text,
  kind: z.enum(["Form", "Layout"]),
  action: z.enum(["create", "update", "delete", "none"]),
  object: z.optional(ObjectKey),
  formId: z.optional(Identifier),
  layoutId: z.optional(Identifier),
  place: z.optional(z.object({ file: Text, line: z.number() })),
  changes: z.array(
    z.object({ kind: z.enum(["added", "removed", "changed", "moved"]), path: Text, id: z.optional(Text) }),
  ),
  effects: Texts,
  notes: Texts,
  needs: z.array(z.object({ consent: z.enum(["allow-delete", "allow-replace"]), what: Text, lost: Texts })),
  subject: Subject,
  read: Text,
  drift: z.record(Text, z.enum(["same", "here", "there", "both", "differs", "missing", "unobservable"])),
  steps: z.array(Step),
  base: Digests,
});

export const PlanFile = z.object({
  version: z.literal(1),
  place: Text,
  origin: z.nullable(Text),
  files: Digests,
  plan: z.object({ resources: z.array(Resource) }),
});
