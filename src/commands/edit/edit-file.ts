/**
 * The file that the user edits. The file is in a new folder, next to its JSON Schema. Only the user can read the
 * folder.
 */

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeFolder } from "../../disk/folders.ts";
import { writeNewFile, writeWhole } from "../../disk/write-file.ts";

export type EditFile = {
  path: string;
  /** Returns the content of the file; empty if the user deleted it. */
  read(): Promise<Buffer>;
  write(text: string): Promise<void>;
  /** Removes the file, and what the editor left next to it. */
  remove(): Promise<void>;
};

const SCHEMA_FILE = "schema.json";

/** Creates the file. @param parent the folder for edited files. If it is not writable, the temporary folder is used */
export async function createEditFile(
  parent: string,
  { name, schema, text }: { name: string; schema: unknown; text: string },
): Promise<EditFile & { text: string }> {
  const folder = await newFolder(parent);
  const path = join(folder, name);
  const whole = `# yaml-language-server: $schema=./${SCHEMA_FILE}\n${text}`;
  await writeNewFile(join(folder, SCHEMA_FILE), JSON.stringify(schema));
  await writeNewFile(path, whole);
  return {
    path,
    text: whole,
    read: () => readFile(path).catch(emptyIfMissing),
    write: (content) => writeWhole(path, content, 0o600),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

async function newFolder(parent: string): Promise<string> {
  try {
    makeFolder(parent, 0o700);
    return await mkdtemp(join(parent, "edit-"));
  } catch {
    return mkdtemp(join(tmpdir(), "formctl-edit-"));
  }
}

function emptyIfMissing(error: unknown): Buffer {
  if ((error as NodeJS.ErrnoException).code === "ENOENT") return Buffer.alloc(0);
  throw error;
}
