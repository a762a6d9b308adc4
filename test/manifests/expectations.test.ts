/** What is sent again without a member that the server refuses. */

import { expect, it } from "vitest";
import { type Expectations, withExpectation } from "../../src/manifests/apply/expectations.ts";
import { ServiceError } from "../../src/service.ts";

const stale = (currentDraftVersionId: string | null) =>
  new ServiceError(409, { code: "DRAFT_STALE", message: "no", meta: { currentDraftVersionId } });

/** Sends to a server that refuses the member with this error. @returns the bodies that it got */
async function sentTo(
  error: Error,
  value: string | null,
): Promise<{ sent: object[]; refused: Expectations; outcome: unknown }> {
  const sent: object[] = [];
  const refused: Expectations = new Set();
  const send = async (expectation: { expectedDraftVersionId?: string | null }) => {
    sent.push(expectation);
    if ("expectedDraftVersionId" in expectation) throw error;
    return "saved";
  };
  let outcome: unknown;
  try {
    outcome = await withExpectation(refused, "expectedDraftVersionId", value, send);
  } catch (thrown) {
    outcome = thrown;
  }
  return { sent, refused, outcome };
}

it("sends the request again without null where the server refuses null and reports that there is no draft", async () => {
  const { sent, refused, outcome } = await sentTo(stale(null), null);
  expect(sent).toEqual([{ expectedDraftVersionId: null }, {}]);
  expect(outcome).toBe("saved");
  // The server knows the member: an id is sent to it all the same.
  expect(refused.size).toBe(0);
});

it("does not where there is a draft, or an id was expected", async () => {
  for (const [error, value] of [
    [stale("ver_2"), null],
    [stale(null), "ver_1"],
  ] as const) {
    const { sent, outcome } = await sentTo(error, value);
    expect(sent).toEqual([{ expectedDraftVersionId: value }]);
    expect(outcome).toBe(error);
  }
});
