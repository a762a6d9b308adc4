/**
 * A store whose damage is called by its name. Records that contradict each other can lead any rule astray: where one fails
 * in an unexpected way, the store is checked, and its damage is the error.
 */

import { ConstraintViolation, type Store, StoreError } from "./store.ts";

/** A check reads everything: requests that fail one after the other share it. */
const CHECK_AGAIN_MS = 60_000;

export function withDamageCheck(store: Store): Store {
  let checked: { at: number; damage: Promise<string | undefined> } | undefined;

  const explain = async (error: unknown): Promise<unknown> => {
    if (!isUnforeseen(error)) return error;
    const now = performance.now();
    if (!checked || now > checked.at + CHECK_AGAIN_MS) checked = { at: now, damage: findDamage(store) };
    const damage = await checked.damage;
    if (damage === undefined) return error;
    return new StoreError(
      "STORE_CORRUPT",
      `the store is damaged: ${damage}`,
      "Restore a backup: formctl local restore FILE (formctl local check lists all damage)",
      { cause: error, record: "a record that this needs" },
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
    read: (work) => guarded(() => store.read(work)),
    write: (work) => guarded(() => store.write(work)),
    ...(store.verify && { verify: () => store.verify!() }),
    close: () => store.close(),
  };
}

/** An error of JavaScript itself, or a key that refuses what the rules had allowed. */
function isUnforeseen(error: unknown): boolean {
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
