/** Tests `formctl serve` and `formctl local log` through command lines. */

import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Cli, openCli, type Outcome } from "./cli.ts";

const FORMS = "/v1/custom-modules/staffing/objects/candidate/forms";

/** Serves while `use` runs. Then ends the server like Ctrl-C. */
async function serving(
  cli: Cli,
  words: string[],
  use: (url: string, printed: string) => Promise<void>,
): Promise<Outcome> {
  const before = cli.printed().stdout.length;
  const ended = cli.run("serve", "--port", "0", ...words);
  const printed = () => cli.printed().stdout.slice(before);
  const started = async () => {
    await expect.poll(printed, { interval: 10 }).toContain("\n");
  };
  await Promise.race([ended, started()]);
  const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed()) ?? [];
  if (url === undefined) throw new Error((await ended).stderr);
  await use(url, printed());
  cli.ending.abort();
  return ended;
}

async function tokenOf(cli: Cli): Promise<string> {
  const { json } = await cli.run("local", "tokens", "create", "--name", "ci", "--permission", "all", "-o", "json");
  return (json() as { token: string }).token;
}

describe("formctl serve", () => {
  it("serves the store until a signal, and prints its address on one line", async () => {
    const cli = await openCli();
    const token = await tokenOf(cli);
    let url = "";
    const { code, stdout, stderr } = await serving(cli, ["-o", "json"], async (served) => {
      url = served;
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", "x-request-id": "one" };
      const body = JSON.stringify({ name: "Over HTTP", types: ["VIEW"] });
      expect((await fetch(url + FORMS, { method: "POST", headers, body })).status).toBe(201);
      expect((await fetch(`${url}${FORMS}?limit=1`, { headers: { authorization: `Bearer ${token}x` } })).status).toBe(
        401,
      );
    });
    expect([code, stdout]).toEqual([0, `{"url":"${url}"}\n`]);
    const lines = stderr
      .trimEnd()
      .split("\n")
      .filter((line) => line.includes("requestId"))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const [created, refused] = lines.slice(-2);
    expect(created).toMatchObject({ method: "POST", path: FORMS, status: 201, requestId: "one", msg: "request" });
    expect(Object.keys(created!).sort()).toEqual([
      "level",
      "method",
      "ms",
      "msg",
      "operation",
      "organization",
      "path",
      "requestId",
      "status",
      "time",
      "tokenId",
    ]);
    expect(created).toMatchObject({ operation: "createForm", organization: "northwind" });
    const why = { unauthorized: "unknown", client: "127.0.0.1" };
    expect(refused).toMatchObject({ method: "GET", path: FORMS, status: 401, ...why });
    // No token, no body and no query is in the log.
    expect(stderr).not.toMatch(/fctl_|Over HTTP|limit/);
    const list = await cli.run("forms", "list", "staffing/candidate", "-o", "name");
    expect(list.stdout).toMatch(/^frm_/);
  });

  it("prints what it serves, and suggests creating a token", async () => {
    const cli = await openCli();
    const { stdout, stderr } = await serving(cli, [], async () => undefined);
    expect(stdout).toMatch(/^Serving \/.*local\.db at http:\/\/127\.0\.0\.1:\d+\n$/);
    const create = "Next: formctl local tokens create --name NAME --permission all";
    expect(stderr).toContain(`${create}  # there is no token yet\n`);
    const other = await openCli();
    const store = join(other.home, "local.db");
    const named = await serving(other, ["--store", store], async () => undefined);
    expect(named.stderr).toContain(`${create} --store ${store}  # there is no token yet\n`);
  });

  it("reads the state of a token on every request", async () => {
    const cli = await openCli();
    const token = await tokenOf(cli);
    await serving(cli, [], async (url) => {
      const ask = async () =>
        (await fetch(`${url}/v1/currencies`, { headers: { authorization: `Bearer ${token}` } })).status;
      expect(await ask()).toBe(200);
      await cli.behind(async (_service, local) => {
        for (const { id } of await local.listTokens()) await local.revokeToken(id);
      });
      expect(await ask()).toBe(401);
    });
  });

  it("answers reads while another process keeps the store locked, and refuses writes", async () => {
    const cli = await openCli();
    const token = await tokenOf(cli);
    await serving(cli, [], async (url) => {
      const other = new DatabaseSync(join(cli.home, "local.db"));
      onTestFinished(() => other.close());
      other.exec("BEGIN IMMEDIATE");
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const body = JSON.stringify({ name: "Late", types: ["VIEW"] });
      let isWritten = false;
      const write = fetch(url + FORMS, { method: "POST", headers, body }).finally(() => (isWritten = true));
      for (let times = 0; times < 10; times++) expect((await fetch(url + FORMS, { headers })).status).toBe(200);
      expect(isWritten).toBe(false);
      expect((await write).status).toBe(503);
      other.exec("ROLLBACK");
    });
  });

  it.each(["0.0.0.0", "192.0.2.1", "example.org", "::"])("refuses %s without TLS", async (host) => {
    const cli = await openCli();
    // A server that starts nevertheless ends at once.
    cli.ending.abort();
    const { code, stderr } = await cli.run("serve", "--port", "0", "--host", host);
    expect([code, stderr]).toEqual([64, expect.stringMatching(/--tls-cert.*--behind-proxy/)]);
  });

  it.each([
    [["--tls-cert", "c.pem"], 64, "missing option --tls-key"],
    [["--tls-key", "k.pem"], 64, "missing option --tls-cert"],
    [["--tls-cert", "c.pem", "--tls-key", "k.pem", "--behind-proxy"], 64, "can't be combined"],
    [["--metrics-host", "127.0.0.1"], 64, "missing option --metrics-port"],
    [["--tls-cert", "c.pem", "--tls-key", "k.pem"], 3, "can't read the certificate"],
    [["--metrics-port", "1", "--metrics-host", "192.0.2.1"], 3, "--metrics-host or --metrics-port"],
    [["--rate-limit", "-1"], 64, "--rate-limit"],
  ])("refuses %j", async (words, code, message) => {
    const cli = await openCli();
    const outcome = await cli.run("serve", "--port", "0", ...words);
    expect([outcome.code, outcome.stderr]).toEqual([code, expect.stringContaining(message)]);
  });

  it("prints the address of its metrics, which is not that of the API", async () => {
    const cli = await openCli();
    await serving(cli, ["-o", "json", "--metrics-port", "0"], async (url, printed) => {
      const { metricsUrl } = JSON.parse(printed) as { metricsUrl: string };
      const answer = await fetch(metricsUrl);
      expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
      expect(await answer.text()).toContain("# TYPE formctl_http_requests_total counter");
      expect((await fetch(`${url}/metrics`)).status).toBe(401);
      expect(new URL(metricsUrl).origin).not.toBe(url);
      expect((await fetch(new URL("/v1/currencies", metricsUrl))).status).toBe(404);
    });
  });

  it("reports an address that is in use", async () => {
    const cli = await openCli();
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const { code, stderr } = await cli.run("serve", "--port", String(port));
    expect([code, stderr]).toEqual([3, expect.stringContaining("the port is in use")]);
    server.close();
  });

  it("reports a missing store before it listens", async () => {
    const cli = await openCli(null);
    expect((await cli.run("serve", "--port", "0")).code).toBe(5);
  });
});

describe("formctl local log", () => {
  it("shows the writes with their tokens, newest first", async () => {
    const cli = await openCli();
    expect((await cli.run("local", "log")).stderr).toContain("The log is empty.");
    await cli.run("forms", "create", "staffing/candidate", "--name", "First", "--types", "VIEW");
    await cli.run("forms", "update", "staffing/candidate/First", "--name", "Second");
    const entries = (await cli.run("local", "log", "-o", "json")).json() as Record<string, unknown>[];
    expect(entries.map(({ operation }) => operation)).toEqual(["updateForm", "createForm"]);
    expect(entries[1]).toMatchObject({
      seq: 1,
      organization: "northwind",
      tokenId: null,
      target: FORMS,
      requestId: null,
    });
    const table = (await cli.run("local", "log", "--limit", "1")).stdout;
    expect(table).toMatch(/administrator +updateForm/);
    expect(table).not.toContain("createForm");
  });

  it("shows one operation, of one organization", async () => {
    const cli = await openCli();
    await cli.run("forms", "create", "staffing/candidate", "--name", "First", "--types", "VIEW");
    const names = async (...words: string[]) => (await cli.run("local", "log", "-o", "name", ...words)).stdout;
    expect(await names("--operation", "createForm")).toBe("1\n");
    expect(await names("--operation", "deleteForm")).toBe("");
    expect(await names("--organization", "contoso")).toBe("");
    const wrong = await cli.run("local", "log", "--operation", "createFrom");
    expect([wrong.code, wrong.stderr]).toEqual([64, expect.stringContaining("Did you mean createForm?")]);
  });
});
