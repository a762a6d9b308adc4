/**
 * Checks how the current state is read: completely or not at all, and with few requests. Some servers show more than
 * ours, and some less.
 */

import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { remember } from "../../src/contents/memory.ts";
import { readCurrent, readWanted } from "../../src/state/read.ts";
import { openReader } from "../../src/state/reader.ts";
import { matchNames } from "../../src/state/match.ts";
import type { FormListItem } from "../../src/schemas/form.ts";
import type { Input, Output } from "../../src/schemas/operations.ts";
import { type Service, ServiceError } from "../../src/service.ts";
import { CANDIDATE, content, form, layout, openScene, PLACEMENT } from "../plan/plan-scene.ts";
import type { ObjectKey } from "../../src/lists/addresses.ts";

type Query = NonNullable<Input<"listForms">["query"]>;
const listForms = (service: Pick<Service, "listForms">, objects: readonly ObjectKey[], concurrency: number) =>
  openReader(() => service as Service, { concurrency }).forms(objects);
type Meta = Output<"listForms">["meta"];

/** A server with `count` forms. `meta` changes what each page of the list reports in `meta`. */
function pages(count: number, meta: (page: number, all: Meta) => Partial<Meta>, size = 100) {
  const forms = Array.from(
    { length: count },
    (_, index) => ({ id: `frm_${index}`, name: `Form ${index}` }) as FormListItem,
  );
  const asked: number[] = [];
  const service = {
    async listForms({ query }: { query?: Query }) {
      const { page = 1 } = query ?? {};
      asked.push(page);
      const data = forms.slice((page - 1) * size, page * size);
      const all = { page, limit: size, total: forms.length, hasMore: page * size < forms.length };
      return { data, meta: meta(page, all) as Meta };
    },
  };
  return { service: service as unknown as Pick<Service, "listForms">, forms, asked };
}

describe("a list of forms", () => {
  it.each<[string, (page: number, all: Meta) => Partial<Meta>, number]>([
    ["with a total", (_, all) => all, 250],
    ["that reports only whether there is another page", (_, { hasMore }) => ({ hasMore: hasMore! }), 250],
    ["that does not report its pages", () => ({}), 250],
    ["that ends with a full page and does not report its pages", () => ({}), 200],
    ["that is empty", (_, all) => all, 0],
    ["with smaller pages than it was asked for", (_, all) => all, 120],
  ])("is read completely, %s", async (words, meta, count) => {
    const { service, forms } = pages(count, meta, words.startsWith("with smaller") ? 50 : 100);
    expect(await listForms(service, [CANDIDATE], 4)).toEqual([forms]);
  });

  it("reads its pages concurrently if the total is known", async () => {
    const { service, asked } = pages(1_000, (_, all) => all);
    await listForms(service, [CANDIDATE], 4);
    expect(asked.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it("is read once more if it changed meanwhile", async () => {
    const { service, forms, asked } = pages(250, (_, all) => all);
    let changes = 1;
    const restless = {
      async listForms(input: Input<"listForms">) {
        const answer = await service.listForms(input);
        if (input.query?.page === 1 && changes-- > 0) forms.push({ id: "frm_new", name: "New" } as FormListItem);
        return answer;
      },
    };
    const [read] = await listForms(restless, [CANDIDATE], 1);
    expect(read).toHaveLength(251);
    expect(asked).toEqual([1, 2, 3, 1, 2, 3]);
  });

  it.each<[string, (page: number, all: Meta) => Partial<Meta>, string]>([
    [
      "whose total is never the same",
      (page, all) => ({ ...all, total: 250 + page }),
      "changed during the read: 251, then",
    ],
    [
      "that shows fewer forms than its total",
      (_, all) => ({ ...all, total: 260 }),
      "the server reports 260 entries and shows 250",
    ],
    [
      "whose total is much greater than what it shows",
      (_, all) => ({ ...all, total: 900 }),
      "the server reports 900 entries and shows 250",
    ],
    ["that always has more", () => ({ hasMore: true }), "the server reports another page and shows no entries"],
  ])("is refused if it stays incomplete: %s", async (_, meta, reason) => {
    const { service } = pages(250, meta);
    await expect(listForms(service, [CANDIDATE], 4)).rejects.toThrow(reason);
    await expect(listForms(service, [CANDIDATE], 4)).rejects.toMatchObject({ code: "LIST_INCOMPLETE" });
  });

  it("is refused if every page is the first one", async () => {
    const { service } = pages(250, (_, all) => all);
    const stuck = { listForms: (input: Input<"listForms">) => service.listForms({ ...input, query: { page: 1 } }) };
    await expect(listForms(stuck, [CANDIDATE], 4)).rejects.toThrow("an entry is on two pages");
    const silent = pages(250, () => ({ hasMore: true }));
    const endless = {
      listForms: (input: Input<"listForms">) => silent.service.listForms({ ...input, query: { page: 1 } }),
    };
    await expect(listForms(endless, [CANDIDATE], 4)).rejects.toThrow("an entry is on two pages");
  });

  it("reports all missing objects together", async () => {
    const { service } = await openScene();
    const nothing = { moduleKey: "staffing", objectKey: "candidat" };
    const another = { moduleKey: "staffing", objectKey: "placemnt" };
    await expect(listForms(service, [nothing, CANDIDATE, another], 4)).rejects.toThrow(
      "these objects do not exist: staffing/candidat, staffing/placemnt",
    );
  });
});

describe("names", () => {
  const record = (id: string, name: string) => ({ id, name, layoutId: `lay_${id}` });
  const sought = (name: string, formerName?: string, layoutId?: string) => ({
    address: name,
    name,
    formerName,
    layoutId,
  });
  const found = (...args: Parameters<typeof matchNames>) =>
    Object.fromEntries([...matchNames(...args).matches].map(([address, { id }]) => [address, id]));

  it("find one record each: by name, former name, or known id", () => {
    const records = [record("1", "A"), record("2", "Was B"), record("3", "Renamed there")];
    const wanted = [sought("A"), sought("B", "Was B"), sought("C", undefined, "lay_3"), sought("D")];
    expect(found(wanted, records)).toEqual({ A: "1", B: "2", C: "3" });
  });

  it("take no record from another manifest by its id", () => {
    expect(found([sought("A"), sought("B", undefined, "lay_1")], [record("1", "A")])).toEqual({ A: "1" });
  });

  it.each([
    ["two records of one name", [sought("A")], [record("1", "A"), record("2", "A")], '2 records are named "A": 1, 2'],
    [
      "the new and the former name",
      [sought("B", "A")],
      [record("1", "A"), record("2", "B")],
      'both "B" and its former name "A"',
    ],
    [
      "two records of the former name",
      [sought("B", "A")],
      [record("1", "A"), record("2", "A")],
      '2 records have the former name "A"',
    ],
    [
      "a former name that another manifest has",
      [sought("B", "A"), sought("A")],
      [record("1", "A")],
      "is the name of another manifest",
    ],
  ])("are ambiguous: %s", (_, wanted, records, message) => {
    expect(matchNames(wanted, records).ambiguities[0]?.message).toContain(message);
  });

  it("are not ambiguous if another manifest has the former name", () => {
    const records = [record("1", "A"), record("2", "B")];
    expect(matchNames([sought("B", "A"), sought("A")], records).ambiguities).toEqual([]);
  });
});

/** The turns of the event loop after which the reader has processed all answers. It processes one content a turn. */
const IDLE_TURNS = 10;

/** Counts the requests, and the maximum number of concurrent requests. */
function watched(service: Service) {
  const calls: string[] = [];
  let now = 0;
  let most = 0;
  const proxy = new Proxy(service, {
    get: (target, name: keyof Service) => async (input: never) => {
      calls.push(name);
      most = Math.max(most, ++now);
      for (let turn = 0; turn < IDLE_TURNS; turn++) await setImmediate();
      try {
        return await target[name](input);
      } finally {
        now--;
      }
    },
    ownKeys: (target) => Reflect.ownKeys(target),
  });
  return {
    service: Object.fromEntries(
      Object.keys(service).map((name) => [name, proxy[name as keyof Service]]),
    ) as unknown as Service,
    calls,
    most: () => most,
  };
}

function counted(calls: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const call of calls) counts[call] = (counts[call] ?? 0) + 1;
  return counts;
}

describe("the current state", () => {
  it("is read with the fewest requests, within the concurrency limit", async () => {
    const scene = await openScene();
    const { recruiter } = scene.roles;
    const access = { users: [], roles: [{ roleId: recruiter, types: ["VIEW" as const] }] };
    const wanted = [
      ...Array.from({ length: 30 }, (_, index) =>
        form(`Form ${index}`, { content: content("email"), access: { users: [], roles: [] } }),
      ),
      form("With rows", { access }),
      form("Elsewhere", { object: PLACEMENT, types: ["VIEW"] }),
      layout("Card", { content: content() }),
    ];
    await scene.make(wanted);
    const { service, calls, most } = watched(scene.service);
    const progress: string[] = [];
    const current = await readCurrent({
      service,
      wanted,
      known: new Map(),
      concurrency: 5,
      onProgress: (done, total) => progress.push(`${done}/${total}`),
    });
    expect(counted(calls)).toEqual({ listForms: 2, listLayouts: 1, listVersions: 31, getFormAccess: 1 });
    expect(most()).toBe(5);
    expect(progress.at(-1)).toBe("35/35");
    expect(current.forms.size).toBe(32);
    expect(current.forms.get("staffing/candidate/Form 0")).toMatchObject({
      access: undefined,
      content: {
        published: { number: 1, modes: ["VIEW", "EDIT"], isCopy: false, stamp: { ref: "test" } },
        draft: null,
        earlier: [],
      },
    });
    expect(current.forms.get("staffing/candidate/With rows")).toMatchObject({ access, content: undefined });
    expect(current.layouts.get("CONTRACTOR/Card")).toMatchObject({
      name: "Card",
      assignments: { organizationDefault: false, roles: [] },
    });
  });

  it("includes everything of an object if requested", async () => {
    const scene = await openScene();
    await scene.make([form("A", { content: content("email") }), form("B")]);
    const { objects } = await readCurrent({
      service: scene.service,
      wanted: [],
      known: new Map(),
      concurrency: 4,
      whole: [CANDIDATE],
    });
    const { forms } = objects.get("staffing/candidate")!;
    const seen = forms.map(({ form: { name }, access, content: shown }) => [
      name,
      { access, shown: shown?.published?.number },
    ]);
    const access = { users: [], roles: [] };
    expect(Object.fromEntries(seen)).toEqual({ A: { access, shown: 1 }, B: { access, shown: undefined } });
  });

  it("keeps the contents of which a migration has remembered results", async () => {
    const scene = await openScene();
    await scene.make([form("A", { content: content("email") })]);
    const reader = openReader(() => scene.service, { concurrency: 2 });
    const wanted = [form("A", { content: content("email") })];
    const read = async () => {
      const { forms } = await readWanted(reader, { wanted, known: new Map() });
      return forms.get("staffing/candidate/A")!.content!;
    };
    const { layoutId } = await read();
    const { published } = await reader.content(layoutId, "DYNAMIC_OBJECT");
    expect((await read()).published!.content).not.toBe(published!.content);
    const again = await reader.content(layoutId, "DYNAMIC_OBJECT");
    remember(again.published!.content);
    expect((await read()).published!.content).toBe(again.published!.content);
  });

  it("keeps only stamps of earlier versions", async () => {
    const scene = await openScene();
    for (const fields of [["email"], ["email", "phone"], ["phone"]])
      await scene.make([form("A", { content: content(...fields) })]);
    const { published, earlier } = (await scene.read([form("A", { content: content("email") })])).forms.get(
      "staffing/candidate/A",
    )!.content!;
    expect([published?.number, earlier.map(({ number }) => number)]).toEqual([3, [2, 1]]);
    expect(Object.keys(earlier[0]!).toSorted()).toEqual(["id", "isCopy", "number", "shows", "stamp"]);
  });

  it("requests contents that the list of versions leaves out", async () => {
    const scene = await openScene();
    await scene.make([form("A", { content: content("email") })]);
    const { service, calls } = watched({
      ...scene.service,
      listVersions: async (input) =>
        (await scene.service.listVersions(input)).map(({ id, status, version }) => ({ id, status, version })),
    });
    const wanted = [form("A", { content: content("email") })];
    const current = await readCurrent({ service, wanted, known: new Map(), concurrency: 2 });
    expect(counted(calls)).toEqual({ listForms: 1, listVersions: 1, getVersion: 1 });
    expect(current.forms.get("staffing/candidate/A")!.content!.published!.content.blocks).toHaveLength(1);
  });

  it("is refused as ambiguous, with the ids, before anything else is read", async () => {
    const scene = await openScene();
    for (let count = 0; count < 2; count++)
      await scene.service.createForm({ ...CANDIDATE, body: { name: "Twin", types: ["VIEW"] } });
    await expect(scene.read([form("Twin", { content: content() })])).rejects.toMatchObject({
      name: "AmbiguousNames",
      ambiguities: [{ address: "staffing/candidate/Twin", ids: [expect.any(String), expect.any(String)] }],
    });
  });
});

/** A server that has only documented endpoints. */
function withoutExtensions(service: Service): Service {
  const missing = async () => {
    throw new ServiceError(404, { code: "NOT_FOUND", message: "no such path" });
  };
  return { ...service, listLayouts: missing, getLayout: missing };
}

describe("a server that shows no layouts", () => {
  it("is reported once, notes what can't be observed, and creates no second layout if the lock has one", async () => {
    const scene = await openScene(undefined, withoutExtensions);
    const card = layout("Card", {
      content: content(),
      metadata: { team: "ops" },
      assignments: { organizationDefault: true, roles: [] },
    });
    const first = await scene.make([card]);
    expect(first.resources[0]!.notes).toEqual([expect.stringContaining("this server does not list layouts")]);

    const second = await scene.plan([card]);
    expect(second.resources[0]).toMatchObject({ action: "none", changes: [] });
    expect(second.resources[0]!.drift).toEqual({
      name: "unobservable",
      supportedModes: "unobservable",
      metadata: "unobservable",
      content: "same",
      assignments: "unobservable",
    });
    expect(second.resources[0]!.notes).toContain(
      "metadata can't be read from this server: assumed to be as last applied",
    );

    const changed = await scene.plan([{ ...card, metadata: { team: "hr" } }]);
    expect(changed.resources[0]!.steps.map(({ request }) => request)).toEqual([
      { operation: "updateLayout", body: { metadata: { team: "hr" } } },
    ]);
  });

  it("creates a deleted layout again", async () => {
    const scene = await openScene(undefined, withoutExtensions);
    const card = layout("Card", { content: content() });
    await scene.make([card]);
    await scene.service.archiveLayout({ layoutId: scene.lock.get("CONTRACTOR/Card")!.layoutId! });
    expect((await scene.plan([card])).resources[0]!.action).toBe("create");
  });

  it("plans forms as usual", async () => {
    const scene = await openScene(undefined, withoutExtensions);
    const wanted = [form("A", { content: content("email"), defaultFor: ["VIEW"] })];
    await scene.make(wanted);
    expect((await scene.plan(wanted)).resources[0]!.action).toBe("none");
  });
});

describe("a layout that is not listed", () => {
  const listingNothing = (service: Service): Service => ({ ...service, listLayouts: async () => [] });

  it("is read by the id of the lock before it is created again", async () => {
    const scene = await openScene(undefined, listingNothing);
    const card = layout("Card", { content: content() });
    await scene.make([card]);
    expect((await scene.plan([card])).resources[0]!.action).toBe("none");
    const { layoutId } = scene.lock.get("CONTRACTOR/Card")!;
    await scene.service.updateLayout({ layoutId: layoutId!, body: { name: "Renamed there" } });
    expect((await scene.plan([card])).resources[0]).toMatchObject({ action: "update", layoutId });
  });

  it("is found by its versions if the server does not show layouts by id", async () => {
    const missing = async () => {
      throw new ServiceError(404, { code: "NOT_FOUND", message: "no such path" });
    };
    const scene = await openScene(undefined, (service) => ({ ...listingNothing(service), getLayout: missing }));
    const card = layout("Card", { content: content() });
    await scene.make([card]);
    expect((await scene.plan([card])).resources[0]!.action).toBe("none");
  });

  it("is created again if it was deleted or archived, unless another layout has its name", async () => {
    const scene = await openScene();
    const card = layout("Card", { content: content() });
    await scene.make([card]);
    const { layoutId } = scene.lock.get("CONTRACTOR/Card")!;
    const away = await scene.service.getLayout({ layoutId: layoutId! });
    const versions = await scene.service.listVersions({ layoutId: layoutId! });
    await scene.service.archiveLayout({ layoutId: layoutId! });
    expect((await scene.plan([card])).resources[0]!.action).toBe("create");
    const known = new Map([["CONTRACTOR/Card", layoutId!]]);
    const showsAway = { ...scene.service, getLayout: async () => ({ ...away, status: "ARCHIVED" as const }) };
    for (const service of [showsAway, { ...showsAway, listVersions: async () => versions }]) {
      const current = await readCurrent({ service, wanted: [card], known, concurrency: 1 });
      expect(current.layouts.size).toBe(0);
    }
    const { id } = await scene.service.createLayout({
      body: { surface: "CONTRACTOR", supportedModes: ["VIEW"], target: {}, name: "Card" },
    });
    expect((await scene.plan([card])).resources[0]).toMatchObject({ action: "update", layoutId: id });
  });
});

describe("a server whose list has no flags and counts", () => {
  const unflagged = (service: Service): Service => ({
    ...service,
    async listForms(input) {
      const { data, meta } = await service.listForms(input);
      const bare = data.map((item) => {
        const entries = Object.entries(item).filter(([name]) => !/^isDefault|AccessCount$/.test(name));
        return Object.fromEntries(entries);
      });
      return { data: bare as never, meta };
    },
  });

  it("has its access read, and its defaults are assumed to be as last applied", async () => {
    const scene = await openScene(undefined, unflagged);
    const wanted = form("A", { defaultFor: ["VIEW"], access: { users: [], roles: [] } });
    await scene.make([wanted]);
    const plan = await scene.plan([wanted]);
    expect(plan.resources[0]).toMatchObject({ action: "none", drift: { defaultFor: "unobservable", access: "same" } });
    const stranger = await scene.plan([wanted], { lock: { get: () => undefined } });
    expect(stranger.resources[0]!.steps.map(({ request }) => request)).toEqual([
      { operation: "updateFormDefaults", take: ["VIEW"], leave: [] },
    ]);
    expect(stranger.resources[0]!.notes).toContainEqual(
      expect.stringMatching(
        /^whether the form is the default for EDIT can't be read .* forms defaults clear \S+ EDIT$/,
      ),
    );
    const cleared = await scene.plan([{ ...wanted, defaultFor: [] }]);
    expect(cleared.resources[0]).toMatchObject({
      action: "none",
      drift: { defaultFor: "unobservable" },
      notes: [expect.stringContaining("whether the form is the default for VIEW or EDIT can't be read")],
    });
    const prune = await scene.plan([form("B")], { prune: true });
    expect(prune.resources[1]!.notes).toEqual([expect.stringContaining("whether it is a default can't be read")]);
  });
});

describe("pruning", () => {
  it("is not planned from an incomplete list", async () => {
    const scene = await openScene(undefined, (service) => ({
      ...service,
      async listForms(input) {
        const { data, meta } = await service.listForms(input);
        return { data, meta: { ...meta, total: data.length + 1 } };
      },
    }));
    await expect(scene.plan([form("A")], { prune: true })).rejects.toMatchObject({ code: "LIST_INCOMPLETE" });
  });

  it("is not planned if a read failed", async () => {
    const scene = await openScene(undefined, (service) => ({
      ...service,
      listVersions: async () => {
        throw new ServiceError(503, { code: "STORE_BUSY", message: "busy" });
      },
    }));
    await scene.service.createForm({ ...CANDIDATE, body: { name: "A", types: ["VIEW"] } });
    await expect(scene.plan([form("A", { content: content() })], { prune: true })).rejects.toMatchObject({
      status: 503,
    });
  });
});

/**
 * Reads `count` forms from a server that answers all waiting requests together as soon as the reader sends no further
 * one. The duration is counted in such rounds: a busy machine does not change their number.
 */
async function readInRounds(count: number, concurrency: number): Promise<{ requests: number; rounds: number }> {
  let requests = 0;
  let rounds = 0;
  let waiting: (() => void)[] = [];
  async function answerTogether(): Promise<void> {
    for (let idle = 0, known = 0; idle < IDLE_TURNS; idle++) {
      await setImmediate();
      if (requests > known) idle = 0;
      known = requests;
    }
    rounds++;
    const answered = waiting;
    waiting = [];
    for (const go of answered) go();
  }
  const slow = async <T>(answer: T): Promise<T> => {
    requests++;
    await new Promise<void>((resolve) => {
      if (waiting.push(resolve) === 1) void answerTogether();
    });
    return answer;
  };
  const items = Array.from({ length: count }, (_, index) => ({
    id: `frm_${index}`,
    name: `Form ${index}`,
    viewLayoutId: `lay_${index}`,
    types: ["VIEW"],
    isActive: true,
    isPublic: false,
    config: null,
  }));
  const service = {
    listForms: ({ query }: { query: { page: number } }) =>
      slow({
        data: items.slice((query.page - 1) * 100, query.page * 100),
        meta: { page: query.page, limit: 100, total: count },
      }),
    listVersions: ({ layoutId }: { layoutId: string }) =>
      slow([
        {
          id: `ver_${layoutId}`,
          layoutId,
          version: 1,
          status: "PUBLISHED",
          supportedModes: ["VIEW"],
          ...content("email"),
        },
      ]),
  } as unknown as Service;
  const wanted = items.map(({ name }) => form(name, { types: ["VIEW"], content: content("email") }));
  const current = await readCurrent({ service, wanted, known: new Map(), concurrency });
  expect(current.forms.size).toBe(count);
  return { requests, rounds };
}

describe("reading many forms with 32 concurrent requests", () => {
  it("takes hardly longer than the requests themselves", async () => {
    const { requests, rounds } = await readInRounds(640, 32);
    expect(requests).toBe(640 + 7);
    // Two rounds for the pages of the list, and 20 for the contents.
    expect(rounds).toBe(22);
  });

  it("takes a round for each request if they are sent in sequence (control)", async () => {
    const { requests, rounds } = await readInRounds(640, 1);
    expect(rounds).toBe(requests);
  });
});
