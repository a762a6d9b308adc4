/**
 * Sends many requests of all kinds, valid and invalid. Each request must be answered, and the memory of the server must
 * not grow.
 */

import { type Served, startServed } from "../server/served.ts";

const AT_ONCE = 16;
const MAX_GROWTH = 1.2;
/**
 * From this number of requests on, the resident memory is checked too. In such a run, this memory grows in the second
 * half only because of a leak.
 */
const SETTLED = 50_000;
const FORMS = "/v1/custom-modules/staffing/objects/candidate/forms";

export const manyRequests = {
  name: "many-requests",
  full: 200_000,
  sample: 4_000,
  run: (count: number, seed: number) => withServer((served) => attack(served, count, generator(seed))),
  /** Attacks a server that keeps some memory for each request. */
  control: (seed: number) =>
    withServer(async (served) => {
      await served.measure("leak");
      return attack(served, 4_000, generator(seed));
    }),
};

async function withServer<T>(work: (served: Served) => Promise<T>): Promise<T> {
  const served = await startServed();
  try {
    return await work(served);
  } finally {
    await served.stop();
  }
}

async function attack(served: Served, count: number, random: () => number) {
  const violations: string[] = [];
  const sendOne = async () => {
    const kind = oneOf(KINDS, random);
    // A failed request is sent again. On a busy machine, the server may close an idle connection just before the next
    // request.
    const status = await kind(served, random).catch(() => kind(served, random));
    if (!(status >= 200 && status < 500)) violations.push(`answered with ${status}`);
  };
  const batch = async (size: number) => {
    let left = size;
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        while (left-- > 0) await sendOne();
      }),
    );
  };
  // Loaded and compiled code stays in memory. So the memory is measured after the first half of the requests.
  await batch(count / 2);
  const before = await served.measure("collect");
  await batch(count / 2);
  const after = await served.measure("collect");
  // In a short run, the resident memory is not checked: it grows while V8 compiles.
  for (const part of count < SETTLED ? (["heapUsed"] as const) : (["heapUsed", "rss"] as const)) {
    const growth = after[part] / before[part];
    if (growth > MAX_GROWTH) violations.push(`${part} grows from ${before[part]} to ${after[part]} bytes`);
  }
  return { count, violations, facts: { "heap bytes": after.heapUsed, "rss bytes": after.rss } };
}

type Kind = (served: Served, random: () => number) => Promise<number>;

const KINDS: readonly Kind[] = [
  (served) => ask(served, "GET", FORMS),
  (served) => ask(served, "GET", "/v1/currencies"),
  (served) => ask(served, "GET", "/v1/view-layouts"),
  (served) => ask(served, "GET", "/v1/nothing"),
  (served, random) => ask(served, "GET", `${FORMS}/frm_${Math.floor(random() * 1e9)}`),
  (served, random) => ask(served, "GET", `${FORMS}?sort=${random()}&x${random()}=1`),
  (served) => ask({ ...served, token: "wrong" }, "GET", FORMS),
  (served, random) => ask(served, "POST", FORMS, spoiled('{"name":"A","types":["VIEW"],"config":{}}x', random)),
  (served, random) => ask(served, "PATCH", `${FORMS}/defaults`, spoiled('{"defaultViewFormId":"none"}x', random)),
  async (served, random) => {
    const body = JSON.stringify({ name: `Form ${random()}`, types: ["VIEW"] });
    const headers = { "idempotency-key": `key-${random()}` };
    const answer = await fetch(served.url + FORMS, { method: "POST", headers: { ...said(served), ...headers }, body });
    const { data } = (await answer.json()) as { data?: { id: string } };
    return data ? ask(served, "DELETE", `${FORMS}/${data.id}`) : answer.status;
  },
];

async function ask(served: Served, method: string, path: string, body?: string): Promise<number> {
  const init = { method, headers: said(served), ...(body !== undefined && { body }) };
  const answer = await fetch(served.url + path, init);
  await answer.arrayBuffer();
  return answer.status;
}

function said({ token }: Served): Record<string, string> {
  return { authorization: `Bearer ${token}`, "content-type": "application/json" };
}

/** Returns the text with one character replaced. The result may be the same text, other JSON or invalid JSON. */
function spoiled(text: string, random: () => number): string {
  const at = Math.floor(random() * text.length);
  return text.slice(0, at) + oneOf(['"', "{", "[", "1", ",", "\u0000", "x"], random) + text.slice(at + 1);
}

function oneOf<T>(items: readonly T[], random: () => number): T {
  return items[Math.floor(random() * items.length)]!;
}

/** Returns a generator of numbers from 0 to 1 (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
