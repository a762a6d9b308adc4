/** A draft that an earlier apply has saved and not published, as one does that was cut off: told, whatever is done with it. */

import type { Surface } from "../../schemas/layout.ts";
import { isOwnDraft } from "../current/in-place.ts";
import type { ContentState, InPlace } from "../state.ts";
import type { Parts } from "./parts.ts";

export type DraftBeside = {
  content: ContentState | undefined;
  inPlace: InPlace | undefined;
  surface: Surface;
  /** Whether the plan publishes what it saves. */
  publish: boolean;
};

/** After the content has been planned. */
export function noteOwnDraft({ notes, steps }: Parts, { content, inPlace, surface, publish }: DraftBeside): void {
  const draft = content?.draft;
  const isOurs = inPlace ? inPlace.isOwnDraft === true : draft != null && isOwnDraft(draft, surface);
  const requests = steps.map(({ request }) => request);
  const published = requests.find((request) => request.operation === "publishLayout")?.draft;
  if (published !== undefined) {
    const whose = isOurs ? "an earlier apply has saved and not published" : "says the same";
    notes.push(`the draft ${published}, which ${whose}, is published as it is`);
  } else if (!isOurs) return;
  else if (requests.some(({ operation }) => operation === "saveDraft")) {
    notes.push(`the draft ${draft!.id}, which an earlier apply has saved and not published, is replaced`);
  } else if (publish) notes.push("an earlier apply has saved that draft and not published it");
}
