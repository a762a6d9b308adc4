/**
 * Checks that restored versions are recognized, also on a server that does not report restores. The stamp of a version
 * names the version that the draft replaces.
 */

import { describe, expect, it } from "vitest";
import { copiesAmong, type StampedVersion } from "../../src/state/versions.ts";
import type { StagedField } from "../../src/schemas/draft.ts";
import type { LayoutVersion } from "../../src/schemas/layout.ts";
import type { FullService } from "../../src/service.ts";
import { content, form, openScene, type PlanScene } from "../plan/plan-scene.ts";
import { stateOf } from "../../src/plan/planned.ts";

/**
 * Parses a version:
 * - `4>2`: version 4, whose stamp names version 2 as the replaced version
 * - `4>`: version 4, whose stamp names no replaced version
 * - `4`: version 4, whose stamp has no such information
 */
function version(words: string): StampedVersion {
  const [, number = "", replaces, kind] = /^(\d+)(?:>(\d*))?( draft| never published)?$/.exec(words)!;
  const stamp = { sha256: "0", ...(replaces !== undefined && { replaces: replaces === "" ? null : replaces }) };
  const status = kind === " draft" ? "DRAFT" : "ARCHIVED";
  const publishedAt = kind === " never published" ? { publishedAt: null } : {};
  return { version: { id: number, version: Number(number), status, ...publishedAt }, stamp };
}

describe("restored versions in a history", () => {
  it.each<[string, string[], string[]]>([
    ["none where each was saved over the one before it", ["4>3 draft", "3>2", "2>1", "1>"], []],
    ["the version that repeats an older one", ["4>1", "3>2", "2>1", "1>"], ["4"]],
    ["the version that repeats the first one", ["3>", "2>1", "1>"], ["3"]],
    ["a draft that repeats an older version", ["4>1 draft", "3>2", "2>1", "1>"], ["4"]],
    ["not what was saved over a copy", ["5>4", "4>1", "3>2", "2>1", "1>"], ["4"]],
    ["none if the stamps do not name the replaced version", ["3", "2", "1"], []],
    ["not the last listed version, whose base is not listed", ["7>6", "6>5"], []],
    ["not what was saved over a version of another user", ["3>2", "2", "1>"], []],
    ["not what follows a former draft of the same", ["4>1", "3>1", "2>1 draft", "1>"], []],
    ["not what follows drafts that were never published", ["4>1", "3 never published", "2 draft", "1>"], []],
  ])("are %s", (_, versions, copies) => {
    expect([...copiesAmong(versions.map(version))]).toEqual(copies);
  });

  it("are those that the server reports, and no others if their order is unknown", () => {
    const said: StampedVersion = { version: { id: "2", version: 2, sourceVersionId: "1" }, stamp: undefined };
    expect([...copiesAmong([said, version("1>")])]).toEqual(["2"]);
    const unnumbered = ["3>", "2>1", "1>"].map((words) => {
      const { version: each, stamp } = version(words);
      return { version: { id: each.id }, stamp };
    });
    expect([...copiesAmong(unnumbered)]).toEqual([]);
  });
});

/** A service like the live server: its version records have no `sourceVersionId`. */
const withoutSource = (service: FullService): FullService => {
  const bare = (record: LayoutVersion) => ({ ...record, sourceVersionId: undefined }) as unknown as LayoutVersion;
  return {
    ...service,
    listVersions: async (input) => (await service.listVersions(input)).map(bare),
    getVersion: async (input) => bare(await service.getVersion(input)),
  };
};

/** A service like `withoutSource` that lists versions with id, number and status only. */
const withoutContents = (service: FullService): FullService => ({
  ...withoutSource(service),
  listVersions: async (input) =>
    (await service.listVersions(input)).map(({ id, version: number, status }) => ({
      id,
      version: number,
      status,
    })) as LayoutVersion[],
});

async function restoreFirst(scene: PlanScene, isPublished = true): Promise<void> {
  const first = (await scene.versions("Profile")).at(-1)!;
  const { viewLayoutId: layoutId } = await scene.form("Profile");
  const path = { layoutId, versionId: first.id };
  const { draftVersionId } = await scene.service.restoreDraft({ ...path, body: { clientMutationId: "back" } });
  if (!isPublished) return;
  await scene.service.publishLayout({ layoutId, body: { clientMutationId: "back", draftVersionId } });
}

describe.each([
  ["that does not report what was restored", withoutSource],
  ["that lists versions without their contents", withoutContents],
])("a rollback on a server %s", (_, wrap) => {
  const drop: StagedField = { draftId: "d_notes", action: "delete", key: "notes" };
  const profile = (...fields: string[]) => form("Profile", { content: content(...fields) });
  const dropping = form("Profile", {
    content: { ...content("full_name"), stagedFieldDefinitions: [drop] },
    confirmFieldChanges: ["d_notes"],
  });

  it("is a change on the target, with and without the lock", async () => {
    const scene = await openScene(undefined, wrap);
    await scene.make([profile("email")]);
    await scene.make([profile("full_name")]);
    await restoreFirst(scene);
    for (const lock of [scene.lock, { get: () => undefined }]) {
      const plan = await scene.plan([profile("full_name")], { lock });
      expect(stateOf(plan.resources[0]!)).toBe("changed on target");
    }
  });

  it("is undone by applying again, and no field is deleted twice", async () => {
    const scene = await openScene(undefined, wrap);
    await scene.make([profile("email")]);
    await scene.make([dropping]);
    await restoreFirst(scene);
    const { resources } = await scene.make([dropping]);
    expect(resources[0]!.effects).toEqual([]);
    expect((await scene.plan([dropping])).resources[0]).toMatchObject({ action: "none" });
    expect((await scene.versions("Profile"))[0]).toMatchObject({ version: 4, status: "PUBLISHED" });
  });

  it("leaves a draft that needs a confirmation to be overwritten", async () => {
    const scene = await openScene(undefined, wrap);
    await scene.make([profile("email")]);
    await scene.make([profile("full_name")]);
    await restoreFirst(scene, false);
    const [planned] = (await scene.plan([profile("phone")], { lock: { get: () => undefined } })).resources;
    expect(planned!.needs).toMatchObject([{ consent: "allow-replace" }]);
  });
});

describe("drift", () => {
  const profile = (...fields: string[]) => form("Profile", { content: content(...fields) });
  /** A service whose stamps have no `replaces`. An older formctl writes such stamps. */
  const stampingNoReplaced = (service: FullService): FullService => ({
    ...withoutSource(service),
    saveDraft: async ({ layoutId, body }) => {
      const stamp = { ...(body.metadata?.["formctl"] as object), replaces: undefined };
      return service.saveDraft({
        layoutId,
        body: { ...body, metadata: JSON.parse(JSON.stringify({ formctl: stamp })) },
      });
    },
  });

  it("follows a lock that has the desired content, whatever an old stamp contains", async () => {
    const scene = await openScene(undefined, stampingNoReplaced);
    await scene.make([profile("email")]);
    await scene.make([profile("full_name")]);
    await restoreFirst(scene);
    expect((await scene.plan([profile("full_name")])).resources[0]!.drift["content"]).toBe("target");
  });

  it("follows the stamp if the lock is outdated, as after an apply in a pipeline", async () => {
    const scene = await openScene();
    await scene.make([profile("email")]);
    const behind = { ...scene.lock.get("staffing/candidate/Profile")! };
    await scene.make([profile("full_name")]);
    const lock = { get: () => behind };
    expect((await scene.plan([profile("phone")], { lock })).resources[0]!.drift["content"]).toBe("files");
  });
});

it("plans the same draft with the same stamp in every run", async () => {
  const scene = await openScene();
  const profile = (...fields: string[]) => form("Profile", { content: content(...fields) });
  await scene.make([profile("email")]);
  const [first] = await scene.versions("Profile");
  const steps = async () => (await scene.plan([profile("phone")])).resources[0]!.steps;
  expect(await steps()).toEqual(await steps());
  expect((await steps())[0]!.request).toMatchObject({ content: { metadata: { formctl: { replaces: first!.id } } } });
});
