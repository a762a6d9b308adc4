/**
 * Requests the versions of layouts while their forms are still being listed. A distant server answers both kinds of
 * requests at the same time, so the command takes less time.
 */

import pMap from "p-map";
import type { Service } from "../service.ts";

export type ReadAhead = {
  start: (layoutIds: readonly string[]) => void;
  /** Sends no more requests. */
  stop: () => void;
};

/**
 * Opens a read-ahead of versions.
 *
 * @param service remembers its reads. A later read of the same versions gets the remembered answer or error
 */
export function openReadAhead(service: Pick<Service, "listVersions">, concurrency: number): ReadAhead {
  let isStopped = false;
  const read = async (layoutId: string) => {
    if (!isStopped) await service.listVersions({ layoutId }).catch(() => undefined);
  };
  return {
    start: (layoutIds) => void pMap(layoutIds, read, { concurrency }),
    stop: () => void (isStopped = true),
  };
}
