/** Tests commands on a hostile server. Each command ends with one sentence and a documented exit code. */

import { http, HttpResponse } from "msw";
import { describe, expect, it } from "vitest";
import { contentBudget } from "../../src/client/content-budget.ts";
import { listBudget } from "../../src/client/list-budget.ts";
import { MAX_NESTING } from "../../src/schemas/json-limits.ts";
import { countOf } from "../effort.ts";
import { answering, FORMS, LAYOUTS, UNUSUAL_SERVER, openUnusualServer } from "./unusual-server.ts";

const FORM = { id: "frm_1", name: "Intake", types: ["CREATE"] };
const CRASH = /^\s+at |undefined|\[object |internal error/m;

const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
const withConfig = (levels: number) =>
  `{"data":[{"id":"frm_1","name":"A","types":[],"config":{"a":${nested(levels)}}}]}`;
const raw = (method: "get" | "post" | "put" | "patch", url: string, body: string, status = 200) =>
  http[method](url, () => new HttpResponse(body, { status, headers: { "content-type": "application/json" } }));

const TOO_DEEP = `${UNUSUAL_SERVER} answers with JSON that has more than ${MAX_NESTING} levels`;

describe("an answer of 6,000 levels", () => {
  it.each(["table", "json", "jsonl", "yaml", "name"])("is refused in one sentence with -o %s", async (format) => {
    const { cli, sent } = await openUnusualServer(raw("get", FORMS, withConfig(6_000)));
    const { code, stdout, stderr } = await cli.run("forms", "list", "staffing/candidate", "-o", format);
    expect({ code, stdout }).toEqual({ code: 7, stdout: "" });
    const failure = { code: "ANSWER_UNREADABLE", message: TOO_DEEP, exitCode: 7 };
    const document = `${JSON.stringify({ error: failure })}\n`;
    expect(stderr).toBe(format.startsWith("json") ? document : `error: ${TOO_DEEP}\n`);
    expect(sent).toHaveLength(1);
  });

  it.each([
    ["of `api`", ["api", "GET", "/v1/view-layouts"]],
    ["of a record", ["layouts", "get", "lay_1"]],
    ["of a list read in pages", ["layouts", "list"]],
  ])("is refused as an answer %s", async (_what, argv) => {
    const { cli } = await openUnusualServer(raw("get", `${LAYOUTS}*`, nested(6_000)));
    const { code, stderr } = await cli.run(...argv);
    expect(code).toBe(7);
    expect(stderr).toContain(TOO_DEEP);
    expect(stderr).not.toMatch(CRASH);
  });

  it("leaves the outcome of a write unknown", async () => {
    const { cli } = await openUnusualServer(raw("patch", `${LAYOUTS}/lay_1`, nested(6_000)));
    const { code, stderr } = await cli.run("layouts", "update", "lay_1", "--name", "New");
    expect(code).toBe(7);
    expect(stderr).toMatch(
      /^error: the outcome is unknown: PATCH \/v1\/view-layouts\/lay_1: .*JSON that has more than/,
    );
  });

  it.each([
    [404, 5],
    [403, 4],
    [409, 6],
    [500, 7],
  ])("keeps the exit code of status %i where it refuses", async (status, exitCode) => {
    const { cli } = await openUnusualServer(raw("get", FORMS, `{"error":{"meta":${nested(6_000)}}}`, status));
    const { code, error } = await cli.run("forms", "list", "staffing/candidate", "--json");
    expect(code).toBe(exitCode);
    expect(error().message).toBe(`the server answers ${status} with JSON that has more than ${MAX_NESTING} levels`);
  });

  it("is read where it is as deep as a layout may be, whatever its texts hold", async () => {
    const body = withConfig(200).replace('"A"', JSON.stringify('["\\{'.repeat(1_000)));
    const { cli } = await openUnusualServer(raw("get", FORMS, body));
    expect((await cli.run("forms", "list", "staffing/candidate", "--json")).code).toBe(0);
  });
});

describe("an id that can't be one", () => {
  it.each(["\uD800", "frm_\uDFFF1", "frm_\u0000", "frm\n1", "frm_\u009B2J", ""])("is refused: %j", async (id) => {
    const { cli } = await openUnusualServer(raw("get", FORMS, JSON.stringify({ data: [{ ...FORM, id }] })));
    const { code, stderr } = await cli.run("forms", "get", "staffing/candidate/Intake");
    expect(code).toBe(7);
    expect(stderr).toMatch(/^error: .* but \[0\]\.id is not an id\n$/);
  });

  it("is not asked for where a write answers with it", async () => {
    const created = raw("post", FORMS, JSON.stringify({ data: { id: "\uD800" } }));
    const { cli } = await openUnusualServer(answering("get", FORMS, { data: [] }), created);
    const { code, stdout, stderr } = await cli.run(
      "forms",
      "create",
      "staffing/candidate",
      "--name",
      "N",
      "--types",
      "VIEW",
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).not.toMatch(CRASH);
  });
});

describe("a list without end", () => {
  const MiB = 1024 * 1024;
  const limits = { bytes: 5 * MiB, milliseconds: 60_000 };

  it.each([
    ["bytes", { bytes: MiB, milliseconds: 1 }, "sent more than 5 MiB of values", 6],
    ["time", { bytes: 1, milliseconds: 25_000 }, "took more than 1 minutes", 3],
  ])("is given up when its pages cost too much in %s", (_what, cost, words, last) => {
    const budget = listBudget(UNUSUAL_SERVER, limits);
    for (let page = 1; page < last; page++) budget.spend(`/v1/view-layouts?page=${page}`, cost);
    expect(() => budget.spend(`/v1/view-layouts?page=${last}`, cost)).toThrow(
      `${UNUSUAL_SERVER} ${words} for the list /v1/view-layouts, up to page ${last}`,
    );
  });

  it("is given up when its pages by cursor cost too much", () => {
    const budget = listBudget(UNUSUAL_SERVER, limits);
    const cost = { bytes: MiB, milliseconds: 1 };
    budget.spend("/v1/forms?page=1&limit=100", cost);
    for (let page = 2; page < 6; page++) budget.spend(`/v1/forms?cursor=c${page}&limit=100&count=hasMore`, cost);
    expect(() => budget.spend("/v1/forms?cursor=c6&limit=100&count=hasMore", cost)).toThrow(
      `${UNUSUAL_SERVER} sent more than 5 MiB of values for the list /v1/forms, up to page 6`,
    );
  });

  it("is given up at page 1 if the answer without a page number was too large (control: another list)", () => {
    const budget = listBudget(UNUSUAL_SERVER, limits);
    const cost = { bytes: 3 * MiB, milliseconds: 1 };
    budget.spend("/a", cost);
    expect(() => budget.check("/b?page=1", cost)).not.toThrow();
    expect(() => budget.check("/a?page=1", cost)).toThrow(
      `${UNUSUAL_SERVER} sent more than 5 MiB of values for the list /a`,
    );
  });

  it("counts no page that is only checked", () => {
    const budget = listBudget(UNUSUAL_SERVER, limits);
    const cost = { bytes: 2 * MiB, milliseconds: 1 };
    budget.spend("/a?page=1", cost);
    for (let round = 0; round < 20; round++) expect(() => budget.check("/a?page=2", cost)).not.toThrow();
  });

  it("counts no page by cursor twice", () => {
    const budget = listBudget(UNUSUAL_SERVER, limits);
    for (let round = 0; round < 20; round++) {
      for (const path of ["/a", "/a?cursor=c", "/b?cursor=c"])
        expect(() => budget.spend(path, { bytes: MiB, milliseconds: 1 })).not.toThrow();
    }
  });

  it("counts no page twice, no other list, and no single answer", () => {
    const budget = listBudget(UNUSUAL_SERVER, limits);
    for (let round = 0; round < 20; round++) {
      for (const path of ["/a?page=1", "/a?page=2", "/b?page=2&limit=100", "/c"])
        budget.spend(path, { bytes: MiB, milliseconds: 1 });
    }
    expect(() => budget.spend("/c", { bytes: 32 * MiB, milliseconds: 0 })).not.toThrow();
  });

  const lists: [what: string, argv: string[], url: string, cursor?: string][] = [
    ["forms list by cursors", ["forms", "get", "staffing/candidate/None"], FORMS, "c"],
    ["forms list", ["forms", "get", "staffing/candidate/None"], FORMS],
    ["layouts list", ["layouts", "list"], LAYOUTS],
    ["api --paginate", ["api", "GET", "/v1/view-layouts", "--paginate"], LAYOUTS],
  ];
  it.each(lists.slice(0, countOf("kinds of lists without end")))(
    "ends %s with 7 after 56 MiB",
    async (_what, argv, url, cursor?: string) => {
      // A few large pages exceed the budget, because the budget limits the sum of all pages.
      const filler = Buffer.alloc(30 * MiB, "x");
      let page = 0;
      const { cli, sent } = await openUnusualServer(
        http.get(url, () => {
          page++;
          const data = [{ ...FORM, id: `frm_${page}`, name: `F${page}` }];
          const meta = { hasMore: true, ...(cursor !== undefined && { nextCursor: `${cursor}${page}` }) };
          const [start, end] = [`{"filler":"`, `",${JSON.stringify({ data, meta }).slice(1)}`].map((text) =>
            Buffer.from(text),
          );
          const body = Buffer.concat([start!, filler, end!]);
          return new HttpResponse(body, { headers: { "content-type": "application/json" } });
        }),
      );
      const { code, stderr } = await cli.run(...argv);
      expect(code).toBe(7);
      expect(stderr).toMatch(/sent more than 56 MiB of values for the list .*, up to page \d+\n/);
      expect(stderr).not.toMatch(CRASH);
      expect(sent.length).toBeLessThan(20);
    },
  );
});

describe("large contents", () => {
  const MiB = 1024 * 1024;
  /** Needs 137 bytes. */
  const BLOCK = '{"type":"field"}';

  /** Forms whose layouts each have one version with this number of invalid blocks. */
  async function openLargeScene(forms: number, blocks: number) {
    const ids = Array.from({ length: forms }, (_, index) => String(index));
    const shown = { isActive: true, isPublic: true, config: {} };
    const data = ids.map((id) => ({ ...FORM, ...shown, id: `frm_${id}`, name: `F${id}`, viewLayoutId: `lay_${id}` }));
    const version = { id: "ver_1", version: 1, status: "PUBLISHED", schemaVersion: 1, regions: [], metadata: null };
    const body = `{"data":[${JSON.stringify(version).slice(0, -1)},"blocks":[${`${BLOCK},`.repeat(blocks)}${BLOCK}]}]}`;
    return openUnusualServer(
      answering("get", FORMS, { data, meta: { hasMore: false } }),
      answering("get", `${FORMS}/:id/access`, { data: { users: [], roles: [] } }),
      raw("get", `${LAYOUTS}/:id/versions`, body),
    );
  }

  it.each([
    ["export", ["export", "staffing/candidate"]],
    ["export, one request at a time", ["export", "staffing/candidate", "--concurrency", "1"]],
  ])("are refused before they fill the memory: %s", async (_what, argv) => {
    const { cli } = await openLargeScene(4, 600_000);
    const { code, stderr } = await cli.run(...argv);
    expect(code).toBe(7);
    expect(stderr).toContain(`the contents of 2 large layouts of ${UNUSUAL_SERVER} need more than 128 MiB of memory\n`);
    expect(stderr).not.toMatch(CRASH);
  });

  it("are exported without a layout that has 200,000 invalid blocks", async () => {
    const { cli } = await openLargeScene(1, 200_000);
    const { code, stderr } = await cli.run("export", "staffing/candidate");
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /layout files do not support the layout, so it is omitted: blocks\[0\]\.\w+ .* \(and at least 99 more\)/,
    );
    expect(stderr).not.toMatch(CRASH);
  });

  const at = (minute: number) => () => new Date(minute * 60_000);

  it("count once for each layout, and by the largest answer", () => {
    const budget = contentBudget(UNUSUAL_SERVER, at(0), 5 * MiB);
    budget.spend("/v1/view-layouts/lay_1/versions", 4 * MiB);
    budget.spend("/v1/view-layouts/lay_1/versions/ver_1", 5 * MiB);
    for (let read = 0; read < 20; read++) budget.spend("/v1/view-layouts/lay_1/draft", 3 * MiB);
    budget.spend("/v1/view-layouts/lay_2/versions", 2 * MiB);
    expect(() => budget.spend("/v1/view-layouts/lay_3/versions", 2 * MiB)).toThrow("the contents of 3 large layouts");
  });

  it("cost nothing up to 1 MiB each, or if they are no contents", () => {
    const budget = contentBudget(UNUSUAL_SERVER, at(0), 5 * MiB);
    const spendAll = () => {
      for (let id = 0; id < 10_000; id++) budget.spend(`/v1/view-layouts/lay_${id}/versions`, MiB);
      for (let page = 0; page < 20; page++) budget.spend(`/v1/view-layouts?page=${page}`, 5 * MiB);
    };
    expect(spendAll).not.toThrow();
  });

  it("are forgotten after ten minutes", () => {
    let minute = 0;
    const budget = contentBudget(UNUSUAL_SERVER, () => at(minute)(), 5 * MiB);
    const spendAll = () => {
      for (; minute < 60; minute += 11) budget.spend(`/v1/view-layouts/lay_${minute}/versions`, 5 * MiB);
    };
    expect(spendAll).not.toThrow();
  });
});
