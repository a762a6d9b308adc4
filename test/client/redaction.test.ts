/** Recordings contain no token and no value: random exchanges with planted marks, and a control without the redactor. */

import { createRequire } from "node:module";
import { Ajv } from "ajv";
import * as fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { Secret } from "../../src/base/secret.ts";
import type { FetchAnswer } from "../../src/client/fetch.ts";
import { MAX_BODY_BYTES, MAX_ENTRIES, MAX_TOTAL_BYTES, recordExchanges } from "../../src/client/record-exchanges.ts";
import { createRedactor, type Redactor } from "../../src/client/redact-exchange.ts";
import { holdsToken, newCanary } from "../canary.ts";

/** Each planted text contains this word, and no other text does. */
const MARK = "kiwi";
/** Each planted number starts with these digits. */
const DIGITS = "44000000";

const RUNS = 200;

type Planted = { exchanges: Exchange[]; token: string };
type Exchange = {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
  answer: { status: number; headers: Record<string, string | string[]>; body: string } | Error;
};

const spelling = fc.constantFrom("config", "metadata", "defaults", "default", "defaultValue", "default_value");
const around = fc.constantFrom("", " ", '"', "\\", "é ", "\u2028", "😀", "\n", "%", "&", "{}", "'");
const text = fc
  .tuple(around, fc.integer({ min: 100, max: 999 }), around)
  .map(([before, number, after]) => `${before}${MARK}${number}${after}`);
const number = fc.integer({ min: 10, max: 99 }).map((rest) => Number(`${DIGITS}${rest}`));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, text, number, fc.boolean(), fc.constant(null), tie("list"), tie("object")),
  list: fc.array(tie("value"), { maxLength: 3 }),
  object: fc.dictionary(fc.constantFrom("title", "size", "name", "path", "field"), tie("value"), { maxKeys: 3 }),
}));
const token = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => newCanary(bytes));

/** A record with user values, and the texts in it. */
const record = fc
  .record({
    members: fc.array(fc.tuple(spelling, value), { minLength: 1, maxLength: 3 }),
    title: text,
    publicToken: fc.option(fc.integer({ min: 10_000 }).map((rest) => `pub_${MARK}_${rest}`)),
    children: fc.array(fc.tuple(spelling, value), { maxLength: 2 }),
    other: token,
  })
  .map(({ members, title, publicToken, children, other }) => {
    const blocks = children.map(([name, content]) => ({ id: "b1", source: { kind: "field", [name]: content } }));
    const json = { id: "frm_1", config: { title }, ...Object.fromEntries(members), publicToken, blocks, note: other };
    return { json: { ...json, config: { ...(json.config as object), title } }, title, publicToken };
  });

const runs: fc.Arbitrary<Planted> = fc
  .record({
    own: token,
    other: token,
    records: fc.array(record, { minLength: 1, maxLength: 4 }),
    kinds: fc.array(fc.constantFrom("read", "refused", "page", "redirect", "lost", "diagnostics", "filter"), {
      minLength: 1,
      maxLength: 6,
    }),
  })
  .map(({ own, other, records, kinds }) => ({
    token: own,
    exchanges: [
      ...kinds.map((kind, index) => exchangeOf(kind, records[index % records.length]!, { own, other })),
      // A message may repeat a value before a body contains it.
      ...records.map((each) => exchangeOf("read", each, { own, other })),
    ],
  }));

function exchangeOf(
  kind: string,
  { json, title, publicToken }: { json: object; title: string; publicToken: string | null },
  { own, other }: { own: string; other: string },
): Exchange {
  const cookie = `${MARK}Session=${MARK}1`;
  const request = {
    method: "PUT",
    url: `http://127.0.0.1:1/v1/forms/${other}?access_token=${MARK}&echo=${own}`,
    headers: { authorization: `Bearer ${own}`, cookie, "content-type": "application/json", "x-api-key": MARK },
    body: JSON.stringify(json),
  };
  const headers = { "content-type": "application/json", "set-cookie": [cookie, `b=${MARK}`], "x-echo": own };
  const answer = (status: number, body: unknown) => ({ status, headers, body: JSON.stringify(body) });
  const message = `the title ${title} and ${JSON.stringify(title)} of ${own}, ${publicToken ?? ""} is invalid`;
  switch (kind) {
    case "refused": {
      const fieldErrors = { "config.title": [message] };
      return {
        ...request,
        answer: answer(400, { error: { code: "VALIDATION", message, fieldErrors, received: title } }),
      };
    }
    case "page":
      return {
        ...request,
        answer: { status: 502, headers: { ...headers, "content-type": "text/html" }, body: message },
      };
    case "redirect": {
      const location = `/login?token=${MARK}&back=${encodeURIComponent(`/x/${own}`)}&q=${encodeURIComponent(title)}`;
      return { ...request, answer: { status: 302, headers: { ...headers, location }, body: "" } };
    }
    case "lost":
      return { ...request, answer: new Error(`lost ${message}`) };
    case "diagnostics":
      return { ...request, answer: answer(200, { data: { validation: { errors: [{ code: "X", message }] } } }) };
    case "filter": {
      const filters = { op: "and", items: [{ field: "config.title", operator: "eq", value: `${MARK}-typed` }] };
      const query = new URLSearchParams({ filters: JSON.stringify(filters), title, config: MARK });
      return {
        ...request,
        url: `http://127.0.0.1:1/v1/forms?${query.toString()}`,
        answer: answer(200, { data: [json] }),
      };
    }
    default:
      return { ...request, answer: answer(200, { data: json }) };
  }
}

/** Records the exchanges. @returns the text of the file */
async function recorded({ exchanges, token: own }: Planted, redactor: Redactor): Promise<string> {
  const recording = recordExchanges("0.0.0-test", redactor, () => new Date(0));
  for (const { answer, url, method, headers, body } of exchanges) {
    const fetch = recording.record(async () => {
      if (answer instanceof Error) throw answer;
      return answerOf(answer);
    }, new Secret(own));
    const signal = new AbortController().signal;
    const request = { method, headers, signal, redirect: "manual", ...(body !== undefined && { body }) } as const;
    const received = await fetch(url, request).catch(() => undefined);
    for await (const _chunk of received?.body ?? []);
  }
  return recording.text();
}

function answerOf({ status, headers, body }: Exclude<Exchange["answer"], Error>): FetchAnswer {
  const get = (name: string) => (headers[name] === undefined ? null : String(headers[name]));
  async function* chunks() {
    const bytes = Buffer.from(body);
    yield bytes.subarray(0, 10);
    yield bytes.subarray(10);
  }
  return { status, headers: { get }, allHeaders: headers, body: chunks() };
}

const leaks = (file: string) => holdsToken(file) || file.includes(MARK) || file.includes(DIGITS);

let complaint: (har: unknown) => string | undefined;
beforeAll(() => {
  const require = createRequire(import.meta.url);
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  // The schemas name a draft that this validator does not know. They use only what is in later drafts too.
  const schemas = Object.values(require("har-schema") as Record<string, object>);
  for (const schema of schemas) ajv.addSchema({ ...schema, $schema: "http://json-schema.org/draft-07/schema#" });
  const validate = ajv.getSchema("har.json#")!;
  complaint = (har) => (validate(har) === true ? undefined : ajv.errorsText(validate.errors));
});

it(`contains no token and no value in ${RUNS} random runs, and matches the schema of HAR 1.2`, async () => {
  await fc.assert(
    fc.asyncProperty(runs, async (planted) => {
      const file = await recorded(planted, createRedactor({ keepsValues: false }));
      expect(leaks(file) ? leakIn(file) : undefined).toBeUndefined();
      expect(complaint(JSON.parse(file))).toBeUndefined();
      expect((JSON.parse(file) as { log: { entries: unknown[] } }).log.entries).toHaveLength(planted.exchanges.length);
    }),
    { numRuns: RUNS },
  );
});

it("hides a token as a whole in a message, although a value is a part of it", async () => {
  const own = newCanary();
  const body = JSON.stringify({ config: { part: own.slice(8, 20), whole: `apple ${newCanary()} pear` } });
  const { whole } = (JSON.parse(body) as { config: { whole: string } }).config;
  const message = JSON.stringify({ message: `bad: ${own} in ${whole}` });
  const request = { method: "POST", url: "http://127.0.0.1:1/v1/x", headers: {}, body };
  const planted = {
    token: own,
    exchanges: [{ ...request, answer: { status: 400, headers: { "x-note": `for ${own}` }, body: message } }],
  };
  const file = await recorded(planted, createRedactor({ keepsValues: false }));
  expect(file).toContain('{"name":"x-note","value":"for [secret]"}');
  expect(file).toContain(JSON.stringify('{"message":"bad: [secret] in [redacted]"}'));
});

it("contains no token with --har-values, but the values", async () => {
  await fc.assert(
    fc.asyncProperty(runs, async (planted) => {
      const file = await recorded(planted, createRedactor({ keepsValues: true }));
      expect(holdsToken(file)).toBe(false);
      expect(file).not.toMatch(new RegExp(`pub_${MARK}|${MARK}Session`));
      expect(file).toContain(MARK);
    }),
    { numRuns: 50 },
  );
});

it("contains tokens and values in each run without the redactor: the control", async () => {
  const off: Redactor = { addToken: () => undefined, learn: () => undefined, redact: (entry) => entry };
  await fc.assert(
    fc.asyncProperty(runs, async (planted) => {
      const file = await recorded(planted, off);
      expect([holdsToken(file), file.includes(MARK)]).toEqual([true, true]);
    }),
    { numRuns: RUNS },
  );
});

const answerWith = (body: string): Exchange => ({
  method: "GET",
  url: "http://127.0.0.1:1/v1/x",
  headers: {},
  answer: { status: 200, headers: {}, body },
});

it("omits bodies over the limit of all bodies, and counts no omitted body", async () => {
  const large = answerWith(JSON.stringify("x".repeat(MAX_BODY_BYTES)));
  const kept = answerWith(JSON.stringify("x".repeat(MAX_BODY_BYTES / 2)));
  const most = Math.floor(MAX_TOTAL_BYTES / (kept.answer as { body: string }).body.length);
  const exchanges = [...Array<Exchange>(40).fill(large), ...Array<Exchange>(most + 3).fill(kept)];
  const file = await recorded({ token: newCanary(), exchanges }, createRedactor({ keepsValues: false }));
  const { log } = JSON.parse(file) as { log: { entries: { response: { content: { text?: string } } }[] } };
  const hasText = log.entries.map(({ response }) => response.content.text !== undefined);
  expect(hasText).toEqual(exchanges.map((_, index) => index >= 40 && index < 40 + most));
});

it("counts the exchanges after the limit of entries in a comment", async () => {
  const exchanges = Array<Exchange>(MAX_ENTRIES + 2).fill(answerWith("{}"));
  const file = await recorded({ token: newCanary(), exchanges }, createRedactor({ keepsValues: false }));
  const { log } = JSON.parse(file) as { log: { entries: unknown[]; comment: string } };
  expect(log.entries).toHaveLength(MAX_ENTRIES);
  expect(log.comment).toBe("2 later exchanges are not recorded");
});

it.each(["creator", "entries"])("does not accept a file without %s: the control of the schema", (member) => {
  const log = { version: "1.2", creator: { name: "formctl", version: "1" }, entries: [] };
  expect(complaint({ log })).toBeUndefined();
  expect(complaint({ log: { ...log, [member]: undefined } })).toContain(member);
});

/** Returns the text around the first leak. */
function leakIn(file: string): string {
  const at = [MARK, DIGITS, "fctl_"].map((word) => file.indexOf(word)).find((index) => index >= 0) ?? 0;
  return file.slice(Math.max(0, at - 200), at + 100);
}
