/**
 * Reads that begin before all manifests are read. They give the same answers, need no additional request, and leave
 * nothing open.
 */

import { describe, expect, it } from "vitest";
import { readCurrent } from "../../src/manifests/current/read.ts";
import { type EarlyReads, openEarlyReads } from "../../src/manifests/current/early-reads.ts";
import type { WantedForm } from "../../src/manifests/manifest.ts";
import type { Input } from "../../src/schemas/operations.ts";
import type { Service } from "../../src/service.ts";
import { content, form, openScene, PLACEMENT } from "./plan-scene.ts";

type Watched = { service: Service; asked: string[]; most: () => number };

/** Records the requests, and the maximum number of concurrent requests. */
function watch(service: Service): Watched {
  const asked: string[] = [];
  let running = 0;
  let most = 0;
  const noted = <I, O>(name: string, operation: (input: I) => Promise<O>) =>
    async function ask(input: I): Promise<O> {
      asked.push(`${name} ${JSON.stringify(input)}`);
      most = Math.max(most, ++running);
      try {
        return await operation(input);
      } finally {
        running--;
      }
    };
  const watched = {
    ...service,
    listForms: noted("listForms", (input: Input<"listForms">) => service.listForms(input)),
    getFormAccess: noted("getFormAccess", (input: Input<"getFormAccess">) => service.getFormAccess(input)),
    listVersions: noted("listVersions", (input: Input<"listVersions">) => service.listVersions(input)),
  };
  return { service: watched, asked, most: () => most };
}

/** The service with pages of `size` forms, regardless of the requested limit. */
function inPages(service: Service, size: number): Service {
  return {
    ...service,
    listForms: ({ query, ...object }) => service.listForms({ ...object, query: { ...query, limit: size } }),
  };
}

const CONCURRENCY = 3;
const open = (service: Service) => openEarlyReads(async () => service, CONCURRENCY);
const takeAll = (early: EarlyReads, wanted: readonly WantedForm[]) => {
  for (const each of wanted) early.take(each);
};
const read = (service: Service, wanted: readonly WantedForm[]) =>
  readCurrent({ service, wanted, known: new Map(), concurrency: CONCURRENCY });
const answered = () => new Promise((go) => setTimeout(go, 200));

/** Forms of two objects with access for a role, and a form that does not exist yet. */
async function openForms() {
  const scene = await openScene();
  const { service, roles } = scene;
  const access = { users: [], roles: [{ roleId: roles.recruiter, types: ["VIEW" as const] }] };
  const there = Array.from({ length: 12 }, (_, index) =>
    form(`Form ${index}`, { access, ...(index % 2 === 0 && { object: PLACEMENT }) }),
  );
  await scene.make(there);
  const wanted = [...there, form("Another", { access })];
  const plain = watch(service);
  return { service, wanted, current: await read(plain.service, wanted), needed: plain.asked.toSorted() };
}

describe("early reads", () => {
  it("answer the main read, so that no request is sent twice and the concurrency limit holds", async () => {
    const { service, wanted, current, needed } = await openForms();
    const { service: watched, asked, most } = watch(service);
    const early = open(watched);
    takeAll(early, wanted);
    await answered();
    expect(asked.toSorted()).toEqual(needed);
    expect(await read(early.over(watched), wanted)).toEqual(current);
    expect(asked.toSorted()).toEqual(needed);
    expect(most()).toBe(CONCURRENCY);
  });

  it("share the limit of concurrent requests with the main read, which may begin before they are answered", async () => {
    const { service, wanted } = await openForms();
    const { service: watched, most } = watch({
      ...service,
      getFormAccess: async (input) => {
        await new Promise((go) => setTimeout(go, 20));
        return service.getFormAccess(input);
      },
    });
    const withContent = wanted.map((each) => ({ ...each, content: content("full_name") }));
    const early = open(watched);
    takeAll(early, withContent);
    await read(early.over(watched), withContent);
    expect(most()).toBe(CONCURRENCY);
  });

  it("are shared with a main read that starts soon", async () => {
    const { service, wanted, current, needed } = await openForms();
    const { service: watched, asked, most } = watch(service);
    const early = open(watched);
    takeAll(early, wanted);
    expect(await read(early.over(watched), wanted)).toEqual(current);
    await answered();
    expect(asked.toSorted()).toEqual(needed);
    expect(most()).toBe(CONCURRENCY);
  });

  it("start with the first page of a list", async () => {
    const { service, wanted } = await openForms();
    const { service: watched, asked } = watch(inPages(service, 4));
    const early = open(watched);
    takeAll(early, wanted);
    await answered();
    const [firstAccess, lastList] = [
      asked.findIndex((each) => each.startsWith("getFormAccess")),
      asked.findLastIndex((each) => each.startsWith("listForms")),
    ];
    expect(firstAccess).toBeGreaterThan(-1);
    expect(firstAccess).toBeLessThan(lastList);
    const before = asked.toSorted();
    await read(early.over(watched), wanted);
    expect(asked.filter((each) => !each.startsWith("listVersions")).toSorted()).toEqual(before);
  });

  it("leave the other pages to the main read if it may ask by name", async () => {
    const { service, wanted } = await openForms();
    const { service: watched, asked } = watch(inPages(service, 1));
    const early = open(watched);
    takeAll(early, wanted.slice(0, 2));
    await answered();
    const lists = () => asked.filter((each) => each.startsWith("listForms"));
    expect(lists()).toHaveLength(2);
    const options = { wanted: wanted.slice(0, 2), known: new Map(), concurrency: CONCURRENCY, byName: () => [] };
    const current = await readCurrent({ service: early.over(watched), ...options });
    expect(current.forms.size).toBe(2);
    // The main read sends two more requests for each object. One is for the named form, and one tries the filter.
    expect(lists()).toHaveLength(6);
  });

  it("stop if the manifests are invalid", async () => {
    const { service, wanted } = await openForms();
    const { service: watched, asked } = watch(service);
    const early = open(watched);
    takeAll(early, wanted);
    early.stop();
    takeAll(early, wanted);
    await answered();
    expect(asked).toEqual([]);
  });

  it("fail silently, and again for the main read", async () => {
    const { service, wanted } = await openForms();
    const broken = {
      ...service,
      listForms: () => Promise.reject(new Error("the line is dead")),
    };
    const early = open(broken);
    takeAll(early, wanted);
    await answered();
    await expect(read(early.over(broken), wanted)).rejects.toThrow("the line is dead");
    const unopened = openEarlyReads(() => Promise.reject(new Error("no token")), CONCURRENCY);
    takeAll(unopened, wanted);
    await answered();
    await expect(read(unopened.over(service), wanted)).rejects.toThrow("no token");
  });
});
