/** Finds what is known about the organization of a target without a request to a server: from files, or from a store. */

import type { Host } from "../base/host.ts";
import { readDocument } from "../documents/document.ts";
import { invalidDocument } from "../documents/problems.ts";
import type { ObjectKey } from "../lists/addresses.ts";
import { objectsIn, objectsWithForms } from "../lists/objects.ts";
import type { LayoutAnswer } from "../schemas/answers.ts";
import type { SeedOrganization } from "../schemas/organization.ts";
import { OrganizationFile } from "../schemas/organization-schema.ts";
import { readShape } from "../schemas/shape.ts";
import type { FoundOrganization } from "../manifests/read/read-manifests.ts";
import { organizationReferences, type ProjectTarget, SEVERAL_ORGANIZATIONS, type TargetKnowledge } from "./target.ts";

/** `organization` is undefined if no organization file describes it. */
export type Knowledge = TargetKnowledge & { organization: SeedOrganization | undefined };

/**
 * Returns what is known about the organization, from the organization file or the target.
 *
 * @throws INVALID_FILE if the file is invalid
 */
export async function readKnowledge(
  { host, target }: { host: Pick<Host, "readFile">; target: ProjectTarget },
  organizationFile: string | undefined,
): Promise<Knowledge> {
  return knowledgeOf(
    target,
    organizationFile === undefined ? [] : [await readOrganizationFile(host, organizationFile)],
  );
}

/**
 * Returns what organization files contain. If they contain several organizations, returns the organization with the
 * target's key. If none has this key, the organization is unknown. Without files, asks the target.
 */
export async function knowledgeOf(target: ProjectTarget, files: readonly FoundOrganization[]): Promise<Knowledge> {
  if (files.length === 0) return { ...(await target.knowledge()), organization: undefined };
  const all = files.flatMap(({ file, content }) =>
    content.organizations.map((organization: SeedOrganization) => ({ file, organization })),
  );
  const chosen =
    all.length === 1 ? all[0] : all.find(({ organization }) => organization.key === target.organizationKey);
  if (!chosen) return { knowledge: { source: SEVERAL_ORGANIZATIONS }, references: undefined, organization: undefined };
  const { file, organization } = chosen;
  const references = organizationReferences(organization, file);
  return { knowledge: { organization, source: file }, references, organization };
}

/**
 * Returns the objects that a target shows. A local store lists its objects. On a server, the listed layouts name the
 * objects of their forms.
 *
 * @param listed undefined if the target does not list layouts
 * @returns undefined if the objects are unknown
 */
export async function shownObjects(
  target: ProjectTarget,
  listed: readonly LayoutAnswer[] | undefined,
): Promise<ObjectKey[] | undefined> {
  const { organization } = (await target.knowledge()).knowledge;
  if (organization) return objectsIn(organization).map(({ object }) => object);
  return listed && objectsWithForms(listed);
}

/** Reads an organization file. @throws INVALID_FILE with every problem */
export async function readOrganizationFile(host: Pick<Host, "readFile">, path: string): Promise<FoundOrganization> {
  const bytes = await host.readFile(path);
  const document = readDocument(bytes, path === "-" ? "<stdin>" : path);
  const shape = readShape(OrganizationFile, document.value);
  if (shape.ok) return { file: path, content: shape.value };
  const problems = shape.problems.map(({ path: at, message }) => ({
    severity: "error" as const,
    code: "BODY_INVALID",
    path: at,
    message: `${at || "the file"} ${message}`,
    file: document.file,
    ...document.locate(at),
  }));
  throw invalidDocument(document.file, document.text, problems);
}
