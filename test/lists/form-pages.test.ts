/** The lists of the library: page by page and whole. */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { listAll, pages } from "../../src/lists/form-pages.ts";
import type { FormListedAnswer, FormPageAnswer } from "../../src/schemas/answers.ts";
import type { Input } from "../../src/schemas/operations.ts";
import type { CallOptions, Service } from "../../src/service.ts";
import { ServiceError } from "../../src/service.ts";
import { openClient } from "../client/open-client.ts";
import { simulateServer } from "../client/simulated-server.ts";

const OBJECT = { moduleKey: "staffing", objectKey: "candidate" };
type Query = NonNullable<Input<"listForms">["query"]>;

const formOf = (index: number): FormListedAnswer => ({ id: `frm_${index}`, name: `Form ${index}`, types: ["VIEW"] });
const formsOf = (count: number) => Array.from({ length: count }, (_, index) => formOf(index));

type Lister = { list: Service["listForms"]; queries: Query[]; options: (CallOptions | undefined)[] };

/** A list with pages of the requested length. `change` changes an answer. */
function openList(
  forms: FormListedAnswer[],
  change: (answer: FormPageAnswer, query: Query) => FormPageAnswer = (same) => same,
): Lister {
  const queries: Query[] = [];
  const options: (CallOptions | undefined)[] = [];
  const list: Service["listForms"] = async ({ query = {} }, option) => {
    queries.push(query);
    options.push(option);
    const { page = 1, limit = 20, cursor } = query;
    const start = cursor === undefined ? (page - 1) * limit : Number(cursor);
    const end = start + limit;
    const hasMore = end < forms.length;
    const meta = { page, limit, total: forms.length, hasMore, ...(hasMore && { nextCursor: `${end}` }) };
    return change({ data: forms.slice(start, end), meta }, query);
  };
  return { list, queries, options };
}

async function itemsOf(
  list: Service["listForms"],
  options?: Parameters<typeof pages>[2],
): Promise<{ ids: string[]; error?: unknown }> {
  const ids: string[] = [];
  try {
    for await (const { items } of pages(list, OBJECT, options)) ids.push(...items.map(({ id }) => id));
    return { ids };
  } catch (error) {
    return { ids, error };
  }
}

describe("pages", () => {
  it("requests a page only when the loop asks for it", async () => {
    const { list, queries } = openList(formsOf(501));
    const stream = pages(list, OBJECT, { pageSize: 50 });
    expect(queries).toHaveLength(0);
    const { value } = await stream.next();
    expect([value?.items.length, value?.total, queries]).toEqual([50, 501, [{ page: 1, limit: 50 }]]);
    await stream.next();
    expect(queries).toHaveLength(2);
    await stream.return();
    expect(queries).toHaveLength(2);
  });

  it("yields all forms in the order of the service, with the last reported total", async () => {
    const forms = formsOf(7);
    const { list, queries } = openList(forms);
    const read = await Array.fromAsync(pages(list, OBJECT, { pageSize: 3 }));
    expect(read.flatMap(({ items }) => items)).toEqual(forms);
    expect(read.map(({ total }) => total)).toEqual([7, 7, 7]);
    expect(queries).toEqual([
      { page: 1, limit: 3 },
      { cursor: "3", limit: 3, count: "hasMore" },
      { cursor: "6", limit: 3, count: "hasMore" },
    ]);
  });

  it("yields one page without items for an empty list", async () => {
    expect(await Array.fromAsync(pages(openList([]).list, OBJECT))).toEqual([{ items: [], total: 0 }]);
  });

  it.each([0, 101, 2.5, Number.NaN])("refuses the page size %d at once", (pageSize) => {
    expect(() => pages(openList([]).list, OBJECT, { pageSize })).toThrow(
      expect.objectContaining({ code: "INVALID_VALUE" }),
    );
  });

  it("fails where the list turns out to be incomplete, after the pages before", async () => {
    const { list } = openList(formsOf(5), (answer, { cursor }) =>
      cursor === "4" ? { ...answer, meta: { ...answer.meta, total: 6 } } : answer,
    );
    const { ids, error } = await itemsOf(list, { pageSize: 2 });
    expect(error).toMatchObject({ code: "LIST_INCOMPLETE", message: expect.stringContaining("5, then 6") });
    expect(ids).toEqual(["frm_0", "frm_1", "frm_2", "frm_3"]);
  });

  it("continues by page numbers where the server refuses its cursors", async () => {
    const { list, queries } = openList(formsOf(5), (answer, { cursor }) => {
      if (cursor === undefined) return answer;
      throw new ServiceError(400, { code: "VALIDATION_FAILED", message: "unknown cursor" });
    });
    expect((await itemsOf(list, { pageSize: 2 })).ids).toHaveLength(5);
    expect(queries.map(({ page, cursor }) => page ?? cursor)).toEqual([1, "2", 2, 3]);
  });

  it("filters each page where the server does not state that it filters", async () => {
    const filters = { op: "and" as const, items: [{ field: "name", operator: "eq", value: "Form 3" } as const] };
    const input = { ...OBJECT, query: { filters } };
    const read = await Array.fromAsync(pages(openList(formsOf(4)).list, input, { pageSize: 2 }));
    expect(read).toEqual([{ items: [] }, { items: [formOf(3)] }]);
    expect(await listAll(openList(formsOf(4)).list, input)).toEqual([formOf(3)]);
  });

  it("sends the order and the filters with each page", async () => {
    const { list, queries } = openList(formsOf(3));
    const sort = [{ field: "name" as const, direction: "asc" as const }];
    await Array.fromAsync(pages(list, { ...OBJECT, query: { sort } }, { pageSize: 2 }));
    expect(queries.map((query) => query.sort)).toEqual([sort, sort]);
  });

  it("reads 50,000 forms in a heap of 40 MiB, in which they have no room together", () => {
    const script = join(import.meta.dirname, "scripts", "stream-forms.ts");
    const run = (how: string) =>
      spawnSync(process.execPath, ["--max-old-space-size=40", script, how], { encoding: "utf8" });
    expect(run("pages")).toMatchObject({ status: 0, stdout: "50000\n" });
    expect(run("all").status).not.toBe(0);
  });

  it("has no limit for the size of the whole list over HTTP", async () => {
    const forms = formsOf(40);
    const server = await simulateServer(({ url }) => {
      const { searchParams } = new URL(url, "http://server");
      const page = Number(searchParams.get("page") ?? 1);
      const data = forms.slice((page - 1) * 10, page * 10);
      return { status: 200, body: { data, meta: { total: 40, hasMore: page < 4 } } };
    });
    onTestFinished(() => server.close());
    const { service } = openClient(server.url, { listLimits: { bytes: 20_000, milliseconds: 60_000 } });
    await expect(listAll(service.listForms, OBJECT)).rejects.toMatchObject({ code: "LIST_TOO_LONG" });
    expect((await itemsOf(service.listForms, { pageSize: 10 })).ids).toHaveLength(40);
  });
});

describe("the signal of a list", () => {
  it("ends a loop before the next request, and is passed to each request", async () => {
    const { list, queries, options } = openList(formsOf(9));
    const { signal, abort } = abortable();
    const seen: number[] = [];
    const read = async () => {
      for await (const { items } of pages(list, OBJECT, { pageSize: 3, signal })) {
        seen.push(items.length);
        if (seen.length === 2) abort();
      }
    };
    await expect(read()).rejects.toThrow("enough");
    expect([seen, queries.length]).toEqual([[3, 3], 2]);
    expect(options.every((option) => option?.signal === signal)).toBe(true);
  });

  it("ends listAll before the next request", async () => {
    const { signal, abort } = abortable();
    const { list, queries } = openList(formsOf(300), (answer) => {
      abort();
      return answer;
    });
    await expect(listAll(list, OBJECT, { signal })).rejects.toThrow("enough");
    expect(queries).toHaveLength(1);
  });

  function abortable() {
    const controller = new AbortController();
    return { signal: controller.signal, abort: () => controller.abort(new Error("enough")) };
  }
});

/** What a server does with a list. It may be wrong or inconsistent, but answers the same request in the same way. */
type Behavior = {
  count: number;
  /** The length of the server's pages, whatever is requested. */
  length: number;
  total: "none" | "exact" | "first page" | "own page" | "too many";
  hasMore: "none" | "exact" | "always" | "never";
  cursors: "none" | "exact" | "refused" | "repeated" | "of the first page";
  numbers: "exact" | "ignored" | "refused";
};

const behaviors: fc.Arbitrary<Behavior> = fc.record({
  count: fc.nat(9),
  length: fc.integer({ min: 1, max: 4 }),
  total: fc.constantFrom("none", "exact", "first page", "own page", "too many"),
  hasMore: fc.constantFrom("none", "exact", "always", "never"),
  cursors: fc.constantFrom("none", "exact", "refused", "repeated", "of the first page"),
  numbers: fc.constantFrom("exact", "ignored", "refused"),
});

function behaving({ count, length, total, hasMore, cursors, numbers }: Behavior): Lister {
  const forms = formsOf(count);
  const queries: Query[] = [];
  const refusal = () => new ServiceError(400, { code: "VALIDATION_FAILED", message: "no" });
  const list: Service["listForms"] = async ({ query = {} }) => {
    queries.push(query);
    const { cursor, page = 1 } = query;
    if (cursor !== undefined && cursors === "refused") throw refusal();
    if (page > 1 && numbers === "refused") throw refusal();
    const byNumber = numbers === "ignored" ? 0 : (page - 1) * length;
    const start = cursor === undefined ? byNumber : Number(cursor);
    const data = forms.slice(start, start + length);
    const isMore = start + length < count;
    const next = cursors === "of the first page" ? 0 : cursors === "repeated" ? length : start + length;
    const totals = { none: undefined, exact: count, "own page": data.length, "too many": count + 1 };
    const said = total === "first page" ? (start === 0 ? count : undefined) : totals[total];
    const more = { none: undefined, exact: isMore, always: true, never: false }[hasMore];
    const meta = {
      page,
      limit: length,
      ...(said !== undefined && { total: said }),
      ...(more !== undefined && { hasMore: more }),
      ...(cursors !== "none" && isMore && { nextCursor: `${next}` }),
    };
    return { data, meta };
  };
  return { list, queries, options: [] };
}

type Outcome = { ids: string[] } | { code: unknown };

const codeOf = (error: unknown): Outcome => ({ code: (error as { code?: unknown }).code });

it("streams the items that listAll returns, or fails as listAll does, for any behavior of a server", async () => {
  const outcomes = { equal: 0, failed: 0, readAgain: 0 };
  await fc.assert(
    fc.asyncProperty(behaviors, async (behavior) => {
      const { ids, error } = await itemsOf(behaving(behavior).list);
      const streamed = error === undefined ? { ids } : codeOf(error);
      const { list, queries } = behaving(behavior);
      const whole = await listAll(list, OBJECT).then((all): Outcome => ({ ids: all.map(({ id }) => id) }), codeOf);
      // `listAll` reads a list a second time, and then without cursors. A stream can't begin again.
      const isReadAgain = "code" in streamed && "ids" in whole && queries.filter(({ page }) => page === 1).length > 1;
      outcomes[isReadAgain ? "readAgain" : "ids" in streamed ? "equal" : "failed"]++;
      expect(streamed).toEqual(isReadAgain ? { code: "LIST_INCOMPLETE" } : whole);
    }),
    { numRuns: 1_000 },
  );
  expect(Math.min(...Object.values(outcomes))).toBeGreaterThan(0);
});
