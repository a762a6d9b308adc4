/** The layouts that a server lists, each with what tells it from others. */

import pMap from "p-map";
import { namedLayout } from "../../lists/whole-layout.ts";
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
    // Of a server each list is the whole one, which the client filters: several surfaces are read at once.
    const listed = await service.listLayouts({
      query: surface !== undefined && others.length === 0 ? { surface } : {},
    });
    return await pMap(listed, (layout) => namedLayout(service, layout), { concurrency });
  } catch (error) {
    if (error instanceof ServiceError && (error.status === 404 || error.status === 405)) return undefined;
    throw error;
  }
}
