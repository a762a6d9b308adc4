/**
 * Tests layouts as code on a server with two layouts or versions per page, over a socket. The server recognizes no
 * repeated write.
 */

import { expect, it, onTestFinished } from "vitest";
import { isJsonObject, type JsonObject } from "../../src/schemas/json.ts";
import { startServer } from "../client/table-server.ts";
import { behindNorthwind, contractorCard } from "./manifests-scene.ts";
import { openRemoteScene } from "./remote-scene.ts";

type Respond = (page: { shown: unknown[]; page: number; all: unknown[] }) => unknown;

const TOLD: Respond = ({ shown, page, all }) => ({
  data: shown,
  meta: { page, limit: 2, total: all.length, hasMore: page * 2 < all.length },
});
const SILENT: Respond = ({ shown }) => shown;

/** @param respond returns the answer to a request for layouts or versions. The oldest version is first */
async function openScene(respond: Respond) {
  const { cli, url: real } = await openRemoteScene();
  const server = await startServer(async ({ method, url, headers, body }) => {
    const { pathname, searchParams } = new URL(url, real);
    const isList = method === "GET" && /^\/v1\/view-layouts(\/[^/]+\/versions)?$/.test(pathname);
    const page = Number(searchParams.get("page") ?? 1);
    if (isList) searchParams.delete("page");
    const sent = body === "" ? undefined : (JSON.parse(body) as JsonObject);
    if (sent?.["clientMutationId"]) sent["clientMutationId"] = crypto.randomUUID();
    const response = await fetch(`${real}${pathname}?${searchParams.toString()}`, {
      method,
      headers: { authorization: headers.authorization ?? "", "content-type": "application/json" },
      ...(sent && { body: JSON.stringify(sent) }),
    });
    const text = await response.text();
    const answer = text === "" ? undefined : (JSON.parse(text) as unknown);
    if (!isList || !isJsonObject(answer) || !Array.isArray(answer["data"]))
      return { status: response.status, body: answer };
    const all = (pathname.endsWith("/versions") ? answer["data"].toReversed() : answer["data"]) as unknown[];
    return { status: 200, body: respond({ all, page, shown: all.slice((page - 1) * 2, page * 2) }) };
  });
  onTestFinished(() => server.close());
  for (const name of ["First", "Second", "Third"]) {
    cli.clock.now = new Date(cli.clock.now.getTime() + 60_000);
    await cli.run("layouts", "create", "--surface", "CONTRACTOR", "--modes", "VIEW", "--name", name);
  }
  // Advances the clock, so that new records are on later pages.
  cli.clock.now = new Date(cli.clock.now.getTime() + 60_000);
  cli.env["FORMCTL_BASE_URL"] = server.url;
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
