/** Whether somebody else has saved or published between two runs: what the next write would expect is compared with what is there. */

import type { DraftContent } from "../../schemas/draft.ts";
import { contentDigest, sameContent } from "../content/compare.ts";
import { replacedDraft } from "../plan/digests.ts";
import { surfaceOf } from "../subject.ts";
import { hiddenContent, readContent } from "../current/versions.ts";
import type { PlannedStep } from "../plan/planned.ts";
import { isGone } from "./present.ts";
import type { Place } from "./stands.ts";

/**
 * A server that knows the `expected…` members refuses such a write itself; here it is told before the first write, and of any
 * server.
 *
 * A draft may keep its id when somebody saves it anew: what it says is compared too.
 *
 * @param steps all of the resource, in their order
 * @param done the numbers of those that are done
 */
export async function hasMoved(
  { service, resource, known }: Place,
  steps: readonly PlannedStep[],
  done: { has(step: number): boolean },
): Promise<boolean> {
  const layoutId = known.layoutId ?? resource.layoutId;
  const rest = steps.filter((_, index) => !done.has(index));
  const requests = rest.map(({ request }) => request);
  const saving = requests.find((request) => request.operation === "saveDraft");
  const publishing = requests.find((request) => request.operation === "publishLayout");
  if (layoutId === undefined || (known.draft == null && !saving && !publishing)) return false;
  const content = await readContent(service, layoutId, surfaceOf(resource.subject)).catch((error: unknown) => {
    // One that the plan has made, and put nothing into yet: some servers show no versions then.
    if (isGone(error) && known.layoutId !== undefined && known.draft === undefined) return hiddenContent(layoutId);
    throw error;
  });
  const { draft, published, earlier, isHidden } = content;
  if (isHidden) return known.draft != null && earlier.every(({ id }) => id !== known.draft);
  if (known.first === null && known.draft === undefined && saving) {
    // Somebody has saved beside the creation: a run elsewhere that creates the same does no harm.
    return ![draft, published].some((version) => version && says(version.content, saving.content));
  }
  const first = known.first ?? saving?.replaces;
  const expectedDraft = known.draft !== undefined ? known.draft : saving ? first : publishing?.draft;
  const expectedPublished = known.published ?? publishing?.published;
  const differs = (expected: string | null | undefined, id: string | undefined) =>
    expected !== undefined && expected !== (id ?? null);
  if (differs(expectedDraft, draft?.id) || (!!publishing && differs(expectedPublished, published?.id))) return true;
  if (!draft) return false;
  if (known.draft != null) {
    const saved = steps.findLast(({ request }, index) => done.has(index) && request.operation === "saveDraft")?.request;
    return saved?.operation === "saveDraft" && !says(draft.content, saved.content);
  }
  return rest.some(
    ({ replaces = {} }) => replaces["draft"] !== undefined && replaces["draft"] !== replacedDraft(draft)["draft"],
  );
}

/** Whatever a server has filled in or assigned. */
function says(there: DraftContent, sent: DraftContent): boolean {
  return contentDigest(there) === contentDigest(sent) || sameContent(sent, there);
}
