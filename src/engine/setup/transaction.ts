/** Runs several operations of a local store in one transaction. */

import { ConstraintViolation, type Store, StoreError } from "../../store/store.ts";
import type { UploadFiles } from "../../store/uploads.ts";

/** How often the work runs if another process adds the same records. */
const MAX_ATTEMPTS = 5;

/**
 * Commits all writes of `work`, or none. Files that `work` adds are removed if it fails.
 *
 * @param work receives the store and the files to use, and may run several times
 */
export async function inTransaction<T>(
  store: Store,
  files: UploadFiles | undefined,
  work: (within: { store: Store; files?: UploadFiles }) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const saved: string[] = [];
    const save: UploadFiles["save"] = async (...file) => {
      const path = await files!.save(...file);
      saved.push(path);
      return path;
    };
    try {
      return await store.write((tx) => {
        const within: Store = { read: (read) => read(tx), write: (write) => write(tx), close: async () => {} };
        return work({ store: within, ...(files && { files: { ...files, save } }) });
      });
    } catch (error) {
      for (const path of saved) await files!.remove(path);
      const isRace =
        error instanceof ConstraintViolation || (error instanceof StoreError && error.code === "STORE_BUSY");
      if (!isRace || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}
