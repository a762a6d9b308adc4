/** The headers that describe the client, and the request id of the server in errors. */

import { expect, it, onTestFinished } from "vitest";
import { clientHeaders } from "../../src/client/client-headers.ts";
import { openCli } from "../commands/cli.ts";
import { newCanary } from "../canary.ts";
import { type Reply, startServer } from "./table-server.ts";

const TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const SYSTEM = `${process.platform} ${process.arch}; Node.js ${process.versions.node}`;

async function openScene(answer: Reply) {
  const server = await startServer(() => answer);
  onTestFinished(() => server.close());
  const cli = await openCli(null);
  delete cli.env["FORMCTL_ORGANIZATION"];
  Object.assign(cli.env, { FORMCTL_BASE_URL: server.url, FORMCTL_TOKEN: newCanary() });
  return { cli, server };
}

const refusalWith = (headers: Record<string, string>): Reply => ({
  status: 404,
  headers,
  body: { error: { code: "NOT_FOUND", message: "unknown code" } },
});

it("sends the version, the platform, CI and the trace of the pipeline", async () => {
  const { cli, server } = await openScene({ status: 200, body: { data: [] } });
  await cli.run("currencies", "list");
  Object.assign(cli.env, { CI: "true", TRACEPARENT: TRACE });
  await cli.run("currencies", "list");
  const sent = server.received.map(({ headers }) => [headers["user-agent"], headers["traceparent"]]);
  expect(sent).toEqual([
    [`formctl/0.0.0-test (${SYSTEM})`, undefined],
    [`formctl/0.0.0-test (${SYSTEM}; CI)`, TRACE],
  ]);
});

it.each([
  [{ CI: "false" }, ""],
  [{ CI: "1" }, "; CI"],
  [{ CI: "true", GITHUB_ACTIONS: "true" }, "; CI GitHub Actions"],
  [{ GITLAB_CI: "true" }, "; CI GitLab"],
])("names the CI service of %j", (env, ci) => {
  expect(clientHeaders("1.2.3", env)).toEqual({ "user-agent": `formctl/1.2.3 (${SYSTEM}${ci})` });
});

it.each([
  "",
  "not a trace",
  TRACE.toUpperCase(),
  `${TRACE}\r\nx-injected: 1`,
  `${TRACE}\n`,
  `${TRACE}-00`,
  TRACE.replace(/^00/, "ff"),
  `00-${"0".repeat(32)}-00f067aa0ba902b7-01`,
  `00-4bf92f3577b34da6a3ce929d0e0e4736-${"0".repeat(16)}-01`,
  TRACE.slice(0, -1),
])("drops the malformed trace %j", (trace) => {
  expect(clientHeaders("1.2.3", { TRACEPARENT: trace })).not.toHaveProperty("traceparent");
});

it("names the request id of the server under the error and in the JSON document", async () => {
  const { cli } = await openScene(refusalWith({ "x-request-id": "req-4711" }));
  const text = await cli.run("currencies", "get", "XXX");
  expect(text).toMatchObject({ code: 5, stdout: "" });
  expect(text.stderr).toMatch(/^error: unknown code.*\n {2}request id: req-4711\nhint: /);
  const json = await cli.run("currencies", "get", "XXX", "--json");
  expect(json.error()).toMatchObject({ code: "NOT_FOUND", requestId: "req-4711" });
});

it.each([
  ["a page of a proxy", { status: 200, headers: { "content-type": "text/html" }, body: "<html>" }],
  ["a redirect", { status: 302, headers: { location: "https://other.example" } }],
  ["an error of the server", { status: 500, body: { message: "broken" } }],
])("names the request id after %s", async (_title, answer: Reply) => {
  const { cli } = await openScene({ ...answer, headers: { ...answer.headers, "x-request-id": "req-1" } });
  for (const words of [
    ["currencies", "list"],
    ["api", "POST", "/v1/things", "-d", "{}"],
  ]) {
    const { error } = await cli.run(...words, "--json");
    expect(error()).toHaveProperty("requestId", "req-1");
  }
});

it.each(["two ids", "x".repeat(129), ""])("ignores the request id %j", async (id) => {
  const { cli } = await openScene(refusalWith({ "x-request-id": id }));
  expect((await cli.run("currencies", "get", "XXX", "--json")).error()).not.toHaveProperty("requestId");
  expect((await cli.run("currencies", "get", "XXX")).stderr).not.toContain("request id");
});
