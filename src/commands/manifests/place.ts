/** What a place is called in locks, journals and mutation ids: equal for the same place, another for any other. */

import { resolve } from "node:path";
import { FormctlError } from "../../error.ts";
import type { CommandContext } from "../command.ts";
import { findLocalOrganization } from "../local-organization.ts";

/**
 * `https://forms.example.com/eu#prod`, or `local:northwind@/home/ana/formctl.db`. The profile is part of it, because its
 * token may be another organization's.
 *
 * @throws USAGE where the organization of a local store is not named and not the only one
 */
export async function placeOf(context: CommandContext): Promise<string> {
  const { target, cwd } = context;
  if (target.kind === "remote")
    return target.profile === undefined ? target.baseUrl : `${target.baseUrl}#${target.profile}`;
  const organization = await findLocalOrganization(context);
  if (!organization) {
    throw new FormctlError("USAGE", "the local store has several organizations", "Name one with --organization KEY.");
  }
  return `local:${organization.key}@${/^\w+:\/\//.test(target.store) ? target.store : resolve(cwd, target.store)}`;
}

/** The profile behind the `#` as everywhere else where a place is told. */
export function inWords(place: string): string {
  return place.replace(/^(https?:[^#]*)#/, "$1, profile ");
}
