/** A layout whose creation was not answered: looked for, and not sent again. */

import { hasCode } from "../../error.ts";
import type { LayoutAnswer } from "../../schemas/answers.ts";
import { NotConfirmed, type Service } from "../../service.ts";
import { type LayoutName, listingsOf } from "./listings.ts";

/** The server may still be at it. */
const LOOKS = [0, 500, 2_000];

/**
 * The API document knows no mutation id of a new layout: a server that overlooks it would make a second one. The plan has
 * found none of this place and name, so that a single one is the one.
 *
 * @throws what `create` throws, where nothing is found, or nothing is listed
 */
export async function orLost(
  { service, sleep }: { service: Service; sleep: (milliseconds: number) => Promise<void> },
  wanted: LayoutName,
  create: () => Promise<LayoutAnswer>,
): Promise<LayoutAnswer> {
  try {
    return await create();
  } catch (error) {
    if (!hasCode(error, "OUTCOME_UNKNOWN") && !(error instanceof NotConfirmed)) throw error;
    for (const pause of LOOKS) {
      if (pause > 0) await sleep(pause);
      const listed = await listingsOf(service)
        .layoutsNamed(wanted)
        .catch(() => undefined);
      if (!listed) break;
      const [made, another] = listed;
      if (made && !another) return made;
    }
    throw error;
  }
}
