/** Reads a file that another user may have written, such as a file of a repository, within a limit of its size. */

import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { unfitFile } from "./file-errors.ts";

/**
 * Reads a file. The size is checked first, so that a large file is never read into memory.
 *
 * @param most the limit in bytes
 * @throws FILE_UNFIT if the file is larger
 * @throws the system error if the file can't be read
 */
export function readWithin(path: string, most: number): Buffer {
  const file = openSync(path, "r");
  try {
    requireWithin(path, fstatSync(file).size, most);
    const bytes = readFileSync(file);
    // A device has no size, and a file may grow.
    requireWithin(path, bytes.byteLength, most);
    return bytes;
  } finally {
    closeSync(file);
  }
}

function requireWithin(path: string, size: number, most: number): void {
  if (size <= most) return;
  const mebibytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(bytes % (1024 * 1024) === 0 ? 0 : 1);
  throw unfitFile(`${path} is ${mebibytes(size)} MiB, and the limit is ${mebibytes(most)} MiB. It is not read`, {
    hint: "Split the file, or restore it from your repository.",
  });
}
