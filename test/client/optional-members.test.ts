/** Tests that a write is sent again without an optional member that the server refuses, and only then. */

import { expect, it } from "vitest";
import { createOmissions } from "../../src/client/optional-members.ts";
import { type CallOptions, ServiceError } from "../../src/service.ts";

const MAY_OMIT = { mayOmit: ["expectedDraftVersionId"] } satisfies CallOptions;
const stale = (currentDraftVersionId: string | null) =>
  new ServiceError(409, { code: "DRAFT_STALE", message: "no", meta: { currentDraftVersionId } });
const naming = (name: string) =>
  new ServiceError(400, { code: "VALIDATION_FAILED", message: "no", fieldErrors: { [name]: ["is invalid"] } });
const NAMELESS = new ServiceError(400, { code: "VALIDATION_FAILED", message: "no" });

/** Sends writes to a server that refuses the member with this error. `bodies` are the bodies that the server received. */
function openServer(error: Error) {
  const bodies: unknown[] = [];
  const omit = createOmissions();
  const save = (expected: string | null, options: Pick<CallOptions, "mayOmit" | "beforeOmission"> = MAY_OMIT) =>
    omit("saveDraft", { expectedDraftVersionId: expected, blocks: [] }, options, async (body) => {
      bodies.push(body);
      if (Object.hasOwn(body as object, "expectedDraftVersionId")) throw error;
      return "saved";
    });
  return { bodies, save };
}

const WITH = (expectedDraftVersionId: string | null) => ({ expectedDraftVersionId, blocks: [] });
const WITHOUT = { blocks: [] };

it("omits null where the server refuses null and reports that there is no draft, and only this time", async () => {
  const { bodies, save } = openServer(stale(null));
  expect(await save(null)).toBe("saved");
  expect(await save(null)).toBe("saved");
  expect(bodies).toEqual([WITH(null), WITHOUT, WITH(null), WITHOUT]);
});

it("omits a member that a refusal names, and later writes omit it at once", async () => {
  const { bodies, save } = openServer(naming("expectedDraftVersionId"));
  expect(await save("ver_1")).toBe("saved");
  expect(await save("ver_2")).toBe("saved");
  expect(bodies).toEqual([WITH("ver_1"), WITHOUT, WITHOUT]);
});

it("omits a member where a refusal names no cause and the write without it succeeds", async () => {
  const { bodies, save } = openServer(NAMELESS);
  expect(await save("ver_1")).toBe("saved");
  expect(bodies).toEqual([WITH("ver_1"), WITHOUT]);
});

it("reports a refusal that names another member", async () => {
  const error = naming("metadata");
  const { bodies, save } = openServer(error);
  await expect(save("ver_1")).rejects.toBe(error);
  expect(bodies).toEqual([WITH("ver_1")]);
});

it.each([
  ["a draft exists", stale("ver_2"), null],
  ["an id was expected", stale(null), "ver_1"],
])("reports the conflict where %s", async (_, error, expected) => {
  const { bodies, save } = openServer(error);
  await expect(save(expected)).rejects.toBe(error);
  expect(bodies).toEqual([WITH(expected)]);
});

it("never omits a member that the caller does not permit to omit", async () => {
  const error = naming("expectedDraftVersionId");
  const { bodies, save } = openServer(error);
  await expect(save("ver_1", {})).rejects.toBe(error);
  expect(bodies).toEqual([WITH("ver_1")]);
});

it("sends no write without the member if beforeOmission throws", async () => {
  const { bodies, save } = openServer(naming("expectedDraftVersionId"));
  const beforeOmission = async () => {
    throw new Error("another user has saved a draft");
  };
  await expect(save("ver_1", { ...MAY_OMIT, beforeOmission })).rejects.toThrow("another user");
  expect(bodies).toEqual([WITH("ver_1")]);
});
