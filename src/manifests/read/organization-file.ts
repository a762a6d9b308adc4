/** An organization file among manifests: it says what the API has no endpoint for. */

import type { Document } from "../../documents/document.ts";
import type { Located } from "../../schemas/diagnostic.ts";
import { isJsonObject } from "../../schemas/json.ts";
import { OrganizationFile, type SeedFile } from "../../schemas/organization.ts";
import { readParsed } from "../../schemas/shape.ts";
import { manifestProblem } from "../problems.ts";

export function isOrganizationFile({ value }: Document): boolean {
  return isJsonObject(value) && Object.hasOwn(value, "organizations");
}

/** @param wrong told of what has a wrong shape */
export function readOrganization(document: Document, wrong: { add: (problem: Located) => void }): SeedFile | undefined {
  const shape = readParsed(OrganizationFile, document.value);
  if (shape.ok) return shape.value;
  for (const { path, message } of shape.problems) {
    const problem = manifestProblem("ORGANIZATION_INVALID", `${path || "the file"} ${message}`, path);
    wrong.add({ ...problem, file: document.file, ...document.locate(path) });
  }
  return undefined;
}
