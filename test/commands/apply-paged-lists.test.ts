/**
 * Tests layouts as code on a server with two layouts or versions per page, over a socket. The server recognizes no
 * repeated write.
 */

import { expect, it } from "vitest";
import { isJsonObject } from "../../src/schemas/json.ts";
import { manners, type Page, pagesOf } from "../proxy/manners.ts";
import { insertProxy, type Manner } from "../proxy/proxy.ts";
import { behindNorthwind, contractorCard } from "./manifests-scene.ts";
import { openRemoteScene } from "./remote-scene.ts";

type Respond = (page: Page) => unknown;

const TOLD: Respond = ({ shown, page, all }) => ({
  data: shown,
  meta: { page, limit: 2, total: all.length, hasMore: page * 2 < all.length },
});
const SILENT: Respond = ({ shown }) => shown;

/** @param respond returns the answer to a request for layouts or versions. The oldest version is first */
async function openScene(respond: Respond) {
  const { cli } = await openRemoteScene();
  const oldestFirst: Manner = {
    answer: ({ body, ...reply }, { method, path }) =>
      method === "GET" && path.endsWith("/versions") && isJsonObject(body) && Array.isArray(body["data"])
        ? { ...reply, body: { ...body, data: body["data"].toReversed() as unknown[] } }
        : undefined,
  };
  await insertProxy(cli, {
    manners: [
      pagesOf(2, respond),
      oldestFirst,
      manners["knows none of our headers"](),
      manners["recognizes no repeated write"](),
    ],
  });
  for (const name of ["First", "Second", "Third"]) {
    cli.clock.now = new Date(cli.clock.now.getTime() + 60_000);
    await cli.run("layouts", "create", "--surface", "CONTRACTOR", "--modes", "VIEW", "--name", name);
  }
  // Advances the clock, so that new records are on later pages.
  cli.clock.now = new Date(cli.clock.now.getTime() + 60_000);
  cli.file("manifests/card.yaml", contractorCard("Risk"));
  return cli;
}

it.each<[string, Respond]>([
  ["that states the total", TOLD],
  ["that states nothing about its pages", SILENT],
])("finds created records on later pages, on a server %s", async (_, respond) => {
  const cli = await openScene(respond);
  for (const label of ["Risk", "Danger", "Risk", "Danger", "Risk"]) {
    cli.file("manifests/card.yaml", contractorCard(label));
    const { code, stderr } = await cli.run("apply", "manifests", "--yes", "-q");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect((await cli.run("plan", "manifests", "--detailed-exitcode")).code).toBe(0);
  }
  const names = await behindNorthwind(cli, async (service) => (await service.listLayouts({})).map(({ name }) => name));
  expect(names).toEqual(["First", "Second", "Third", "Card"]);
});

it("refuses an incomplete list", async () => {
  const cli = await openScene(({ shown, all }) => ({ data: shown, meta: { total: all.length + 1 } }));
  const { code, error } = await cli.run("apply", "manifests", "--yes", "-o", "json");
  expect(code).toBe(6);
  expect(error()).toMatchObject({
    code: "LIST_INCOMPLETE",
    message: "the list /v1/view-layouts could not be listed completely: the server reports 4 entries and shows 3",
  });
});
