/** Finds all forms and layouts that a target shows or a project knows, for an export of everything. */

import pMap from "p-map";
import { isPageAddress, objectText, type ObjectKey } from "../lists/addresses.ts";
import { isUserLayout, layoutsNotListed, listAllLayouts } from "../lists/layouts.ts";
import type { Manifest } from "../manifests/manifest.ts";
import { readLayout, type Service } from "../service.ts";
import { shownObjects } from "../state/knowledge.ts";
import type { Lock } from "../state/lock.ts";
import type { ProjectTarget } from "../state/target.ts";
import type { Chosen } from "./read-exported.ts";

/** What the lock and the manifests of a project name. */
export type KnownToProject = {
  objects: readonly ObjectKey[];
  /** The layouts that no form owns, by address. The id is undefined if the lock does not have it. */
  layouts: ReadonlyMap<string, string | undefined>;
};

/** Returns the objects and layouts that the lock or one of the manifests names. */
export function knownToProject(lock: Pick<Lock, "entries">, manifests: readonly Manifest[]): KnownToProject {
  const objects = new Map<string, ObjectKey>();
  const layouts = new Map<string, string | undefined>();
  for (const manifest of manifests) {
    if (manifest.kind === "Form") objects.set(objectText(manifest.object), manifest.object);
    else layouts.set(manifest.address, undefined);
  }
  for (const [address, { layoutId }] of lock.entries()) {
    const [moduleKey = "", objectKey = ""] = address.split("/");
    if (isPageAddress(address)) layouts.set(address, layoutId);
    else objects.set(`${moduleKey}/${objectKey}`, { moduleKey, objectKey });
  }
  return { objects: [...objects.values()], layouts };
}

export type Everything = Chosen & {
  /** Whether the target lists its layouts. If not, other objects and layouts may exist. */
  isComplete: boolean;
  /** What was not found, in sentences. */
  notes: string[];
};

/**
 * Chooses all forms and all layouts that no form owns. A server does not list its objects: the listed layouts name the
 * objects that have forms. If the server does not list layouts either, the project names the objects and layouts.
 *
 * @throws NOT_FOUND if the server does not list layouts, and the project knows nothing
 */
export async function chooseEverything(
  target: ProjectTarget,
  { service, concurrency, known }: { service: Service; concurrency: number; known: KnownToProject },
): Promise<Everything> {
  const listed = await listAllLayouts(service, undefined, concurrency);
  const shown = await shownObjects(target, listed);
  if (!shown && known.objects.length + known.layouts.size === 0) {
    throw layoutsNotListed(
      "The project knows no objects either, from its lock or its manifests. Specify them: formctl export MODULE/OBJECT",
    );
  }
  const layouts = new Map((listed ?? []).map((layout) => [layout.id, layout]));
  const notes: string[] = [];
  await pMap(
    known.layouts,
    async ([address, id]) => {
      if (id !== undefined && layouts.has(id)) return;
      const layout = id === undefined ? undefined : await readLayout(service, id);
      if (layout) layouts.set(layout.id, layout);
      else if (!listed) notes.push(`${address} is not exported: ${id === undefined ? NO_ID : NOT_SHOWN}`);
    },
    { concurrency },
  );
  if (!listed && !shown) {
    notes.push(
      "this server lists neither objects nor layouts, so only what the lock and the manifests of the project name was read. To export other forms: formctl export MODULE/OBJECT",
    );
  }
  const names = new Set((shown ?? []).map(objectText));
  return {
    objects: shown ?? [],
    perhaps: known.objects.filter((object) => !names.has(objectText(object))),
    forms: [],
    layouts: [...layouts.values()].filter(isUserLayout),
    isComplete: listed !== undefined,
    notes: notes.toSorted(),
  };
}

const NO_ID = "its id is unknown, and this server does not list layouts";
const NOT_SHOWN = "this server does not show the layout";
