/** The draft of a layout that two runs make at once, on servers that list versions with less than they have. */

import { expect, it } from "vitest";
import { sameDraft, untouchedDraft } from "../../src/manifests/apply/first-draft.ts";
import type { FullService } from "../../src/service.ts";
import { content } from "./apply-scene.ts";

const VERSIONS = [
  { id: "ver_1", status: "ARCHIVED", ...content("notes") },
  { id: "ver_2", status: "PUBLISHED", ...content("email") },
];

/** A server that lists of each version the members named alone. */
function listing(...members: string[]): FullService {
  return {
    listVersions: async () =>
      VERSIONS.map((version) =>
        Object.fromEntries(Object.entries(version).filter(([member]) => members.includes(member))),
      ),
    getVersion: async ({ versionId }: { versionId: string }) => VERSIONS.find(({ id }) => id === versionId),
  } as unknown as FullService;
}

it("is found where versions are listed without their content", async () => {
  const service = listing("id", "status");
  expect(await sameDraft(service, "lay", content("email"))).toBe("ver_2");
  await expect(sameDraft(service, "lay", content("phone"))).rejects.toMatchObject({ code: "DRAFT_STALE" });
});

it("is not said to be somebody else's where a version does not say what it is", async () => {
  expect(await untouchedDraft(listing("id"), "lay")).toBeUndefined();
  expect(await untouchedDraft(listing("id", "status"), "lay")).toBeNull();
});
