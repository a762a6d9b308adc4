/** Making a form or a layout so that two runs at once make one: under a key that both of them work out. */

import { FormctlError } from "../../error.ts";
import { localRefusal, type Service, ServiceError } from "../../service.ts";
import { AmbiguousNames } from "../current/read-errors.ts";
import { type Listings, listingsOf } from "./listings.ts";
import { mutationId } from "./mutation-id.ts";
import type { Presence } from "./present.ts";

export type Creation<T> = {
  operation: "createForm" | "createLayout";
  address: string;
  /** What tells it apart: the object or the surface and target, and the name. */
  identity: unknown;
  make: (key: string, onReplay: () => void) => Promise<T>;
  /** What has become of it since. */
  presence: (made: T) => Promise<Presence>;
  /** Those of that identity; undefined where the service lists none. */
  named: (listings: Listings) => Promise<readonly T[] | undefined>;
  /** Whether it is as it is wanted, where somebody else has made it. */
  fits: (made: T) => boolean;
  /** A later step works on it, and shows whether it is there. */
  isShownLater: boolean;
};

type Creating = {
  service: Service;
  /** Told before each request, with the key that it carries. */
  intend: (key: string) => Promise<void>;
  /** What there is now: only where the service has refused the same before, and asked to wait. */
  again: Listings | undefined;
};

/** Nobody keeps answers of that many dead ones under keys that each have never been used. */
const MAX_KEYS = 10;

/**
 * The key is made of the identity alone: a run elsewhere that creates the same has the same key, and gets the same record. A
 * key may have been used before, for one that has gone since or has another name now: then the next key has that in it, and
 * is the same everywhere again. That takes proof that the answer is an old one. Any other answer is believed: what can't be
 * seen a moment later may only be late, and a second request would make a second one.
 *
 * @throws OUTCOME_UNKNOWN where it is not there, and nothing tells why or will; ServiceError 409 where another user creates it
 *   at this moment and otherwise than it is wanted here; AmbiguousNames where several are found before it is sent again
 */
export async function createOnce<T extends { id: string }>(
  { service, intend, again }: Creating,
  creation: Creation<T>,
): Promise<T> {
  const { operation, identity, make, presence, named, isShownLater } = creation;
  const other = again && madeMeanwhile(creation, (await named(again)) ?? []);
  if (other) return other;
  const used: string[] = [];
  while (used.length < MAX_KEYS) {
    const key = mutationId(operation, identity, null, used);
    await intend(key);
    const answer = { isKept: false };
    let made: T;
    try {
      made = await make(key, () => void (answer.isKept = true));
    } catch (error) {
      const firstSeenAt = otherUse(error);
      if (firstSeenAt === undefined || (await isTaken(service, creation))) throw error;
      used.push(firstSeenAt);
      continue;
    }
    const found = await presence(made);
    if (found === "there") return made;
    if (!answer.isKept) {
      if (found === "unseen" && isShownLater) return made;
      throw notThere(operation, made.id, found);
    }
    used.push(made.id);
  }
  throw notThere(operation, used.join(", "), "unseen");
}

/** Whether there is one of that identity, which the plan has not found: somebody has just made it. */
async function isTaken<T>(service: Service, { named }: Creation<T>): Promise<boolean> {
  const found = await named(listingsOf(service)).catch(() => undefined);
  return found === undefined || found.length > 0;
}

/** What somebody has made while this one was told to wait: it is gone on with where it is the same. */
function madeMeanwhile<T extends { id: string }>({ address, fits }: Creation<T>, found: readonly T[]): T | undefined {
  const [one, another] = found;
  if (!one) return undefined;
  const ids = found.map(({ id }) => id);
  if (another) {
    const message = `${ids.length} records that could be ${address} have been made since the plan was: ${ids.join(", ")}`;
    throw new AmbiguousNames([{ address, message, ids }]);
  }
  if (fits(one)) return one;
  const message = `another user created ${address} with different content after the plan was created: ${one.id}`;
  throw localRefusal(409, "MADE_MEANWHILE", message, "Run apply again: it updates the existing one.");
}

function notThere(operation: string, ids: string, found: Presence): FormctlError {
  const what = found === "renamed" ? "has another name" : "can't be found";
  return new FormctlError(
    "OUTCOME_UNKNOWN",
    `the service answers ${operation} with ${ids}, which ${what}`,
    "Look at what there is before you apply again: formctl plan",
    undefined,
  );
}

/** When a key was used for another request, or undefined where that is not what went wrong. */
function otherUse(error: unknown): string | undefined {
  if (!(error instanceof ServiceError) || error.code !== "IDEMPOTENCY_CONFLICT") return undefined;
  return `other request ${error.body.idempotencyConflict?.firstSeenAt ?? ""}`;
}
