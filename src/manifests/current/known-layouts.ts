/** Layouts that are known by the ids under which they were made: where a server lists none, or not these. */

import type { LayoutAnswer } from "../../schemas/answers.ts";
import pMap from "p-map";
import { readLayout, type Service } from "../../service.ts";
import type { KnownLayouts } from "../lock.ts";
import type { LayoutState } from "../state.ts";
import type { LayoutSubject } from "../subject.ts";
import { isOrganizations, placeOf, toLayoutState, unseenLayout } from "./layout-state.ts";

type Reading = { known: KnownLayouts; concurrency: number };

/** By address; what is not answered may be there all the same: its versions tell. */
export async function readKnown(
  service: Service,
  subjects: readonly LayoutSubject[],
  { known, concurrency }: Reading,
): Promise<Map<string, LayoutState>> {
  const layouts = new Map<string, LayoutState>();
  await pMap(
    subjects,
    async ({ address }) => {
      const layoutId = known.get(address);
      if (layoutId === undefined) return;
      // Not answered may mean that there is no such endpoint: whether it is there is told by its versions.
      const layout = await readLayout(service, layoutId);
      layouts.set(address, layout ? toLayoutState(layout) : unseenLayout(layoutId));
    },
    { concurrency },
  );
  return layouts;
}

export type Unlisted = { read: LayoutAnswer[]; unseen: Map<string, string> };

/**
 * Layouts that were made for a manifest and that the list does not have, read by their ids before another one is made of the
 * same name. Of what is not answered, its versions tell whether it is there: perhaps there is no such endpoint.
 */
export async function readUnlisted(
  service: Service,
  subjects: readonly LayoutSubject[],
  listed: readonly LayoutAnswer[],
  { known, concurrency }: Reading,
): Promise<Unlisted> {
  const ids = new Set(listed.map(({ id }) => id));
  const names = new Set(listed.filter(isOrganizations).map((layout) => `${placeOf(layout)} ${layout.name}`));
  const found: Unlisted = { read: [], unseen: new Map() };
  await pMap(
    subjects,
    async (subject) => {
      const layoutId = known.get(subject.address);
      if (layoutId === undefined || ids.has(layoutId) || names.has(`${placeOf(subject)} ${subject.name}`)) return;
      const layout = await readLayout(service, layoutId);
      if (layout) found.read.push(layout);
      else found.unseen.set(subject.address, layoutId);
    },
    { concurrency },
  );
  return found;
}
