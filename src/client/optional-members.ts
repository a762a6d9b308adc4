/** Omits optional members that a server refuses, and sends the write again. */

import { derivedId } from "../mutation-ids.ts";
import { isJsonObject, type JsonObject } from "../schemas/json.ts";
import type { OperationName } from "../schemas/operations.ts";
import { type CallOptions, type OptionalMember, ServiceError } from "../service.ts";

/** In this order, members are omitted. The id comes last: an omission before it replaces the id. */
const MEMBERS: readonly OptionalMember[] = ["expectedDraftVersionId", "expectedPublishedVersionId", "clientMutationId"];

/** Sends a write with the given body. */
type Send = (body: unknown) => Promise<unknown>;

/** Sends a write with `send`. See {@link CallOptions} for `mayOmit` and `beforeOmission`. */
export type SendOmitting = (
  name: OperationName,
  body: unknown,
  options: Pick<CallOptions, "mayOmit" | "beforeOmission">,
  send: Send,
) => Promise<unknown>;

/**
 * Returns a function that sends writes. In these cases, the function sends a write again without a member that the
 * caller permits to omit:
 *
 * - The server refuses the member by name. Later requests of the operation omit the member too.
 * - The server refuses the request without naming a cause. If the second attempt succeeds, later requests of the
 *   operation omit the member too.
 * - The server refuses null as the expected draft, and reports that no draft exists. Later requests still have the
 *   member.
 */
export function createOmissions(): SendOmitting {
  const refused = new Set<string>();

  return (name, body, { mayOmit = [], beforeOmission }, send) => {
    const optional = MEMBERS.filter((member) => mayOmit.includes(member));
    return isJsonObject(body) && optional.length > 0 ? sendWith(body, optional) : send(body);

    async function sendWith(given: JsonObject, members: readonly OptionalMember[]): Promise<unknown> {
      const [member, ...others] = members;
      if (member === undefined) return send(given);
      if (given[member] === undefined) return sendWith(given, others);
      const key = `${name} ${member}`;
      const sendWithout = async () => {
        await beforeOmission?.(member);
        return sendWith(without(given, member, others), others);
      };
      if (refused.has(key)) return sendWithout();
      try {
        return await sendWith(given, others);
      } catch (error) {
        // The server supports the member, but reads null as an id. The write was not carried out.
        if (member === "expectedDraftVersionId" && given[member] === null && reportsNoDraft(error))
          return sendWithout();
        const named = namedMember(error, member);
        if (named === "other") throw error;
        if (named === "this") refused.add(key);
        const answer = await sendWithout().catch((again: unknown) => {
          throw named === "this" || namedMember(again, member) === "other" ? again : error;
        });
        refused.add(key);
        return answer;
      }
    }
  };
}

/**
 * Returns the body without the member. Another body is another write, so its id is another one too, unless the user
 * specified the id. An id that may be omitted is not from the user.
 */
function without(body: JsonObject, member: OptionalMember, others: readonly OptionalMember[]): JsonObject {
  const { [member]: _omitted, ...rest } = body;
  const { clientMutationId: id } = rest;
  return id !== undefined && others.includes("clientMutationId")
    ? { ...rest, clientMutationId: derivedId([id, `without ${member}`]) }
    : rest;
}

/** Whether the server reports a conflict although no draft exists. Used for requests that expect no draft. */
function reportsNoDraft(error: unknown): boolean {
  return error instanceof ServiceError && error.status === 409 && error.body.meta?.["currentDraftVersionId"] === null;
}

/**
 * Returns what a refusal (400 or 422) names as its cause: `member` ("this"), something else ("other"), or nothing
 * ("none"). For an error that is not such a refusal, returns "other".
 */
function namedMember(error: unknown, member: OptionalMember): "this" | "other" | "none" {
  if (!(error instanceof ServiceError) || (error.status !== 400 && error.status !== 422)) return "other";
  const { body } = error;
  if (JSON.stringify({ ...error.said, clientMutationId: undefined }).includes(member)) return "this";
  const { fieldErrors = {}, errors = [], impacts = [], validation } = body;
  const names = Object.keys(fieldErrors).length + errors.length + impacts.length;
  return names === 0 && !validation ? "none" : "other";
}
