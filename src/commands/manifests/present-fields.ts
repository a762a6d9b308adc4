/** The fields that layouts can show, as they are now: a local store tells, a server's API does not. */

import type { Manifest, Wanted } from "../../manifests/manifest.ts";
import { fieldsOf } from "../../schemas/draft-known.ts";
import type { SeedField } from "../../schemas/organization.ts";
import type { CommandContext } from "../command.ts";
import { findLocalOrganization } from "../local-organization.ts";

export type PresentFields = (manifest: Manifest | Wanted) => readonly SeedField[] | undefined;

/** Read once, and only where a manifest stages changes of them. */
export async function findFields(
  context: CommandContext,
  manifests: readonly (Manifest | Wanted)[],
): Promise<PresentFields> {
  const isStaged = manifests.some(({ content }) => content && content.stagedFieldDefinitions.length > 0);
  if (!isStaged || context.target.kind === "remote") return () => undefined;
  const organization = await findLocalOrganization(context);
  if (!organization) return () => undefined;
  return (manifest) =>
    fieldsOf(
      organization,
      manifest.kind === "Form" ? { surface: "DYNAMIC_OBJECT", target: manifest.object } : manifest,
    );
}
