/** Finds the objects that have forms. A server does not list its objects, but the targets of its layouts name them. */

import type { LayoutAnswer } from "../schemas/answers.ts";
import { type ObjectKey, objectText } from "./addresses.ts";

type Targeted = Pick<LayoutAnswer, "target">;

/** Returns the object whose records a layout shows. Undefined if the target names no object. */
export function objectOf({ target }: Targeted): ObjectKey | undefined {
  const { moduleKey, objectKey } = target ?? {};
  return moduleKey && objectKey ? { moduleKey, objectKey } : undefined;
}

/** Returns the form that owns a layout. Undefined if no form owns it. */
export function ownerOf(layout: Targeted): (ObjectKey & { formId: string }) | undefined {
  const object = objectOf(layout);
  const formId = layout.target?.formId;
  return object && formId ? { ...object, formId } : undefined;
}

/** Whether a form owns the layout. The forms of archived layouts are deleted. */
export function isOwned(layout: Pick<LayoutAnswer, "target" | "status">): boolean {
  return ownerOf(layout) !== undefined && layout.status !== "ARCHIVED";
}

/** Returns the objects whose forms own layouts. */
export function objectsWithForms(layouts: readonly LayoutAnswer[]): ObjectKey[] {
  return objectsOf(layouts.filter(isOwned));
}

/** Returns the objects of the layouts, each once. */
export function objectsOf(layouts: readonly Targeted[]): ObjectKey[] {
  const objects = layouts.flatMap((layout) => objectOf(layout) ?? []);
  return [...new Map(objects.map((object) => [objectText(object), object])).values()];
}

type Organization = {
  modules: readonly { key: string; objects: readonly { key: string; name: string; kind?: string }[] }[];
};

/** Returns the objects of an organization that can have forms (R10), with their names. */
export function objectsIn({ modules }: Organization): { object: ObjectKey; name: string }[] {
  return modules.flatMap(({ key: moduleKey, objects }) =>
    objects
      .filter(({ kind }) => kind !== "SUBORDINATE")
      .map(({ key: objectKey, name }) => ({ object: { moduleKey, objectKey }, name })),
  );
}
