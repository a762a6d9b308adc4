/** Members by which a write says what it expects to replace: left out where a server refuses to know them. */

import { ServiceError } from "../../service.ts";

type Expectation = "expectedDraftVersionId" | "expectedPublishedVersionId";

/** Those that the server has refused in this run. */
export type Expectations = Set<Expectation>;

/**
 * Sends with `{[member]: value}`, or without it where nothing is known to expect. A server that refuses the member by its
 * name gets the same again without, now and later in the run.
 */
export async function withExpectation<M extends Expectation, T>(
  refused: Expectations,
  member: M,
  value: string | null | undefined,
  send: (expectation: { [K in M]?: string | null }) => Promise<T>,
): Promise<T> {
  const none = {} as { [K in M]?: string | null };
  if (value === undefined || refused.has(member)) return send(none);
  try {
    return await send({ ...none, [member]: value });
  } catch (error) {
    if (!isUnknownMember(error, member)) throw error;
    refused.add(member);
    return send(none);
  }
}

function isUnknownMember(error: unknown, member: Expectation): boolean {
  if (!(error instanceof ServiceError) || (error.status !== 400 && error.status !== 422)) return false;
  return JSON.stringify(error.body).includes(member);
}
