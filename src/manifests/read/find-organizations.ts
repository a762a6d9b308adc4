/** The organization files among manifests, found before anything is read: they say what all the others are judged by. */

import { readFileSync, statSync } from "node:fs";
import { MAX_FILE_BYTES } from "../../documents/decode.ts";
import type { SeedFile } from "../../schemas/organization.ts";
import { problemsOfFile } from "../complaints.ts";
import { findFiles } from "./files.ts";
import { parse, STDIN } from "./open-file.ts";
import { isOrganizationFile, readOrganization } from "./organization-file.ts";
import type { ReadOptions } from "./read.ts";
import { hasKind } from "./read-manifest.ts";

/** An organization file, by the name that people know it by. */
export type FoundOrganization = { file: string; content: SeedFile };

/** Those that can be read. What is wrong with the others is told when all files are read. */
export async function findOrganizations(
  options: Pick<ReadOptions, "paths" | "cwd" | "root" | "readStdin">,
): Promise<FoundOrganization[]> {
  const { paths, readStdin } = options;
  const found: FoundOrganization[] = [];
  const look = (file: string, bytes: Uint8Array) => {
    if (!mayHold(bytes)) return;
    const { documents } = parse(file, bytes);
    if (documents.some(hasKind)) return;
    for (const document of documents.filter(isOrganizationFile)) {
      const content = readOrganization(document, problemsOfFile());
      if (content) found.push({ file, content });
    }
  };
  if (paths.includes("-") && readStdin) look(STDIN, await readStdin());
  for (const { name, path, isLayout } of findFiles({ ...options, paths: paths.filter((each) => each !== "-") }).files) {
    if (!isLayout) look(name, bytesOf(path));
  }
  return found;
}

/** Parsing a file takes fifty times as long as looking for the word without which it is no organization file. */
function mayHold(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes("organizations");
}

function bytesOf(path: string): Uint8Array {
  try {
    return statSync(path).size > MAX_FILE_BYTES ? new Uint8Array() : readFileSync(path);
  } catch {
    return new Uint8Array();
  }
}
