/**
 * Finds the layouts of subjects by surface, target and name. No form owns these layouts. A subject states what has to
 * be read for a manifest (state.ts). If the server does not list layouts, only layouts with an id in the lock are found.
 */

import pMap from "p-map";
import { assignmentsOf, isDefault, isOrganizationLayout, pageKeyOf } from "../lists/layouts.ts";
import type { LayoutAnswer } from "../schemas/answers.ts";
import { MODES } from "../schemas/words.ts";
import type { LayoutIds } from "./lock.ts";
import type { DefaultHolder, LayoutState, LayoutSubject, OtherLayout } from "./state.ts";
import { type Ambiguity, matchNames } from "./match.ts";
import type { Reader } from "./reader.ts";

export type FoundLayouts = {
  /** The layouts of manifests, by address. The contents of the layouts are not read yet. */
  layouts: Map<string, LayoutState>;
  ambiguities: Ambiguity[];
  organizationDefaults: DefaultHolder[];
  otherLayouts: OtherLayout[];
  listsLayouts: boolean;
};

/**
 * Finds the layouts of the subjects, and all other layouts with the same surface and target.
 *
 * @throws ServiceError if the server refuses a request. A server without a list of layouts does not cause an error
 */
export async function findLayouts(
  reader: Reader,
  subjects: readonly LayoutSubject[],
  known: LayoutIds,
): Promise<FoundLayouts> {
  const found: FoundLayouts = {
    layouts: new Map(),
    ambiguities: [],
    organizationDefaults: [],
    otherLayouts: [],
    listsLayouts: true,
  };
  if (subjects.length === 0) return found;
  const listed = await reader.layouts(new Set(subjects.map(({ surface }) => surface)));
  const byId = await readByIds(reader, listed ? unlisted(subjects, listed, known) : subjects, known);
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
      async ([address, { layout }]) => found.layouts.set(address, toLayoutState(await reader.wholeLayout(layout))),
      { concurrency: reader.concurrency },
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
  reader: Reader,
  subjects: readonly LayoutSubject[],
  known: LayoutIds,
): Promise<Map<string, { id: string; layout: LayoutAnswer | undefined }>> {
  const found = new Map<string, { id: string; layout: LayoutAnswer | undefined }>();
  await pMap(
    subjects,
    async ({ address }) => {
      const id = known.get(address);
      if (id !== undefined) found.set(address, { id, layout: await reader.layout(id) });
    },
    { concurrency: reader.concurrency },
  );
  return found;
}

function toLayoutState({ id, name, supportedModes, metadata, assignments }: LayoutAnswer): LayoutState {
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
