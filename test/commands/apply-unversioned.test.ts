/**
 * Tests layouts on a server that neither lists nor shows them. The server answers 404 for an empty list of versions.
 */

import { expect, it, onTestFinished } from "vitest";
import type { Applied } from "../../src/commands/manifests/apply-document.ts";
import { startServer } from "../client/table-server.ts";
import { behindNorthwind, contractorCard } from "./manifests-scene.ts";
import { openRemoteScene } from "./remote-scene.ts";

const CARD = contractorCard("Risk");

async function openScene(manifest = CARD) {
  const { cli, url } = await openRemoteScene();
  // The clock is real, because the program compares the server's time with the age of a record.
  cli.clock.now = new Date();
  cli.file("card.yaml", manifest);
  const saved = new Set<string>();
  let isRefused = (_method: string, _path: string) => false;
  const server = await startServer(async ({ method, url: path, headers, body }) => {
    const [, id, more] = /^\/v1\/view-layouts(?:\/(lay_\w+))?(\/.*)?$/.exec(path) ?? [];
    const isShown = more !== undefined && saved.has(id!);
    if (method === "GET" && path.startsWith("/v1/view-layouts") && !isShown) return refusal(404);
    if (isRefused(method, path)) return refusal(403);
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: headers.authorization ?? "", "content-type": "application/json" },
      // A new mutation id simulates a server that does not recognize a repeated creation.
      ...(body !== "" && { body: body.replace(/"formctl-[^"]+"/, `"${crypto.randomUUID()}"`) }),
    });
    if (method === "PUT" && more === "/draft" && response.ok) saved.add(id!);
    const text = await response.text();
    return { status: response.status, ...(text !== "" && { body: text }) };
  });
  onTestFinished(() => server.close());
  cli.env["FORMCTL_BASE_URL"] = server.url;
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

const refusal = (status: number) => ({ status, body: { error: { code: `HTTP_${status}`, message: "no" } } });

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
  cli.file(".formctl/lock.json", { version: 1, places });
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
