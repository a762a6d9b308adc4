/** The forms of an object on a server with short pages and various page reports, over a real socket. */

import { describe, expect, it, onTestFinished } from "vitest";
import { listAllForms } from "../../src/lists/forms.ts";
import { openReader } from "../../src/state/reader.ts";
import type { Service } from "../../src/service.ts";
import { openClient } from "../client/open-client.ts";
import { simulateServer } from "../client/simulated-server.ts";
import type { Received, Reply } from "../client/table-server.ts";
import { openCli } from "../commands/cli.ts";

const OBJECT = { moduleKey: "staffing", objectKey: "candidate" };
const names = ["One", "Two", "Three", "Four", "Five"];
const all = names.map((name, index) => ({
  id: `frm_${index + 1}`,
  name,
  types: ["VIEW"],
  viewLayoutId: `lay_${index + 1}`,
  isDefaultCreate: false,
  isDefaultEdit: false,
  isDefaultView: index === 4,
}));

type Said = (page: { shown: object[]; page: number; hasMore: boolean }) => object;
const SILENT: Said = ({ shown }) => shown;
const SHORT: Said = ({ shown }) => ({ data: shown, meta: { total: 6 } });
const ENDLESS: Said = ({ shown }) => ({ data: shown, meta: { hasMore: true } });

/** A server with two forms on each page, regardless of the requested limit. */
async function openServer(say: Said, write?: (request: Received) => Reply) {
  const server = await simulateServer((request): Reply => {
    if (request.method !== "GET") return write!(request);
    const { pathname, searchParams } = new URL(request.url, "http://server");
    if (pathname.endsWith("/frm_5/access")) return { status: 200, body: { data: { users: [], roles: [] } } };
    const form = all.find(({ id }) => pathname.endsWith(`/forms/${id}`));
    if (form) return { status: 200, body: { data: form } };
    if (!pathname.endsWith("/forms")) return { status: 404, body: { error: { code: "NOT_FOUND", message: "no" } } };
    const page = Number(searchParams.get("page") ?? 1);
    const shown = all.slice((page - 1) * 2, page * 2);
    return { status: 200, body: say({ shown, page, hasMore: page * 2 < all.length }) };
  });
  onTestFinished(() => server.close());
  return server;
}

async function openScene(say: Said) {
  const server = await openServer(say);
  const cli = await openCli(null);
  delete cli.env["FORMCTL_ORGANIZATION"];
  cli.env["FORMCTL_BASE_URL"] = server.url;
  cli.env["FORMCTL_TOKEN"] = "fct_token";
  return cli;
}

it("reports the number of forms after each page", async () => {
  const server = await openServer(({ shown }) => ({ data: shown, meta: { total: 5 } }));
  const { service } = openClient(server.url);
  const pages: unknown[] = [];
  await listAllForms(service, OBJECT, {}, (done, total) => pages.push([done, total]));
  expect(pages).toEqual([
    [2, 5],
    [4, 5],
    [5, 5],
  ]);
});

it.each<[string, Said]>([
  ["says nothing of them", SILENT],
  ["says whether there is more", ({ shown, hasMore }) => ({ data: shown, meta: { hasMore } })],
  ["says how many there are", ({ shown }) => ({ data: shown, meta: { total: 5 } })],
])("are listed, named and known by their defaults, though its pages are short and it %s", async (_, say) => {
  const cli = await openScene(say);
  const listed = await cli.run("forms", "list", "staffing/candidate", "-o", "json", "--query", "[].name");
  expect(listed.json()).toEqual(names);
  expect((await cli.run("forms", "access", "show", "staffing/candidate/Five", "-o", "json")).code).toBe(0);
  const { stdout } = await cli.run("forms", "defaults", "show", "staffing/candidate", "-o", "json");
  expect(JSON.parse(stdout)).toMatchObject({ defaultViewFormId: "frm_5" });
});

it.each<[string, Said, string]>([
  ["shows fewer than it reports", SHORT, "the server reports 6 entries and shows 5"],
  ["always has more", ENDLESS, "the server reports another page and shows no entries"],
  ["sends the first page again", () => ({ data: all.slice(0, 2), meta: { hasMore: true } }), "on two pages"],
  ["sends all of them again", () => ({ data: all, meta: { total: 5, hasMore: true } }), "on two pages"],
])("are reported as incomplete, and not used, when a server %s", async (_, say, reason) => {
  const cli = await openScene(say);
  for (const line of [
    ["list", "staffing/candidate"],
    ["get", "staffing/candidate/Six"],
    ["defaults", "show", "staffing/candidate"],
  ]) {
    const refused = await cli.run("forms", ...line, "-o", "json");
    expect([refused.code, refused.error().code, refused.stdout]).toEqual([6, "LIST_INCOMPLETE", ""]);
    expect(refused.error().message).toContain(reason);
  }
});

it("get a request for a second page when the first has the full length and the server reports no pages", async () => {
  const many = Array.from({ length: 100 }, (_, index) => ({ ...all[0]!, id: `frm_${index}` }));
  const cli = await openScene(() => many);
  const refused = await cli.run("forms", "list", "staffing/candidate", "-o", "json");
  expect([refused.code, refused.error().code]).toEqual([6, "LIST_INCOMPLETE"]);
});

it("do not stop a creation when the list is incomplete, and its lost answer stays unknown", async () => {
  let isLost = false;
  const server = await openServer(SHORT, () =>
    isLost ? { status: 502, body: {} } : { status: 201, body: { data: { ...all[0]!, id: "frm_9", name: "Five" } } },
  );
  const { service } = openClient(server.url);
  const create = () => service.createForm({ ...OBJECT, body: { name: "Five", types: ["VIEW"] } });
  expect(await create()).toMatchObject({ id: "frm_9" });
  isLost = true;
  await expect(create()).rejects.toMatchObject({ code: "OUTCOME_UNKNOWN" });
});

describe.each<[string, (service: Service) => Promise<unknown[]>]>([
  ["by a command", (service) => listAllForms(service, OBJECT)],
  ["for a plan", async (service) => (await openReader(() => service, { concurrency: 2 }).forms([OBJECT]))[0]!],
])("when a server reports a total and a further page, read %s", (_, read) => {
  it.each<[string, Said]>([
    ["counts its page alone", ({ shown, hasMore }) => ({ data: shown, meta: { total: shown.length, hasMore } })],
    ["counts to four", ({ shown, hasMore }) => ({ data: shown, meta: { total: 4, hasMore } })],
  ])("are not taken for whole where it %s", async (_name, say) => {
    const { service } = openClient((await openServer(say)).url);
    await expect(read(service)).rejects.toMatchObject({ code: "LIST_INCOMPLETE" });
  });

  it.each<[string, Said]>([
    ["has an empty page then", ({ shown }) => ({ data: shown, meta: { total: 5, hasMore: true } })],
    ["has none at all", () => ({ data: [], meta: { total: 0, hasMore: true } })],
  ])("are whole where it %s", async (_name, say) => {
    const { service } = openClient((await openServer(say)).url);
    expect(await read(service)).toHaveLength(
      (say({ shown: all, page: 1, hasMore: true }) as { meta: { total: number } }).meta.total,
    );
  });
});
