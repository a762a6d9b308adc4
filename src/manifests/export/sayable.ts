/** What manifests have words for: another server may have modes, blocks or surfaces that would be refused when they are read again. */

import { DraftFile } from "../../schemas/draft.ts";
import { FormManifest, LayoutManifest } from "../../schemas/manifest.ts";
import type { Schema } from "../../schemas/schema.ts";
import { readShape } from "../../schemas/shape.ts";
import type { Exported } from "./export.ts";

export type Sayable = {
  /** As they were; of what only the layout can't be said, without it. */
  sayable: Exported[];
  /** The addresses of those of which no manifest can be made, each with the reason. */
  leftOut: ReadonlyMap<string, string>;
};

/** So that what is exported can be planned: whatever a manifest or layout file may not say is left out, with a note. */
export function sayableOf(exported: readonly Exported[]): Sayable {
  const sayable: Exported[] = [];
  const leftOut = new Map<string, string>();
  for (const each of exported) {
    const reason = unsayable(each.kind === "Form" ? FormManifest : LayoutManifest, each.members);
    if (reason === undefined) sayable.push(withSayableLayout(each));
    else leftOut.set(each.address, `no manifest can say it, and it is left out: ${reason}`);
  }
  return { sayable, leftOut };
}

function withSayableLayout(each: Exported): Exported {
  const reason = each.layout && unsayable(DraftFile, each.layout);
  if (reason === undefined) return each;
  const { publish: _ofLayout, ...members } = each.members;
  const note = `no layout file can say what the layout shows, and it is left out: ${reason}`;
  // Nor is it merged into a file that is there.
  return { ...each, members, layout: undefined, content: undefined, notes: [...each.notes, note] };
}

function unsayable(schema: Schema, value: unknown): string | undefined {
  const shape = readShape(schema, value);
  if (shape.ok) return undefined;
  const [first, ...others] = shape.problems.map(({ path, message }) => `${path} ${message}`);
  return others.length === 0 ? first : `${first} (and ${others.length} more)`;
}
