/** What is known of the organization that manifests are for, without asking a server. */

import type { Knowledge } from "../../manifests/read/knowledge.ts";
import type { FoundOrganization } from "../../manifests/read/find-organizations.ts";
import type { References } from "../../manifests/references.ts";
import { OrganizationFile, type SeedOrganization } from "../../schemas/organization.ts";
import { visible } from "../../terminal/escape.ts";
import type { CommandContext } from "../command.ts";
import { findLocalOrganization } from "../local-organization.ts";
import { readBody } from "../read-body.ts";
import { findReferences, ofOrganization } from "./references.ts";

export type Surroundings = {
  knowledge: Knowledge;
  /** Undefined where nobody knows who there is. */
  references: References | undefined;
};

/**
 * From the organization file that was named, else from one among the manifests, else from the local store in use.
 *
 * @throws INVALID_FILE, INVALID_VALUE where the named file can't be read
 */
export async function findSurroundings(
  context: CommandContext,
  organizations: readonly FoundOrganization[],
  organizationFile: string | undefined,
): Promise<Surroundings> {
  const files =
    organizationFile === undefined
      ? organizations
      : [{ file: organizationFile, content: (await readBody(context, organizationFile, OrganizationFile)).value }];
  if (files.length > 0) return ofFiles(context, files);
  const { references: written } = context.settings;
  if (context.target.kind === "remote") {
    const references = Object.keys(written).length > 0 ? await findReferences(context) : undefined;
    return { knowledge: { source: "a server does not tell it: name an organization file" }, references };
  }
  const organization = context.localStore.exists() ? await findLocalOrganization(context) : undefined;
  if (!organization) {
    const source = context.localStore.exists() ? NO_CHOICE : noStore(context);
    return { knowledge: { source }, references: undefined };
  }
  const source = "the local store";
  return { knowledge: { organization, source }, references: ofOrganization(organization, source) };
}

const NO_CHOICE = "several organizations: name one with --organization";

/** A store that somebody named and that is not there is a mistake; the usual one may well not be there. */
function noStore({ settings, target, localStore }: CommandContext): string {
  const isNamed = target.profile !== undefined || settings.get("store") !== undefined;
  const what = isNamed ? `there is no local store at ${visible(localStore.location)}` : "no local store";
  return `${what}, and no organization file`;
}

/** The organization that was named, or the only one. */
function ofFiles(context: CommandContext, files: readonly FoundOrganization[]): Surroundings {
  const all = files.flatMap(({ file, content }) =>
    content.organizations.map((organization) => ({ file, organization })),
  );
  const fits = ({ organization: { key } }: { organization: SeedOrganization }) => key === context.organization;
  const chosen = all.length === 1 ? all[0] : all.find(fits);
  if (!chosen) return { knowledge: { source: NO_CHOICE }, references: undefined };
  const { file, organization } = chosen;
  const source = visible(file);
  return { knowledge: { organization, source }, references: ofOrganization(organization, source) };
}
