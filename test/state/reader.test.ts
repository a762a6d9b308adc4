/**
 * One reader for a run: nothing is requested twice. Reads that begin before all manifests are read give the same answers,
 * need no additional request, and leave nothing open.
 */

import { randomBytes } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { readEarly } from "../../src/state/forms.ts";
import { packState, readCurrent, readWanted } from "../../src/state/read.ts";
import { openReader, type Reader } from "../../src/state/reader.ts";
import type { ContentState, VersionState } from "../../src/state/state.ts";
import type { WantedForm } from "../../src/manifests/manifest.ts";
import type { Input } from "../../src/schemas/operations.ts";
import type { Service } from "../../src/service.ts";
import { content, form, openScene, PLACEMENT } from "../plan/plan-scene.ts";

const CONCURRENCY = 3;
/** The turns of the event loop without a running request, after which the reader sends no further one. */
const IDLE_TURNS = 50;
const someTurns = async () => {
  for (let turn = 0; turn < IDLE_TURNS; turn++) await setImmediate();
};

/** `answered` waits until all requests are answered, and no other request follows. */
type Watched = { service: Service; asked: string[]; most: () => number; answered: () => Promise<void> };

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
  const answered = async () => {
    for (let idle = 0; idle < IDLE_TURNS; idle = running === 0 ? idle + 1 : 0) await setImmediate();
  };
  return { service: watched, asked, most: () => most, answered };
}

/** The service with pages of `size` forms, regardless of the requested limit. */
function inPages(service: Service, size: number): Service {
  return {
    ...service,
    listForms: ({ query, ...object }) => service.listForms({ ...object, query: { ...query, limit: size } }),
  };
}

const open = (service: Service) => openReader(async () => service, { concurrency: CONCURRENCY });
const takeAll = (reader: Reader, wanted: readonly WantedForm[]) => {
  for (const each of wanted) readEarly(reader, each);
};
const read = (service: Service, wanted: readonly WantedForm[]) =>
  readCurrent({ service, wanted, known: new Map(), concurrency: CONCURRENCY });
const readMain = (reader: Reader, wanted: readonly WantedForm[]) => readWanted(reader, { wanted, known: new Map() });

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
    const { service: watched, asked, most, answered } = watch(service);
    const early = open(watched);
    takeAll(early, wanted);
    await answered();
    expect(asked.toSorted()).toEqual(needed);
    expect(await readMain(early, wanted)).toEqual(current);
    expect(asked.toSorted()).toEqual(needed);
    expect(most()).toBe(CONCURRENCY);
  });

  it("share the limit of concurrent requests with the main read, which may begin before they are answered", async () => {
    const { service, wanted } = await openForms();
    const { service: watched, most } = watch({
      ...service,
      getFormAccess: async (input) => {
        await someTurns();
        return service.getFormAccess(input);
      },
    });
    const withContent = wanted.map((each) => ({ ...each, content: content("full_name") }));
    const early = open(watched);
    takeAll(early, withContent);
    await readMain(early, withContent);
    expect(most()).toBe(CONCURRENCY);
  });

  it("are shared with a main read that starts soon", async () => {
    const { service, wanted, current, needed } = await openForms();
    const { service: watched, asked, most, answered } = watch(service);
    const early = open(watched);
    takeAll(early, wanted);
    expect(await readMain(early, wanted)).toEqual(current);
    await answered();
    expect(asked.toSorted()).toEqual(needed);
    expect(most()).toBe(CONCURRENCY);
  });

  it("start with the first page of a list", async () => {
    const { service, wanted } = await openForms();
    const { service: watched, asked, answered } = watch(inPages(service, 4));
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
    await readMain(early, wanted);
    expect(asked.filter((each) => !each.startsWith("listVersions")).toSorted()).toEqual(before);
  });

  it("leave the other pages to the main read if it may ask by name", async () => {
    const { service, wanted } = await openForms();
    const { service: watched, asked, answered } = watch(inPages(service, 1));
    const early = open(watched);
    takeAll(early, wanted.slice(0, 2));
    await answered();
    const lists = () => asked.filter((each) => each.startsWith("listForms"));
    expect(lists()).toHaveLength(2);
    const current = await readWanted(early, { wanted: wanted.slice(0, 2), known: new Map(), byName: () => [] });
    expect(current.forms.size).toBe(2);
    // The main read sends one more request for each object: for the named form.
    expect(lists()).toHaveLength(4);
  });

  it("stop if the manifests are invalid", async () => {
    const { service, wanted } = await openForms();
    const { service: watched, asked, answered } = watch(service);
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
    await someTurns();
    await expect(readMain(early, wanted)).rejects.toThrow("the line is dead");
    const unopened = openReader(() => Promise.reject(new Error("no token")), { concurrency: CONCURRENCY });
    takeAll(unopened, wanted);
    await someTurns();
    await expect(readMain(unopened, wanted)).rejects.toThrow("no token");
  });
});

/** A service whose reads wait until the test answers them. */
function slowService() {
  const answers: (() => void)[] = [];
  const listVersions = () => {
    const { promise, resolve } = Promise.withResolvers<[]>();
    answers.push(() => resolve([]));
    return promise;
  };
  return { service: { listVersions } as unknown as Service, answers };
}

describe("contents that are read ahead", () => {
  it("need a limited number of requests at once", async () => {
    const { service, answers } = slowService();
    openReader(() => service, { concurrency: 2 }).readAhead(["a", "b", "c", "d"]);
    await setImmediate();
    expect(answers).toHaveLength(2);
    answers[0]!();
    await setImmediate();
    expect(answers).toHaveLength(3);
  });

  it("are not requested any more after the end", async () => {
    const { service, answers } = slowService();
    const end = openReader(() => service, { concurrency: 1 }).readAhead(["a", "b"]);
    await setImmediate();
    end();
    answers[0]!();
    await setImmediate();
    expect(answers).toHaveLength(1);
  });

  it("are requested once, until the reader forgets them", async () => {
    const { service, answers } = slowService();
    const reader = openReader(() => service, { concurrency: 2 });
    reader.readAhead(["a"]);
    const first = reader.content("a", "CONTRACTOR");
    await setImmediate();
    expect(answers).toHaveLength(1);
    answers[0]!();
    await first;
    await reader.takeContent("a", "CONTRACTOR");
    expect(answers).toHaveLength(1);
    const again = reader.content("a", "CONTRACTOR");
    await setImmediate();
    expect(answers).toHaveLength(2);
    answers[1]!();
    await again;
  });
});

describe("contents that a run keeps", () => {
  const { service } = slowService();
  const reader = openReader(() => service, { concurrency: 1 });
  const noise = randomBytes(6 * 2 ** 20).toString("base64");

  /** Keeps a content that can't be compressed. It needs 8 MiB. */
  function keep(): void {
    const metadata = { noise };
    const rest = { schemaVersion: 1, regions: [], blocks: [], stagedFieldDefinitions: [], scriptBindings: [] };
    const version = { id: "ver_a", version: 1, content: { ...rest, metadata } } as unknown as VersionState;
    packState({ published: version, draft: null } as unknown as ContentState, reader);
  }

  it("are refused if they need more than 96 MiB", () => {
    for (let kept = 0; kept < 11; kept++) keep();
    expect(() => {
      for (let kept = 0; kept < 2; kept++) keep();
    }).toThrow(expect.objectContaining({ code: "ANSWER_TOO_LARGE" }));
  });
});

describe("a list of layouts", () => {
  it("of one surface is taken from the list of all layouts", async () => {
    const { service } = await openScene();
    let requests = 0;
    const listLayouts: Service["listLayouts"] = (input) => {
      requests++;
      return service.listLayouts(input);
    };
    await service.createLayout({
      body: { surface: "CONTRACTOR", supportedModes: ["VIEW"], target: {}, name: "Card" },
    });
    const reader = openReader(() => ({ ...service, listLayouts }), { concurrency: 1 });
    const all = (await reader.layouts()) ?? [];
    const cards = await reader.layouts(new Set(["CONTRACTOR"]));
    expect(cards).toEqual(all.filter(({ surface }) => surface === "CONTRACTOR"));
    expect(cards).not.toEqual([]);
    expect(requests).toBe(1);
  });
});
