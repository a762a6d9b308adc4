/**
 * Finds the layouts of subjects by surface, target and name. No form owns these layouts. A subject states what has to
 * be read for a manifest (state.ts). If the server does not list layouts, only layouts with an id in the lock are found.
 */

import pMap from "p-map";
import { assignmentsOf, isDefault, namedLayout, wholeLayout } from "../../lists/layouts.ts";
import type { LayoutAnswer } from "../../schemas/answers.ts";
import { targetKey } from "../../schemas/target-key.ts";
import { MODES } from "../../schemas/words.ts";
import { readLayout, type Service, ServiceError } from "../../service.ts";
import type { LayoutIds } from "../lock.ts";
import type { DefaultHolder, LayoutState, LayoutSubject, OtherLayout } from "../state.ts";
import { type Ambiguity, matchNames } from "./match.ts";

export type FoundLayouts = {
  /** The layouts of manifests, by address. The contents of the layouts are not read yet. */
  layouts: Map<string, LayoutState>;
  ambiguities: Ambiguity[];
  organizationDefaults: DefaultHolder[];
  otherLayouts: OtherLayout[];
  listsLayouts: boolean;
};

type Finding = { known: LayoutIds; concurrency: number };

/**
 * Finds the layouts of the subjects, and all other layouts with the same surface and target.
 *
 * @throws ServiceError if the server refuses a request. A server without a list of layouts does not cause an error
 */
export async function findLayouts(
  service: Service,
  subjects: readonly LayoutSubject[],
  finding: Finding,
): Promise<FoundLayouts> {
  const found: FoundLayouts = {
    layouts: new Map(),
    ambiguities: [],
    organizationDefaults: [],
    otherLayouts: [],
    listsLayouts: true,
  };
  if (subjects.length === 0) return found;
  const { known, concurrency } = finding;
  const listed = await listAllLayouts(service, new Set(subjects.map(({ surface }) => surface)), concurrency);
  const byId = await readByIds(service, listed ? unlisted(subjects, listed, known) : subjects, finding);
  if (!listed) {
    for (const [address, { id, layout }] of byId)
      found.layouts.set(address, layout ? toLayoutState(layout) : hiddenLayout(id));
    return { ...found, listsLayouts: false };
  }

  const read = [...byId.values()].flatMap(({ layout }) => layout ?? []);
  const byPage = Map.groupBy([...listed, ...read].filter(isOrganizationLayout), pageKeyOf);
  for (const [page, sought] of Map.groupBy(subjects, pageKeyOf)) {
    const ofPage = byPage.get(page) ?? [];
    const { matches, ambiguities } = matchNames(
      sought.map((subject) => ({ ...subject, layoutId: known.get(subject.address) })),
      ofPage.map((layout) => ({ id: layout.id, layoutId: layout.id, name: layout.name ?? "", layout })),
    );
    await pMap(
      matches,
      async ([address, { layout }]) => found.layouts.set(address, toLayoutState(await wholeLayout(service, layout))),
      { concurrency },
    );
    found.ambiguities.push(...ambiguities);
    const matched = new Set([...matches.values()].map(({ id }) => id));
    for (const layout of ofPage) {
      const { id, name = id } = layout;
      if (!matched.has(id)) found.otherLayouts.push({ id, name, page });
      if (!layout.assignments?.some(isDefault)) continue;
      found.organizationDefaults.push({ layoutId: id, name, page, modes: layout.supportedModes ?? MODES });
    }
  }
  for (const [address, { id, layout }] of byId)
    if (!layout && !found.layouts.has(address)) found.layouts.set(address, hiddenLayout(id));
  return found;
}

/**
 * Returns the subjects that the list contains neither by name nor by the id in the lock. A subject with an id in the
 * lock is then read by this id. Otherwise apply would create its layout a second time.
 */
function unlisted(
  subjects: readonly LayoutSubject[],
  listed: readonly LayoutAnswer[],
  known: LayoutIds,
): LayoutSubject[] {
  const ids = new Set(listed.map(({ id }) => id));
  const names = new Set(listed.filter(isOrganizationLayout).map((layout) => `${pageKeyOf(layout)} ${layout.name}`));
  return subjects.filter(
    (subject) => !ids.has(known.get(subject.address) ?? "") && !names.has(`${pageKeyOf(subject)} ${subject.name}`),
  );
}

/**
 * Reads layouts by the ids in the lock. Returns them by address. `layout` is undefined if the server does not show the
 * layout. Then only the versions of the layout show whether the layout exists.
 */
async function readByIds(
  service: Service,
  subjects: readonly LayoutSubject[],
  { known, concurrency }: Finding,
): Promise<Map<string, { id: string; layout: LayoutAnswer | undefined }>> {
  const found = new Map<string, { id: string; layout: LayoutAnswer | undefined }>();
  await pMap(
    subjects,
    async ({ address }) => {
      const id = known.get(address);
      if (id !== undefined) found.set(address, { id, layout: await readLayout(service, id) });
    },
    { concurrency },
  );
  return found;
}

/**
 * Lists the layouts of the given surfaces.
 *
 * @param surfaces undefined for all surfaces
 * @returns undefined if the server has no list of layouts
 */
export async function listAllLayouts(
  service: Service,
  surfaces: ReadonlySet<string> | undefined,
  concurrency: number,
): Promise<LayoutAnswer[] | undefined> {
  const [surface, ...others] = surfaces ?? [];
  try {
    // The query takes one surface. For several surfaces, one request for the whole list is cheaper than a request for
    // each surface.
    const layouts = await service.listLayouts({ query: surface && others.length === 0 ? { surface } : {} });
    const wanted = layouts.filter((layout) => !surfaces || !layout.surface || surfaces.has(layout.surface));
    return await pMap(wanted, (layout) => namedLayout(service, layout), { concurrency });
  } catch (error) {
    if (error instanceof ServiceError && (error.status === 404 || error.status === 405)) return undefined;
    throw error;
  }
}

/**
 * Returns a key for a page: a surface with a target. Only one layout of a page can be the organization's default for a
 * mode.
 */
export function pageKeyOf({ surface = "", target = {} }: Pick<LayoutAnswer, "surface" | "target">): string {
  return `${surface} ${targetKey(target)}`;
}

/**
 * Whether a layout belongs to the organization itself (not to the system or a form) and is not archived.
 */
export function isOrganizationLayout({ ownerScope, target, status }: LayoutAnswer): boolean {
  return ownerScope !== "SYSTEM" && target?.["formId"] == null && status !== "ARCHIVED";
}

export function toLayoutState({ id, name, supportedModes, metadata, assignments }: LayoutAnswer): LayoutState {
  return {
    layoutId: id,
    name,
    supportedModes,
    metadata,
    assignments: assignmentsOf({ assignments }),
    content: undefined,
  };
}

/**
 * Returns the state of a layout that the server does not show. The server may still show the versions of the layout.
 */
function hiddenLayout(layoutId: string): LayoutState {
  return toLayoutState({ id: layoutId });
}
