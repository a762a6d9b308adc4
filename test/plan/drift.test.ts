/** Drift of aspects, and the states that follow for a resource. */

import { describe, expect, it } from "vitest";
import type { Wanted } from "../../src/manifests/manifest.ts";
import { type Drift, isDrifted, type State, stateOf, STATES } from "../../src/plan/planned.ts";
import { CANDIDATE, content, form, openScene, type PlanScene } from "./plan-scene.ts";

const step = { phase: "widen", request: { operation: "updateForm", body: {} }, replaces: {}, writes: {} } as const;

describe("the state of a resource", () => {
  it.each<[State, Record<string, Drift>, number]>([
    ["in sync", { types: "same", content: "same" }, 0],
    ["changed in files", { types: "files", content: "same" }, 1],
    ["changed on target", { types: "same", content: "target" }, 1],
    ["conflict", { types: "files", content: "target" }, 1],
    ["conflict", { content: "both" }, 1],
    ["differs", { types: "differs", content: "files" }, 1],
    ["changed in files", { types: "same", content: "missing" }, 1],
    ["unobservable", { types: "same", metadata: "unobservable" }, 0],
    ["differs", { types: "same", metadata: "unobservable" }, 1],
  ])("is %s for %o", (state, drift, steps) => {
    expect(stateOf({ action: steps > 0 ? "update" : "none", drift, steps: steps > 0 ? [step] : [] })).toBe(state);
  });

  it('is "missing" if it is created', () => {
    expect(stateOf({ action: "create", drift: { types: "missing" }, steps: [step] })).toBe("missing");
  });

  it("is drift unless in sync or unobservable", () => {
    expect(STATES.filter((state) => !isDrifted(state))).toEqual(["in sync", "unobservable"]);
  });
});

describe("drift", () => {
  const profile = (members = {}) =>
    form("Profile", {
      content: content("email"),
      config: { title: "Profile" },
      access: { users: [], roles: [] },
      ...members,
    });

  async function stateIn(scene: PlanScene, wanted: Wanted, lock = scene.lock): Promise<State> {
    return stateOf((await scene.plan([wanted], { lock })).resources[0]!);
  }

  it("is found for each aspect, by the lock", async () => {
    const scene = await openScene();
    await scene.make([profile()]);
    expect(await stateIn(scene, profile())).toBe("in sync");
    expect(await stateIn(scene, profile({ config: { title: "Card" } }))).toBe("changed in files");

    const { id: formId } = await scene.form("Profile");
    await scene.service.updateForm({ ...CANDIDATE, formId, body: { config: { title: "Theirs" } } });
    expect(await stateIn(scene, profile())).toBe("changed on target");
    expect(await stateIn(scene, profile({ config: { title: "Card" } }))).toBe("conflict");
    expect(await stateIn(scene, profile({ content: content("phone") }))).toBe("conflict");
    expect(await stateIn(scene, profile({ config: { title: "Theirs" } }))).toBe("in sync");
  });

  it("is unknown without lock and stamp", async () => {
    const scene = await openScene();
    await scene.make([profile()], { stamp: undefined });
    const nothing = { ...scene.lock, get: () => undefined };
    expect(await stateIn(scene, profile(), nothing)).toBe("in sync");
    expect(await stateIn(scene, profile({ content: content("phone") }), nothing)).toBe("differs");
  });

  it("includes a rename on the target, if the lock knows the layout", async () => {
    const scene = await openScene();
    await scene.make([profile()]);
    const { id: formId } = await scene.form("Profile");
    await scene.service.updateForm({ ...CANDIDATE, formId, body: { name: "Renamed there" } });
    const plan = await scene.plan([profile()]);
    expect(plan.resources[0]).toMatchObject({ action: "update", formId, drift: { name: "target" } });
  });
});
