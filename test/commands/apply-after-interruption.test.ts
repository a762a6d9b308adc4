/**
 * Tests an apply after an interrupted apply. The server is reached over a socket. It recognizes no repeated write, and
 * accepts no expected versions.
 */

import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Applied } from "../../src/commands/manifests/apply-document.ts";
import type { FullService } from "../../src/service.ts";
import { manners } from "../proxy/manners.ts";
import { insertProxy, refusal } from "../proxy/proxy.ts";
import type { Cli, Outcome } from "./cli.ts";
import { behindNorthwind, contractorCard } from "./manifests-scene.ts";
import { openRemoteScene } from "./remote-scene.ts";

const CANDIDATE = { moduleKey: "staffing", objectKey: "candidate" };

const alpha = (label: string, more = "") => `kind: Form
object: staffing/candidate
name: Alpha
types: [VIEW]
${more}layout:
  schemaVersion: 1
  regions: [{key: main, label: Main, layout: grid, columns: 12}]
  blocks:
    - {id: f1, type: field, source: dynamic_field, ref: {fieldKey: full_name}, regionKey: main, config: {label: ${label}}}
`;

const CARD = contractorCard("Risk");

/**
 * What happens to a request:
 * - `passed`: it is executed and answered.
 * - `lost`: it is executed, but answered with 504.
 * - `dropped`: it is not executed, and answered with 504.
 * - `missing`: it is not executed, and answered with 404.
 */
type Fate = "passed" | "lost" | "dropped" | "missing";

type Scene = {
  cli: Cli;
  /** Sets the fate of each request. After a lost answer, every read is refused until the next call of `meet`. */
  meet: (fate: (method: string, path: string) => Fate) => void;
  apply: (...words: string[]) => Promise<Outcome>;
  behind: <T>(use: (service: FullService) => Promise<T>) => Promise<T>;
  writes: () => number;
};

async function openScene(): Promise<Scene> {
  const { cli } = await openRemoteScene();
  let fate: (method: string, path: string) => Fate = () => "passed";
  let isBlind = false;
  const proxy = await insertProxy(cli, {
    async request(asked, pass) {
      const met = fate(asked.method, asked.path);
      if (met === "missing") return refusal(404);
      if (isBlind && asked.method === "GET") return refusal(403);
      if (met === "passed") return undefined;
      if (met === "lost") await pass(asked);
      isBlind ||= met === "lost";
      return refusal(504);
    },
    manners: [
      manners["knows none of our headers"](),
      manners["recognizes no repeated write"](),
      manners["ignores expected versions"](),
    ],
  });
  return {
    cli,
    meet(next) {
      fate = next;
      isBlind = false;
    },
    apply: (...words) => cli.run("apply", ...words, "--yes", "-o", "json"),
    behind: (use) => behindNorthwind(cli, use),
    writes: () => proxy.writes().length,
  };
}

const isCreation = (method: string, path: string) => method === "POST" && /\/(forms|view-layouts)$/.test(path);
const isSave = (method: string, path: string) => method === "PUT" && path.endsWith("/draft");

function documentOf({ stdout, stderr }: Outcome): Applied {
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout) as Applied;
}

const forms = async ({ behind }: Scene) =>
  behind(async (service) => (await service.listForms(CANDIDATE)).data.map(({ name }) => name));
const cards = async ({ behind }: Scene) =>
  behind(async (service) => (await service.listLayouts({ query: { surface: "CONTRACTOR" } })).map(({ name }) => name));

const seal = async ({ cli }: Scene) =>
  expect(await cli.run("plan", "manifests", "--out", "plan.json", "-q")).toMatchObject({ code: 0 });

/** Publishes a layout with another label, like another user. */
async function publishElsewhere({ behind }: Scene, label: string): Promise<void> {
  await behind(async (service) => {
    const { data } = await service.listForms(CANDIDATE);
    const { viewLayoutId: layoutId } = data.find(({ name }) => name === "Alpha")!;
    const [published] = await service.listVersions({ layoutId });
    const { regions, blocks, metadata } = published!;
    const body = {
      schemaVersion: 1 as const,
      regions,
      blocks: blocks.map((block) => ({ ...block, config: { label } })),
      stagedFieldDefinitions: [],
      scriptBindings: [],
      metadata,
    };
    const saved = await service.saveDraft({ layoutId, body: { clientMutationId: "elsewhere", ...body } });
    const { draftVersionId } = saved;
    await service.publishLayout({
      layoutId,
      body: { clientMutationId: "there", draftVersionId, confirmFieldChanges: [] },
    });
  });
}

describe("a saved plan", () => {
  it("that was interrupted twice creates its form once", async () => {
    const scene = await openScene();
    const { cli, meet, apply } = scene;
    cli.file("manifests/alpha.yaml", alpha("A"));
    await seal(scene);
    meet((...request) => (isCreation(...request) ? "lost" : "passed"));
    expect((await apply("plan.json")).code).toBe(7);
    meet((...request) => (isSave(...request) ? "dropped" : "passed"));
    expect((await apply("plan.json")).code).toBe(9);
    meet(() => "passed");
    expect(documentOf(await apply("plan.json"))).toMatchObject({ exitCode: 0, outcome: "applied" });
    expect(await forms(scene)).toEqual(["Alpha"]);
  });

  it("overwrites no draft that another user saved in its form while the creation was unanswered", async () => {
    const scene = await openScene();
    const { cli, meet, apply, behind, writes } = scene;
    cli.file("manifests/alpha.yaml", alpha("A"));
    await seal(scene);
    meet((...request) => (isCreation(...request) ? "lost" : "passed"));
    expect((await apply("plan.json")).code).toBe(7);
    meet(() => "passed");
    const draft = await behind(async (service) => {
      const { viewLayoutId: layoutId } = (await service.listForms(CANDIDATE)).data[0]!;
      const body = { clientMutationId: "theirs", schemaVersion: 1 as const, regions: [], blocks: [] };
      const { draftVersionId } = await service.saveDraft({ layoutId, body: { ...body, metadata: { dear: "theirs" } } });
      return { layoutId, draftVersionId };
    });
    const before = writes();
    expect([(await apply("plan.json")).error().code, writes()]).toEqual(["PLAN_STALE", before]);
    const versions = await behind((service) => service.listVersions(draft));
    expect(versions.map(({ id }) => id)).toEqual([draft.draftVersionId]);
  });

  it("finds its layout where the server lists layouts", async () => {
    const scene = await openScene();
    const { cli, meet, apply } = scene;
    cli.file("manifests/card.yaml", CARD);
    await seal(scene);
    meet((...request) => (isCreation(...request) ? "lost" : "passed"));
    expect((await apply("plan.json")).code).toBe(7);
    meet(() => "passed");
    expect(documentOf(await apply("plan.json"))).toMatchObject({ exitCode: 0, outcome: "applied" });
    expect(await cards(scene)).toEqual(["Card"]);
  });

  it.each([
    ["without an applied step", "", 7],
    ["with an applied step", "config: {title: Alpha}\n", 9],
  ])("%s is refused if another user has published since", async (_, more, code) => {
    const scene = await openScene();
    const { cli, meet, apply, writes } = scene;
    cli.file("manifests/alpha.yaml", alpha("A"));
    expect((await apply("manifests")).code).toBe(0);
    cli.file("manifests/alpha.yaml", alpha("B", more));
    await seal(scene);
    meet((...request) => (isSave(...request) ? "dropped" : "passed"));
    expect((await apply("plan.json")).code).toBe(code);
    meet(() => "passed");
    await publishElsewhere(scene, "C");
    const before = writes();
    const refused = await apply("plan.json");
    expect([refused.code, refused.error().code]).toEqual([6, "PLAN_STALE"]);
    expect(writes()).toBe(before);
  });

  it("whose draft was saved without an answer finds the draft, and continues", async () => {
    const scene = await openScene();
    const { cli, meet, apply, writes } = scene;
    cli.file("manifests/alpha.yaml", alpha("A"));
    expect((await apply("manifests")).code).toBe(0);
    cli.file("manifests/alpha.yaml", alpha("B"));
    await seal(scene);
    meet((...request) => (isSave(...request) ? "lost" : "passed"));
    expect((await apply("plan.json")).code).toBe(7);
    meet(() => "passed");
    const before = writes();
    const { exitCode, outcome, summary, resources } = documentOf(await apply("plan.json"));
    expect([exitCode, outcome, summary.steps.done, summary.doneBefore]).toEqual([0, "applied", 2, 1]);
    expect(resources[0]!.steps.map(({ operation, doneBefore }) => [operation, doneBefore])).toEqual([
      ["saveDraft", true],
      ["publishLayout", undefined],
    ]);
    expect(writes()).toBe(before + 1);
  });

  it("reports the steps of an earlier run apart from the remaining ones", async () => {
    const scene = await openScene();
    const { cli, meet, apply } = scene;
    cli.file("manifests/alpha.yaml", alpha("A"));
    await seal(scene);
    meet((_, path) => (path.endsWith("/publish") ? "dropped" : "passed"));
    expect((await apply("plan.json")).code).toBe(9);
    const again = await cli.run("apply", "plan.json", "--yes");
    expect(again.stderr).toMatch(/^0\/1 \w+ publishLayout staffing\/candidate\/Alpha$/m);
    expect(again.stdout).toContain(" 1 not finished (2 of 3 steps by an earlier run).\n");
    meet(() => "passed");
    const { asked, stderr, stdout } = await cli.answering([true], "apply", "plan.json");
    expect(asked).toEqual([expect.stringMatching(/^Apply 1 step to 1 resource in /)]);
    expect(stderr).toContain("1/1 done publishLayout staffing/candidate/Alpha\n");
    expect(stdout).toMatch(/^Applied to \S+: 1 created \(2 of 3 steps by an earlier run\)\.\n$/);
  });

  it("requires no confirmation for what an earlier run has deleted", async () => {
    const scene = await openScene();
    const { cli, meet, apply, behind } = scene;
    cli.file("manifests/alpha.yaml", alpha("A"));
    const kept = await behind(async (service) => {
      const create = (name: string) => service.createForm({ ...CANDIDATE, body: { name, types: ["VIEW"] } });
      await create("Gone");
      return (await create("Kept")).id;
    });
    const words = ["--prune", "--out", "plan.json", "-q"];
    expect((await cli.run("plan", "manifests", ...words)).code).toBe(0);
    meet((method, path) => (method === "DELETE" && path.endsWith(kept) ? "dropped" : "passed"));
    expect((await apply("plan.json", "--allow-delete")).code).toBe(9);
    meet(() => "passed");
    const refused = await apply("plan.json");
    expect([refused.code, refused.error().message]).toEqual([8, expect.stringContaining('delete the form "Kept"')]);
    expect(refused.error().message).not.toContain("Gone");
    expect((await apply("plan.json", "--allow-delete")).code).toBe(0);
    expect(await forms(scene)).toEqual(["Alpha"]);
  });

  it("continues after another plan was applied to other resources, and is stale after one for the same resource", async () => {
    const scene = await openScene();
    const { cli, meet, apply } = scene;
    cli.file("manifests/card.yaml", CARD);
    expect((await apply("manifests")).code).toBe(0);
    cli.file("manifests/alpha.yaml", alpha("A"));
    // The saved plan contains the card without a step for it.
    cli.file("others/card.yaml", CARD.replace("label: Risk", "label: Danger"));
    await seal(scene);
    const interrupt = async () => {
      meet((...request) => (isSave(...request) ? "dropped" : "passed"));
      expect((await apply("plan.json")).code).toBe(9);
      meet(() => "passed");
    };
    await interrupt();
    expect((await apply("others")).code).toBe(0);
    await interrupt();
    cli.file("manifests/alpha.yaml", alpha("B"));
    expect((await apply("manifests")).code).toBe(0);
    const refused = await apply("plan.json");
    expect([refused.code, refused.error().code]).toEqual([6, "PLAN_STALE"]);
  });
});

describe.each(["manifests", "plan.json"])(
  "an unanswered creation of a layout, where the server lists none (%s)",
  (what) => {
    const isHidden = (method: string, path: string) => method === "GET" && path.endsWith("/view-layouts");

    async function interrupted(fate: Fate): Promise<Scene & { again: string }> {
      const scene = await openScene();
      const { cli, meet, apply } = scene;
      cli.file("manifests/card.yaml", CARD);
      const hidden = (next: Fate) => (method: string, path: string) =>
        isHidden(method, path) ? "missing" : isCreation(method, path) ? next : "passed";
      meet(hidden(fate));
      await seal(scene);
      expect((await apply(what)).code).toBe(7);
      meet(hidden("passed"));
      const refused = await apply(what);
      expect([refused.code, refused.error().code]).toEqual([6, "LAYOUT_UNKNOWN"]);
      expect(refused.error().message).toMatch(
        /^the creation of CONTRACTOR\/Card was sent to http:\S+ at 2026-03-02T09:00:00.000Z and not answered, and/,
      );
      expect(refused.error().location).toEqual({ file: "manifests/card.yaml", line: 1, column: 1 });
      const [, again = ""] = /--not-created "([^"]+)"/.exec(refused.error().hint ?? "") ?? [];
      return { ...scene, again };
    }

    it("is not repeated before the user states that the layout does not exist", async () => {
      const scene = await interrupted("dropped");
      const { cli, apply, writes, again } = scene;
      const before = writes();
      expect((await apply(what)).code).toBe(6);
      // The time in this flag belongs to another creation.
      expect((await apply(what, "--not-created", again.replace("2026", "2025"))).code).toBe(6);
      const url = cli.env["FORMCTL_BASE_URL"]!;
      // This profile has the URL of the same server, so it may be the same organization. The saved plan would refuse
      // this profile as another target.
      await cli.run("profiles", "add", "same", "--base-url", url);
      delete cli.env["FORMCTL_BASE_URL"];
      cli.env["FORMCTL_PROFILE"] = "same";
      expect((await apply("manifests")).error().code).toBe("LAYOUT_UNKNOWN");
      delete cli.env["FORMCTL_PROFILE"];
      cli.env["FORMCTL_BASE_URL"] = url;
      expect(writes()).toBe(before);
      cli.file("others/alpha.yaml", alpha("A"));
      expect((await apply("others")).code).toBe(0);
      expect((await apply(what, "--not-created", again)).code).toBe(0);
      expect(await cards(scene)).toEqual(["Card"]);
      expect((await apply("manifests")).code).toBe(0);
      expect(await cards(scene)).toEqual(["Card"]);
      // The flag has no effect now. A warning reports this.
      const typed = await cli.run("apply", "manifests", "--yes", "--not-created", again);
      expect(typed.code).toBe(0);
      expect(typed.stderr).toContain(`warning: ${again} has no effect: the journals contain no unanswered creation`);
    });

    it("is reported by plan, status and a dry run, with the next step", async () => {
      const { cli, again, writes } = await interrupted("dropped");
      const before = writes();
      const plan = await cli.run("plan", "manifests");
      const way = `formctl apply manifests --not-created ${again}`;
      expect([plan.code, plan.stdout]).toEqual([
        0,
        expect.stringContaining("the outcome of an earlier creation is unknown"),
      ]);
      // An export is not suggested, because it requires a server that shows a layout by its id.
      expect(plan.stdout).toContain('"CONTRACTOR/Card": {"layoutId": "LAYOUT_ID", "base": {}}');
      expect(plan.stdout).not.toContain("a second one will be created");
      expect(plan.stderr).toContain(`Next: ${way}  # if none of these layouts exists\n`);
      const markdown = await cli.run("plan", "manifests", "--format", "markdown");
      expect(markdown.stdout).toContain(`--not-created "${again}"`);
      const { resources } = (await cli.run("plan", "manifests", "-o", "json")).json() as { resources: unknown[] };
      expect(resources).toMatchObject([{ notes: [expect.stringContaining(`--not-created "${again}"`)] }]);
      expect((await cli.run("status", "manifests")).stdout).toContain("the outcome of an earlier creation is unknown");
      const dry = (...more: string[]) => cli.run("apply", what, "--dry-run", "-o", "json", ...more);
      expect((await dry()).error()).toMatchObject({ code: "LAYOUT_UNKNOWN", exitCode: 6 });
      expect((await dry("--not-created", again)).code).toBe(0);
      expect(writes()).toBe(before);
    });

    it("is carried out again if the server lists layouts meanwhile", async () => {
      const { cli, meet, apply } = await interrupted("dropped");
      meet(() => "passed");
      const { code, stdout } = await cli.run("plan", "manifests");
      expect([code, stdout]).toEqual([0, expect.not.stringMatching(/unknown|--not-created/)]);
      expect((await apply(what)).code).toBe(0);
    });

    it("is resolved by an export of the layout, if it exists", async () => {
      const scene = await interrupted("lost");
      const { cli, apply, behind } = scene;
      const id = await behind(
        async (service) => (await service.listLayouts({ query: { surface: "CONTRACTOR" } }))[0]!.id,
      );
      const isShown = await cli.run("export", id, "--into", "manifests");
      // The manifest contains the desired state, so it is not changed.
      expect([isShown.code, readFileSync(join(cli.cwd, "manifests", "card.yaml"), "utf8")]).toEqual([0, CARD]);
      expect((await apply("manifests")).code).toBe(0);
      expect(await cards(scene)).toEqual(["Card"]);
    });

    it("is resolved by an entry in the lock, where the server does not show the layout", async () => {
      const scene = await interrupted("lost");
      const { cli, apply, behind, meet } = scene;
      meet((method, path) => (method === "GET" && /\/view-layouts(\/[^/]+)?$/.test(path) ? "missing" : "passed"));
      const layoutId = await behind(
        async (service) => (await service.listLayouts({ query: { surface: "CONTRACTOR" } }))[0]!.id,
      );
      const lock = {
        version: 1,
        targets: { [cli.env["FORMCTL_BASE_URL"]!]: { "CONTRACTOR/Card": { layoutId, base: {} } } },
      };
      cli.file(".formctl/lock.json", lock);
      expect((await apply("manifests")).code).toBe(0);
      expect(await cards(scene)).toEqual(["Card"]);
    });
  },
);

it("lets a plan find a layout that only the journal knows", async () => {
  const { cli, apply, meet } = await openScene();
  cli.file("manifests/card.yaml", CARD);
  meet((method, path) => (method === "GET" && /\/view-layouts(\/[^/]+)?$/.test(path) ? "missing" : "passed"));
  expect((await apply("manifests")).code).toBe(0);
  // Simulates a process that was killed before it wrote the lock file.
  rmSync(join(cli.cwd, ".formctl/lock.json"));
  const runs = join(cli.cwd, ".formctl/runs");
  const record = readdirSync(runs).find((name) => name.endsWith(".jsonl"))!;
  const lines = readFileSync(join(runs, record), "utf8").trimEnd().split("\n");
  cli.file(`.formctl/runs/${record}`, `${lines.slice(0, -1).join("\n")}\n`);
  const { summary } = (await cli.run("plan", "manifests", "-o", "json")).json() as { summary: unknown };
  expect(summary).toMatchObject({ create: 0 });
});
