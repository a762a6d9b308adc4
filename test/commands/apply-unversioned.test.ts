/**
 * Tests layouts on a server that neither lists nor shows them. The server answers 404 for the versions of a new layout without a saved draft.
 */

import { expect, it } from "vitest";
import type { Applied } from "../../src/commands/manifests/apply-document.ts";
import { manners } from "../proxy/manners.ts";
import { insertProxy, refusal } from "../proxy/proxy.ts";
import { behindNorthwind, contractorCard } from "./manifests-scene.ts";
import { openRemoteScene } from "./remote-scene.ts";

const CARD = contractorCard("Risk");

async function openScene(manifest = CARD) {
  const { cli } = await openRemoteScene();
  // The clock is real, because the program compares the server's time with the age of a record.
  cli.clock.now = new Date();
  cli.file("card.yaml", manifest);
  let isRefused = (_method: string, _path: string) => false;
  await insertProxy(cli, {
    request: ({ method, path }) => (isRefused(method, path) ? refusal(403) : undefined),
    manners: [
      manners["shows no layouts"](),
      manners["404 for the versions of a new layout without a saved draft"](),
      manners["recognizes no repeated write"](),
      manners["knows none of our headers"](),
    ],
  });
  const cards = () =>
    behindNorthwind(cli, async (service) => {
      const layouts = await service.listLayouts({ query: { surface: "CONTRACTOR" } });
      return layouts.filter(({ name }) => name === "Card").map(({ id }) => id);
    });
  return {
    cli,
    cards,
    refuse: (which: typeof isRefused) => (isRefused = which),
    apply: async (what = "card.yaml"): Promise<Applied> => {
      const outcome = await cli.run("apply", what, "--yes", "-o", "json");
      if (outcome.stdout === "") throw new Error(outcome.stderr);
      return JSON.parse(outcome.stdout) as Applied;
    },
    archive: (layoutId: string) => behindNorthwind(cli, (service) => service.archiveLayout({ layoutId })),
  };
}

/** Creates a layout without saving its draft. */
async function openHalfMade() {
  const scene = await openScene();
  scene.refuse((method) => method === "PUT");
  expect((await scene.apply()).exitCode).toBe(9);
  scene.refuse(() => false);
  return scene;
}

it("continues with a layout that has no version yet, and creates no second one", async () => {
  const { cli, apply, cards } = await openHalfMade();
  const { stdout } = await cli.run("plan", "card.yaml");
  expect(stdout).toMatch(/^~ update layout CONTRACTOR\/Card/m);
  expect(await apply()).toMatchObject({ exitCode: 0, outcome: "applied" });
  expect(await cards()).toHaveLength(1);
  expect(await apply()).toMatchObject({ exitCode: 0, outcome: "unchanged" });
});

it("continues with it by a saved plan", async () => {
  const { cli, apply, cards, refuse } = await openScene();
  expect((await cli.run("plan", "card.yaml", "--out", "plan.json", "-q")).code).toBe(0);
  refuse((method) => method === "PUT");
  expect((await apply("plan.json")).exitCode).toBe(9);
  refuse(() => false);
  expect(await apply("plan.json")).toMatchObject({ exitCode: 0, outcome: "applied" });
  expect(await cards()).toHaveLength(1);
});

it("finds by a write that a layout without a version is missing, and creates another the next time", async () => {
  const { apply, cards, archive } = await openHalfMade();
  await archive((await cards())[0]!);
  const { exitCode, resources } = await apply();
  expect(exitCode).toBe(5);
  expect(resources[0]!.steps.find(({ status }) => status === "failed")).toMatchObject({
    error: { code: "NOT_FOUND", hint: expect.stringContaining("it is recreated") as string },
  });
  expect(await apply()).toMatchObject({ exitCode: 0, outcome: "applied", summary: { resources: { created: 1 } } });
  expect(await cards()).toHaveLength(1);
});

it("uses a layout that the user added to the lock, though nothing shows it", async () => {
  const { cli, apply, cards } = await openScene(CARD.slice(0, CARD.indexOf("layout:")));
  expect(await apply()).toMatchObject({ exitCode: 7, outcome: "unknown" });
  const [layoutId] = await cards();
  const places = { [cli.env["FORMCTL_BASE_URL"]!]: { "CONTRACTOR/Card": { layoutId, base: {} } } };
  cli.file(".formctl/lock.json", { version: 1, targets: places });
  expect(await apply()).toMatchObject({ exitCode: 0, outcome: "applied" });
  expect(await apply()).toMatchObject({ exitCode: 0, outcome: "unchanged" });
  expect(await cards()).toEqual([layoutId]);
});

it("creates another layout at once for one whose versions are missing", async () => {
  const { apply, cards, archive } = await openScene();
  expect((await apply()).exitCode).toBe(0);
  const [first] = await cards();
  await archive(first!);
  expect(await apply()).toMatchObject({ exitCode: 0, outcome: "applied", summary: { resources: { created: 1 } } });
  expect(await cards()).toEqual([expect.not.stringContaining(first!)]);
});
