/** Tests `formctl api` on a local store and on a server. The same requests get the same answers. */

import { expect, it, onTestFinished } from "vitest";
import { simulateServer } from "../client/simulated-server.ts";
import { startServer } from "../client/table-server.ts";
import { openCli } from "./cli.ts";
import { openRemoteScene } from "./remote-scene.ts";

const FORMS = "/v1/custom-modules/staffing/objects/candidate/forms";

const places = [
  { place: "a local store", open: openCli },
  { place: "a server", open: async () => (await openRemoteScene()).cli },
];

it.each(places)("sends what is typed and prints what comes, on $place", async ({ open }) => {
  const cli = await open();
  const body = JSON.stringify({ name: "Intake", types: ["CREATE"] });
  const created = await cli.run("api", "post", FORMS, "-d", body, "--json");
  expect(created.code).toBe(0);
  const { data: form } = created.json() as { data: { id: string } };
  cli.file("patch.yaml", "name: Other\n");
  expect((await cli.run("api", "PATCH", `${FORMS}/${form.id}`, "-d", "@patch.yaml", "--json")).json()).toMatchObject({
    data: { name: "Other" },
  });
  expect((await cli.run("api", "GET", `${FORMS}?limit=1&page=1`, "--json")).json()).toMatchObject({
    data: [{ id: form.id }],
    meta: { total: 1 },
  });
  expect((await cli.run("api", "GET", `${FORMS}/${form.id}`, "-o", "name")).stdout).toBe(`${form.id}\n`);
  expect(await cli.run("api", "DELETE", `${FORMS}/${form.id}`)).toMatchObject({ code: 0, stdout: "" });
  expect((await cli.run("api", "GET", `${FORMS}/${form.id}`)).code).toBe(5);
  expect((await cli.run("api", "GET", "/v1/nothing")).code).toBe(5);
  expect((await cli.run("api", "GET", `${FORMS}?limit=1000`)).code).toBe(3);
});

it.each(places)("reads all pages, on $place", async ({ open }) => {
  const cli = await open();
  for (const name of ["A", "B", "C"]) {
    await cli.run("api", "POST", FORMS, "-d", JSON.stringify({ name, types: ["VIEW"] }));
  }
  const { json } = await cli.run("api", "GET", `${FORMS}?limit=2`, "--paginate", "--json", "--query", "length(@)");
  expect(json()).toBe(3);
  const all = await cli.run("api", "GET", "/v1/currencies", "--paginate", "--json", "--query", "length(@)");
  expect(all.json()).toBe(178);
});

it("reads all pages of a server without page counts, and reports an incomplete list", async () => {
  const all = ["A", "B", "C"].map((name) => ({ id: name, name }));
  let total: number | undefined;
  const { cli } = await openRemoteScene();
  const server = await startServer(({ url }) => {
    const page = Number(new URL(url, "http://server").searchParams.get("page") ?? 1);
    const data = all.slice((page - 1) * 2, page * 2);
    return { status: 200, body: total === undefined ? data : { data, meta: { total } } };
  });
  onTestFinished(() => server.close());
  cli.env["FORMCTL_BASE_URL"] = server.url;
  const read = (path: string) => cli.run("api", "GET", path, "--paginate", "-o", "json");
  expect((await read(FORMS)).json()).toEqual(all);
  expect((await read(`${FORMS}?page=2`)).json()).toEqual(all.slice(2));
  total = 3;
  expect((await read(FORMS)).json()).toEqual(all);
  total = 4;
  expect((await read(FORMS)).error()).toMatchObject({ code: "LIST_INCOMPLETE", exitCode: 6 });
});

it.each(places)("sends nothing with --dry-run, on $place", async ({ open }) => {
  const cli = await open();
  const { stdout, code } = await cli.run("api", "POST", FORMS, "-d", '{"name":"x"}', "--dry-run", "--json");
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    dryRun: true,
    requests: [{ method: "POST", path: FORMS, body: { name: "x" } }],
  });
  expect((await cli.run("api", "GET", FORMS, "--json", "--query", "meta.total")).json()).toBe(0);
});

it.each([
  ["GET", "v1/currencies"],
  ["GET", "//evil.example/v1"],
  ["GET", "https://evil.example/v1"],
  ["GET", "/v1/../../secrets"],
  ["GET", "/v1/%2e%2e/secrets"],
  ["GET", "/v1\\..\\secrets"],
  ["GET", "/v1/currencies#x"],
  ["TRACE", "/v1/currencies"],
])("refuses %s %s before anything is sent", async (method, path) => {
  const { cli } = await openRemoteScene();
  expect((await cli.run("api", method, path)).code).toBe(64);
});

it("reports a refusal with a web page by its status", async () => {
  const { cli } = await openRemoteScene();
  const server = await simulateServer(() => ({
    status: 400,
    headers: { "content-type": "text/html" },
    body: "<b>no</b>",
  }));
  onTestFinished(() => server.close());
  cli.env["FORMCTL_BASE_URL"] = server.url;
  const { error } = await cli.run("api", "GET", "/v1/currencies", "-o", "json");
  expect(error()).toMatchObject({ code: "HTTP_400", message: "not the API: content-type text/html: <b>no</b>" });
});

it("reports the HTTP status when the outcome of a write is unknown", async () => {
  const { cli } = await openRemoteScene();
  const server = await startServer(() => ({ status: 504, body: { error: { message: "too late" } } }));
  onTestFinished(() => server.close());
  cli.env["FORMCTL_BASE_URL"] = server.url;
  const { code, error } = await cli.run("api", "POST", "/v1/view-layouts", "-d", "{}", "-o", "json");
  expect(code).toBe(7);
  expect(error()).toMatchObject({
    code: "OUTCOME_UNKNOWN",
    message: "the outcome is unknown: POST /v1/view-layouts: too late (504). The write may have been done.",
  });
  expect(server.received).toHaveLength(1);
});
