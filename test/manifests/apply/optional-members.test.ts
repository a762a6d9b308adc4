/** Writes that are sent again without a member that the server refuses. */

import { expect, it } from "vitest";
import { type OptionalMember, sendWithOptional } from "../../../src/manifests/apply/optional-members.ts";
import { ServiceError } from "../../../src/service.ts";

const stale = (currentDraftVersionId: string | null) =>
  new ServiceError(409, { code: "DRAFT_STALE", message: "no", meta: { currentDraftVersionId } });

/** Sends to a server that refuses the member with this error. @returns the bodies that the server received */
async function sentTo(
  error: Error,
  value: string | null,
): Promise<{ sent: object[]; refused: Set<OptionalMember>; outcome: unknown }> {
  const sent: object[] = [];
  const refused = new Set<OptionalMember>();
  const send = async (optional: { expectedDraftVersionId?: string | null }) => {
    sent.push(optional);
    if ("expectedDraftVersionId" in optional) throw error;
    return "saved";
  };
  let outcome: unknown;
  try {
    outcome = await sendWithOptional(refused, "expectedDraftVersionId", value, send);
  } catch (thrown) {
    outcome = thrown;
  }
  return { sent, refused, outcome };
}

it("sends the request again without null where the server refuses null and reports that there is no draft", async () => {
  const { sent, refused, outcome } = await sentTo(stale(null), null);
  expect(sent).toEqual([{ expectedDraftVersionId: null }, {}]);
  expect(outcome).toBe("saved");
  // The server accepts the member: the next request carries an id.
  expect(refused.size).toBe(0);
});

it("throws the conflict where a draft exists, or an id was expected", async () => {
  for (const [error, value] of [
    [stale("ver_2"), null],
    [stale(null), "ver_1"],
  ] as const) {
    const { sent, outcome } = await sentTo(error, value);
    expect(sent).toEqual([{ expectedDraftVersionId: value }]);
    expect(outcome).toBe(error);
  }
});
