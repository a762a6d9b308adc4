/** The organization files among manifests, found before anything is read: they say what all the others are judged by. */

import type { SeedFile } from "../../schemas/organization.ts";
import { problemCollector } from "../problems.ts";
import { findFiles, type FindOptions } from "./files.ts";
import { parse, readBytes, STDIN } from "./open-file.ts";
import { isOrganizationFile, readOrganization } from "./organization-file.ts";
import { hasKind } from "./read-manifest.ts";

/** An organization file, by the name that people know it by. */
export type FoundOrganization = { file: string; content: SeedFile };

/** What was found by the way, because all of it is read right afterwards. */
export type Ahead = {
  found: ReturnType<typeof findFiles>;
  /** By path, of the files that were read, as far as they fit into 64 MiB; taken out when they are needed. */
  bytes: Map<string, Uint8Array>;
};

const KEPT_BYTES = 64 * 1024 * 1024;

/** Those that can be read. What is wrong with the others is told when all files are read. */
export async function findOrganizations(
  options: FindOptions & { readStdin?: () => Promise<Uint8Array> },
): Promise<{ organizations: FoundOrganization[]; ahead: Ahead }> {
  const { paths, readStdin } = options;
  const organizations: FoundOrganization[] = [];
  const look = (file: string, bytes: Uint8Array) => {
    if (!mayHold(bytes)) return;
    const { documents } = parse(file, bytes);
    if (documents.some(hasKind)) return;
    for (const document of documents.filter(isOrganizationFile)) {
      const content = readOrganization(document, problemCollector());
      if (content) organizations.push({ file, content });
    }
  };
  if (paths.includes("-") && readStdin) look(STDIN, await readStdin());
  const found = findFiles(options);
  const bytes = new Map<string, Uint8Array>();
  let kept = 0;
  for (const { name, path, isLayout } of found.files) {
    const read = isLayout ? undefined : readBytes(name, path);
    if (!(read instanceof Uint8Array)) continue;
    look(name, read);
    kept += read.byteLength;
    if (kept <= KEPT_BYTES) bytes.set(path, read);
  }
  return { organizations, ahead: { found, bytes } };
}

/** Parsing a file takes fifty times as long as looking for the word without which it is no organization file. */
function mayHold(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes("organizations");
}
