/** What is known of an organization beside the manifests, for the checks that need it. */

import {
  type Known,
  type KnownField,
  type Described,
  fieldsOf,
  objectOf,
  scriptNames,
  toKnownField,
} from "../../schemas/draft-known.ts";
import type { Block, DraftContent } from "../../schemas/draft.ts";
import type { SeedField } from "../../schemas/organization.ts";
import type { Manifest } from "../manifest.ts";
import type { Judged } from "./read-manifest.ts";

/** Fields and scripts of one organization; undefined members are not known. */
export type Knowledge = {
  organization?: Described;
  /** Why there is no organization, or where it comes from: "the local store", "organization.yaml". */
  source: string;
};

/** A function that tells what a draft of a manifest can be compared with. Drafts with the same fields are given one list. */
export function knowing({ organization }: Knowledge): (manifest: Judged) => Known {
  const scripts = organization && scriptNames(organization);
  const lists = new Map<SeedField[], { fields: KnownField[]; haveIds: boolean }>();

  function listOf(described: SeedField[]): { fields: KnownField[]; haveIds: boolean } {
    let list = lists.get(described);
    if (!list) {
      list = { fields: described.map(toKnownField), haveIds: described.every(({ id }) => id !== undefined) };
      lists.set(described, list);
    }
    return list;
  }

  return (manifest) => {
    const isForm = manifest.kind === "Form";
    const surface = isForm ? "DYNAMIC_OBJECT" : manifest.surface;
    const modes = isForm ? manifest.types : manifest.supportedModes;
    const described =
      organization && fieldsOf(organization, { surface, target: isForm ? manifest.object : manifest.target });
    const list = described && listOf(described);
    const areKnown = list !== undefined && (list.haveIds || !namesById(manifest.content));
    return { surface, modes, ...(areKnown && { fields: list.fields }), ...(scripts && { scripts }) };
  };
}

/** Whether the organization has the object that a manifest is about, or every key that it has instead. */
export function objectsFor(
  manifest: Manifest,
  { organization }: Knowledge,
): { isThere: boolean; kind?: string; all: string[] } | undefined {
  const isForm = manifest.kind === "Form";
  if (!organization || (!isForm && manifest.surface !== "DYNAMIC_OBJECT")) return undefined;
  const { moduleKey, objectKey } = isForm ? manifest.object : manifest.target;
  const found = objectOf(organization, moduleKey, objectKey);
  if (found) return { isThere: true, kind: found.kind, all: [] };
  const all = organization.modules.flatMap(({ key, objects }) => objects.map((object) => `${key}/${object.key}`));
  return { isThere: false, all };
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
