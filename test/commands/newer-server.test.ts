/** Tests commands on a server with unknown values and numeric ids. The server ignores filters. */

import { beforeEach, describe, expect, it } from "vitest";
import type { DraftContent } from "../../src/schemas/draft.ts";
import { speaksNewer } from "../proxy/newer.ts";
import { insertProxy, type Proxy } from "../proxy/proxy.ts";
import { type Cli, openCli } from "./cli.ts";
import { openRemoteScene } from "./remote-scene.ts";

let cli: Cli;
let server: Proxy;

beforeEach(async () => {
  const scene = await openRemoteScene();
  cli = scene.cli;
  server = await insertProxy(cli, speaksNewer());
});

const bodies = () => server.received.flatMap(({ method, body }) => (method === "GET" || !body ? [] : [body]));
const PAGE = ["layouts", "create", "--surface", "PAGE_X", "--modes", "VIEW", "--name", "Page"];
const newPage = async () => (await cli.run(...PAGE, "-o", "name")).stdout.trim();

const DRAFT = `schemaVersion: 2
regions:
  - {key: main, label: Main, layout: grid, columns: 12}
blocks:
  - id: lanes
    type: kanban
    source: system
    regionKey: main
    requiredPolicy: sometimes
    config: {html: Hello}
  - {id: total, type: builtin, source: formula, ref: {moduleKey: m}, regionKey: main, displayOrder: 2}
`;

describe("a surface that formctl does not know", () => {
  it("is created and listed, with a warning", async () => {
    const { code, stderr } = await cli.run(...PAGE);
    expect(code).toBe(0);
    expect(stderr).toContain("warning: The surface PAGE_X is unknown to formctl and is sent to the server unchanged.");
    expect(bodies()).toMatchObject([{ surface: "PAGE_X", target: {} }]);
    const other = await cli.run("layouts", "create", "--surface", "CONTRACTOR", "--modes", "EDIT", "--name", "Card");
    expect(other).toMatchObject({ code: 0, stderr: expect.not.stringContaining("warning") as string });

    const names = async (...flags: string[]) => {
      const { json } = await cli.run("layouts", "list", ...flags, "--json");
      return (json() as { name: string }[]).map(({ name }) => name);
    };
    expect(await names("--surface", "PAGE_X")).toEqual(["Page"]);
    expect(await names("--surface", "CONTRACTOR")).toEqual(["Card"]);
    expect(await names("--mode", "EDIT")).toEqual(["Card"]);
    expect(await names("--object", "staffing/candidate")).toEqual([]);
    const parameters = server.received.flatMap(({ query }) => [...query.keys()]);
    expect(parameters.filter((name) => name !== "page")).toEqual([]);
  });

  it("is shown among the surfaces, and alone", async () => {
    expect((await cli.run("layouts", "surfaces", "-o", "name")).stdout).toMatch(/^PAGE_X$/m);
    const { code, stdout, stderr } = await cli.run("layouts", "surfaces", "PAGE_X");
    expect(code).toBe(0);
    expect(stdout.trim().split("\n")).toHaveLength(2);
    expect(stderr).toContain("The surface PAGE_X is unknown to formctl");
    const known = await cli.run("layouts", "surfaces", "DASHBOARD", "--json");
    expect(known.json()).toMatchObject({ surfaces: [{ surface: "DASHBOARD" }] });
    expect((known.json() as { surfaces: unknown[] }).surfaces).toHaveLength(1);
    expect(known.stderr).toBe("");
  });

  it("that the server does not have either is not found", async () => {
    const { code, stderr } = await cli.run("layouts", "surfaces", "PAGE_Y");
    expect(code).toBe(5);
    expect(stderr).toContain("the surface PAGE_Y does not exist on the server");
  });

  it("may be INVOICE, with a hint", async () => {
    const create = ["layouts", "create", "--surface", "INVOICE", "--modes", "VIEW", "--name", "Page", "--dry-run"];
    const { code, stdout, stderr } = await cli.run(...create);
    expect(code).toBe(0);
    expect(stdout).toContain('"surface": "INVOICE"');
    expect(stderr).toContain(
      "surface INVOICE is unknown to formctl and is sent to the server unchanged. Did you mean SALES_INVOICE or",
    );
  });

  it.each([
    ["--surface", ["layouts", "create", "--surface", "PAGE_X", "--modes", "VIEW", "--name", "Page"]],
    ["--surface", ["layouts", "list", "--surface", "PAGE_X"]],
    ["SURFACE", ["layouts", "surfaces", "PAGE_X"]],
  ])("is refused by a local store before anything is done: %s of %o", async (name, line) => {
    const local = await openCli();
    const { code, stderr } = await local.run(...line);
    expect(code).toBe(64);
    expect(stderr).toContain(`error: ${name} must be one of DYNAMIC_OBJECT, CONTRACTOR,`);
  });
});

describe("a draft with values that formctl does not know", () => {
  it("is pushed, each word with a warning at its place, and published", async () => {
    const id = await newPage();
    cli.file("draft.yaml", DRAFT);
    const { code, stdout, stderr } = await cli.run("layouts", "draft", "push", id, "draft.yaml", "--publish");
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining("Published it") as string });
    expect(stderr).toContain("draft.yaml:1:16  warning  SCHEMA_VERSION_UNKNOWN  formctl does not know");
    expect(stderr).toMatch(/draft\.yaml:6:11 +warning +BLOCK_TYPE_UNKNOWN .*"kanban"/);
    expect(stderr).toMatch(/draft\.yaml:9:21 +warning +REQUIRED_POLICY_UNKNOWN .*"sometimes"/);
    expect(stderr).toMatch(/draft\.yaml:11:40 +warning +BLOCK_SOURCE_UNKNOWN .*"formula"/);
    expect(bodies()[1]).toMatchObject({
      schemaVersion: 2,
      blocks: [{ type: "kanban", requiredPolicy: "sometimes" }, { source: "formula" }],
    });
  });

  it("is checked without being sent by --dry-run, and the words are no mistake", async () => {
    const id = await newPage();
    const before = server.received.length;
    cli.file("draft.yaml", DRAFT);
    const { code, stderr } = await cli.run("layouts", "draft", "push", id, "draft.yaml", "--dry-run");
    expect(code).toBe(0);
    expect(stderr).toContain("BLOCK_TYPE_UNKNOWN");
    expect(stderr).toContain("BLOCK_SOURCE_UNKNOWN");
    expect(server.received.slice(before).every(({ method }) => method === "GET")).toBe(true);
  });

  it("is shown, and can be pushed unchanged", async () => {
    const id = await newPage();
    cli.file("draft.yaml", DRAFT);
    await cli.run("layouts", "draft", "push", id, "draft.yaml");
    const shown = await cli.run("layouts", "draft", "show", id, "-o", "yaml");
    expect(shown).toMatchObject({ code: 0, stderr: expect.stringContaining("has schema version 2") as string });
    cli.stdin = shown.stdout;
    expect((await cli.run("layouts", "draft", "push", id, "-")).code).toBe(0);
    expect(bodies()[2]).toMatchObject({ schemaVersion: 2, blocks: [{ type: "kanban" }, { source: "formula" }] });
    expect((await cli.run("layouts", "draft", "show", id)).stdout).toMatch(/lanes +kanban .*sometimes/);
  });

  it("is compared, copied and published as a version", async () => {
    const id = await newPage();
    cli.file("draft.yaml", DRAFT);
    expect((await cli.run("layouts", "draft", "push", id, "draft.yaml", "--publish")).code).toBe(0);
    cli.file("draft.yaml", DRAFT.replace("Hello", "Good day"));
    expect((await cli.run("layouts", "draft", "push", id, "draft.yaml", "--publish")).code).toBe(0);
    const diff = await cli.run("layouts", "versions", "diff", id, "1", "2");
    expect(diff).toMatchObject({ code: 0, stdout: expect.stringContaining("Good day") as string });
    expect(diff.stderr).toContain("has schema version 2; formctl supports 1");
    expect((await cli.run("layouts", "versions", "get", id, "1")).stdout).toContain("kanban");
    const restored = await cli.run("layouts", "versions", "restore", id, "1", "--publish");
    expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining("Published it as") as string });
    expect((await cli.run("layouts", "versions", "list", id)).stdout).not.toMatch(/undefined|NaN|\[object/);
  });

  it("is refused by a local store before anything is sent", async () => {
    const local = await openCli();
    const create = ["layouts", "create", "--surface", "USER", "--modes", "VIEW", "--name", "Page", "-o", "name"];
    const id = (await local.run(...create)).stdout.trim();
    local.file("draft.yaml", DRAFT);
    const { code, stderr } = await local.run("layouts", "draft", "push", id, "draft.yaml", "--verbose");
    expect(code).toBe(3);
    expect(stderr).toContain("blocks[0].type must be one of");
    expect(stderr).not.toContain("PUT");
  });

  it("is scaffolded for a layout with an unknown surface", async () => {
    const id = await newPage();
    const { code, json } = await cli.run("layouts", "draft", "scaffold", id, "--json");
    expect(code).toBe(0);
    expect((json() as DraftContent).regions).toMatchObject([{ key: "main" }]);
  });
});

describe("numeric ids and an unknown mode", () => {
  const OBJECT = "staffing/candidate";

  it("go through the commands of forms", async () => {
    const run = async (...line: string[]) => {
      const outcome = await cli.run(...line);
      expect([line.join(" "), outcome.code, outcome.stderr.match(/error:.*/)?.[0]]).toEqual([
        line.join(" "),
        0,
        undefined,
      ]);
      expect(outcome.stdout + outcome.stderr).not.toMatch(/undefined|NaN|\[object|internal error/);
      return outcome;
    };
    const created = await run("forms", "create", OBJECT, "--name", "Card", "--types", "VIEW", "--json");
    const { id, viewLayoutId } = created.json() as { id: string; viewLayoutId: string };
    expect([id, viewLayoutId]).toEqual([expect.stringMatching(/^\d+$/), expect.stringMatching(/^\d+$/)]);
    expect((await run("forms", "get", `${OBJECT}/${id}`)).stdout).toMatch(/WORKSPACE not usable/);
    await run("forms", "update", `${OBJECT}/Card`, "--add-type", "EDIT");
    expect(bodies().at(-1)).toEqual({ types: ["VIEW", "WORKSPACE", "EDIT"] });
    expect((await run("forms", "list", OBJECT)).stdout).toMatch(/VIEW draft only, .*WORKSPACE/);
    await run("forms", "available", OBJECT, "--type", "EDIT");
    const path = "/v1/custom-modules/staffing/objects/candidate/forms/defaults";
    await run("api", "PATCH", path, "-d", JSON.stringify({ defaultViewFormId: id }));
    expect((await run("forms", "defaults", "show", OBJECT)).stdout).toMatch(new RegExp(`VIEW +Card +${id}`));
    await run("api", "PATCH", path, "-d", '{"defaultViewFormId": null}');
    await run("forms", "access", "show", `${OBJECT}/${id}`);

    expect((await run("layouts", "get", `${OBJECT}/Card`)).stdout).toMatch(/formId=\d+/);
    const scaffold = await run("layouts", "draft", "scaffold", `${OBJECT}/Card`, "-o", "json");
    cli.stdin = scaffold.stdout.replace(
      '"blocks": []',
      '"blocks": [{"type": "kanban", "source": "system", "regionKey": "main"}]',
    );
    await run("layouts", "draft", "push", viewLayoutId, "-");
    await run("layouts", "publish", viewLayoutId);
    expect((await run("layouts", "list", "--object", OBJECT)).stdout).toContain("Card");
    const archived = await cli.run("layouts", "archive", viewLayoutId, "--allow-delete");
    expect(archived).toMatchObject({ code: 6, stderr: expect.stringContaining("forms delete") as string });
    await run("forms", "delete", `${OBJECT}/${id}`, "--allow-delete");
  });

  it("go through the commands of layouts", async () => {
    const id = await newPage();
    expect(id).toMatch(/^\d+$/);
    for (const line of [
      ["layouts", "get", id],
      ["layouts", "update", id, "--name", "Pages"],
      ["layouts", "versions", "list", id],
      ["layouts", "versions", "get", id, "draft"],
      ["layouts", "assignments", "set", id, "--default"],
      ["layouts", "assignments", "show", id],
      ["layouts", "archive", id, "--allow-delete"],
    ]) {
      const { code, stdout, stderr } = await cli.run(...line);
      expect([line.join(" "), code]).toEqual([line.join(" "), 0]);
      expect(stdout + stderr).not.toMatch(/undefined|NaN|\[object|internal error/);
    }
  });
});

describe("layouts as code with unknown values on the server", () => {
  const CARD = `kind: Layout
name: Card
surface: CONTRACTOR
supportedModes: [VIEW]
target: {}
layout:
  schemaVersion: 1
  regions: [{key: main, label: Main, layout: grid, columns: 12}]
  blocks: [{id: help, type: button, source: system, regionKey: main}]
`;

  it("are compared, and are left out of an export", async () => {
    const create = ["layouts", "create", "--surface", "CONTRACTOR", "--modes", "VIEW", "--name", "Card", "-o", "name"];
    const id = (await cli.run(...create)).stdout.trim();
    await newPage();
    cli.file("draft.yaml", DRAFT);
    expect((await cli.run("layouts", "draft", "push", id, "draft.yaml", "--publish")).code).toBe(0);
    cli.file("manifests/card.yaml", CARD);
    const planned = await cli.run("plan", "manifests");
    expect(planned.stdout + planned.stderr).toMatch(/CONTRACTOR\/Card/);
    expect(planned.code).toBe(0);
    const status = await cli.run("status", "manifests");
    expect(status.code).toBe(0);
    const exported = await cli.run("export", "--all-layouts", "--into", "out");
    expect(exported.code).toBe(0);
    expect(exported.stderr).toContain("CONTRACTOR/Card: manifests do not support it, so it is omitted");
    expect(exported.stderr).toContain("PAGE_X/Page: manifests do not support it, so it is omitted");
    for (const { stdout, stderr } of [planned, status, exported])
      expect(stdout + stderr).not.toMatch(/undefined|NaN|\[object|internal error/);
  });
});
