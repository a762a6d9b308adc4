/** Whether somebody else has saved or published between two runs: what the next write would expect is compared with what is there. */

import type { StepRequest } from "../plan/planned.ts";
import { readContent, untoldContent } from "../current/read-versions.ts";
import { isGone } from "./present.ts";
import type { Place } from "./stands.ts";

/**
 * A server that knows the `expected…` members refuses such a write itself; here it is told before the first write, and of any
 * server.
 *
 * @param rest what is left to be sent, in its order
 */
export async function hasMoved({ service, resource, known }: Place, rest: readonly StepRequest[]): Promise<boolean> {
  const layoutId = known.layoutId ?? resource.layoutId;
  const saving = rest.find((request) => request.operation === "saveDraft");
  const publishing = rest.find((request) => request.operation === "publishLayout");
  if (layoutId === undefined || (known.draft == null && !saving && !publishing)) return false;
  const content = await readContent(service, layoutId).catch((error: unknown) => {
    // One that the plan has made, and put nothing into yet: some servers show no versions then.
    if (isGone(error) && known.layoutId !== undefined && known.draft === undefined) return untoldContent(layoutId);
    throw error;
  });
  const { draft, published, earlier, isUntold } = content;
  if (isUntold) return known.draft != null && earlier.every(({ id }) => id !== known.draft);
  // Where somebody has saved beside the creation, the next step looks at what it is.
  const first = known.first === null ? undefined : (known.first ?? saving?.replaces);
  const expectedDraft = known.draft !== undefined ? known.draft : saving ? first : publishing?.draft;
  const expectedPublished = known.published ?? publishing?.published;
  const differs = (expected: string | null | undefined, id: string | undefined) =>
    expected !== undefined && expected !== (id ?? null);
  return differs(expectedDraft, draft?.id) || (!!publishing && differs(expectedPublished, published?.id));
}
