/** `formctl doctor --contract`: lists each planted difference of a server, and nothing else. It sends GETs only. */

import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { serviceHandler } from "../../src/composition/serve.ts";
import { isJsonObject, type JsonObject } from "../../src/schemas/json.ts";
import type { OperationName } from "../../src/schemas/operations.ts";
import { operationAt } from "../../src/schemas/contract/har.ts";
import { type Permission, PERMISSIONS } from "../../src/schemas/words.ts";
import { holdsToken, newCanary } from "../canary.ts";
import { SHAPES } from "../proxy/manners.ts";
import { type Manner, openProxy, type Proxy } from "../proxy/proxy.ts";
import { type Cli, openCli, openLocal } from "./cli.ts";
import { fillStore } from "./output-scene.ts";

type Contract = {
  exitCode: number;
  findings: { operation: string; path: string; kind: string; group: string; difference: string; effect: string }[];
  lookedAt: string[];
  notLookedAt: { operation: string; reason: string }[];
  changes?: { added: { path: string }[]; removed: { path: string }[] };
};

type Scene = { cli: Cli; proxy: Proxy; manner: { current: Manner } };

/** Opens a program and a server with a form and layouts. Tests can change the manner of the server. */
async function openScene(manner: Manner = {}, permissions: readonly Permission[] = PERMISSIONS): Promise<Scene> {
  const cli = await openCli();
  const local = openLocal(cli, join(cli.home, "local.db"));
  onTestFinished(() => local.close());
  await fillStore(local);
  const request = { organization: "northwind", name: "contract", permissions, expiresAt: null };
  const { token } = await local.createToken(request);
  const current = { current: manner };
  const proxy = await openProxy(serviceHandler(local, { host: "127.0.0.1", version: "test" }), {
    request: (asked, pass) => current.current.request?.(asked, pass),
    answer: (reply, asked) => current.current.answer?.(reply, asked),
  });
  cli.env = { FORMCTL_HOME: cli.home, FORMCTL_BASE_URL: proxy.url, FORMCTL_TOKEN: token };
  return { cli, proxy, manner: current };
}

async function contractOf({ cli, proxy }: Scene, ...options: string[]): Promise<Contract & { lines: string[] }> {
  const { code, json } = await cli.run("doctor", "--contract", ...options, "-o", "json");
  const contract = json() as Contract;
  expect(code).toBe(contract.exitCode);
  expect(proxy.writes()).toEqual([]);
  return { ...contract, lines: contract.findings.map(lineOf) };
}

function lineOf({ group, operation, path, difference, effect }: Contract["findings"][number]): string {
  return `${group} ${operation} ${path}: ${difference}: ${effect}`;
}

/** Changes the records of the answers of one operation. */
function plants(operation: OperationName, change: (record: JsonObject) => void): Manner {
  return {
    answer(reply, { method, path }) {
      const data = isJsonObject(reply.body) ? reply.body["data"] : undefined;
      if (operationAt(method, `http://x${path}`) !== operation || data === undefined) return undefined;
      for (const record of [data].flat()) change(record as JsonObject);
      return reply;
    },
  };
}

describe("doctor --contract", () => {
  it("finds no difference on our server, and looks at each GET", async () => {
    const contract = await contractOf(await openScene());
    expect(contract).toMatchObject({ exitCode: 0, findings: [], notLookedAt: [] });
    expect(contract.lookedAt).toHaveLength(10);
  });

  it.each(["documented", "live"] as const)("lists the differences of the %s server", async (name) => {
    const scene = await openScene(SHAPES[name]());
    scene.cli.file("formctl.yaml", "object: staffing/candidate\n");
    const { lines, exitCode, notLookedAt } = await contractOf(scene);
    expect(exitCode).toBe(0);
    await expect(
      [...lines, ...notLookedAt.map(({ operation, reason }) => `not looked at ${operation}: ${reason}`), ""].join("\n"),
    ).toMatchFileSnapshot(`snapshots/contract-${name}.txt`);
  });

  it.each<[string, Manner, string[]]>([
    [
      "unknown members",
      plants("listForms", (form) => Object.assign(form, { lockedBy: "ana", tags: [{ secret: 1 }] })),
      [
        "new listForms data[].lockedBy: unknown member (string): ignored",
        "new listForms data[].tags: unknown member (list): ignored",
      ],
    ],
    [
      "unknown members of blocks, which a save sends back",
      plants("getVersion", ({ blocks }) => Object.assign((blocks as JsonObject[])[0]!, { tooltip: "x" })),
      ["new getVersion data.blocks[].tooltip: unknown member (string): kept on write"],
    ],
    [
      "missing members",
      plants("getForm", (form) => {
        delete form["types"];
        delete form["createdAt"];
      }),
      [
        "canBreak getForm data.types: missing: commands that read it fail",
        "harmless getForm data.createdAt: missing: shown as unknown",
      ],
    ],
    [
      "numbers that are strings, and ids that are numbers",
      plants("listVersions", (version) => Object.assign(version, { version: "1", layoutId: 5 })),
      [
        "canBreak listVersions data[].version: string instead of number: commands that read it fail",
        "harmless listVersions data[].layoutId: number instead of string: accepted",
      ],
    ],
    [
      "an unknown word, and an unknown key of a map",
      inTurn(
        plants("getLayout", (layout) => Object.assign(layout, { status: "SUSPENDED" })),
        plants("getForm", ({ layoutAvailability }) =>
          Object.assign(layoutAvailability as object, { PRINT: { state: "PUBLISHED" } }),
        ),
      ),
      [
        "new getForm data.layoutAvailability.*: unknown key: kept and printed",
        "new getLayout data.status: unknown word: kept and printed",
      ],
    ],
    [
      "an unknown status",
      { answer: (reply, { path }) => (path.endsWith("/available") ? { ...reply, status: 206 } : undefined) },
      ["new listAvailableForms : status 206: read like 200"],
    ],
    [
      "a record where a list is documented",
      {
        answer: (reply, { path }) =>
          path === "/v1/currencies" ? { ...reply, body: { data: { EUR: { code: "EUR" } } } } : undefined,
      },
      ["canBreak listCurrencies data: object instead of list: commands that read it fail"],
    ],
    [
      "pages of a proxy instead of answers",
      {
        answer: (_reply, { path }) =>
          path === "/v1/currencies"
            ? { status: 200, headers: { "content-type": "text/html" }, body: "<html></html>" }
            : path.endsWith("/access")
              ? { status: 200 }
              : undefined,
      },
      [
        "canBreak listCurrencies : unreadable instead of object: commands that read it fail",
        "canBreak getFormAccess : unreadable instead of object: commands that read it fail",
      ],
    ],
    [
      "a list outside of data",
      {
        answer: (reply, { path }) =>
          path === "/v1/currencies" ? { ...reply, body: [{ code: "EUR", name: "Euro" }] } : undefined,
      },
      ["harmless listCurrencies : not in data: found elsewhere"],
    ],
  ])("lists %s, and nothing else", async (_what, manner, expected) => {
    const { lines, exitCode } = await contractOf(await openScene(manner));
    expect(lines.toSorted()).toEqual(expected.toSorted());
    expect(exitCode).toBe(expected.some((line) => line.startsWith("canBreak")) ? 1 : 0);
  });

  it("sends no GET for which the token lacks the permission, after the first refusal", async () => {
    const scene = await openScene({}, ["api.view_layouts.read"]);
    scene.cli.file("formctl.yaml", "object: staffing/candidate\n");
    const { notLookedAt, lines } = await contractOf(scene);
    expect(lines).toEqual([]);
    expect(notLookedAt.map(({ operation }) => operation)).toEqual([
      "listForms",
      "listAvailableForms",
      "getForm",
      "getFormAccess",
    ]);
    expect(notLookedAt[0]!.reason).toBe("the token lacks api.custom_forms.read");
    expect(scene.proxy.received.filter(({ path }) => path.includes("/forms"))).toHaveLength(1);
  });

  it("reports with exit code 2 what changed since the shapes were saved", async () => {
    const scene = await openScene(plants("listForms", (form) => Object.assign(form, { lockedBy: "ana" })));
    await contractOf(scene, "--save", "contract.json");
    const saved = readFileSync(join(scene.cli.cwd, "contract.json"), "utf8");
    expect(saved).toContain('"data[].lockedBy": [\n          "string"\n        ]');
    expect(await contractOf(scene, "--compare", "contract.json")).toMatchObject({
      exitCode: 0,
      changes: { added: [], removed: [] },
    });
    scene.manner.current = plants("getForm", (form) => Object.assign(form, { color: "red" }));
    const { exitCode, changes } = await contractOf(scene, "--compare", "contract.json", "--save", "contract.json");
    expect(exitCode).toBe(2);
    expect(changes!.added.map(({ path }) => path)).toEqual(["data.color"]);
    expect(changes!.removed.map(({ path }) => path)).toEqual(["data[].lockedBy"]);
    expect(await contractOf(scene, "--compare", "contract.json")).toMatchObject({ exitCode: 0 });
  });

  it("counts neither an empty list nor a null of an undocumented member as a change", async () => {
    const scene = await openScene(plants("listForms", (form) => Object.assign(form, { lockedBy: "ana" })));
    await contractOf(scene, "--save", "contract.json");
    scene.manner.current = plants("listForms", (form) => Object.assign(form, { lockedBy: null }));
    expect(await contractOf(scene, "--compare", "contract.json")).toMatchObject({ exitCode: 0 });
    scene.manner.current = {
      answer: (reply, { path }) =>
        path.endsWith("/forms") ? { ...reply, body: { data: [], meta: { page: 1, limit: 20 } } } : undefined,
    };
    expect(await contractOf(scene, "--compare", "contract.json")).toMatchObject({ exitCode: 0 });
    scene.manner.current = plants("listForms", (form) => Object.assign(form, { lockedBy: 5 }));
    expect(await contractOf(scene, "--compare", "contract.json")).toMatchObject({ exitCode: 2 });
  });

  it("prints and saves no value of a recording", async () => {
    const cli = await openCli(null);
    const canary = newCanary();
    const form = {
      id: canary,
      name: { [canary]: canary },
      types: [canary],
      config: { [canary]: canary },
      layoutAvailability: { [canary]: { state: canary } },
      [canary]: canary,
      owner: { [canary]: canary },
    };
    const url = "https://forms.example.com/v1/custom-modules/m/objects/o/forms/1";
    const content = { text: JSON.stringify({ data: form, meta: canary }) };
    const entry = { request: { method: "GET", url }, response: { status: 200, content } };
    cli.file("recording.har", { log: { version: "1.2", entries: [entry] } });
    for (const format of ["table", "json", "name"]) {
      const { code, stdout } = await cli.run(
        "doctor",
        "--contract",
        "--from",
        "recording.har",
        "--save",
        "x.json",
        "-o",
        format,
      );
      expect(code).toBe(1);
      expect(stdout).toContain("data.owner");
      expect(holdsToken(stdout + readFileSync(join(cli.cwd, "x.json"), "utf8"))).toBe(false);
    }
    rmSync(join(cli.cwd, "recording.har"));
  });

  it("fails if the server refuses the token, or each request", async () => {
    const scene = await openScene({ request: () => ({ status: 404, body: { error: { code: "X", message: "no" } } }) });
    expect(await scene.cli.run("doctor", "--contract")).toMatchObject({ code: 5, stdout: "" });
    scene.manner.current = {};
    scene.cli.env["FORMCTL_TOKEN"] = "unknown-token";
    expect(await scene.cli.run("doctor", "--contract")).toMatchObject({ code: 4, stdout: "" });
  });

  it("refuses a local store, files of other kinds, and its options without --contract", async () => {
    const cli = await openCli();
    expect(await cli.run("doctor", "--contract")).toMatchObject({ code: 64 });
    const { code, stderr } = await cli.run("doctor", "--save", "x.json");
    expect({ code, stderr }).toMatchObject({ code: 64, stderr: expect.stringContaining("--save requires --contract") });
    cli.file("other.json", '{"secret": "fjord"}');
    cli.file("broken.json", "fjord");
    for (const option of ["--from", "--compare"])
      for (const file of ["other.json", "broken.json"]) {
        const refused = await cli.run("doctor", "--contract", option, file);
        expect(refused.code).toBe(3);
        expect(refused.stderr).not.toContain("fjord");
      }
  });
});

function inTurn(...all: readonly Manner[]): Manner {
  return {
    async answer(reply, asked) {
      let last = reply;
      for (const { answer } of all) last = (await answer?.(last, asked)) ?? last;
      return last;
    },
  };
}
