/** Creates the store of a team on PostgreSQL, and finds what is wrong with the store after an attack. */

import { randomId } from "../../src/engine/ids.ts";
import { openLocalService } from "../../src/engine/local.ts";
import type { LocalService } from "../../src/local-service.ts";
import { PERMISSIONS } from "../../src/schemas/words.ts";
import { createPostgres, openPostgres } from "../../src/store/postgres/postgres.ts";
import { contractOrganizations } from "../contract/organizations.ts";
import type { startTeam, Team } from "./serve-team.ts";

/**
 * The longest time without a write after a fault, in milliseconds. Usually it is less than five seconds. The limit also
 * holds on a busy machine, and is less than the time after which a client counts a request as failed.
 */
export const BACK_MS = 12_000;

/** The store and a token for it: what `startTeam` needs. */
export type TeamStage = Pick<Parameters<typeof startTeam>[0], "folder" | "store" | "token" | "env"> & { url: string };

/** Creates a store with an organization in an empty database. @param url contains the password, if any */
export async function openTeamStore(folder: string, url: string): Promise<TeamStage> {
  await createPostgres(url);
  const local = openLocal(url);
  try {
    await local.seed(contractOrganizations);
    const { token } = await local.createToken({
      organization: "northwind",
      name: "team",
      permissions: PERMISSIONS,
      expiresAt: null,
    });
    return { folder, token, url, ...withoutPassword(url) };
  } finally {
    await local.close();
  }
}

/** The same store for a team that connects through `url`. */
export function throughPooler(stage: TeamStage, url: string): TeamStage {
  return { ...stage, ...withoutPassword(url) };
}

/** formctl refuses a password in an argument, because other users can read the arguments of a process. */
function withoutPassword(url: string): Pick<TeamStage, "store" | "env"> {
  const address = new URL(url);
  const env = address.password === "" ? {} : { PGPASSWORD: address.password };
  address.password = "";
  return { store: address.href, env };
}

function openLocal(url: string): LocalService {
  return openLocalService({ store: openPostgres(url), now: () => new Date(), newId: randomId });
}

/** Compares the stored forms to the answers of the team, and checks the invariants. */
export async function storedProblems(
  { url }: TeamStage,
  { acknowledged, refused }: Pick<Team, "acknowledged" | "refused">,
): Promise<string[]> {
  if (acknowledged.size === 0) throw new Error("nothing was acknowledged: the attack proves nothing");
  const local = openLocal(url);
  try {
    const problems = (await local.check()).map(({ invariant, record, detail }) => `${invariant} ${record} ${detail}`);
    const service = await local.service("northwind");
    const stored = new Map<string, number>();
    const object = { moduleKey: "staffing", objectKey: "candidate" };
    for (let page = 1; ; page++) {
      const { data } = await service.listForms({ ...object, query: { page, limit: 100 } });
      for (const { name } of data) stored.set(name, (stored.get(name) ?? 0) + 1);
      if (data.length < 100) break;
    }
    for (const name of acknowledged) if (!stored.has(name)) problems.push(`${name} is lost`);
    for (const name of refused) if (stored.has(name)) problems.push(`${name} is stored, although it was refused`);
    // Each name is requested once, so a second form with the name comes from a repeated write.
    for (const [name, times] of stored) if (times > 1) problems.push(`${name} is stored ${times} times`);
    return problems;
  } finally {
    await local.close();
  }
}
