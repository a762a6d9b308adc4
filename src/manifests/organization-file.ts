/** An organization file among manifests: it says what the API has no endpoint for. */

import type { Document } from "../documents/document.ts";
import type { Located } from "../schemas/diagnostic.ts";
import { isJsonObject } from "../schemas/json.ts";
import { OrganizationFile, type SeedFile } from "../schemas/organization.ts";
import { readParsed } from "../schemas/shape.ts";
import { complaint } from "./complaints.ts";

export function isOrganizationFile({ value }: Document): boolean {
  return isJsonObject(value) && Object.hasOwn(value, "organizations");
}

export function readOrganization(document: Document): { content?: SeedFile; problems: Located[] } {
  const shape = readParsed(OrganizationFile, document.value);
  if (shape.ok) return { content: shape.value, problems: [] };
  const problems = shape.problems.map(({ path, message }) => ({
    ...complaint("ORGANIZATION_INVALID", `${path || "the file"} ${message}`, path),
    file: document.file,
    ...document.locate(path),
  }));
  return { problems };
}
