/** The schemas of view layouts, versions, assignments and surfaces. */

import * as z from "zod/mini";
import { isSurface, SURFACES, TARGET_KEYS, TARGET_MEMBERS, VERSION_STATUSES } from "./words.ts";
import { Block, DraftContent, Region, StagedField } from "./draft-schema.ts";
import { Mode, Modes } from "./form-schema.ts";
import type { Target as LayoutTarget } from "./layout.ts";
import { ClientMutationId, FreeObject, Identifier, membersOf, Name, unique } from "./text.ts";

export const Surface = z.enum(SURFACES, {
  error: (issue) =>
    issue.input === "INVOICE"
      ? "must be SALES_INVOICE or COST_INVOICE instead of INVOICE"
      : `must be one of ${SURFACES.join(", ")}`,
});

const TargetMember = z.optional(z.nullable(Identifier));

export const Target = z.strictObject(membersOf(TARGET_KEYS, TargetMember));

/**
 * Checks that a target has the required members of its surface. Refuses the members that the surface does not allow.
 * Runs even if another member of the request is invalid. So all problems are reported together. Does not run for an
 * invalid surface or an invalid target.
 */
export const targetFitsSurface = z.check<{ surface: string; target: LayoutTarget }>(
  ({ value, issues }) => {
    const { surface, target } = value;
    // Targets of unknown surfaces are checked by the server.
    if (!isSurface(surface)) return;
    const { required, optional } = TARGET_MEMBERS[surface];
    const addIssue = (member: keyof LayoutTarget, message: string) =>
      issues.push({ code: "custom", input: target[member], path: ["target", member], message });
    for (const member of required) if (!target[member]) addIssue(member, `is required for ${surface}`);
    for (const member of Object.keys(target) as (keyof LayoutTarget)[]) {
      if (target[member] === null || required.includes(member) || optional.includes(member)) continue;
      const allowed = [...required, ...optional].join(", ") || "none";
      addIssue(member, `is not valid for ${surface}. Valid members: ${allowed}`);
    }
  },
  {
    when: ({ issues }) =>
      !issues.some(({ path: [first] = [] }) => first === undefined || first === "surface" || first === "target"),
  },
);

function layoutCreate<S extends z.ZodMiniType<string>, T extends z.ZodMiniType<LayoutTarget>>(surface: S, target: T) {
  return z.strictObject({
    clientMutationId: z.optional(ClientMutationId),
    surface,
    supportedModes: Modes,
    target,
    name: Name,
    metadata: z._default(z.nullable(FreeObject), null),
  });
}

export const LayoutCreate = layoutCreate(Surface, Target).check(targetFitsSurface);

/** The request that creates a layout on another server. That server may support more surfaces and target members. */
export const OpenLayoutCreate = layoutCreate(z.string(), z.catchall(Target, TargetMember)).check(targetFitsSurface);

/** `surface` and `target` can't change (R87, R88). They are accepted here, so that the error can explain the reason. */
export const LayoutPatch = z.strictObject({
  name: z.optional(Name),
  metadata: z.optional(z.nullable(FreeObject)),
  supportedModes: z.optional(Modes),
  surface: z.optional(z.unknown()),
  target: z.optional(z.unknown()),
});

/** A validation message. Other servers may have additional codes. */
const ValidationMessage = z.looseObject({
  severity: z.enum(["error", "warning"]),
  code: z.string(),
  message: z.string(),
  path: z.optional(z.string()),
  blockId: z.optional(z.string()),
  mode: z.optional(Mode),
  meta: z.optional(z.record(z.string(), z.unknown())),
});

export const Validation = z.object({
  state: z.enum(["valid", "valid_with_warnings", "invalid"]),
  errors: z.array(ValidationMessage),
  warnings: z.array(ValidationMessage),
});

/** A version without its content. A draft is a version with the status DRAFT. */
export const VersionSummary = z.object({
  id: z.string(),
  layoutId: z.string(),
  version: z.int(),
  status: z.enum(VERSION_STATUSES),
  supportedModes: z.array(Mode),
  validation: Validation,
  sourceVersionId: z.nullable(z.string()),
  createdAt: z.string(),
  publishedAt: z.nullable(z.string()),
});

export const LayoutVersion = z.extend(VersionSummary, DraftContent.shape);

export const VersionList = z.array(LayoutVersion);

export const Assignment = z.object({
  id: z.string(),
  layoutId: z.string(),
  surface: z.string(),
  supportedModes: z.array(Mode),
  target: z.record(z.string(), z.unknown()),
  roleId: z.nullable(z.string()),
  priority: z.int(),
  isDefault: z.boolean(),
});

export const Layout = z.object({
  id: z.string(),
  ownerScope: z.string(),
  surface: z.string(),
  supportedModes: z.array(Mode),
  target: z.record(z.string(), z.unknown()),
  name: z.string(),
  metadata: z.nullable(z.record(z.string(), z.unknown())),
  status: z.enum(["DRAFT", "ACTIVE", "ARCHIVED"]),
  currentVersionId: z.nullable(z.string()),
  latestDraftVersionId: z.nullable(z.string()),
  currentVersion: z.nullable(VersionSummary),
  latestDraftVersion: z.nullable(VersionSummary),
  assignments: z.array(Assignment),
  createdAt: z.string(),
  updatedAt: z.string(),
});

export const LayoutList = z.array(Layout);

/** A staged field of a saved draft, with the effects of a publish on its values. */
export const StagedFieldState = z.extend(z.looseObject(StagedField.shape), {
  state: z.enum(["ready", "needs_confirmation", "invalid"]),
  valueImpact: z.nullable(
    z.object({
      reasons: z.array(z.string()),
      valueCount: z.int(),
      referencedByLayouts: z.array(z.string()),
      requires: z.array(z.string()),
    }),
  ),
});

export const SavedDraft = z.object({
  draftVersionId: z.string(),
  draftVersion: LayoutVersion,
  validation: Validation,
  layout: Layout,
  stagedFieldDefinitions: z.array(StagedFieldState),
});

export const Publish = z.strictObject({
  clientMutationId: ClientMutationId,
  draftVersionId: Identifier,
  confirmFieldChanges: z._default(
    z
      .array(
        z.strictObject({
          draftId: Identifier,
          confirmTypeChange: z.optional(z.boolean()),
          confirmValueClear: z.optional(z.boolean()),
        }),
      )
      .check(unique((row) => row.draftId, "draftId")),
    [],
  ),
  expectedPublishedVersionId: z.optional(z.nullable(Identifier)),
});

export const CommittedField = z.object({
  draftId: z.string(),
  action: z.string(),
  fieldDefinitionId: z.nullable(z.string()),
  key: z.string(),
});

export const Published = z.object({
  versionId: z.string(),
  publishedVersion: LayoutVersion,
  layout: Layout,
  validation: Validation,
  committedFieldDefinitions: z.array(CommittedField),
});

export const Restore = z.strictObject({ clientMutationId: ClientMutationId });

export const AssignmentSet = z.strictObject({
  clientMutationId: ClientMutationId,
  organizationDefault: z._default(z.boolean(), false),
  roles: z._default(
    z
      .array(z.strictObject({ roleId: Identifier, priority: z._default(z.int("must be a whole number"), 0) }))
      .check(unique((row) => row.roleId, "roleId")),
    [],
  ),
});

/** An assignment file. It has no mutation id: the commands generate this id. */
export const AssignmentFile = z.omit(AssignmentSet, { clientMutationId: true });

export const SurfaceQuery = z.strictObject({ surface: z.optional(Surface) });

export const SurfaceDefinition = z.object({
  surface: z.string(),
  supportedModes: z.array(Mode),
  allowsSharedModes: z.boolean(),
  requiresSingleMode: z.boolean(),
  regions: z.array(Region),
  defaultSections: z.array(Block),
  builtInBlocks: z.array(z.record(z.string(), z.unknown())),
});

export const SurfaceDefinitions = z.object({ definitionVersion: z.int(), surfaces: z.array(SurfaceDefinition) });

export const LayoutQuery = z.strictObject({
  surface: z.optional(Surface),
  mode: z.optional(Mode),
  moduleKey: z.optional(Identifier),
  objectKey: z.optional(Identifier),
  formId: z.optional(Identifier),
  scopeId: z.optional(Identifier),
  dashboardKey: z.optional(Identifier),
});
