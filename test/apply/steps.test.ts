/**
 * Tests how `apply` reads the versions of a layout that another run creates at the same time. The servers list versions
 * without their content or status.
 */

import { expect, it } from "vitest";
import { findEqualVersion, initialDraftIds } from "../../src/apply/steps.ts";
import type { FullService } from "../../src/service.ts";
import { content } from "./apply-scene.ts";

const VERSIONS = [
  { id: "ver_1", status: "ARCHIVED", ...content("notes") },
  { id: "ver_2", status: "PUBLISHED", ...content("email") },
];

/** A server that lists versions with these members only. */
function listing(...members: string[]): FullService {
  return {
    listVersions: async () =>
      VERSIONS.map((version) =>
        Object.fromEntries(Object.entries(version).filter(([member]) => members.includes(member))),
      ),
    getVersion: async ({ versionId }: { versionId: string }) => VERSIONS.find(({ id }) => id === versionId),
  } as unknown as FullService;
}

it("finds an equal version where versions are listed without their content", async () => {
  const service = listing("id", "status");
  expect(await findEqualVersion(service, "lay", content("email"))).toBe("ver_2");
  await expect(findEqualVersion(service, "lay", content("phone"))).rejects.toMatchObject({ code: "DRAFT_STALE" });
});

it("does not count a version without a status as another user's", async () => {
  expect(await initialDraftIds(listing("id"), "lay")).toEqual({});
  expect(await initialDraftIds(listing("id", "status"), "lay")).toEqual({ firstDraftId: "" });
});
