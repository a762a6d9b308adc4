/**
 * Request members that make a write safer and that not every server accepts: a server that refuses one gets the write
 * without it.
 */

import { ServiceError } from "../../service.ts";

/**
 * The ids of the versions that a write replaces; for a new layout, the id that makes a repeated request the same
 * request.
 */
export type OptionalMember = "expectedDraftVersionId" | "expectedPublishedVersionId" | "clientMutationId";

/**
 * Sends with `{[member]: value}`, or without the member where the value is unknown. A server that refuses the member by
 * name gets the request again without it, and no more of it in this run. So does a server whose refusal names nothing,
 * if it accepts the request then. A server that refuses null, and reports that no draft exists, gets this request once
 * without it.
 *
 * @param refused the members that the server has refused in this run
 */
export async function sendWithOptional<M extends OptionalMember, V extends string | null, T>(
  refused: Set<OptionalMember>,
  member: M,
  value: V | undefined,
  send: (optional: { [K in M]?: V }) => Promise<T>,
): Promise<T> {
  const none = {} as { [K in M]?: V };
  if (value === undefined || refused.has(member)) return send(none);
  try {
    return await send({ ...none, [member]: value });
  } catch (error) {
    // The server accepts the member and takes null for an id. Nothing was done.
    if (member === "expectedDraftVersionId" && value === null && reportsNoDraft(error)) return send(none);
    const named = namedMember(error, member);
    if (named === "other") throw error;
    if (named === "this") refused.add(member);
    const answer = await send(none).catch((again: unknown) => {
      throw named === "this" || namedMember(again, member) === "other" ? again : error;
    });
    refused.add(member);
    return answer;
  }
}

/** The request expected no draft, the server reports a conflict, and its answer states that no draft exists. */
function reportsNoDraft(error: unknown): boolean {
  return error instanceof ServiceError && error.status === 409 && error.body.meta?.["currentDraftVersionId"] === null;
}

/** Which member a refusal names. */
function namedMember(error: unknown, member: OptionalMember): "this" | "other" | "none" {
  if (!(error instanceof ServiceError) || (error.status !== 400 && error.status !== 422)) return "other";
  const { body } = error;
  if (JSON.stringify({ ...error.said, clientMutationId: undefined }).includes(member)) return "this";
  const { fieldErrors = {}, errors = [], impacts = [], validation } = body;
  const names = Object.keys(fieldErrors).length + errors.length + impacts.length;
  return names === 0 && !validation ? "none" : "other";
}
