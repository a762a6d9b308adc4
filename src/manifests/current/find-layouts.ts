/** Layouts that no form owns, found by surface, target and name, or by the id that is known where a list does not have them. */

import type { LayoutAnswer } from "../../schemas/answers.ts";
import pMap from "p-map";
import { isDefault } from "../../lists/assignments.ts";
import { MODES } from "../../schemas/words.ts";
import { readLayout, type Service, ServiceError } from "../../service.ts";
import type { KnownLayouts } from "../lock.ts";
import { readKnown, readUnlisted } from "./known-layouts.ts";
import { isOrganizations, placeOf, toLayoutState, unseenLayout } from "./layout-state.ts";
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
  const listed = await listAll(service, subjects, concurrency);
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

/** An item of a list is not the record: what it leaves out is read. */
async function wholeLayout(service: Service, listed: LayoutAnswer): Promise<LayoutAnswer> {
  const { supportedModes, metadata, assignments } = listed;
  if ([supportedModes, metadata, assignments].every((member) => member !== undefined)) return listed;
  return { ...listed, ...(await readLayout(service, listed.id)) };
}

/** The layouts of every surface in question; undefined where none are listed. */
async function listAll(
  service: Pick<Service, "listLayouts">,
  subjects: readonly LayoutSubject[],
  concurrency: number,
): Promise<LayoutAnswer[] | undefined> {
  const surfaces = [...new Set(subjects.map(({ surface }) => surface))];
  try {
    const lists = await pMap(surfaces, (surface) => service.listLayouts({ query: { surface } }), { concurrency });
    // A server that does not know the query lists the others with each.
    const byId = new Map(lists.flat().map((layout) => [layout.id, layout]));
    return [...byId.values()];
  } catch (error) {
    if (error instanceof ServiceError && (error.status === 404 || error.status === 405)) return undefined;
    throw error;
  }
}
