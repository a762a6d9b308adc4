/** Watches files for saves. An editor may write a file in place or replace it. No other module imports chokidar. */

import { watch } from "chokidar";

/** An editor may write a file in several steps. Events within this time count as one save. */
const ONE_SAVE_MS = 20;

/** Matches hidden files and folders, and folders of packages, which may be large. */
const IGNORED = /[/\\](?:\.[^/\\]+|node_modules)$/;

export type WatchHandlers = {
  /** Called after each save. Calls do not overlap: saves during a call cause one more call. */
  saved: () => Promise<void> | void;
  /** Called if the files can't be watched or `saved` throws. The watch continues. */
  failed: (error: unknown) => void;
};

export type FileWatch = {
  /** Watches more files. Ignores files that are already watched. */
  add(paths: readonly string[]): void;
  /** Stops the watch. Waits for a running call of `saved`. */
  close(): Promise<void>;
};

/**
 * Watches files. A file may be missing at first, and may be deleted or renamed later. Deleting a file is not a save.
 * For a folder, watches all files below it, except hidden files and node_modules.
 *
 * @param paths absolute paths. Also watches a hidden file or folder among these paths
 * @returns the watch. From this moment, the watch notices every save
 */
export async function watchFiles(paths: readonly string[], { saved, failed }: WatchHandlers): Promise<FileWatch> {
  const given = new Set(paths);
  const ignored = (path: string) => IGNORED.test(path) && !given.has(path);
  const watcher = watch([...paths], { ignoreInitial: true, ignored });
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isPending = false;

  const run = async () => {
    while (isPending) {
      isPending = false;
      try {
        await saved();
      } catch (error) {
        failed(error);
      }
    }
    running = undefined;
  };
  const note = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      isPending = true;
      running ??= run();
    }, ONE_SAVE_MS);
  };
  watcher.on("add", note).on("change", note).on("error", failed);
  await new Promise<void>((resolve) => watcher.once("ready", resolve));
  return {
    add: (more) => void watcher.add([...more]),
    async close() {
      clearTimeout(timer);
      isPending = false;
      await watcher.close();
      await running;
    },
  };
}
