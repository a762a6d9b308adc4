/**
 * The race of a revoked token: callers write with a token on several connections while the token is revoked. Each
 * request that begins after the revocation must be refused. The store must have exactly the forms of the accepted
 * requests.
 */

import { setTimeout } from "node:timers/promises";
import { whenFree } from "./engine-connection.ts";
import type { EngineTarget } from "./engine-target.ts";
import type { Random } from "./races.ts";

const OBJECT = { moduleKey: "staffing", objectKey: "candidate" };
/** The number of requests of each caller. */
const REQUESTS = 4;

type Sent = { start: number; isAccepted: boolean; name: string };

export type TokenRaceReport = { violations: string[]; accepted: number; refused: number };

/** @param isRevoked false for the control: the token stays valid, and later requests are accepted */
export async function raceRevocation(
  target: EngineTarget,
  suffix: string,
  random: Random,
  isRevoked = true,
): Promise<TokenRaceReport> {
  const token = await (await target.addPair(suffix, ["north"])).token();
  const [first] = target.connections;
  const organization = `north-${suffix}`;
  const [{ id } = { id: "" }] = await first!.listTokens(organization);
  let revoked = Infinity;
  const revoke = async () => {
    await setTimeout(random(4));
    if (isRevoked) await whenFree(() => target.connections.at(-1)!.revokeToken(id));
    revoked = performance.now();
  };
  const call = async (actor: number): Promise<Sent[]> => {
    const connection = target.connections[actor % target.connections.length]!;
    const sent: Sent[] = [];
    for (let index = 0; index < REQUESTS; index++) {
      const start = performance.now();
      const name = `Form ${actor} ${index}`;
      const caller = await whenFree(() => connection.authenticate(token));
      const input = { ...OBJECT, body: { name, types: ["VIEW"] } };
      await whenFree(async () => caller?.answer("createForm", input, {}));
      sent.push({ start, isAccepted: caller !== undefined, name });
      if (random(3) === 0) await setTimeout(1);
    }
    return sent;
  };
  const actors = Array.from({ length: 2 + random(3) }, (_, actor) => call(actor));
  const [sent] = await Promise.all([Promise.all(actors), revoke()]);
  const all = sent.flat();
  const accepted = all.filter(({ isAccepted }) => isAccepted);
  const late = accepted.filter(({ start }) => start > revoked);
  const violations = late.map(({ name }) => `${name} was created with a token that was revoked before`);
  const admin = await first!.service(organization);
  const { data } = await admin.listForms({ ...OBJECT, query: { limit: 100 } });
  const [stored, wanted] = [data, accepted].map((list) =>
    list
      .map(({ name }) => name)
      .toSorted()
      .join(", "),
  );
  if (stored !== wanted) violations.push(`the store has the forms ${stored}, and ${wanted} were accepted`);
  return { violations, accepted: accepted.length, refused: all.length - accepted.length };
}
