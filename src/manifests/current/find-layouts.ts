/** Layouts that no form owns, found by surface, target and name, or by the id that is known where a list does not have them. */

import pMap from "p-map";
import { isDefault, wholeLayout } from "../../lists/layouts.ts";
import { MODES } from "../../schemas/words.ts";
import type { Service } from "../../service.ts";
import type { KnownLayouts } from "../lock.ts";
import { readKnown, readUnlisted } from "./known-layouts.ts";
import { isOrganizations, placeOf, toLayoutState, unseenLayout } from "./layout-state.ts";
import { listedLayouts } from "./listed-layouts.ts";
import { matchNames } from "./match-names.ts";
import type { Ambiguity } from "./read-errors.ts";
import type { LayoutSubject } from "../subject.ts";
import type { DefaultHolder, LayoutState, OtherLayout } from "../state.ts";

export type FoundLayouts = {
  /** Without their contents, by address. */
  layouts: Map<string, LayoutState>;
  ambiguities: Ambiguity[];
  organizationDefaults: DefaultHolder[];
  otherLayouts: OtherLayout[];
  listsLayouts: boolean;
};

/** @throws ServiceError for any refusal but that the server has no such endpoint */
export async function findLayouts(
  service: Service,
  subjects: readonly LayoutSubject[],
  { known, concurrency }: { known: KnownLayouts; concurrency: number },
): Promise<FoundLayouts> {
  if (subjects.length === 0)
    return { layouts: new Map(), ambiguities: [], organizationDefaults: [], otherLayouts: [], listsLayouts: true };
  const listed = await listedLayouts(service, new Set(subjects.map(({ surface }) => surface)), concurrency);
  if (!listed) {
    const layouts = await readKnown(service, subjects, { known, concurrency });
    return { layouts, ambiguities: [], organizationDefaults: [], otherLayouts: [], listsLayouts: false };
  }

  const { read, unseen } = await readUnlisted(service, subjects, listed, { known, concurrency });
  const byPlace = Map.groupBy([...listed, ...read].filter(isOrganizations), placeOf);
  const found: FoundLayouts = {
    layouts: new Map(),
    ambiguities: [],
    organizationDefaults: [],
    otherLayouts: [],
    listsLayouts: true,
  };
  for (const [place, sought] of Map.groupBy(subjects, placeOf)) {
    const here = byPlace.get(place) ?? [];
    const { matches, ambiguities } = matchNames(
      sought.map((subject) => ({ ...subject, layoutId: known.get(subject.address) })),
      here.map((layout) => ({ id: layout.id, layoutId: layout.id, name: layout.name ?? "", layout })),
    );
    await pMap(
      matches,
      async ([address, { layout }]) => found.layouts.set(address, toLayoutState(await wholeLayout(service, layout))),
      { concurrency },
    );
    found.ambiguities.push(...ambiguities);
    const meant = new Set([...matches.values()].map(({ id }) => id));
    for (const layout of here) {
      const { id, name = id } = layout;
      if (!meant.has(id)) found.otherLayouts.push({ id, name, place });
      if (!layout.assignments?.some(isDefault)) continue;
      found.organizationDefaults.push({ layoutId: id, name, place, modes: layout.supportedModes ?? MODES });
    }
  }
  for (const [address, layoutId] of unseen)
    if (!found.layouts.has(address)) found.layouts.set(address, unseenLayout(layoutId));
  return found;
}
