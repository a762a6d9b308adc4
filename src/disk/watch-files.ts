/** Reports changes of files and folders. The only importer of chokidar. */

import { watch } from "chokidar";

export type FileWatch = {
  /** Watches more paths. Paths that are watched already make no difference. */
  add(paths: readonly string[]): void;
  close(): Promise<void>;
};

/** An editor writes a file in several steps. Changes within this time are reported once. */
const SETTLE_MS = 30;

/**
 * Watches files and folders, also those that are deleted and created again, as some editors do when they save.
 *
 * @param onChange called after a change, with a delay of 30 ms
 * @returns resolves when changes are reported
 */
export async function watchFiles(paths: readonly string[], onChange: () => void): Promise<FileWatch> {
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch([...paths], {
    ignoreInitial: true,
    // Hidden files are not manifests, and a folder of packages may be large.
    ignored: (path) => /(?:^|[/\\])(?:\.(?!\.?(?:[/\\]|$))[^/\\]*|node_modules)$/.test(path),
  });
  watcher.on("all", () => {
    clearTimeout(timer);
    timer = setTimeout(onChange, SETTLE_MS);
  });
  // A file that can't be watched, for example because the system's limit is reached, does not end the program.
  watcher.on("error", () => undefined);
  await new Promise<void>((resolve) => watcher.once("ready", () => resolve()));
  return {
    add: (more) => void watcher.add([...more]),
    async close() {
      clearTimeout(timer);
      await watcher.close();
    },
  };
}
