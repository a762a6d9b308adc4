/**
 * Finds organization files among manifests. They describe what the API has no endpoint for (fields, roles, scripts).
 * They are found before manifests are read, because every manifest is checked against them.
 */

import type { Document } from "../../documents/document.ts";
import type { Located } from "../../schemas/diagnostic.ts";
import { isJsonObject } from "../../schemas/json.ts";
import { OrganizationFile, type SeedFile } from "../../schemas/organization.ts";
import { readParsed } from "../../schemas/shape.ts";
import { manifestProblem, problemCollector } from "../problems.ts";
import { bytesReader, findFiles, type FindOptions, parseFile, STDIN } from "./files.ts";
import { hasKind } from "./read-manifest.ts";

export type FoundOrganization = { file: string; content: SeedFile };

/** The files that the search has read, so that `readManifests` does not read them again. */
export type ReadAhead = {
  found: ReturnType<typeof findFiles>;
  /** The bytes of files by path, up to 16 MiB in total. `readManifests` removes each entry that it uses. */
  bytes: Map<string, Uint8Array>;
};

const KEPT_BYTES = 16 * 1024 * 1024;

/** Returns the valid organization files. `readManifests` reports the problems of invalid ones. */
export async function findOrganizations(
  options: FindOptions & { readStdin?: () => Promise<Uint8Array> },
): Promise<{ organizations: FoundOrganization[]; ahead: ReadAhead }> {
  const { paths, readStdin } = options;
  const organizations: FoundOrganization[] = [];
  const search = (file: string, bytes: Uint8Array) => {
    if (!mayBeOrganization(bytes)) return;
    const { documents } = parseFile(file, bytes);
    if (documents.some(hasKind)) return;
    for (const document of documents.filter(isOrganizationFile)) {
      const content = readOrganization(document, problemCollector());
      if (content) organizations.push({ file, content });
    }
  };
  if (paths.includes("-") && readStdin) search(STDIN, await readStdin());
  const found = findFiles(options);
  const bytes = new Map<string, Uint8Array>();
  let kept = 0;
  const readBytes = bytesReader();
  for (const { name, path, isLayout } of found.files) {
    const read = isLayout ? undefined : readBytes(name, path);
    if (!(read instanceof Uint8Array)) continue;
    search(name, read);
    kept += read.byteLength;
    if (kept <= KEPT_BYTES) bytes.set(path, Uint8Array.from(read));
  }
  return { organizations, ahead: { found, bytes } };
}

/** Whether the bytes contain the word `organizations`. This search is fifty times faster than parsing the file. */
function mayBeOrganization(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes("organizations");
}

export function isOrganizationFile({ value }: Document): boolean {
  return isJsonObject(value) && Object.hasOwn(value, "organizations");
}

/** Reads a document as an organization file. @param problems receives the problems of the document */
export function readOrganization(
  document: Document,
  problems: { add: (problem: Located) => void },
): SeedFile | undefined {
  const shape = readParsed(OrganizationFile, document.value);
  if (shape.ok) return shape.value;
  for (const { path, message } of shape.problems) {
    const problem = manifestProblem("ORGANIZATION_INVALID", `${path || "the file"} ${message}`, path);
    problems.add({ ...problem, file: document.file, ...document.locate(path) });
  }
  return undefined;
}
