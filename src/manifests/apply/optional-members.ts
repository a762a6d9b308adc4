/**
 * Sends writes with optional members that make them safer. A server that refuses such a member gets the write without
 * it.
 */

import { ServiceError } from "../../service.ts";

/**
 * `expected…`: the id of the version that the write replaces. `clientMutationId`: the id by which the server recognizes
 * a repeated creation of a layout.
 */
export type OptionalMember = "expectedDraftVersionId" | "expectedPublishedVersionId" | "clientMutationId";

/**
 * Sends a request with `{[member]: value}`, or without the member if the value is undefined. There are two cases in
 * which the request is sent again without the member:
 *
 * - The server refuses the member by name, or it refuses the request without naming a cause and then accepts the
 *   request without the member. Later requests of this run omit the member too.
 * - The server refuses null as the expected draft, and reports that no draft exists. Only this request omits the
 *   member.
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
    // The server supports the member, but reads null as an id. The write was not carried out.
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

/** Whether the server reports a conflict although no draft exists. Used for requests that expect no draft. */
function reportsNoDraft(error: unknown): boolean {
  return error instanceof ServiceError && error.status === 409 && error.body.meta?.["currentDraftVersionId"] === null;
}

/**
 * Whether a refusal names `member`, something else, or nothing. Errors that are not a refusal (400 or 422) count as
 * something else.
 */
function namedMember(error: unknown, member: OptionalMember): "this" | "other" | "none" {
  if (!(error instanceof ServiceError) || (error.status !== 400 && error.status !== 422)) return "other";
  const { body } = error;
  if (JSON.stringify({ ...error.said, clientMutationId: undefined }).includes(member)) return "this";
  const { fieldErrors = {}, errors = [], impacts = [], validation } = body;
  const names = Object.keys(fieldErrors).length + errors.length + impacts.length;
  return names === 0 && !validation ? "none" : "other";
}
