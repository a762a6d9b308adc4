/** What publishing does to fields, and which of it may cost values. */

import type { DraftContent } from "../../schemas/draft.ts";
import type { Wanted } from "../manifest.ts";
import type { Parts } from "./parts.ts";
import type { Stamping } from "./planned.ts";

/** Adds it to the effects of a plan, with a note where only the lock will know of it. */
export function tellFields(
  parts: Parts,
  { stagedFieldDefinitions }: DraftContent,
  { confirmFieldChanges: confirmed }: Wanted,
  { stamp }: { stamp: Stamping },
): void {
  if (!stamp && stagedFieldDefinitions.length > 0)
    parts.notes.push(
      "without a stamp, only .formctl/lock.json will tell that the field changes were carried out: keep it",
    );
  for (const staged of stagedFieldDefinitions) {
    const { draftId, action, key, existingFieldDefinitionId, name, type } = staged;
    const field = key ?? existingFieldDefinitionId ?? draftId;
    const risk = confirmed.includes(draftId)
      ? ", confirmed by confirmFieldChanges"
      : `; where that costs values, publishing stops until confirmFieldChanges names ${draftId}`;
    if (action === "create") parts.effects.push(`creates the field ${field}${type === undefined ? "" : ` (${type})`}`);
    if (action === "update") {
      const what = [...(name === undefined ? [] : [`name "${name}"`]), ...(type === undefined ? [] : [`type ${type}`])];
      parts.effects.push(`changes the field ${field}${what.length > 0 ? ` (${what.join(", ")})` : ""}${risk}`);
    }
    if (action === "unlink") parts.effects.push(`takes the field ${field} off this layout`);
    if (action === "delete") parts.effects.push(`deletes the field ${field} and its values${risk}`);
  }
}
