/**
 * Checks a store when one of its operations fails unexpectedly: damaged records can make any rule fail. For a damaged
 * store, the caller gets an error that describes the damage. The cause of this error is the original error.
 */

import { ConstraintViolation, type Store, StoreError } from "./store.ts";

/** How long the result of a check is reused, in milliseconds. A check reads the whole store. */
const CHECK_AGAIN_MS = 60_000;

export function withDamageCheck(store: Store): Store {
  let checked: { at: number; damage: Promise<string | undefined> } | undefined;

  const explain = async (error: unknown): Promise<unknown> => {
    if (!isUnexpected(error)) return error;
    const now = performance.now();
    if (!checked || now > checked.at + CHECK_AGAIN_MS) checked = { at: now, damage: findDamage(store) };
    const damage = await checked.damage;
    if (damage === undefined) return error;
    return new StoreError(
      "STORE_CORRUPT",
      `the store is damaged: ${damage}`,
      "Restore a backup: formctl local restore FILE. To list all damage: formctl local check",
      { cause: error, record: "a required record" },
    );
  };
  const guarded = async <T>(run: () => Promise<T>): Promise<T> => {
    try {
      return await run();
    } catch (error) {
      throw await explain(error);
    }
  };
  return {
    read: (work, oneRound) => guarded(() => store.read(work, oneRound)),
    write: (work, orgId) => guarded(() => store.write(work, orgId)),
    ...(store.verify && { verify: () => store.verify!() }),
    ...(store.version && { version: () => store.version!() }),
    ...(store.raisesVersions && { raisesVersions: () => store.raisesVersions!() }),
    ...(store.retries && { retries: () => store.retries!() }),
    close: () => store.close(),
  };
}

/**
 * Whether damage can be the cause of the error. Damage can cause a JavaScript error, such as a TypeError, or a
 * ConstraintViolation: the database rejects a write that the rules allow.
 */
function isUnexpected(error: unknown): boolean {
  return error instanceof TypeError || error instanceof RangeError || error instanceof ConstraintViolation;
}

async function findDamage(store: Store): Promise<string | undefined> {
  try {
    const { checkStore } = await import("./invariants.ts");
    const [first] = await checkStore(store);
    return first && `${first.record}: ${first.detail || first.about}`;
  } catch {
    return undefined;
  }
}
