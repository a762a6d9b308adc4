/** Tests commands on a server that refuses every read after a write. The command reports that the write is done. */

import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { Interrupted } from "../../src/terminal/interrupted.ts";
import { newCanary } from "../canary.ts";
import { byTable, type Reply, startServer } from "../client/table-server.ts";
import { type Cli, openCli, openLocal } from "./cli.ts";

const CANDIDATE = "staffing/candidate";

/** Opens a program with such a server. `change` may change the response to a write. */
async function openScene(change: (reply: Reply) => Reply = (reply) => reply): Promise<Cli> {
  const cli = await openCli();
  const create = ["forms", "create", CANDIDATE, "--types", "VIEW", "--name"];
  await cli.run(...create, "Profile");
  await cli.run(...create, "Idle", "--inactive");
  cli.file("draft.json", { schemaVersion: 1, regions: [{ key: "main", label: "Main", layout: "grid" }], blocks: [] });
  await cli.run("layouts", "draft", "push", `${CANDIDATE}/Profile`, "draft.json");
  const local = openLocal(cli, join(cli.home, "local.db"));
  const service = await local.service("northwind");
  let isWritten = false;
  const server = await startServer(async (request) => {
    const isRead = request.method === "GET";
    if (isRead && isWritten) return { status: 503, body: { error: { code: "GONE_AWAY", message: "gone" } } };
    isWritten ||= !isRead;
    const reply = await byTable(service, request);
    return isRead ? reply : change(reply);
  });
  onTestFinished(async () => {
    await server.close();
    await local.close();
  });
  cli.env = { FORMCTL_HOME: cli.home, FORMCTL_BASE_URL: server.url, FORMCTL_TOKEN: newCanary() };
  return cli;
}

it.each([
  [["forms", "create", CANDIDATE, "--name", "New", "--types", "VIEW"], /^Name: +New$/m],
  [["forms", "defaults", "set", CANDIDATE, "VIEW=Profile"], /^VIEW +frm_/m],
  [["forms", "defaults", "clear", CANDIDATE, "VIEW"], /^VIEW/m],
  [["layouts", "publish", `${CANDIDATE}/Profile`], /Published version 1/],
])("succeeds and shows the members of the response: %j", async (line, shown) => {
  const cli = await openScene();
  const { code, stdout } = await cli.run(...line);
  expect(code).toBe(0);
  expect(stdout).toMatch(shown);
});

it("succeeds and warns about a value that the server does not confirm", async () => {
  const cli = await openScene(({ body, ...reply }) => {
    const { isActive: _untold, ...form } = (body as { data: Record<string, unknown> }).data;
    return { ...reply, body: { data: form } };
  });
  const { code, stderr } = await cli.run("forms", "update", `${CANDIDATE}/Idle`, "--active");
  expect(code).toBe(0);
  expect(stderr).toContain("warning: The server accepted the change of isActive, but does not report its value.");
});

it("reports the writes that are done when a signal stops the command", async () => {
  const cli: Cli = await openScene((reply) => {
    cli.ending.abort(new Interrupted());
    return reply;
  });
  const words = ["layouts", "draft", "push", `${CANDIDATE}/Profile`, "draft.json", "--publish", "-o", "json"];
  const { code, error } = await cli.run(...words);
  expect(code).toBe(7);
  expect(error()).toMatchObject({
    code: "STOPPED_AFTER_WRITE",
    message: expect.stringMatching(
      /^PUT \/v1\/.*\/draft \(ver_\w+\) is done; then the command failed: interrupted$/,
    ) as string,
  });
});
