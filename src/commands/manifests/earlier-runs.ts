/** What earlier runs of apply have left behind that a plan has to know of. Whoever only looks holds no folder for that. */

import { join } from "node:path";
import { readRuns } from "../../manifests/apply/journal.ts";
import { rememberMade } from "../../manifests/apply/remembered.ts";
import { answerOf, unknownLayoutsAt } from "../../manifests/apply/unknown-layouts.ts";
import type { Lock } from "../../manifests/lock.ts";
import { knownLayouts } from "../../manifests/lock.ts";
import type { Wanted } from "../../manifests/manifest.ts";
import type { CommandContext } from "../command.ts";

/** Where the records of a project stand. */
export function runsFolder({ settings }: Pick<CommandContext, "settings">): string {
  return join(settings.root, ".formctl", "runs");
}

export type LookingBack = {
  place: string;
  /** Learns the ids of what a run that was cut off has made, as it will when apply is typed; it is not saved. */
  lock: Lock;
  wanted: readonly Wanted[];
  /** What a person has said is not there. */
  notCreated: readonly string[];
};

/**
 * Layouts whose creation was sent and not answered, by address: `ADDRESS@TIME`, as `--not-created` takes it. Records can be long,
 * and are read only where a server is to be given a layout that the lock does not know.
 *
 * @throws FILE_UNFIT where a record can't be read
 */
export async function creationsInDoubt(
  context: Pick<CommandContext, "settings" | "target">,
  { place, lock, wanted, notCreated }: LookingBack,
): Promise<Map<string, string[]>> {
  const known = knownLayouts(lock, wanted);
  const isOpen = (each: Wanted) => each.kind === "Layout" && !known.has(each.address);
  if (context.target.kind === "local" || !wanted.some(isOpen)) return new Map();
  const runs = await readRuns(runsFolder(context));
  const unsaved = { ...lock, save: async () => undefined };
  await rememberMade(
    runs.filter((run) => run.place === place),
    async () => unsaved,
  );
  const inDoubt = unknownLayoutsAt(place, runs).filter((layout) => !notCreated.includes(answerOf(layout)));
  const byAddress = Map.groupBy(inDoubt, ({ address }) => address);
  return new Map([...byAddress].map(([address, layouts]) => [address, layouts.map(answerOf)]));
}
