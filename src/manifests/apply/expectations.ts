/** Members that make a write safer and that not every server knows: left out where one refuses to know them. */

import { ServiceError } from "../../service.ts";

/** What a write expects to replace; for a new layout, the id by which it is known again. */
type Expectation = "expectedDraftVersionId" | "expectedPublishedVersionId" | "clientMutationId";

/** Those that the server has refused in this run. */
export type Expectations = Set<Expectation>;

/**
 * Sends with `{[member]: value}`, or without it where nothing is known to expect. A server that refuses the member by its
 * name gets the same again without, now and later in the run; so does one that does not say what it refuses, if it takes it then.
 * One that does not know null, and says that nothing is there, gets the same once without.
 */
export async function withExpectation<M extends Expectation, V extends string | null, T>(
  refused: Expectations,
  member: M,
  value: V | undefined,
  send: (expectation: { [K in M]?: V }) => Promise<T>,
): Promise<T> {
  const none = {} as { [K in M]?: V };
  if (value === undefined || refused.has(member)) return send(none);
  try {
    return await send({ ...none, [member]: value });
  } catch (error) {
    // The server knows the member and takes null for an id. Nothing was done, and nothing but null is refused.
    if (member === "expectedDraftVersionId" && value === null && reportsNoDraft(error)) return send(none);
    const what = refusedMember(error, member);
    if (what === "another") throw error;
    if (what === "this") refused.add(member);
    const answer = await send(none).catch((again: unknown) => {
      throw what === "this" || refusedMember(again, member) === "another" ? again : error;
    });
    refused.add(member);
    return answer;
  }
}

/** A conflict with a draft that does not exist, as it was expected. */
function reportsNoDraft(error: unknown): boolean {
  return error instanceof ServiceError && error.status === 409 && error.body.meta?.["currentDraftVersionId"] === null;
}

/** What a refusal is about; "untold" where it names nothing that was sent. */
function refusedMember(error: unknown, member: Expectation): "this" | "another" | "untold" {
  if (!(error instanceof ServiceError) || (error.status !== 400 && error.status !== 422)) return "another";
  const { body } = error;
  if (JSON.stringify({ ...error.said, clientMutationId: undefined }).includes(member)) return "this";
  const { fieldErrors = {}, errors = [], impacts = [], validation } = body;
  const names = Object.keys(fieldErrors).length + errors.length + impacts.length;
  return names === 0 && !validation ? "untold" : "another";
}
