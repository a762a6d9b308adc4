/** Records that were made a moment ago and are there twice: no request can prevent it where a server knows no ids of writes. */

import { AmbiguousNames } from "../current/read-errors.ts";
import type { PlannedResource, StepRequest } from "../plan/planned.ts";
import { objectText } from "../address.ts";
import type { Listings } from "./listings.ts";
import type { Ids } from "./step-context.ts";

type CreateRequest = StepRequest & { operation: "createForm" | "createLayout" };

export function isCreation(request: StepRequest): request is CreateRequest {
  return request.operation === "createForm" || request.operation === "createLayout";
}

/**
 * @param ids of what this run has made
 * @returns the conflict, with all the ids; undefined where there is none, or it can't be told
 */
export async function madeTwice(
  listings: Listings,
  { address }: PlannedResource,
  request: CreateRequest,
  { formId, layoutId = "" }: Ids,
): Promise<AmbiguousNames | undefined> {
  const own = formId ?? layoutId;
  // What is made is made: that it can't be looked at now is no reason to say otherwise.
  const named = await namedLike(listings, request).catch(() => []);
  const ids = [...new Set([own, ...named.map(({ id }) => id)])];
  if (ids.length < 2) return undefined;
  const message = `${address} is there ${ids.length} times: ${ids.join(", ")}; this run has made ${own}`;
  const remove =
    request.operation === "createForm"
      ? `formctl forms delete ${objectText(request.object)}/ID`
      : "formctl layouts archive ID";
  const hint = `Somebody else has made one at the same time, or the server has done it twice. Keep one of them (${remove}), and apply again.`;
  return new AmbiguousNames([{ address, message, ids }], hint);
}

async function namedLike(listings: Listings, request: CreateRequest): Promise<readonly { id: string }[]> {
  if (request.operation === "createForm") return listings.formsNamed(request.object, request.body.name);
  return (await listings.layoutsNamed(request.body)) ?? [];
}
