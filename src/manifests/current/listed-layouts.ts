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
  const queries = surfaces ? [...surfaces].map((surface) => ({ query: { surface } })) : [{}];
  try {
    const lists = await pMap(queries, (query) => service.listLayouts(query), { concurrency });
    // A server that does not know the query lists the others with each.
    const byId = new Map(lists.flat().map((layout) => [layout.id, layout]));
    return await pMap(byId.values(), (layout) => namedLayout(service, layout), { concurrency });
  } catch (error) {
    if (error instanceof ServiceError && (error.status === 404 || error.status === 405)) return undefined;
    throw error;
  }
}
