/** Lists, surface definitions and form names on servers that differ from ours. */

import { onTestFinished } from "vitest";
import { beforeEach, describe, expect, it } from "vitest";
import type { DraftContent } from "../../src/schemas/draft.ts";
import { type Reply, startServer, type TableServer } from "../client/table-server.ts";
import { type Cli, openCli } from "./cli.ts";

let cli: Cli;
beforeEach(async () => {
  cli = await openCli();
});

/** Starts a server. It answers a GET with the record or list of the path. An unknown path gets 404. */
async function serve(answers: Readonly<Record<string, unknown>>): Promise<TableServer> {
  const server = await startServer(({ method, url }): Reply => {
    const { pathname } = new URL(url, "http://server");
    if (method !== "GET") return { status: 204 };
    if (pathname in answers) return { status: 200, body: { data: answers[pathname] } };
    return { status: 404, body: { error: { code: "NOT_FOUND", message: `there is no ${pathname}` } } };
  });
  onTestFinished(() => server.close());
  delete cli.env["FORMCTL_ORGANIZATION"];
  cli.env["FORMCTL_BASE_URL"] = server.url;
  cli.env["FORMCTL_TOKEN"] = "ek_0";
  return server;
}

describe("layouts draft scaffold with built-in blocks of a server", () => {
  const LAYOUT = { id: "lay_1", surface: "CONTRACTOR", supportedModes: ["VIEW"], name: "Card" };
  const REGIONS = [{ key: "main", label: "Main", layout: "grid", columns: 12 }];

  async function scaffolded(builtInBlocks: unknown) {
    await serve({
      "/v1/view-layouts/lay_1": LAYOUT,
      "/v1/view-layouts/surface-definitions": {
        surfaces: [{ surface: "CONTRACTOR", regions: REGIONS, builtInBlocks }],
      },
    });
    const { code, json, stderr } = await cli.run("layouts", "draft", "scaffold", "lay_1", "--json");
    expect({ code, stderr }).toMatchObject({ code: 0 });
    return (json() as DraftContent).blocks.map(({ id, type, source, ref, config }) => ({
      id,
      type,
      source,
      ref,
      config,
    }));
  }

  it.each<[string, unknown]>([
    ["a list that names them in ref", [{ ref: { componentKey: "card.head" }, label: "Head" }]],
    ["a list that names them itself", [{ componentKey: "card.head", label: "Head" }]],
    ["a list that names them by key", [{ key: "card.head", label: "Head" }]],
    ["a map", { "card.head": { label: "Head" } }],
  ])("keeps their keys, from %s", async (_, builtInBlocks) => {
    expect(await scaffolded(builtInBlocks)).toEqual([
      {
        id: "b_card_head",
        type: "builtin",
        source: "built_in",
        ref: { componentKey: "card.head" },
        config: { label: "Head" },
      },
    ]);
  });

  it("accepts keys alone", async () => {
    expect(await scaffolded(["card.head"])).toMatchObject([{ ref: { componentKey: "card.head" } }]);
    expect(await scaffolded({ "card.head": null })).toMatchObject([{ ref: { componentKey: "card.head" } }]);
  });

  it("keeps type, source, ref and config of the server", async () => {
    const blocks = {
      head: {
        type: "summary",
        source: "module",
        ref: { moduleKey: "crm", depth: 2 },
        config: { label: "A", wide: true },
      },
      name: { type: "field", ref: { builtInFieldKey: "name" }, label: "Name" },
    };
    expect(await scaffolded(blocks)).toEqual([
      {
        id: "b_head",
        type: "summary",
        source: "module",
        ref: { moduleKey: "crm", depth: 2 },
        config: { label: "A", wide: true },
      },
      { id: "b_name", type: "field", source: "built_in", ref: { builtInFieldKey: "name" }, config: { label: "Name" } },
    ]);
  });
});

describe("layouts list on a server that omits the filtered member", () => {
  it.each([
    [["--surface", "CONTRACTOR"], "the surface of the layout lay_2"],
    [["--mode", "VIEW"], "the supportedModes of the layout lay_2"],
    [["--object", "staffing/candidate"], "the target of the layout lay_2"],
  ])("fails with %o: whether a layout belongs to the answer is unknown", async (flags, what) => {
    await serve({
      "/v1/view-layouts": [
        { id: "lay_1", surface: "CONTRACTOR", supportedModes: ["VIEW"] },
        { id: "lay_2", name: "Other" },
      ],
    });
    const { code, stdout, stderr } = await cli.run("layouts", "list", ...flags);
    expect({ code, stdout }).toEqual({ code: 7, stdout: "" });
    expect(stderr).toContain(`error: the server does not show ${what}`);
    expect((await cli.run("layouts", "list", "-o", "name")).stdout).toBe("lay_1\nlay_2\n");
  });
});

describe("forms named like an endpoint", () => {
  const FORMS = "/v1/custom-modules/staffing/objects/candidate/forms";

  it.each([
    ["available", "frm_1"],
    ["defaults", "frm_2"],
  ])("are found by their name: %s", async (name, id) => {
    const forms = [
      { id: "frm_1", name: "available", types: ["VIEW"] },
      { id: "frm_2", name: "defaults", types: ["VIEW"] },
    ];
    const server = await serve({
      [FORMS]: forms,
      [`${FORMS}/available`]: { id: "frm_9", name: "another", types: ["EDIT"] },
      [`${FORMS}/defaults`]: { id: "frm_9", name: "another", types: ["EDIT"] },
      [`${FORMS}/frm_1`]: forms[0],
      [`${FORMS}/frm_2`]: forms[1],
    });
    const { code, json } = await cli.run("forms", "get", `staffing/candidate/${name}`, "--json");
    expect(code).toBe(0);
    expect(json()).toMatchObject({ id, name });
    const update = await cli.run("forms", "update", `staffing/candidate/${name}`, "--name", "New");
    expect(update.code).toBe(0);
    expect(server.received.find(({ method }) => method === "PATCH")?.url).toBe(`${FORMS}/${id}`);
    expect(server.received.map(({ url }) => url)).not.toContain(`${FORMS}/${name}`);
  });
});
