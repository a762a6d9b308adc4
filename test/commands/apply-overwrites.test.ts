/**
 * Tests a saved plan that was interrupted and is applied again, over a socket. Meanwhile another user has changed what
 * the remaining steps write.
 */

import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/schemas/json.ts";
import type { LayoutVersion } from "../../src/schemas/layout.ts";
import type { Mode } from "../../src/schemas/words.ts";
import type { FullService } from "../../src/service.ts";
import { manners } from "../proxy/manners.ts";
import { insertProxy, type Manner, refusal } from "../proxy/proxy.ts";
import { behindNorthwind, contractorCard, layoutText } from "./manifests-scene.ts";
import { openRemoteScene } from "./remote-scene.ts";

const CANDIDATE = { moduleKey: "staffing", objectKey: "candidate" };
const APPLY = ["apply", "plan.json", "--yes", "--allow-delete", "-o", "json"];

/** @param more additional lines of the manifest of the form, and of the manifest of the card */
function manifests(types: string, label: string, { form = "", card = "" }: { form?: string; card?: string }): string {
  const layout = layoutText("full_name", "email")
    .replace("label: full_name", `label: ${label}`)
    .replaceAll(/^/gm, "  ");
  const alpha = `kind: Form\nobject: staffing/candidate\nname: Alpha\ntypes: ${types}\n${form}layout:\n${layout}`;
  return `${alpha.trimEnd()}\n---\n${contractorCard(label)}${card}`;
}

/** Opens a server that refuses selected requests, and applies the first state of the manifests. */
async function openPlanning(first: string, ...deviations: readonly Manner[]) {
  const { cli } = await openRemoteScene();
  const behind = <T>(use: (service: FullService) => Promise<T>) => behindNorthwind(cli, use);
  const roleId = await behindNorthwind(cli, async (_service, local) => {
    const { organizations } = await local.show();
    return organizations.find(({ key }) => key === "northwind")!.roles[0]!.id;
  });
  const writes: string[] = [];
  let isRefused = (_write: string) => false;
  await insertProxy(cli, {
    request({ method, path }) {
      const write = `${method} ${path.replaceAll(/(frm|lay)_\w+/g, "ID")}`;
      if (method !== "GET" && isRefused(write)) return refusal(403);
      if (method !== "GET") writes.push(write);
      return undefined;
    },
    manners: [...deviations, manners["knows none of our headers"]()],
  });
  cli.file("all.yaml", first);
  expect((await cli.run("apply", "all.yaml", "--yes", "-q")).code).toBe(0);
  writes.length = 0;
  return {
    cli,
    behind,
    roleId,
    writes,
    refuse: (which: (write: string) => boolean) => (isRefused = which),
    seal: async (then: string) => {
      cli.file("all.yaml", then);
      expect((await cli.run("plan", "all.yaml", "--prune", "--out", "plan.json", "-q")).code).toBe(0);
    },
  };
}

/**
 * Opens a scene with an existing form and card, and a form without a manifest. A saved plan changes every aspect of
 * these records.
 */
async function openScene() {
  const scene = await openPlanning(manifests("[VIEW, EDIT]", "A", { form: "config: {title: One}\n" }));
  await scene.behind(async (service) => {
    const { id } = await service.createForm({ ...CANDIDATE, body: { name: "Doomed", types: ["VIEW", "CREATE"] } });
    await service.updateFormDefaults({ ...CANDIDATE, body: { defaultViewFormId: id, defaultCreateFormId: id } });
  });
  const role = `{roleId: ${scene.roleId}`;
  await scene.seal(
    `${manifests("[VIEW, CREATE]", "B", {
      form: `config: {title: Two}\ndefaultFor: [VIEW]\naccess: {users: [], roles: [${role}, types: [VIEW]}]}\n`,
      card: `metadata: {team: hr}\nassignments: {organizationDefault: true, roles: [${role}, priority: 5}]}\n`,
    })}---\nkind: Form\nobject: staffing/candidate\nname: New\ntypes: [VIEW, EDIT]\naccess: {users: [], roles: [${role}, types: [VIEW]}]}\n`,
  );
  return scene;
}

const formNamed = async (service: FullService, name: string) =>
  (await service.listForms({ ...CANDIDATE, query: { limit: 100 } })).data.find((form) => form.name === name)!;
async function giveAccess(service: FullService, name: string, row: { roleId: string; types: Mode[] }) {
  const { id: formId } = await formNamed(service, name);
  return service.replaceFormAccess({ ...CANDIDATE, formId, body: { users: [], roles: [row] } });
}
const card = async (service: FullService) =>
  (await service.listLayouts({ query: { surface: "CONTRACTOR" } })).find(({ name }) => name === "Card")!;

describe("a remaining step", () => {
  it.each<[string, RegExp, string, (service: FullService, roleId: string) => Promise<unknown>]>([
    [
      "access",
      /^PUT .*\/access$/,
      "staffing/candidate/Alpha",
      async (service, roleId) => giveAccess(service, "Alpha", { roleId, types: ["CREATE"] }),
    ],
    [
      "the access of a form that the plan created",
      /^PUT .*\/access$/,
      "staffing/candidate/New",
      async (service, roleId) => giveAccess(service, "New", { roleId, types: ["EDIT"] }),
    ],
    [
      "the modes",
      /^PATCH .*\/forms\/ID$/,
      "staffing/candidate/Alpha",
      async (service) => {
        const { id: formId } = await formNamed(service, "Alpha");
        return service.updateForm({ ...CANDIDATE, formId, body: { types: ["VIEW"] } });
      },
    ],
    [
      "a default",
      /\/defaults$/,
      "staffing/candidate/Alpha",
      async (service) => {
        const { id } = await service.createForm({ ...CANDIDATE, body: { name: "Theirs", types: ["VIEW"] } });
        return service.updateFormDefaults({ ...CANDIDATE, body: { defaultViewFormId: id } });
      },
    ],
    [
      "a form that the plan deletes",
      /^DELETE /,
      "staffing/candidate/Doomed",
      async (service) => {
        const { id: formId } = await formNamed(service, "Doomed");
        return service.updateForm({ ...CANDIDATE, formId, body: { config: { title: "Dear" } } });
      },
    ],
    [
      "assignments",
      /\/assignments$/,
      "CONTRACTOR/Card",
      async (service, roleId) => {
        const { id: layoutId } = await card(service);
        const body = { clientMutationId: "theirs", organizationDefault: false, roles: [{ roleId, priority: 1 }] };
        return service.replaceAssignments({ layoutId, body });
      },
    ],
  ])(
    "makes the plan stale if another user has changed %s: 6, and nothing is written",
    async (_, left, address, change) => {
      const { cli, behind, roleId, writes, refuse } = await openScene();
      refuse((write) => left.test(write));
      expect((await cli.run(...APPLY)).code).toBe(9);
      refuse(() => false);
      await behind((service) => change(service, roleId));
      const before = writes.length;
      const refused = await cli.run(...APPLY);
      expect([refused.code, writes.length]).toEqual([6, before]);
      expect(refused.error()).toMatchObject({
        code: "PLAN_STALE",
        message: expect.stringContaining(address) as string,
      });
    },
  );
});

it("continues where another user has made the same change", async () => {
  const { cli, behind, roleId, refuse } = await openScene();
  refuse((write) => write.endsWith("/access"));
  expect((await cli.run(...APPLY)).code).toBe(9);
  refuse(() => false);
  await behind((service) => giveAccess(service, "New", { roleId, types: ["VIEW"] }));
  expect((await cli.run(...APPLY)).code).toBe(0);
});

it("continues where no other user has changed anything, wherever it was interrupted", async () => {
  const { cli, writes, refuse } = await openScene();
  let runs = 0;
  for (let code = 9; code === 9; runs++) {
    let sent = 0;
    refuse(() => sent++ > 0);
    const outcome = await cli.run(...APPLY, "-q", "--concurrency", "1");
    if (outcome.stdout === "") throw new Error(outcome.stderr);
    ({ code } = outcome);
  }
  expect([writes.length, runs]).toEqual([14, 14]);
  expect((await cli.run("plan", "all.yaml", "--prune", "--detailed-exitcode")).code).toBe(0);
});

it("continues a rename, wherever it was interrupted, and is stale if another user renames the form again", async () => {
  const alpha = (label: string, title: string) => manifests("[VIEW]", label, { form: `config: {title: ${title}}\n` });
  const { cli, behind, writes, refuse, seal } = await openPlanning(alpha("A", "One"));
  await seal(alpha("B", "Two").replace("name: Alpha", "name: Beta\nrenamedFrom: Alpha"));
  const once = async () => {
    let sent = 0;
    refuse(() => sent++ > 0);
    return (await cli.run(...APPLY, "-q", "--concurrency", "1")).code;
  };
  expect(await once()).toBe(9);
  const rename = (from: string, name: string) =>
    behind(async (service) => {
      const { id: formId } = await formNamed(service, from);
      return service.updateForm({ ...CANDIDATE, formId, body: { name } });
    });
  await rename("Beta", "Alpha");
  const before = writes.length;
  expect([await once(), writes.length]).toEqual([6, before]);
  await rename("Alpha", "Beta");
  let code = 9;
  for (let runs = 0; code === 9 && runs < 10; runs++) code = await once();
  expect([code, writes.length]).toEqual([0, 5]);
  expect((await cli.run("plan", "all.yaml", "--detailed-exitcode")).code).toBe(0);
});

it("reports in a dry run how it would continue", async () => {
  const { cli, writes, refuse } = await openScene();
  refuse((write) => write.endsWith("/draft"));
  expect((await cli.run(...APPLY)).code).toBe(9);
  const before = writes.length;
  const dry = await cli.run(...APPLY, "--dry-run");
  expect([dry.code, dry.json()]).toMatchObject([
    0,
    { outcome: "planned", summary: { doneBefore: before, steps: { done: before, planned: 14 - before } } },
  ]);
  expect((await cli.run("apply", "plan.json", "--dry-run")).stdout).toContain(
    `(${before} of 14 steps by an earlier run)`,
  );
  expect(writes.length).toBe(before);
});

it("is refused if another user has moved a default that the plan took", async () => {
  const { cli, behind, writes, refuse } = await openScene();
  refuse((write) => write.startsWith("DELETE"));
  expect((await cli.run(...APPLY)).code).toBe(9);
  refuse(() => false);
  await behind(async (service) => {
    const { id } = await formNamed(service, "Doomed");
    return service.updateFormDefaults({ ...CANDIDATE, body: { defaultViewFormId: id } });
  });
  const before = writes.length;
  const refused = await cli.run(...APPLY);
  expect([refused.code, writes.length]).toEqual([6, before]);
  expect(refused.error().message).toContain("staffing/candidate/Alpha");
});

it("is refused if a mode to be removed has new access rows", async () => {
  const alpha = (types: string, title: string) => manifests(types, "A", { form: `config: {title: ${title}}\n` });
  const { cli, behind, roleId, writes, refuse, seal } = await openPlanning(alpha("[VIEW, EDIT]", "One"));
  await seal(alpha("[VIEW]", "Two"));
  let patches = 0;
  refuse((write) => write.startsWith("PATCH") && patches++ > 0);
  expect((await cli.run(...APPLY)).code).toBe(9);
  refuse(() => false);
  await behind((service) => giveAccess(service, "Alpha", { roleId, types: ["EDIT"] }));
  const before = writes.length;
  expect([(await cli.run(...APPLY)).code, writes.length]).toEqual([6, before]);
});

describe("a draft that keeps its id when it is saved again", () => {
  /** Replaces the ids of versions by ids with their numbers, so that a draft keeps its id. */
  function byNumber(): Manner {
    const real = new Map<string, string>();
    const learn = (_key: string, value: unknown) => {
      const { id, layoutId, version } = (value ?? {}) as Record<string, unknown>;
      if (typeof id === "string" && typeof version === "number") real.set(id, `ver_${String(layoutId)}${version}`);
      return value;
    };
    // Uses the last version, because several versions may have had this number.
    const toReal = (text: string) => [...real].reverse().reduce((all, [id, name]) => all.replaceAll(name, id), text);
    return {
      request(asked) {
        asked.path = toReal(asked.path);
        if (asked.body) asked.body = JSON.parse(toReal(JSON.stringify(asked.body))) as JsonObject;
        return undefined;
      },
      answer({ body, ...reply }) {
        if (body === undefined) return undefined;
        const text = JSON.stringify(body);
        JSON.parse(text, learn);
        return { ...reply, body: [...real].reduce((all, [id, name]) => all.replaceAll(id, name), text) };
      },
    };
  }

  const alpha = (title: string, label: string) => manifests("[VIEW]", label, { form: `config: {title: ${title}}\n` });

  const saveAs = (dear: string) => async (service: FullService) => {
    const { viewLayoutId: layoutId } = await formNamed(service, "Alpha");
    const [{ regions, blocks }] = (await service.listVersions({ layoutId })) as [LayoutVersion];
    const body = { clientMutationId: dear, schemaVersion: 1 as const, regions, blocks, metadata: { dear } };
    return service.saveDraft({ layoutId, body });
  };

  it.each([
    ["after the plan saved its own", /publish$/],
    ["before the plan saved its own", /draft$/],
  ])("is neither published nor overwritten if another user saved it %s", async (_, left) => {
    const { cli, behind, writes, refuse, seal } = await openPlanning(alpha("One", "A"), byNumber());
    await behind(saveAs("theirs"));
    await seal(alpha("Two", "B"));
    const apply = [...APPLY, "--allow-replace"];
    refuse((write) => left.test(write));
    expect((await cli.run(...apply)).code).toBe(9);
    refuse(() => false);
    await behind(saveAs("again"));
    const before = writes.length;
    expect([(await cli.run(...apply)).code, writes.length]).toEqual([6, before]);
  });

  it("is published if no other user saved it", async () => {
    const { cli, behind, refuse, seal } = await openPlanning(alpha("One", "A"), byNumber());
    await behind(saveAs("theirs"));
    await seal(alpha("Two", "B"));
    refuse((write) => write.endsWith("/draft"));
    expect((await cli.run(...APPLY, "--allow-replace")).code).toBe(9);
    expect((await cli.run(...APPLY)).code).toBe(8);
    refuse((write) => write.endsWith("/publish"));
    expect((await cli.run(...APPLY, "--allow-replace")).code).toBe(9);
    refuse(() => false);
    // The draft was already overwritten, so no further confirmation is required.
    expect((await cli.run(...APPLY)).code).toBe(0);
  });
});
