/** Tests that a token reaches only its own origin, whatever names or answers lead to another origin. */

import { readdirSync, readFileSync, statSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { newCanary } from "../canary.ts";
import { type Cli, openCli, type Outcome } from "../commands/cli.ts";
import { type Received, type Reply, startServer, type TableServer } from "./table-server.ts";

const CANARY = newCanary();
const FORMS = "/v1/custom-modules/staffing/objects/candidate/forms";

/** A server that records all received bytes, to find the token in them. Its answer is an empty list. */
type Sink = { port: number; origin: string; bytes: () => string; connections: () => number; close(): void };
let sink: Sink;
/** The server of the token. Each case sets its answer. */
let home: TableServer;
let answer: (request: Received) => Reply;
let tries = 0;

const well = (): Reply => ({ status: 200, body: { data: [{ code: "EUR", name: "Euro" }] } });

beforeAll(async () => {
  let bytes = "";
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => {
      bytes += chunk.toString("latin1");
      socket.end('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 11\r\n\r\n{"data":[]}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  sink = {
    port,
    origin: `http://127.0.0.1:${port}`,
    bytes: () => bytes,
    connections: () => connections,
    close: () => void server.close(),
  };
  home = await startServer((request) => answer(request));
});

afterAll(async () => {
  sink.close();
  await home.close();
});

/** Opens a program with a login at `home` and a profile for the sink. */
async function openPerson(): Promise<Cli> {
  answer = well;
  const cli = await openCli();
  delete cli.env["FORMCTL_ORGANIZATION"];
  await cli.run("profiles", "add", "home", "--base-url", home.url);
  await cli.run("profiles", "add", "other", "--base-url", sink.origin);
  await cli.run("profiles", "use", "home");
  cli.stdin = CANARY;
  expect((await cli.run("auth", "login", "--no-check")).code).toBe(0);
  return cli;
}

/** Runs a command line. Then looks for the token in the sink's bytes, in the output and in the files. */
async function attempt(cli: Cli, ...argv: string[]): Promise<Outcome> {
  tries++;
  const outcome = await cli.run(...argv, "--verbose");
  expect(sink.bytes()).not.toContain(CANARY);
  expect(outcome.stdout + outcome.stderr).not.toContain(CANARY);
  for (const file of readdirSync(cli.home, { recursive: true, encoding: "utf8" })) {
    const path = join(cli.home, file);
    if (file === "credentials.yaml" || !statSync(path).isFile()) continue;
    expect(readFileSync(path, "latin1")).not.toContain(CANARY);
  }
  return outcome;
}

it("arrives at its own server, and the check would find it elsewhere", async () => {
  const cli = await openPerson();
  home.received.length = 0;
  expect((await attempt(cli, "currencies", "list")).code).toBe(0);
  expect(home.received[0]!.headers.authorization).toBe(`Bearer ${CANARY}`);
  expect(sink.connections()).toBe(0);
  const probe = "a-token-that-is-meant-for-the-sink";
  cli.env["FORMCTL_TOKEN"] = probe;
  await attempt(cli, "currencies", "list", "--profile", "other");
  expect(sink.bytes()).toContain(probe);
});

const COMMANDS: Record<string, string[]> = {
  reading: ["api", "GET", "/v1/currencies"],
  creating: ["api", "POST", FORMS, "-d", '{"name":"x","types":["VIEW"]}'],
  replacing: ["api", "PUT", "/v1/view-layouts/lay_1/draft", "-d", '{"clientMutationId":"m"}'],
  deleting: ["api", "DELETE", `${FORMS}/frm_1`],
};
const redirects = [301, 302, 303, 307, 308].flatMap((status) =>
  Object.keys(COMMANDS).map((what) => [what, status] as const),
);

it.each(redirects)("is not sent on when %s is redirected with %i", async (what, status) => {
  const cli = await openPerson();
  answer = () => ({ status, headers: { location: `${sink.origin}/v1/currencies` } });
  const { code, stderr } = await attempt(cli, ...COMMANDS[what]!);
  expect(code).toBe(7);
  expect(stderr).toContain(`redirects to ${sink.origin} (${status})`);
});

it.each([
  ["//HOST/v1", "elsewhere without a scheme"],
  ["https://HOST/v1", "elsewhere over TLS"],
  ["/v1/other", "elsewhere on the same server"],
  ["http://user@HOST/", "elsewhere with a name in front"],
])("is not sent on to %s (%s)", async (location) => {
  const cli = await openPerson();
  answer = () => ({ status: 302, headers: { location: location.replace("HOST", `127.0.0.1:${sink.port}`) } });
  home.received.length = 0;
  expect((await attempt(cli, "currencies", "list")).code).toBe(7);
  expect(home.received).toHaveLength(1);
});

it.each([
  ["links to a next page", () => ({ ...well(), headers: { link: `<${sink.origin}/v1>; rel="next"` } })],
  [
    "a location with a success",
    () => ({ ...well(), headers: { location: sink.origin, refresh: `0; url=${sink.origin}` } }),
  ],
  [
    "a body with addresses",
    () => ({ status: 200, body: { data: [{ code: "X" }], next: sink.origin, meta: { next: sink.origin } } }),
  ],
  ["another place to try", () => ({ status: 503, headers: { "alt-svc": `h2="127.0.0.1:${sink.port}"` }, body: {} })],
])("is not sent on because of %s", async (_what, say) => {
  const cli = await openPerson();
  answer = say;
  const before = sink.connections();
  await attempt(cli, "api", "GET", "/v1/currencies", "--paginate");
  expect(sink.connections()).toBe(before);
});

it.each([
  () => ({ baseUrl: sink.origin }),
  () => ({ profiles: { home: { baseUrl: sink.origin } } }),
  () => ({ profile: "home", profiles: { home: { baseUrl: sink.origin } } }),
  () => ({ token: "x", baseUrl: sink.origin }),
  () => ({ proxy: sink.origin }),
  () => ({ httpsProxy: sink.origin }),
  () => ({ ca: "./ca.pem" }),
  () => ({ store: "./local.db" }),
])("is not sent to a server that a project file chooses (%#)", async (file) => {
  const cli = await openPerson();
  cli.file("formctl.json", file());
  expect((await attempt(cli, "currencies", "list")).code).toBe(3);
});

it("is not sent to another profile that a project file chooses, stored or from the environment", async () => {
  const cli = await openPerson();
  cli.file("formctl.yaml", "profile: other\n");
  expect((await attempt(cli, "currencies", "list")).code).toBe(4);
  cli.env["FORMCTL_TOKEN"] = CANARY;
  const { code, stderr } = await attempt(cli, "currencies", "list");
  expect(code).toBe(4);
  expect(stderr).toContain("FORMCTL_TOKEN is not sent to a server that a project file chooses");
});

it.each([
  ["the other profile", ["--profile", "other"], {}],
  ["the other profile in the environment", [], { FORMCTL_PROFILE: "other" }],
  ["another port", [], { FORMCTL_BASE_URL: "SINK" }],
  ["the same port under another name", [], { FORMCTL_BASE_URL: "http://localhost:HOME" }],
  ["the same port under another address", [], { FORMCTL_BASE_URL: "http://[::1]:HOME" }],
  ["the same port at a neighbor", [], { FORMCTL_BASE_URL: "http://127.0.0.2:HOME" }],
  ["an address in one number", [], { FORMCTL_BASE_URL: "http://2130706433:PORT" }],
  ["an address in hexadecimal", [], { FORMCTL_BASE_URL: "http://0x7f.1:PORT" }],
  ["an address with a path", [], { FORMCTL_BASE_URL: "SINK/127.0.0.1:HOME" }],
  ["another scheme", [], { FORMCTL_BASE_URL: "https://127.0.0.1:HOME" }],
])("is not sent to %s", async (_what, flags, env) => {
  const cli = await openPerson();
  const place = (text: string) =>
    text.replace("SINK", sink.origin).replace("PORT", String(sink.port)).replace("HOME", new URL(home.url).port);
  for (const [name, value] of Object.entries(env)) cli.env[name] = place(value);
  expect((await attempt(cli, "currencies", "list", ...flags)).code).toBe(4);
});

it.each([
  "http://127.0.0.1.evil.example:PORT",
  "http://localhost.evil.example:PORT",
  "http://evil.example:PORT",
  "http://127.0.0.1:HOME@127.0.0.1:PORT",
  "http://canary@127.0.0.1:PORT",
  "http://127.0.0.1:PORT?x=HOME",
  "http://127.0.0.1:PORT#@127.0.0.1:HOME",
  "ws://127.0.0.1:PORT",
  "//127.0.0.1:PORT",
  "http:127.0.0.1:PORT",
  "http://127.0.0.1:PORT\\@127.0.0.1:HOME",
  "http://①②⑦.evil.example:PORT",
])("is not sent to the look-alike %s", async (url) => {
  const cli = await openPerson();
  cli.env["FORMCTL_BASE_URL"] = url.replace("PORT", String(sink.port)).replace("HOME", new URL(home.url).port);
  cli.env["FORMCTL_TOKEN"] = CANARY;
  expect((await attempt(cli, "currencies", "list")).code).toBe(64);
});

it.each(["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"])(
  "is not shown to a proxy that %s names",
  async (variable) => {
    const cli = await openPerson();
    const before = sink.connections();
    cli.env[variable] = sink.origin;
    expect((await attempt(cli, "currencies", "list")).code).toBe(0);
    expect(sink.connections()).toBe(before);
    // For a server on another host, the proxy for https is asked for a tunnel. The proxy then sees only the address of
    // the server.
    cli.env["FORMCTL_BASE_URL"] = "https://forms.invalid";
    cli.env["FORMCTL_TOKEN"] = CANARY;
    expect((await attempt(cli, "currencies", "list")).code).toBe(7);
    expect(sink.connections() > before).toBe(variable.toLowerCase() === "https_proxy");
  },
);

it("is not sent when certificates are not verified", async () => {
  const cli = await openPerson();
  const before = sink.connections();
  Object.assign(cli.env, {
    NODE_TLS_REJECT_UNAUTHORIZED: "0",
    FORMCTL_BASE_URL: `https://127.0.0.1:${sink.port}`,
    FORMCTL_TOKEN: CANARY,
  });
  const { code, stderr } = await attempt(cli, "currencies", "list");
  expect(code).toBe(7);
  expect(stderr).toContain("NODE_TLS_REJECT_UNAUTHORIZED=0");
  expect(sink.connections()).toBe(before);
});

it.each([
  ["api", "GET", "//127.0.0.1:PORT/v1"],
  ["api", "GET", "http://127.0.0.1:PORT/v1"],
  ["api", "GET", "/\\127.0.0.1:PORT/v1"],
  ["api", "GET", "@127.0.0.1:PORT/v1"],
  ["forms", "get", "staffing/candidate/../../127.0.0.1:PORT"],
  ["forms", "list", "..//127.0.0.1:PORT"],
  ["layouts", "get", "..%2f..%2f127.0.0.1:PORT"],
])("is not sent to a server that an argument names: %s %s %s", async (...argv) => {
  const cli = await openPerson();
  answer = () => ({ status: 404, body: {} });
  expect((await attempt(cli, ...argv.map((word) => word.replace("PORT", String(sink.port))))).code).not.toBe(0);
});

it.each([
  ["in the reason of a refusal", (token: string) => ({ status: 500, body: { error: { code: "X", message: token } } })],
  ["in a page of a gateway", (token: string) => ({ status: 502, body: `<pre>authorization: Bearer ${token}</pre>` })],
  ["in a record", (token: string) => ({ status: 200, body: { data: [{ code: token, name: `a ${token} b` }] } })],
  ["in a header", (token: string) => ({ ...well(), headers: { deprecation: token, "x-request-id": token } })],
  [
    "in the place of a redirect",
    (token: string) => ({ status: 302, headers: { location: `https://${token}.example` } }),
  ],
])("is not printed when the server repeats it %s, in our own format or another one", async (_what, say) => {
  const cli = await openPerson();
  for (const token of [CANARY, `theirs.${CANARY.slice(5)}/+=`]) {
    cli.env["FORMCTL_TOKEN"] = token;
    answer = ({ headers }) => say(headers.authorization!.slice("Bearer ".length));
    for (const format of ["table", "json", "jsonl", "yaml", "name"]) {
      await attempt(cli, "currencies", "list", "-o", format);
      const { stdout, stderr } = await attempt(cli, "api", "GET", "/v1/currencies", "-o", format);
      expect(stdout + stderr).not.toContain(token);
    }
  }
});

it.each([
  ["auth", "login", "TOKEN"],
  ["auth", "login", "--token=TOKEN"],
  ["auth", "login", "--token", "TOKEN"],
  ["auth", "TOKEN"],
  ["auth", "login", "--token-file", "TOKEN"],
  ["auth", "login", "--profile", "TOKEN"],
  ["TOKEN"],
  ["forms", "list", "TOKEN"],
  ["api", "GET", "/v1/currencies", "TOKEN"],
])("is not printed when it is typed in a wrong position: %s %s %s %s", async (...line) => {
  const cli = await openPerson();
  for (const format of ["table", "json"]) {
    const { code, stderr } = await attempt(cli, ...line.map((word) => word.replace("TOKEN", CANARY)), "-o", format);
    expect(code).not.toBe(0);
    expect(stderr).not.toContain("fctl_");
  }
});

it("was tried more than forty times, and no error message contains it", async () => {
  const cli = await openPerson();
  answer = ({ headers }) => ({
    status: 500,
    body: { error: { code: "ECHO", message: "no", meta: { at: headers.host } } },
  });
  for (const argv of [
    ["auth", "status"],
    ["doctor"],
    ["config", "list"],
    ["profiles", "list"],
    ["forms", "list", "a/b"],
  ])
    for (const format of ["table", "json", "yaml"]) await attempt(cli, ...argv, "-o", format);
  expect(tries).toBeGreaterThan(80);
});
