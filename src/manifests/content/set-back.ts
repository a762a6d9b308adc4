/**
 * Files that agree with a lock which is older than our own last publish. A commit that was reverted together with its lock looks
 * like this, and so does a checkout that has not heard of a later apply: the files are the same to the byte.
 */

import type { DraftContent } from "../../schemas/draft.ts";
import type { Surface } from "../../schemas/layout.ts";
import type { LockedResource } from "../lock.ts";
import type { ContentState } from "../state.ts";
import { settledDigest, withoutStamp } from "./content.ts";

/** Whether nobody can tell by the lock who has moved: what is published is ours, and the lock knows an earlier version. */
export function isSetBack(
  content: DraftContent,
  surface: Surface,
  { published, earlier }: Pick<ContentState, "published" | "earlier">,
  locked: Pick<LockedResource, "base"> | undefined,
): boolean {
  const { version, content: known } = locked?.base ?? {};
  if (!published?.stamp || published.isCopy || version === published.id) return false;
  if (known === undefined || !earlier.some(({ id }) => id === version)) return false;
  const { sha256 } = published.stamp;
  if (sha256 === known || sha256 !== settledDigest(published.content, surface)) return false;
  return known === settledDigest(withoutStamp(content), surface);
}
