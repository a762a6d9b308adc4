/** Tests the maximum number of requests per second: its sources, their precedence, and invalid values. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { behindNorthwind } from "./manifests-scene.ts";
import { openRemoteScene } from "./remote-scene.ts";

const FORM = "staffing/candidate/Intake";

/** Opens a program with the profile `prod`. `waits` are the waits of a command that sends several requests. */
async function openScene(...rate: string[]) {
  const { cli, url } = await openRemoteScene();
  delete cli.env["FORMCTL_BASE_URL"];
  await behindNorthwind(cli, (service) =>
    service.createForm({ moduleKey: "staffing", objectKey: "candidate", body: { name: "Intake", types: ["VIEW"] } }),
  );
  expect((await cli.run("profiles", "add", "prod", "--base-url", url, ...rate)).code).toBe(0);
  const waitsOf = async (...options: string[]) => {
    const waits: number[] = [];
    cli.sleep = async (milliseconds) => void waits.push(milliseconds);
    const { code, stderr } = await cli.run("forms", "access", "show", FORM, "--profile", "prod", ...options);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    return new Set(waits);
  };
  return { cli, waitsOf };
}

it("is not limited by default", async () => {
  const { waitsOf } = await openScene();
  expect(await waitsOf()).toEqual(new Set());
});

it("comes from the flag, the environment, the profile or the user file, in this order", async () => {
  const { cli, waitsOf } = await openScene("--max-rps", "4");
  await cli.run("config", "set", "maxRequestsPerSecond", "2");
  expect(await waitsOf()).toEqual(new Set([250]));
  cli.env["FORMCTL_MAX_RPS"] = "8";
  expect(await waitsOf()).toEqual(new Set([125]));
  expect(await waitsOf("--max-rps", "0.5")).toEqual(new Set([2_000]));
  delete cli.env["FORMCTL_MAX_RPS"];
  const { cli: other, waitsOf: waitsOfOther } = await openScene();
  await other.run("config", "set", "maxRequestsPerSecond", "2");
  expect(await waitsOfOther()).toEqual(new Set([500]));
});

it("is shown by profiles list", async () => {
  const { cli } = await openScene("--max-rps", "4");
  expect((await cli.run("profiles", "list", "--json")).json()).toMatchObject([
    { name: "prod", maxRequestsPerSecond: 4 },
  ]);
});

it.each(["0", "-1", "0.0001", "ten", "1e3", "Infinity", ""])("refuses %j", async (rate) => {
  const { cli } = await openScene();
  const list = await cli.run("layouts", "list", "--profile", "prod", "--max-rps", rate);
  const message = `invalid number of requests per second "${rate}": must be a number of at least 0.001, such as 10 or 0.5`;
  expect({ code: list.code, stderr: list.stderr }).toMatchObject({
    stderr: expect.stringContaining(message) as string,
  });
  expect(list.code).not.toBe(0);
  expect((await cli.run("config", "set", "maxRequestsPerSecond", rate)).stderr).toContain(message);
});

it("is refused in a profile that is invalid, with its line", async () => {
  const { cli } = await openScene();
  const profile = "profiles:\n  prod:\n    baseUrl: http://localhost:1\n    maxRequestsPerSecond: fast\n";
  writeFileSync(join(cli.home, "config.yaml"), profile, { mode: 0o600 });
  const { code, stderr } = await cli.run("profiles", "list");
  expect(code).toBe(3);
  expect(stderr).toMatch(/config\.yaml:4:\d+ .*invalid number of requests per second/);
});

it("can't be saved for a local store", async () => {
  const { cli } = await openScene();
  const { code, stderr } = await cli.run("profiles", "add", "box", "--store", "box.db", "--max-rps", "4");
  expect({ code, stderr }).toMatchObject({
    code: 64,
    stderr: expect.stringContaining("--max-rps and --store can't be combined") as string,
  });
});
