/** What the lock keeps of something whose file says exactly what is there. */

import type { ModeWord } from "../../schemas/open.ts";
import { digestOf, settledDigest } from "../content/compare.ts";
import { canonicalAccess, canonicalAssignments, sortedModes } from "../plan/changes.ts";
import type { Exported } from "./export.ts";
import type { LockedResource } from "../lock.ts";
import { contentOf } from "../../lists/versions.ts";

export function lockedOf(exported: Exported): LockedResource {
  const { members, layout, surface, layoutId, content } = exported;
  const base: Record<string, string> = {};
  for (const name of ["name", "isActive", "isPublic", "config", "metadata"]) {
    if (members[name] !== undefined) base[name] = digestOf(members[name]);
  }
  for (const name of ["types", "supportedModes", "defaultFor"]) {
    const modes = (members as Record<string, ModeWord[] | undefined>)[name];
    if (modes) base[name] = digestOf(sortedModes(modes));
  }
  if (layout) base["content"] = settledDigest(contentOf(layout), surface);
  if (layout && content?.published) base["version"] = content.published.id;
  if (exported.kind === "Layout") {
    if (exported.assignments) base["assignments"] = digestOf(canonicalAssignments(exported.assignments));
    return { layoutId, base };
  }
  if (exported.access) base["access"] = digestOf(canonicalAccess(exported.access));
  return { formId: exported.formId, layoutId, base };
}
