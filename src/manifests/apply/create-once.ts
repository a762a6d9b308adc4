/** Making a form or a layout so that two runs at once make one: under a key that both of them work out. */

import { OutcomeUnknown, ServiceError } from "../../service.ts";
import { mutationId } from "./mutation-id.ts";

export type Creation<T> = {
  operation: "createForm" | "createLayout";
  /** What tells it apart: the object or the surface and target, and the name. */
  identity: unknown;
  /** Told before each request, with the key that it carries. */
  intend: (key: string) => Promise<void>;
  make: (key: string) => Promise<T>;
  /** What has become of it since: undefined where it is gone, or is called otherwise by now. */
  present: (made: T) => Promise<T | undefined>;
  /** Whether there is one of that identity, which the plan has not found: somebody has just made it. */
  isTaken: () => Promise<boolean>;
};

/** Nobody keeps answers of that many dead ones under keys that each have never been used. */
const MAX_KEYS = 10;

/**
 * The key is made of the identity alone: a run elsewhere that creates the same has the same key, and gets the same record. A
 * key may have been used before, for one that has gone since or has another name now: then the next key has that in it, and
 * is the same everywhere again.
 *
 * @throws ServiceError 409 where somebody else makes it at this moment and otherwise than it is wanted here
 */
export async function createOnce<T extends { id: string }>(creation: Creation<T>): Promise<T> {
  const { operation, identity, intend, make, present, isTaken } = creation;
  const used: string[] = [];
  while (used.length < MAX_KEYS) {
    const key = mutationId(operation, identity, null, used);
    await intend(key);
    let made: T;
    try {
      made = await make(key);
    } catch (error) {
      const firstSeenAt = otherUse(error);
      if (firstSeenAt === undefined || (await isTaken().catch(() => true))) throw error;
      used.push(firstSeenAt);
      continue;
    }
    const found = await present(made);
    if (found) return found;
    used.push(made.id);
  }
  throw new OutcomeUnknown(
    `the service answers ${operation} with records that are not there: ${used.join(", ")}`,
    "Look at what there is before you try again: formctl plan",
    undefined,
  );
}

/** When a key was used for another request, or undefined where that is not what went wrong. */
function otherUse(error: unknown): string | undefined {
  if (!(error instanceof ServiceError) || error.code !== "IDEMPOTENCY_CONFLICT") return undefined;
  return `other request ${error.body.idempotencyConflict?.firstSeenAt ?? ""}`;
}
