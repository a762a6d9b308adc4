/** What is known of an organization beside the manifests, for the checks that need it. */

import type { Known } from "../../schemas/draft-known.ts";
import type { Block, DraftContent } from "../../schemas/draft.ts";
import { type Described, fieldsOf, objectOf, scriptNames, toKnownField } from "../../schemas/known-fields.ts";
import type { Manifest } from "../manifest.ts";

/** Fields and scripts of one organization; undefined members are not known. */
export type Knowledge = {
  organization?: Described;
  /** Why there is no organization, or where it comes from: "the local store", "organization.yaml". */
  source: string;
};

/** What a draft of this manifest can be compared with. */
export function knownOf(manifest: Manifest, { organization }: Knowledge): Known {
  const isForm = manifest.kind === "Form";
  const surface = isForm ? "DYNAMIC_OBJECT" : manifest.surface;
  const modes = isForm ? manifest.types : manifest.supportedModes;
  const fields =
    organization && fieldsOf(organization, { surface, target: isForm ? manifest.object : manifest.target });
  const areKnown = fields !== undefined && (fields.every(({ id }) => id !== undefined) || !namesById(manifest.content));
  return {
    surface,
    modes,
    ...(areKnown && { fields: fields.map(toKnownField) }),
    ...(organization && { scripts: scriptNames(organization) }),
  };
}

/** Whether the organization has the object that a manifest is about, and every key it has instead. */
export function objectsFor(
  manifest: Manifest,
  { organization }: Knowledge,
): { isThere: boolean; all: string[] } | undefined {
  const isForm = manifest.kind === "Form";
  if (!organization || (!isForm && manifest.surface !== "DYNAMIC_OBJECT")) return undefined;
  const { moduleKey, objectKey } = isForm ? manifest.object : manifest.target;
  const all = organization.modules.flatMap(({ key, objects }) => objects.map((object) => `${key}/${object.key}`));
  return { isThere: objectOf(organization, moduleKey, objectKey) !== undefined, all };
}

/** Whether a draft calls a field by its id, which an organization file need not say. */
function namesById(content: DraftContent | undefined): boolean {
  if (content?.stagedFieldDefinitions.some(({ existingFieldDefinitionId }) => existingFieldDefinitionId)) return true;
  const stack: Block[] = [...(content?.blocks ?? [])];
  for (let block = stack.pop(); block; block = stack.pop()) {
    const { ref, children = [] } = block;
    if (ref?.fieldId || ref?.fieldDefinitionId) return true;
    stack.push(...children);
  }
  return false;
}
