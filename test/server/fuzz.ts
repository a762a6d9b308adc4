/**
 * Generates requests from an OpenAPI document: valid, nearly valid and invalid ones. The same seed generates the same
 * requests.
 */

import type { OpenApi } from "./document.ts";

type Json = { [member: string]: unknown };
type Parameter = { name: string; in: string; schema?: Json; content?: { "application/json": { schema: Json } } };
type Operation = {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content: { "application/json": { schema: Json } } };
};

type Sendable = string | Uint8Array<ArrayBuffer>;

/** Returns a generator of numbers from 0 to 1 (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Ids of existing records, by the prefix of the id. */
export type Known = Record<"frm" | "lay" | "ver" | "rol" | "mem", string[]>;

const NASTY = [
  "",
  " ",
  "\u0000",
  "\ud800",
  "\u202e\u2066",
  "__proto__",
  "constructor",
  "..",
  "../../v1/currencies",
  "%2e%2e",
  "a/b",
  "'; DROP TABLE forms; --",
  "$1",
  "é".repeat(300),
  "x".repeat(5_000),
  "1e999",
  "null",
  "[]",
];
const NUMBERS = [0, -0, -1, 1, 0.5, 100, 101, 2 ** 31, 2 ** 53, 1e300, -1e-300];

export type Fuzzer = {
  /** `make` creates the request. Each call creates the same request. */
  request(token: string, origin: string): { operation: string; make: () => Request };
  learn(text: string): void;
};

/** @param known ids that exist at the beginning. The fuzzer learns more ids from responses */
export function openFuzzer(document: OpenApi, random: () => number, known: Known): Fuzzer {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation: operation as Operation })),
  );
  const chance = (share: number) => random() < share;
  const whole = (below: number) => Math.floor(random() * below);
  const pick = <T>(from: readonly T[]): T => from[whole(from.length)]!;
  const text = () => (chance(0.2) ? pick(NASTY) : `t${whole(1_000)}`);

  /** Versions with their layouts. Each request uses one pair, because random ids would seldom belong together. */
  const pairs = [{ layout: pick(known.lay), version: pick(known.ver) }];
  let inMind = pairs[0]!;

  /** Returns a valid value for a parameter or member, so that many requests pass the first checks. */
  function meaningful(name: string): string | undefined {
    if (chance(0.7)) {
      if (name === "layoutId") return inMind.layout;
      if (/versionId$/i.test(name)) return inMind.version;
    }
    if (/formId$/i.test(name)) return pick(known.frm);
    if (/^layoutId$/.test(name)) return pick(known.lay);
    if (/versionId$/i.test(name)) return pick(known.ver);
    if (/^roleId$/.test(name)) return pick(known.rol);
    if (/^membershipId$/.test(name)) return pick(known.mem);
    if (name === "moduleKey") return chance(0.9) ? "staffing" : pick(["compliance", "care"]);
    if (name === "objectKey") return chance(0.85) ? "candidate" : pick(["placement", "placement_milestone", "visit"]);
    if (name === "fieldKey") return pick(["full_name", "email", "seniority", "risk_class", "nobody"]);
    if (name === "regionKey" || name === "key") return pick(["main", "main", "side", "new_field"]);
    if (name === "dashboardKey" || name === "scopeId") return pick(["export", "sales"]);
    if (/clientMutationId|idempotency-key/i.test(name)) return `m${whole(4_000)}`;
    return undefined;
  }

  function resolve(schema: Json): Json {
    const reference = schema["$ref"] as string | undefined;
    if (reference === undefined) return schema;
    return document.components.schemas[reference.slice(reference.lastIndexOf("/") + 1)]!;
  }

  function valueOf(given: Json, name: string, depth: number): unknown {
    const schema = resolve(given);
    if ("const" in schema) return schema["const"];
    if (Array.isArray(schema["enum"])) return pick(schema["enum"] as unknown[]);
    if (Array.isArray(schema["anyOf"])) return valueOf(pick(schema["anyOf"] as Json[]), name, depth);
    const type = Array.isArray(schema["type"]) ? pick(schema["type"] as string[]) : schema["type"];
    switch (type) {
      case "object":
        return objectOf(schema, depth);
      case "array": {
        const length = depth > 5 ? 0 : whole(4) + Number(schema["minItems"] ?? 0);
        return Array.from({ length }, () => valueOf((schema["items"] as Json) ?? {}, name, depth + 1));
      }
      case "integer":
        return Number(schema["minimum"] ?? 0) >= 0 ? 1 + whole(12) : whole(24) - 6;
      case "number":
        return chance(0.9) ? 1 + whole(12) : pick(NUMBERS);
      case "boolean":
        return chance(0.5);
      case "null":
        return null;
      case "string":
        return meaningful(name) ?? text();
      default:
        return pick([null, text(), 1, true, {}, []]);
    }
  }

  function objectOf(schema: Json, depth: number): Json {
    const required = new Set(schema["required"] as string[] | undefined);
    const made: Json = {};
    for (const [name, member] of Object.entries((schema["properties"] as Record<string, Json> | undefined) ?? {})) {
      const isWanted = required.has(name) || (depth < 5 && chance(0.35));
      if (isWanted) made[name] = valueOf(member, name, depth + 1);
    }
    return made;
  }

  /** Changes one random part of a value. */
  function spoil(value: unknown): unknown {
    if (typeof value !== "object" || value === null || chance(0.2))
      return pick<unknown>([null, {}, [], text(), pick(NUMBERS), true]);
    if (Array.isArray(value)) {
      if (value.length === 0 || chance(0.2)) return [...value, pick<unknown>([null, text(), {}, [[]]])];
      const at = whole(value.length);
      return chance(0.2)
        ? [...value, value[at]]
        : value.map((item, index) => (index === at ? spoil(item) : (item as unknown)));
    }
    const names = Object.keys(value);
    if (names.length === 0 || chance(0.15)) return { ...value, [text()]: text() };
    const name = pick(names);
    if (chance(0.2)) return Object.fromEntries(Object.entries(value).filter(([member]) => member !== name));
    return { ...value, [name]: spoil((value as Json)[name]) };
  }

  function bodyOf(schema: Json): Sendable {
    let value = valueOf(schema, "", 0);
    for (let rounds = chance(0.5) ? 0 : 1 + whole(3); rounds > 0; rounds--) value = spoil(value);
    const json = JSON.stringify(value) ?? "";
    if (chance(0.95)) return json;
    return pick<() => Sendable>([
      () => "",
      () => json.slice(0, whole(json.length + 1)),
      () => `${json}${json}`,
      () => new Uint8Array([0x22, 0xff, 0xfe, 0x22]),
      () => `\ufeff${json}`,
      () => "[".repeat(100_000),
      () => `{"a":`.repeat(70) + "1" + "}".repeat(70),
      () => `{"__proto__":{"a":1}}`,
      () => "1e999",
    ])();
  }

  function queryOf(parameters: Parameter[]): string {
    const query = new URLSearchParams();
    for (const { name, schema, content } of parameters.filter((parameter) => parameter.in === "query")) {
      if (chance(0.6)) continue;
      const value = valueOf(schema ?? content!["application/json"].schema, name, 0);
      const written = chance(0.2) ? spoil(value) : value;
      query.append(name, typeof written === "string" ? written.toWellFormed() : (JSON.stringify(written) ?? ""));
      if (chance(0.03)) query.append(name, "2");
    }
    if (chance(0.04)) query.append(text().toWellFormed(), text().toWellFormed());
    const search = query.toString();
    return search && `?${search}`;
  }

  function headersOf(parameters: Parameter[], token: string, hasBody: boolean): Headers {
    const headers = new Headers();
    if (!chance(0.02))
      headers.set("authorization", chance(0.98) ? `Bearer ${token}` : pick(["Basic eA==", "Bearer", "Bearer x y"]));
    const type = chance(0.97)
      ? "application/json"
      : pick(["text/plain", "application/json; charset=latin1", "application/x-www-form-urlencoded"]);
    if (hasBody || chance(0.05)) headers.set("content-type", type);
    for (const { name } of parameters.filter((parameter) => parameter.in === "header")) {
      if (chance(0.9)) continue;
      const value =
        name === "If-Match"
          ? pick(["*", '"x"', 'W/"x", "y"', ""])
          : (meaningful(name) ?? pick(["a", "b c", "x".repeat(200)]));
      headers.set(name, value);
    }
    if (chance(0.01)) headers.set("content-encoding", "gzip");
    return headers;
  }

  return {
    request(token, origin) {
      inMind = pick(pairs);
      let { path, method, operation } = pick(operations);
      // Most deletions are replaced by other operations. Otherwise there would soon be no records.
      if (/^(delete|archive)/.test(operation.operationId) && chance(0.7))
        ({ path, method, operation } = pick(operations));
      const parameters = operation.parameters ?? [];
      const place = path.replace(/\{(\w+)\}/g, (_match, name: string) => {
        const value = chance(0.97) ? (meaningful(name) ?? text()) : text();
        return encodeURIComponent(value.toWellFormed()) || "-";
      });
      const verb = chance(0.98)
        ? method.toUpperCase()
        : pick(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE"]);
      const schema = operation.requestBody?.content["application/json"].schema;
      const mayHaveBody = verb !== "GET" && verb !== "HEAD";
      const body = mayHaveBody ? (schema ? bodyOf(schema) : chance(0.03) ? "{}" : undefined) : undefined;
      const url = `${origin}${place}${chance(0.01) ? pick(["/", "//", "/x", "%00", "%"]) : ""}${queryOf(parameters)}`;
      const headers = headersOf(parameters, token, body !== undefined);
      const make = () => new Request(url, { method: verb, headers, ...(body !== undefined && { body }) });
      return { operation: operation.operationId, make };
    },
    learn(answer) {
      for (const [, version, layout] of answer.matchAll(/"id":"(ver_\w+)","layoutId":"(lay_\w+)"/g)) {
        if (pairs.some((pair) => pair.version === version)) continue;
        pairs.push({ layout: layout!, version: version! });
        if (pairs.length > 5) pairs.shift();
      }
      for (const [id, kind] of answer.matchAll(/\b(frm|lay|ver)_[\w-]{6,40}/g)) {
        const ids = known[kind as keyof Known];
        if (ids.includes(id)) continue;
        // Only the newest ids are kept, because these records probably still exist.
        ids.push(id);
        if (ids.length > 5) ids.shift();
      }
    },
  };
}
