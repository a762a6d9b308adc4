/** Describes the effects of staged field changes, and orders drafts that create a field before drafts that show it. */

import type { DraftContent } from "../../schemas/draft.ts";
import { targetKey } from "../../schemas/target-key.ts";
import { objectText } from "../address.ts";
import { shownFields } from "../content/compare.ts";
import type { Wanted } from "../manifest.ts";
import type { Parts, Phase, PlannedResource, PlannedStep, Stamping } from "./planned.ts";

/** Adds the effects that publishing has on fields. The texts state which effects may clear values. */
export function addFieldEffects(
  parts: Parts,
  { stagedFieldDefinitions }: DraftContent,
  { confirmFieldChanges: confirmed, computedFrom }: Wanted,
  stamp: Stamping,
): void {
  // A migration is recorded on the target, so neither a stamp nor a lock has to record its field changes.
  if (!stamp && computedFrom === undefined && stagedFieldDefinitions.length > 0)
    parts.notes.push("without a stamp, only .formctl/lock.json records that the field changes are applied: keep it");
  for (const staged of stagedFieldDefinitions) {
    const { draftId, action, key, existingFieldDefinitionId, name, type } = staged;
    const field = key ?? existingFieldDefinitionId ?? draftId;
    const risk = confirmed.includes(draftId)
      ? ", confirmed by confirmFieldChanges"
      : `; if that clears values, publishing stops until confirmFieldChanges names ${draftId}`;
    if (action === "create") parts.effects.push(`creates the field ${field}${type === undefined ? "" : ` (${type})`}`);
    if (action === "update") {
      const what = [...(name === undefined ? [] : [`name "${name}"`]), ...(type === undefined ? [] : [`type ${type}`])];
      parts.effects.push(`changes the field ${field}${what.length > 0 ? ` (${what.join(", ")})` : ""}${risk}`);
    }
    if (action === "unlink") parts.effects.push(`removes the field ${field} from this layout`);
    if (action === "delete") parts.effects.push(`deletes the field ${field} and its values${risk}`);
  }
}

/**
 * Moves drafts to `loseFields`, the last phase for drafts, if they show a field that another draft creates late. Fields
 * are usually created in the phase `fields`, before other drafts are saved. The draft of a form or layout that loses
 * modes is saved after that phase, so drafts of other resources that show its new fields must be saved even later.
 */
export function waitForFields(resources: PlannedResource[]): PlannedResource[] {
  /** The address of the resource that creates a field late, by the owner and the key of the field. */
  const late = new Map<string, Map<string, string>>();
  for (const resource of resources) {
    for (const { phase, request } of resource.steps) {
      if (request.operation !== "saveDraft" || (phase !== "narrowContent" && phase !== "loseFields")) continue;
      for (const { action, key } of request.content.stagedFieldDefinitions) {
        if (action !== "create" || key === undefined) continue;
        const owner = fieldsOwner(resource);
        late.set(owner, (late.get(owner) ?? new Map()).set(key, resource.address));
      }
    }
  }
  if (late.size === 0) return resources;
  return resources.map((resource) => {
    const creators = late.get(fieldsOwner(resource));
    const saved = resource.steps.find(({ request }) => request.operation === "saveDraft")?.request;
    if (!creators || saved?.operation !== "saveDraft" || !showsNewField(saved.content, creators, resource.address))
      return resource;
    return { ...resource, steps: resource.steps.map(inLastPhase) };
  });
}

function showsNewField(content: DraftContent, creators: ReadonlyMap<string, string>, address: string): boolean {
  return [...shownFields(content)].some((key) => creators.has(key) && creators.get(key) !== address);
}

function inLastPhase(step: PlannedStep): PlannedStep {
  const { operation } = step.request;
  const phase: Phase = "loseFields";
  return operation === "saveDraft" || operation === "publishLayout" ? { ...step, phase } : step;
}

/** Returns a text for the owner of the fields of a resource: an object, or a surface and scope. */
export function fieldsOwner({ object, subject }: PlannedResource): string {
  if (object) return objectText(object);
  if (subject.kind === "Form") return objectText(subject.object);
  const { surface, target } = subject;
  const { moduleKey, objectKey, scopeId } = target;
  return moduleKey && objectKey ? objectText({ moduleKey, objectKey }) : `${surface} ${targetKey({ scopeId })}`;
}
