/** The layouts that a server lists, each with what tells it from others. */

import pMap from "p-map";
import { namedLayout } from "../../lists/layouts.ts";
import type { LayoutAnswer } from "../../schemas/answers.ts";
import { type Service, ServiceError } from "../../service.ts";

/**
 * @param surfaces undefined: all
 * @returns undefined where the server has no such list
 */
export async function listedLayouts(
  service: Service,
  surfaces: ReadonlySet<string> | undefined,
  concurrency: number,
): Promise<LayoutAnswer[] | undefined> {
  const [surface, ...others] = surfaces ?? [];
  try {
    // A server is asked for the whole list, which the client filters: several surfaces are read at once.
    const layouts = await service.listLayouts({ query: surface && others.length === 0 ? { surface } : {} });
    const wanted = layouts.filter((layout) => !surfaces || !layout.surface || surfaces.has(layout.surface));
    return await pMap(wanted, (layout) => namedLayout(service, layout), { concurrency });
  } catch (error) {
    if (error instanceof ServiceError && (error.status === 404 || error.status === 405)) return undefined;
    throw error;
  }
}
