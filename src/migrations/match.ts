/** Selects the forms and layouts that a transform changes. */

import { walkBlocks } from "../contents/normal.ts";
import type { DraftContent } from "../schemas/draft.ts";
import type { About, Match } from "./definition.ts";
import { objectText, type ObjectKey } from "../lists/addresses.ts";

/** Whether a form or layout can match. The conditions on contents are not checked. */
export function matchesRecord(
  { objects, surfaces, forms, layouts }: Match,
  { kind, object, surface, name }: Pick<About, "kind" | "object" | "surface" | "name">,
): boolean {
  const isForm = kind === "Form";
  if (objects && !(isForm && object && objects.includes(objectText(object)))) return false;
  if (surfaces && !surfaces.includes(surface)) return false;
  if (forms && !(isForm && forms.includes(name))) return false;
  return !layouts || (!isForm && layouts.includes(name));
}

/** Whether a match depends on the contents of layouts. */
export function needsContent({ showsField, blockType }: Match): boolean {
  return showsField !== undefined || blockType !== undefined;
}

/** Whether one content shows the field and contains the block type of a match. */
export function matchesContent(match: Match, content: DraftContent): boolean {
  const { showsField, blockType } = match;
  if (!needsContent(match)) return true;
  let showsIt = showsField === undefined;
  let hasType = blockType === undefined;
  const staged = new Map(content.stagedFieldDefinitions.map(({ draftId, key }) => [draftId, key]));
  walkBlocks(content.blocks, ({ type, ref }) => {
    hasType ||= type === blockType;
    showsIt ||=
      showsField !== undefined &&
      (ref?.fieldKey === showsField ||
        ref?.relationFieldKey === showsField ||
        ref?.builtInFieldKey === showsField ||
        staged.get(ref?.draftFieldDefinitionId ?? "") === showsField);
  });
  return showsIt && hasType;
}

/**
 * Whether a form or layout matches.
 *
 * @param contents the existing contents: the published content and the draft. At least one of them must match
 */
export function matches(match: Match | undefined, about: About, contents: readonly DraftContent[]): boolean {
  if (!match) return true;
  if (!matchesRecord(match, about)) return false;
  return !needsContent(match) || contents.some((content) => matchesContent(match, content));
}

/** Returns the objects that a match names. Undefined if the match names no objects. Invalid names are left out. */
export function objectsOf({ objects }: Match): ObjectKey[] | undefined {
  return objects?.flatMap((text) => {
    const [moduleKey, objectKey, ...more] = text.split("/");
    return moduleKey && objectKey && more.length === 0 ? [{ moduleKey, objectKey }] : [];
  });
}

/** Whether a match can select forms. */
export function selectsForms({ surfaces, layouts }: Match): boolean {
  return !layouts && (!surfaces || surfaces.includes("DYNAMIC_OBJECT"));
}

/** Whether a match can select layouts that no form owns. */
export function selectsLayouts({ objects, forms }: Match): boolean {
  return !objects && !forms;
}
