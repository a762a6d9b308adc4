/** Watches files for saves, whether an editor writes them in place or replaces them. The only importer of chokidar. */

import { watch } from "chokidar";

/** An editor may write a file in several steps. Events within this time count as one save. */
const ONE_SAVE_MS = 20;

/** Matches hidden files and folders, and folders of packages, which may be large. */
const IGNORED = /[/\\](?:\.[^/\\]+|node_modules)$/;

export type WatchHandlers = {
  /** Called after each save. Calls do not overlap: saves during a call cause one more call after it. */
  saved: () => Promise<void> | void;
  /** Called if the files can't be watched, or if `saved` throws. The watch goes on. */
  failed: (error: unknown) => void;
};

export type FileWatch = {
  /** Watches more files. Ignores files that are already watched. */
  add(paths: readonly string[]): void;
  /** Stops the watch. Waits for a running call of `saved`. */
  close(): Promise<void>;
};

/**
 * Watches files, even files that do not exist yet, or that were deleted or renamed. Deleting a file is not a save. For
 * a folder, watches all files below it, except hidden files and node_modules.
 *
 * @param paths absolute paths. A hidden file or folder among them is watched too
 * @returns the watch, when it is ready to notice every save
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
