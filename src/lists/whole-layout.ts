/** A layout with the members of its record. The list of layouts is no part of the API document: its items may be summaries. */

import type { LayoutAnswer } from "../schemas/answers.ts";
import { readLayout, type Service } from "../service.ts";

/** With what tells it from others: without that, it might be taken for missing, or for another one. */
export async function namedLayout(service: Service, listed: LayoutAnswer): Promise<LayoutAnswer> {
  const { name, surface, target } = listed;
  return completed(service, listed, [name, surface, target]);
}

/** With all that is compared. */
export async function wholeLayout(service: Service, listed: LayoutAnswer): Promise<LayoutAnswer> {
  const { name, surface, target, supportedModes, metadata, assignments } = listed;
  return completed(service, listed, [name, surface, target, supportedModes, metadata, assignments]);
}

async function completed(service: Service, listed: LayoutAnswer, members: readonly unknown[]): Promise<LayoutAnswer> {
  if (members.every((member) => member !== undefined)) return listed;
  return { ...listed, ...(await readLayout(service, listed.id)) };
}
