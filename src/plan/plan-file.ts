/**
 * Converts plans to plan files and back, and verifies them. A plan file contains what a plan was made from, except the
 * current state: the desired state, the lock entries and the choices. It also contains digests of the shown steps. So the
 * plan can be made again later or on another machine, without the manifests. The file contains no token. It contains all
 * values that apply writes, including values from environment variables.
 */

import * as z from "zod/mini";
import { layoutAddress, formAddress, objectText } from "../lists/addresses.ts";
import type { DraftContent } from "../schemas/draft.ts";
import { FormConfig } from "../schemas/form-schema.ts";
import { Target } from "../schemas/layout-schema.ts";
import { Identifier } from "../schemas/text.ts";
import { MODES } from "../schemas/words.ts";
import { LockedResource } from "../state/lock-file.ts";
import { type Wanted, addressesOf } from "../manifests/manifest.ts";
import { openSeal, seal, type SealKind, unusablePlan } from "./seal.ts";
import { ShownResource } from "./shown-steps.ts";

const Text = z.string();
const Texts = z.readonly(z.array(Text));
const Members = z.record(Text, z.unknown());
const ObjectKey = z.object({ moduleKey: Text, objectKey: Text });
const KnownModes = z.array(z.enum(MODES));
const Place = z.object({ file: Text, line: z.number(), address: z.exactOptional(Text) });

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

const common = {
  address: Text,
  formerAddress: z.exactOptional(Text),
  name: Text,
  file: Text,
  place: Place,
  content: z.exactOptional(Content),
  publish: z.boolean(),
  confirmFieldChanges: Texts,
  computedFrom: z.exactOptional(Text),
  rebased: z.exactOptional(Content),
  fromDraft: z.exactOptional(Text),
};
const SealedForm = z.object({
  ...common,
  kind: z.literal("Form"),
  object: ObjectKey,
  types: KnownModes,
  isActive: z.exactOptional(z.boolean()),
  isPublic: z.exactOptional(z.boolean()),
  config: z.exactOptional(z.nullable(FormConfig)),
  defaultFor: z.exactOptional(KnownModes),
  access: z.exactOptional(
    z.object({
      users: z.array(z.looseObject({ membershipId: Text, types: z.array(Text) })),
      roles: z.array(z.looseObject({ roleId: Text, types: z.array(Text) })),
    }),
  ),
});
const SealedLayout = z.object({
  ...common,
  kind: z.literal("Layout"),
  surface: Text,
  supportedModes: z.array(Text),
  target: Target,
  metadata: z.exactOptional(z.nullable(Members)),
  assignments: z.exactOptional(
    z.object({ organizationDefault: z.boolean(), roles: z.array(z.object({ roleId: Text, priority: z.number() })) }),
  ),
});
/** A manifest with the position of its document. */
const SealedManifest = z.discriminatedUnion("kind", [SealedForm, SealedLayout]);
type SealedManifest = z.output<typeof SealedManifest>;

const Former = z.object({ id: Text, name: Text, isTwin: z.boolean() });

const PlanFile = z.object({
  /** The key of the target. */
  target: Text,
  /** Scheme, host and port of the server. Null for a local store. */
  origin: z.nullable(Text),
  /**
   * The digest of each manifest file of the plan, by path as the user typed it. Apply does not compare these digests.
   * Empty if the desired state was computed, for example by a promotion.
   */
  files: z.record(Text, Text),
  /** The manifests of the resources with steps. */
  manifests: z.readonly(z.array(SealedManifest)),
  /** The entries of the lock for these manifests. */
  lock: z.record(Text, LockedResource),
  /** The forms to delete. `unreadFile`: see `PlanOptions.unreadFileOf`. */
  deleted: z.readonly(z.array(z.object({ object: ObjectKey, formId: Identifier, unreadFile: z.exactOptional(Text) }))),
  /** The likely renames, by the address of the manifest: see `LikelyRename`. */
  renames: z.record(Text, z.object({ from: z.readonly(z.array(Former)), alike: z.number() })),
  publish: z.boolean(),
  /** Absent if drafts are not stamped. */
  stamp: z.exactOptional(z.object({ ref: z.exactOptional(Text) })),
  /** What the plan has shown of each resource, by address. */
  shown: z.record(Text, ShownResource),
});
export type PlanFile = z.output<typeof PlanFile>;

const COMMAND = "formctl plan";
const KIND: SealKind<typeof PlanFile> = { version: 2, schema: PlanFile, command: COMMAND };

/** Returns the text of a plan file. */
export function sealPlan(file: PlanFile): string {
  return seal(KIND, file);
}

/**
 * Parses and verifies the text of a plan file.
 *
 * @throws PLAN_UNUSABLE if the text is not a complete plan of this version
 * @throws PLAN_UNUSABLE if two manifests have the same address, or if a manifest has the address of another record
 */
export function openPlan(text: string): PlanFile {
  const file = openSeal(KIND, text);
  const seen = new Set<string>();
  for (const manifest of file.manifests) {
    const isOwn = manifest.address === addressOf(manifest, manifest.name);
    const former = manifest.formerAddress?.slice(addressOf(manifest, "").length);
    const isFormer = former === undefined || manifest.formerAddress === addressOf(manifest, former);
    const isTwice = addressesOf(manifest).some((address) => seen.has(address));
    if (!isOwn || !isFormer || isTwice)
      throw unusablePlan(`${JSON.stringify(manifest.address)} is the address of another record`, COMMAND);
    for (const address of addressesOf(manifest)) seen.add(address);
  }
  return file;
}

function addressOf(manifest: SealedManifest, name: string): string {
  return manifest.kind === "Form"
    ? formAddress(objectText(manifest.object), name)
    : layoutAddress(manifest.surface, manifest.target, name);
}

/** Returns the manifest with the file and line of its document. */
export function sealManifest({ locate, layoutFile: _layoutFile, ...manifest }: Wanted): SealedManifest {
  const { file, line, address } = locate({ severity: "error", code: "", message: "" });
  return { ...manifest, place: { file, line, ...(address !== undefined && { address }) } } as SealedManifest;
}

/**
 * Returns the manifest of a plan file. Each problem is located at the first line of the document, or at the member of a
 * promoted form or layout, which has no document.
 */
export function openManifest({ place, ...manifest }: SealedManifest): Wanted {
  const locate: Wanted["locate"] = ({ path, ...problem }) => ({
    ...problem,
    ...(place.address !== undefined && path !== undefined && { path }),
    ...place,
    column: 1,
  });
  return { ...manifest, locate } as Wanted;
}
