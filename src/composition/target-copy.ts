/**
 * Opens copies of targets, and rehearses plans on them. This module is separate from rehearsal/, because rehearsal/
 * must not import the engine and the store.
 */

import { randomId } from "../engine/ids.ts";
import { openLocalService } from "../engine/local.ts";
import { seedCopy } from "../engine/setup/seed-copy.ts";
import type { CopySeed, LocalService } from "../local-service.ts";
import type { Rehearse } from "../rehearsal/rehearsal.ts";
import { rehearse } from "../rehearsal/rehearse.ts";
import { openScratchSqlite } from "../store/sqlite.ts";

/**
 * Opens a store that is not durable, with the records from a server. The caller must close the store.
 *
 * @param growth the approximate number of bytes of these records and of the caller's additions
 * @throws ServiceError 400 if the objects, fields, roles and members of the records contradict each other
 */
export async function openServerCopy(seed: CopySeed, now: () => Date, growth = 0): Promise<LocalService> {
  const store = await openScratchSqlite(growth);
  try {
    await seedCopy(store, seed, { now: now().toISOString(), newId: randomId });
    return openLocalService({ store, now, newId: randomId });
  } catch (error) {
    await store.close();
    throw error;
  }
}

/**
 * Rehearses a plan on a copy of its target. The copy is a snapshot of a local store, or has the records from a server.
 */
export const rehearseOnCopy: Rehearse = (request) =>
  rehearse(request, (seed, growth) => openServerCopy(seed, request.now, growth));
