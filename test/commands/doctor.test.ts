/** `formctl doctor`: reports each problem with a fix. */

import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { startServer, type Received, type Reply } from "../client/table-server.ts";
import { type Cli, openCli } from "./cli.ts";
import { openRemoteScene } from "./remote-scene.ts";

type Finding = { check: string; state: string; message: string; fix: string | null };

async function diagnose(cli: Cli) {
  const { code, json } = await cli.run("doctor", "--json");
  const findings = json() as Finding[];
  return { code, findings, states: Object.fromEntries(findings.map(({ check, state }) => [check, state])) };
}

it("finds a server and a token in order", async () => {
  const { cli } = await openRemoteScene();
  cli.clock.now = new Date();
  expect(await diagnose(cli)).toMatchObject({
    code: 0,
    states: {
      settings: "ok",
      "stored tokens": "ok",
      token: "ok",
      reachability: "ok",
      clock: "ok",
      "api.custom_forms.read": "ok",
      "api.view_layouts.read": "ok",
      operations: "ok",
      answers: "ok",
    },
  });
  const { stdout } = await cli.run("doctor");
  expect(stdout).toMatch(/^ok {4}settings: the target is http:/);
  expect(stdout).not.toContain(cli.env["FORMCTL_TOKEN"]);
});

it("reports missing permissions and the clock difference", async () => {
  const { cli, newToken } = await openRemoteScene();
  cli.env["FORMCTL_TOKEN"] = await newToken([]);
  const { code, findings, states } = await diagnose(cli);
  expect(code).toBe(0);
  expect(states).toMatchObject({ "api.custom_forms.read": "warn", "api.view_layouts.read": "warn", clock: "warn" });
  expect(findings.every(({ state, fix }) => (state === "ok") === (fix === null))).toBe(true);
});

it.each([
  ["no token", async (cli: Cli) => void delete cli.env["FORMCTL_TOKEN"], 4, "token"],
  ["a token that is refused", async (cli: Cli) => void (cli.env["FORMCTL_TOKEN"] = "nobody-knows-it"), 4, "token"],
  ["nobody there", async (cli: Cli) => void (cli.env["FORMCTL_BASE_URL"] = "http://127.0.0.1:1"), 7, "reachability"],
  ["no API there", async (cli: Cli) => void (cli.env["FORMCTL_BASE_URL"] += "/other"), 5, "reachability"],
  [
    "a credentials file that others can read",
    async (cli: Cli) => {
      writeFileSync(join(cli.home, "credentials.yaml"), "{}\n");
      chmodSync(join(cli.home, "credentials.yaml"), 0o644);
    },
    4,
    "stored tokens",
  ],
])("fails for %s", async (_what, breakIt, exitCode, check) => {
  const { cli } = await openRemoteScene();
  await breakIt(cli);
  const { code, states } = await diagnose(cli);
  expect(code).toBe(exitCode);
  expect(states[check]).toBe("fail");
});

it("reports missing operations and announcements of a server", async () => {
  const answer = ({ url }: Received): Reply => {
    if (url.startsWith("/v1/currencies"))
      return { status: 200, headers: { sunset: "Fri, 01 Jan 2027 00:00:00 GMT" }, body: [{ code: "EUR" }] };
    return { status: 404, body: { error: "no" } };
  };
  const server = await startServer(answer);
  onTestFinished(() => server.close());
  const cli = await openCli(null);
  Object.assign(cli.env, { FORMCTL_BASE_URL: server.url, FORMCTL_TOKEN: "some-token-of-theirs" });
  const { code, states } = await diagnose(cli);
  expect(code).toBe(0);
  expect(states).toMatchObject({ sunset: "warn", layouts: "warn", answers: "warn", operations: "ok" });
});

it("looks into the local store", async () => {
  const cli = await openCli();
  expect((await diagnose(cli)).states).toMatchObject({ store: "ok", organization: "ok" });
  delete cli.env["FORMCTL_ORGANIZATION"];
  expect((await diagnose(cli)).states).toMatchObject({ organization: "warn" });
  const empty = await openCli(null);
  expect(await diagnose(empty)).toMatchObject({ code: 5, states: { store: "fail" } });
});
