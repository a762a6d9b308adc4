/** Layouts that no form owns, found by surface, target and name, or by the id that is known where a server lists none. */

import pMap from "p-map";
import type { Layout } from "../../schemas/layout.ts";
import { targetKey } from "../../schemas/target-key.ts";
import { readLayout, type Service, ServiceError } from "../../service.ts";
import type { KnownLayouts } from "../lock.ts";
import { matchNames } from "./match-names.ts";
import type { Ambiguity } from "./read-errors.ts";
import type { LayoutSubject } from "../subject.ts";
import type { DefaultHolder, LayoutState } from "../state.ts";

export type FoundLayouts = {
  /** Without their contents, by address. */
  layouts: Map<string, LayoutState>;
  ambiguities: Ambiguity[];
  organizationDefaults: DefaultHolder[];
  listsLayouts: boolean;
};

/** Where layouts compete for being the default. */
export function placeOf({ surface, target }: Pick<Layout, "surface" | "target">): string {
  return `${surface} ${targetKey(target)}`;
}

/** @throws ServiceError for any refusal but that the server has no such endpoint */
export async function findLayouts(
  service: Service,
  subjects: readonly LayoutSubject[],
  { known, concurrency }: { known: KnownLayouts; concurrency: number },
): Promise<FoundLayouts> {
  if (subjects.length === 0)
    return { layouts: new Map(), ambiguities: [], organizationDefaults: [], listsLayouts: true };
  const listed = await listAll(service, subjects, concurrency);
  if (!listed) return findKnown(service, subjects, { known, concurrency });

  const byPlace = Map.groupBy(listed, placeOf);
  const found: FoundLayouts = { layouts: new Map(), ambiguities: [], organizationDefaults: [], listsLayouts: true };
  for (const [place, sought] of Map.groupBy(subjects, placeOf)) {
    const here = byPlace.get(place) ?? [];
    const { matches, ambiguities } = matchNames(
      sought.map((subject) => ({ ...subject, layoutId: known.get(subject.address) })),
      here.map((layout) => ({ id: layout.id, layoutId: layout.id, name: layout.name, layout })),
    );
    for (const [address, { layout }] of matches) found.layouts.set(address, toState(layout));
    found.ambiguities.push(...ambiguities);
    for (const layout of here) {
      if (!layout.assignments?.some(({ isDefault }) => isDefault)) continue;
      const { id: layoutId, name, supportedModes: modes } = layout;
      found.organizationDefaults.push({ layoutId, name, place, modes });
    }
  }
  return found;
}

/** The layouts of every surface in question that an organization has made for itself; undefined where none are listed. */
async function listAll(
  service: Pick<Service, "listLayouts">,
  subjects: readonly LayoutSubject[],
  concurrency: number,
): Promise<Layout[] | undefined> {
  const surfaces = [...new Set(subjects.map(({ surface }) => surface))];
  try {
    const lists = await pMap(surfaces, (surface) => service.listLayouts({ query: { surface } }), { concurrency });
    // A server that does not know the query lists the others with each.
    const byId = new Map(lists.flat().map((layout) => [layout.id, layout]));
    return [...byId.values()].filter(
      ({ ownerScope, target, status }) =>
        ownerScope !== "SYSTEM" && target?.["formId"] == null && status !== "ARCHIVED",
    );
  } catch (error) {
    if (error instanceof ServiceError && (error.status === 404 || error.status === 405)) return undefined;
    throw error;
  }
}

async function findKnown(
  service: Service,
  subjects: readonly LayoutSubject[],
  { known, concurrency }: { known: KnownLayouts; concurrency: number },
): Promise<FoundLayouts> {
  const layouts = new Map<string, LayoutState>();
  await pMap(
    subjects,
    async ({ address }) => {
      const layoutId = known.get(address);
      if (layoutId === undefined) return;
      // Not answered may mean that there is no such endpoint: whether it is there is told by its versions.
      const layout = await readLayout(service, layoutId);
      layouts.set(address, layout ? toState(layout) : unseen(layoutId));
    },
    { concurrency },
  );
  return { layouts, ambiguities: [], organizationDefaults: [], listsLayouts: false };
}

function toState({ id, name, supportedModes, metadata, assignments }: Layout): LayoutState {
  return {
    layoutId: id,
    name,
    supportedModes,
    metadata,
    assignments: assignments && {
      organizationDefault: assignments.some(({ isDefault }) => isDefault),
      roles: assignments.flatMap(({ roleId, priority }) => (roleId === null ? [] : [{ roleId, priority }])),
    },
    content: undefined,
  };
}

function unseen(layoutId: string): LayoutState {
  return {
    layoutId,
    name: undefined,
    supportedModes: undefined,
    metadata: undefined,
    assignments: undefined,
    content: undefined,
  };
}
