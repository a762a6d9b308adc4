/** A list in pages is read completely or refused, whatever the server reports about the pages. */

import { describe, expect, it, onTestFinished } from "vitest";
import { readPages, readWhole } from "../../src/lists/pages.ts";
import type { Service } from "../../src/service.ts";
import { openClient } from "../client/open-client.ts";
import { simulateServer } from "../client/simulated-server.ts";
import type { Received, Reply } from "../client/table-server.ts";

type Pages = { all: { id: string }[]; page: number; shown: { id: string }[]; hasMore: boolean };

const OBJECT = { moduleKey: "staffing", objectKey: "candidate" };
const REFUSED: Reply = { status: 400, body: { error: { code: "VALIDATION_FAILED", message: "page is not known" } } };

/** A server with `count` versions of a layout, two on each page. `say` returns the answer for a page. */
async function openPages(say: (pages: Pages, query: URLSearchParams) => Reply | object, count = 5) {
  const all = Array.from({ length: count }, (_, index) => ({ id: `ver_${index + 1}` }));
  const server = await simulateServer(({ url }) => {
    const query = new URL(url, "http://server").searchParams;
    const page = Number(query.get("page") ?? 1);
    const shown = all.slice((page - 1) * 2, page * 2);
    const said = say({ all, page, shown, hasMore: page * 2 < all.length }, query);
    return "status" in said ? said : { status: 200, body: said };
  });
  onTestFinished(() => server.close());
  const { service } = openClient(server.url);
  const asked = () => server.received.map(({ url }) => new URL(url, "http://server").search);
  return { all, service, asked };
}

type Lister = (service: Service) => Promise<{ id: string }[]>;
const listVersions: Lister = (service) => service.listVersions({ layoutId: "lay_1" });
const listLayouts: Lister = (service) => service.listLayouts({});

describe("a list in pages", () => {
  it.each<[string, (pages: Pages) => Reply | object]>([
    ["with a total", ({ shown, all }) => ({ data: shown, meta: { total: all.length } })],
    ["with a total that is written as text", ({ shown, all }) => ({ data: shown, meta: { total: `${all.length}` } })],
    ["that says whether there is more", ({ shown, hasMore }) => ({ data: { items: shown, hasMore } })],
    ["with nothing around it", ({ shown }) => ({ status: 200, body: shown })],
    [
      "with nothing around it, and no page after the last",
      ({ shown }) => (shown.length > 0 ? { status: 200, body: shown } : { ...REFUSED, status: 404 }),
    ],
    [
      "with nothing around it, and its length in a header",
      ({ shown, all }) => ({ status: 200, headers: { "x-total-count": `${all.length}` }, body: shown }),
    ],
  ])("is read completely, %s", async (_, say) => {
    const { service, all } = await openPages(say);
    expect(await listVersions(service)).toEqual(all);
    expect(await listLayouts(service)).toEqual(all);
  });

  it("is requested by its pages, without filters that the API document does not name", async () => {
    const { service, asked } = await openPages(({ shown, hasMore }) => ({ data: shown, meta: { hasMore } }));
    await service.listLayouts({ query: { surface: "CONTRACTOR" } });
    expect(asked()).toEqual(["", "?page=2", "?page=3"]);
  });

  it.each<[string, (pages: Pages) => Reply | object, string]>([
    [
      "whose total is never the same",
      ({ shown, page }) => ({ data: shown, meta: { total: page + 5 } }),
      "changed during the read: 6, then",
    ],
    [
      "that shows less than it says",
      ({ shown }) => ({ data: shown, meta: { total: 6 } }),
      "the server reports 6 entries and shows 5",
    ],
    [
      "that always has more",
      ({ shown }) => ({ data: shown, meta: { hasMore: true } }),
      "reports another page and shows no entries",
    ],
    ["that sends its first page again", ({ all }) => ({ data: all.slice(0, 2), meta: { total: 5 } }), "on two pages"],
    [
      "that has more and no second page",
      ({ shown, page }) => (page > 1 ? REFUSED : { data: shown, meta: { hasMore: true } }),
      "refuses to send it",
    ],
  ])("is refused when it stays incomplete: %s", async (_, say, reason) => {
    const { service, asked } = await openPages(say);
    const list = service.listVersions({ layoutId: "lay_1" });
    await expect(list).rejects.toMatchObject({ code: "LIST_INCOMPLETE", message: expect.stringContaining(reason) });
    expect(asked().filter((query) => query === "")).toHaveLength(2);
  });

  it("is given up after 10,000 pages", async () => {
    // The list has an end, so that a reader without a limit fails instead of running forever.
    const ask = async (page = 1) => ({ items: [page], hasMore: page < 10_050 });
    const listing = await readPages({ ask, keyOf: (item: number) => item, mayGoOn: () => true });
    expect(listing).toEqual({ reason: "it has more than 10000 pages" });
  });

  it("is read a second time when it changed during the read", async () => {
    const { service, all, asked } = await openPages(({ shown, all: there }) => {
      const said = { data: shown, meta: { total: there.length } };
      if (there.length === 5) there.unshift({ id: "ver_new" });
      return said;
    });
    expect(await service.listVersions({ layoutId: "lay_1" })).toEqual(all);
    expect(asked()).toEqual(["", "?page=2", "", "?page=2", "?page=3"]);
  });
});

describe("a list that does not report its pages", () => {
  it.each<[string, (pages: Pages) => Reply | object]>([
    ["refuses to be asked for a page", ({ all, page }) => (page > 1 ? REFUSED : { data: all })],
    ["sends the same again", ({ all }) => ({ data: all })],
    ["sends the same again in another order", ({ all, page }) => ({ data: page > 1 ? all.toReversed() : all })],
  ])("is taken for whole where the server %s", async (_, say) => {
    const { service, all } = await openPages(say);
    expect(await service.listVersions({ layoutId: "lay_1" })).toEqual(all);
    expect(await service.listLayouts({})).toEqual(all);
  });

  it("gets no further request when a longer list came in one answer", async () => {
    const { service, all, asked } = await openPages(({ all: there }) => ({ data: there }));
    await service.listVersions({ layoutId: "lay_1" });
    all.pop();
    expect(await service.listVersions({ layoutId: "lay_2" })).toEqual(all);
    expect(asked()).toEqual(["", "?page=2", ""]);
    all.push({ id: "ver_6" });
    await service.listVersions({ layoutId: "lay_3" });
    expect(asked()).toEqual(["", "?page=2", "", "", "?page=2"]);
  });

  it("gets a further request even if another list had no second page", async () => {
    const { service, all } = await openPages(({ shown }) => (shown.length > 0 ? { data: shown } : { ...REFUSED }));
    const longer = all.splice(2);
    expect(await service.listVersions({ layoutId: "lay_1" })).toEqual(all);
    all.push(...longer);
    expect(await service.listVersions({ layoutId: "lay_2" })).toEqual(all);
  });

  it("gets no further request when nothing depends on missing entries", async () => {
    const { service, asked } = await openPages(({ all }) => ({ data: all.map(({ id }) => ({ code: id })) }));
    expect(await service.listCurrencies({})).toHaveLength(5);
    expect(asked()).toEqual([""]);
  });
});

describe("a page of forms", () => {
  const forms = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ id: `frm_${index}`, name: `Form ${index}`, types: ["VIEW"] }));

  async function openForms(answer: (request: Received, query: URLSearchParams) => Reply) {
    const server = await simulateServer((request) =>
      answer(request, new URL(request.url, "http://server").searchParams),
    );
    onTestFinished(() => server.close());
    return { ...openClient(server.url), server };
  }

  it("has numbers even if the server sends them as text", async () => {
    const meta = { page: "1", limit: "20", total: "2", hasMore: false, cursor: "x" };
    const { service } = await openForms(() => ({ status: 200, body: { data: forms(2), meta } }));
    const { meta: read } = await service.listForms(OBJECT);
    expect(read).toEqual({ page: 1, limit: 20, total: 2, hasMore: false, cursor: "x" });
  });

  it("ignores invalid values", async () => {
    const meta = { total: "many", hasMore: "true", limit: -1 };
    const { service } = await openForms(() => ({ status: 200, body: { data: forms(2), meta } }));
    expect((await service.listForms(OBJECT)).meta).toEqual({ page: 1, limit: 20 });
  });

  it("has the length of the server when it refuses the largest page", async () => {
    const refusal = { code: "VALIDATION_FAILED", message: "limit must be at most 50", fieldErrors: { limit: ["no"] } };
    const { service, server } = await openForms((_, query) =>
      Number(query.get("limit") ?? 20) > 50
        ? { status: 400, body: { error: refusal } }
        : { status: 200, body: { data: forms(2), meta: { total: 2 } } },
    );
    for (const page of [1, 2]) await service.listForms({ ...OBJECT, query: { page, limit: 100 } });
    const asked = server.received.map(({ url }) => new URL(url, "http://server").search);
    expect(asked).toEqual(["?page=1&limit=100", "?page=1", "?page=2"]);
    await expect(service.listForms({ ...OBJECT, query: { limit: 60 } })).rejects.toMatchObject({ status: 400 });
  });

  it("is refused when the server refuses another part of the request", async () => {
    const { service } = await openForms(() => ({
      status: 400,
      body: { error: { code: "NO", message: "unlimited no" } },
    }));
    await expect(service.listForms({ ...OBJECT, query: { limit: 100 } })).rejects.toMatchObject({ status: 400 });
  });
});

describe("a server that repeats a cursor", () => {
  it.each([1, 3])("is refused at the first repetition, also of a cursor %i pages before", async (period) => {
    let asked = 0;
    const read = readWhole<{ id: number }>({
      what: "the list",
      keyOf: ({ id }) => id,
      usesCursors: true,
      mayGoOn: () => true,
      ask: async () => {
        asked++;
        return { items: [{ id: asked }], hasMore: true, nextCursor: `c${asked % period}` };
      },
    });
    await expect(read).rejects.toThrow(/page \d+ has the cursor of page 1/);
    expect(asked).toBe(period + 1);
  });
});
