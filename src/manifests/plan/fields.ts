/** Layouts that show a field wait for the one that creates it, where that one has to wait itself. */

import type { DraftContent } from "../../schemas/draft.ts";
import { targetKey } from "../../schemas/target-key.ts";
import { shownFields } from "../content/content.ts";
import type { Phase, PlannedResource, PlannedStep } from "./planned.ts";
import { objectText } from "../subject.ts";

/**
 * New fields are usually made before all other contents. The draft of a form that loses modes comes later, and what
 * shows its new fields comes after it.
 */
export function waitForFields(resources: PlannedResource[]): PlannedResource[] {
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
    const created = late.get(fieldsOwner(resource));
    const saved = resource.steps.find(({ request }) => request.operation === "saveDraft")?.request;
    if (!created || saved?.operation !== "saveDraft" || !waits(saved.content, created, resource.address))
      return resource;
    return { ...resource, steps: resource.steps.map(later) };
  });
}

function waits(content: DraftContent, created: ReadonlyMap<string, string>, address: string): boolean {
  return [...shownFields(content)].some((key) => created.has(key) && created.get(key) !== address);
}

function later(step: PlannedStep): PlannedStep {
  const { operation } = step.request;
  const phase: Phase = "loseFields";
  return operation === "saveDraft" || operation === "publishLayout" ? { ...step, phase } : step;
}

/** Fields belong to an object, or to a surface and scope. */
export function fieldsOwner({ object, subject }: PlannedResource): string {
  if (object) return objectText(object);
  if (subject.kind === "Form") return objectText(subject.object);
  const { surface, target } = subject;
  const { moduleKey, objectKey, scopeId } = target;
  return moduleKey && objectKey ? objectText({ moduleKey, objectKey }) : `${surface} ${targetKey({ scopeId })}`;
}
