/** The manners of other servers of the API. Each function returns a manner with a state of its own. */

import { isJsonObject, type JsonObject } from "../../src/schemas/json.ts";
import { documentedServer } from "../contract/documented-server.ts";
import { liveServer } from "../contract/live-server.ts";
import { OUR_ANSWER_HEADERS, OUR_REQUEST_HEADERS, pick, serverOf, type ServerTable } from "../contract/server-table.ts";
import { speaksNewer } from "./newer.ts";
import { type Asked, joined, type Manner, refusal } from "./proxy.ts";

const EXPECTED = ["expectedDraftVersionId", "expectedPublishedVersionId"];
const LAYOUT = /^\/v1\/view-layouts(\/(?!surface-definitions$)[^/]+)?$/;
const LIST = /\/(forms|view-layouts|versions)$/;
const VERSIONS = /\/versions(\/[^/]+)?$/;

const isCreation = ({ method, path }: Asked) => method === "POST" && /\/(forms|view-layouts)$/.test(path);

/**
 * Refuses members of request bodies as unknown. A layout is changed with a `clientMutationId` on each server, so this
 * member is refused only for creations.
 *
 * @param isCurt whether the refusal names no member
 */
export function refusesMembers(unknown: readonly string[], isCurt = false): Manner {
  return {
    request(asked) {
      const { body = {} } = asked;
      const isRequired = (member: string) => member === "clientMutationId" && !isCreation(asked);
      const members = unknown.filter((member) => body[member] !== undefined && !isRequired(member));
      if (members.length === 0) return undefined;
      const fieldErrors = Object.fromEntries(members.map((member) => [member, ["is not a known member"]]));
      return refusal(400, {
        code: "VALIDATION_FAILED",
        message: "the body is invalid",
        ...(!isCurt && { fieldErrors }),
      });
    },
  };
}

/** Reads an expected draft of null as an id, so the first draft of a layout can't be saved with it. */
function readsNullAsId(): Manner {
  return {
    request({ method, path, body }) {
      if (method !== "PUT" || !path.endsWith("/draft") || body?.["expectedDraftVersionId"] !== null) return undefined;
      const meta = { currentDraftVersionId: null };
      return refusal(409, { code: "DRAFT_STALE", message: "the draft is not the expected one", meta });
    },
  };
}

/** @param repeats whether each request is answered with 429, and not only the first one of each path */
function limitsRate(repeats: boolean): Manner {
  const seen = new Set<string>();
  return {
    request({ method, path }) {
      const isFirst = !seen.has(`${method} ${path}`);
      seen.add(`${method} ${path}`);
      if (!isFirst && !repeats) return undefined;
      const reply = refusal(429, { code: "RATE_LIMITED", message: "too many requests" });
      return { ...reply, ...(!repeats && { headers: { "retry-after": "1" } }) };
    },
  };
}

/** A page of a list, and the whole list. */
export type Page = { shown: unknown[]; page: number; all: unknown[] };

/**
 * Lists forms, layouts and versions in pages.
 *
 * @param respond returns the body of the answer. By default, it is an array without information about the page
 */
export function pagesOf(size: number, respond: (page: Page) => unknown = ({ shown }) => shown): Manner {
  return {
    async request(asked, pass) {
      const { method, path, query } = asked;
      if (method !== "GET" || !LIST.test(path)) return undefined;
      const page = Number(query.get("page") ?? 1);
      query.delete("page");
      // The whole list of forms, which our server sends in pages.
      if (path.endsWith("/forms")) query.set("limit", "100");
      const reply = await pass(asked);
      const all = isJsonObject(reply.body) && reply.body["data"];
      if (!Array.isArray(all)) return reply;
      return { status: 200, body: respond({ all, page, shown: all.slice((page - 1) * size, page * size) }) };
    },
  };
}

/** Returns the first page for each page number. */
function ignoresPages(): Manner {
  return {
    request({ query }) {
      query.delete("page");
      return undefined;
    },
  };
}

/** Ignores all parameters except those of pages. */
function ignoresFilters(): Manner {
  return {
    request({ query }) {
      for (const name of new Set(query.keys())) if (!["page", "limit"].includes(name)) query.delete(name);
      return undefined;
    },
  };
}

function refusesFilters(): Manner {
  return {
    request({ query }) {
      if (!query.has("filters")) return undefined;
      return refusal(400, { code: "VALIDATION_FAILED", message: "filters is not known" });
    },
  };
}

/** Neither lists layouts nor shows single ones. */
function showsNoLayouts(): Manner {
  return {
    request: ({ method, path }) =>
      method === "GET" && LAYOUT.test(path)
        ? refusal(404, { code: "NOT_FOUND", message: "no such endpoint" })
        : undefined,
  };
}

function knowsNoHeaders(): Manner {
  return {
    request({ headers }) {
      for (const name of OUR_REQUEST_HEADERS) delete headers[name];
      return undefined;
    },
    answer({ headers = {} }) {
      for (const name of OUR_ANSWER_HEADERS) delete headers[name];
      return undefined;
    },
  };
}

/** Carries out a repeated write once more. */
function recognizesNoRepeat(): Manner {
  return {
    request({ headers, body }) {
      delete headers["idempotency-key"];
      if (body && "clientMutationId" in body) body["clientMutationId"] = crypto.randomUUID();
      return undefined;
    },
  };
}

/** Accepts any expected version, so a write can replace a version that it does not expect. */
function ignoresExpectations(): Manner {
  return {
    request({ body = {} }) {
      for (const member of EXPECTED) delete body[member];
      return undefined;
    },
  };
}

/** Shows no versions of a new layout before its first draft is saved. */
function hidesUnsaved(): Manner {
  const unsaved = new Set<string>();
  const layoutIn = (path: string) => /^\/v1\/view-layouts\/(lay_\w+)\//.exec(path)?.[1] ?? "";
  return {
    request: ({ method, path }) => (method === "GET" && unsaved.has(layoutIn(path)) ? refusal(404) : undefined),
    answer({ status, body }, asked) {
      if (isCreation(asked)) for (const id of idsIn(body)) unsaved.add(id);
      if (asked.method === "PUT" && asked.path.endsWith("/draft") && status < 300) unsaved.delete(layoutIn(asked.path));
      return undefined;
    },
  };
}

function idsIn(body: unknown): string[] {
  return JSON.stringify(body ?? null).match(/\b(frm|lay)_\w+/g) ?? [];
}

/** @param reads the number of reads of a new record that do not find it */
export function showsRecordsLate(reads: number): Manner {
  const asked = new Map<string, number>();
  const made = new Set<string>();
  return {
    request({ method, path }) {
      const id = /\/(frm_\w+|lay_\w+)(\/versions)?$/.exec(path)?.[1];
      if (method !== "GET" || id === undefined || !made.has(id)) return undefined;
      asked.set(id, (asked.get(id) ?? 0) + 1);
      return asked.get(id)! <= reads ? refusal(404, { code: "NOT_FOUND", message: "not found" }) : undefined;
    },
    answer({ body }, request) {
      if (isCreation(request)) for (const id of idsIn(body)) made.add(id);
      return undefined;
    },
  };
}

/** Answers each write with 204, except a creation. */
function isSilent(): Manner {
  return {
    answer: ({ status }, asked) =>
      status < 300 && asked.method !== "GET" && !isCreation(asked) ? { status: 204 } : undefined,
  };
}

/** Changes each record of the answers to these requests. The others stay unchanged. */
export function changesRecords(
  change: (record: JsonObject, asked: Asked) => JsonObject,
  isMeant: (asked: Asked) => boolean = () => true,
): Manner {
  return {
    answer(reply, asked) {
      const { body } = reply;
      if (!isMeant(asked) || reply.status >= 300 || !isJsonObject(body)) return undefined;
      const changed = (record: unknown) => (isJsonObject(record) ? change(record, asked) : record);
      const { data } = body;
      return { ...reply, body: { ...body, data: Array.isArray(data) ? data.map(changed) : changed(data) } };
    },
  };
}

const isRead = (pattern: RegExp) => (asked: Asked) => asked.method === "GET" && pattern.test(asked.path);

export function without(record: JsonObject, members: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(record).filter(([member]) => !members.includes(member)));
}

/** Members of forms and versions that the API document does not name for lists. */
const UNLISTED = [
  "isDefaultCreate",
  "isDefaultEdit",
  "isDefaultView",
  "directUserAccessCount",
  "roleAccessCount",
  "regions",
  "blocks",
  "metadata",
  "validation",
  "supportedModes",
  "sourceVersionId",
  "stagedFieldDefinitions",
  "scriptBindings",
];

/** Does not send members that the API document does not name for lists, or the assignments of a layout. */
function leavesOutUndocumented(): Manner {
  return joined(
    changesRecords((record) => without(record, UNLISTED), isRead(LIST)),
    changesRecords((record) => without(record, ["assignments"])),
  );
}

function showsNoStatus(): Manner {
  return changesRecords((record) => without(record, ["status", "version"]), isRead(VERSIONS));
}

const SUMMARY = ["id", "version", "status", "createdAt"];

function leavesOutContent(): Manner {
  return changesRecords((record) => pick(record, ...SUMMARY), isRead(VERSIONS));
}

function leavesOutDrafts(): Manner {
  return changesRecords(
    (record) => (record["status"] === "DRAFT" ? pick(record, ...SUMMARY) : record),
    isRead(VERSIONS),
  );
}

function answersVersions(): Manner {
  return changesRecords((record) => {
    const version = record["draftVersion"] ?? record["publishedVersion"];
    return isJsonObject(version) ? version : record;
  });
}

/** Keeps all blocks of a draft when it is published, even the ones for staged fields. */
function keepsBlocks(): Manner {
  const saved = new Map<unknown, unknown>();
  return joined(
    changesRecords((record) => ({ ...record, blocks: saved.get(record["id"]) ?? record["blocks"] }), isRead(VERSIONS)),
    changesRecords(
      (record) => {
        const { id, blocks } = record["draftVersion"] as JsonObject;
        saved.set(id, blocks);
        return record;
      },
      ({ method, path }) => method === "PUT" && path.endsWith("/draft"),
    ),
  );
}

/** Changes each object in a JSON value, from the inside to the outside. */
export function eachObject(value: unknown, change: (object: JsonObject) => JsonObject): unknown {
  if (Array.isArray(value)) return value.map((item) => eachObject(item, change));
  if (!isJsonObject(value)) return value;
  return change(Object.fromEntries(Object.entries(value).map(([name, member]) => [name, eachObject(member, change)])));
}

/**
 * Adds members to objects of answers, and accepts them in requests. Our server never receives them.
 *
 * @param add returns the members to add, for an object
 * @param isAdded whether a member of a request is one that the server added
 */
function addsMembers(
  add: (object: JsonObject) => JsonObject,
  isAdded: (name: string, value: unknown) => boolean,
): Manner {
  return {
    request(asked) {
      const isOurs = ([name, value]: [string, unknown]) => !isAdded(name, value);
      const cleaned = (object: JsonObject) => Object.fromEntries(Object.entries(object).filter(isOurs));
      if (asked.body) asked.body = eachObject(asked.body, cleaned) as JsonObject;
      return undefined;
    },
    answer: (reply) => ({ ...reply, body: eachObject(reply.body, (object) => ({ ...add(object), ...object })) }),
  };
}

const OPTIONAL = ["ref", "regionKey", "displayOrder", "grid", "config", "requiredPolicy", "children", "metadata"];

/** Sends null for an optional member that has no value: of blocks, regions, forms and layouts. */
function sendsNull(): Manner {
  const members = Object.fromEntries(OPTIONAL.map((name) => [name, null]));
  return addsMembers(
    (object) => ("id" in object || "key" in object ? members : {}),
    (name, value) => value === null && OPTIONAL.includes(name),
  );
}

/** Sends members that formctl does not know. */
function sendsNewMembers(): Manner {
  const members = { newerText: "x", newerObject: { kind: "y" } };
  return addsMembers(
    (object) => ("id" in object || "key" in object ? members : {}),
    (name) => name in members,
  );
}

/** Has the operations and shapes of a server of the contract suite. */
function hasShapeOf(table: ServerTable): Manner {
  return {
    async request({ method, path, query, headers, body }, pass) {
      const handler = serverOf(table, async (request) => {
        const text = await request.text();
        const reply = await pass({
          method,
          path,
          query: new URL(request.url).searchParams,
          headers: Object.fromEntries(request.headers),
          body: text === "" ? undefined : (JSON.parse(text) as JsonObject),
        });
        const { status } = reply;
        return new Response(reply.body === undefined ? null : JSON.stringify(reply.body), {
          status,
          headers: reply.headers ?? {},
        });
      });
      const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) };
      const response = await handler(new Request(`http://server${path}?${query.toString()}`, sent));
      const text = await response.text();
      return { status: response.status, ...(text !== "" && { body: JSON.parse(text) as unknown }) };
    },
  };
}

/** Shows of listed forms only the members that the API document names for a list. */
function listsFewMembers(): Manner {
  const listed = ["id", "name", "types", "layoutAvailability", "usableTypes"];
  return changesRecords((record) => pick(record, ...listed), isRead(/\/forms$/));
}

/** The servers of the contract suite, as manners. */
export const SHAPES = {
  documented: () => joined(listsFewMembers(), hasShapeOf(documentedServer.table())),
  live: () => hasShapeOf(liveServer.table()),
} satisfies Record<string, () => Manner>;
export type Shape = keyof typeof SHAPES;

export const manners = {
  "refuses expectedDraftVersionId by name": () => refusesMembers(EXPECTED),
  "refuses optional members by name": () => refusesMembers([...EXPECTED, "clientMutationId"]),
  "refuses optional members without a cause": () => refusesMembers([...EXPECTED, "clientMutationId"], true),
  "409 with currentDraftVersionId null when none was expected": readsNullAsId,
  "429 for the first request of each path with Retry-After": () => limitsRate(false),
  "always 429": () => limitsRate(true),
  "pages of 2": () => pagesOf(2),
  "lists without page information": () => pagesOf(100),
  "ignores page numbers": ignoresPages,
  "ignores filters": ignoresFilters,
  "refuses filters": refusesFilters,
  "shows no layouts": showsNoLayouts,
  "lists only ids of layouts": () => changesRecords((record) => pick(record, "id"), isRead(/\/view-layouts$/)),
  "knows none of our headers": knowsNoHeaders,
  "recognizes no repeated write": recognizesNoRepeat,
  "ignores expected versions": ignoresExpectations,
  "404 for the versions of a new layout without a saved draft": hidesUnsaved,
  "shows new records late": () => showsRecordsLate(2),
  "204 for each write except a creation": isSilent,
  "leaves out undocumented members": leavesOutUndocumented,
  "shows no status of versions": showsNoStatus,
  "leaves out content": leavesOutContent,
  "leaves out draft content": leavesOutDrafts,
  "answers version records": answersVersions,
  "keeps blocks of staged fields": keepsBlocks,
  "null instead of absent": sendsNull,
  "newer members in answers": sendsNewMembers,
  "only what the API document names": SHAPES.documented,
  "shapes of the live server": SHAPES.live,
  "unknown values, and ids that are numbers": speaksNewer,
} satisfies Record<string, () => Manner>;

/** The manners of a server that follows the API document, without its shapes. */
export const followsDocument = (): Manner =>
  joined(
    manners["shows no layouts"](),
    manners["refuses expectedDraftVersionId by name"](),
    manners["knows none of our headers"](),
    manners["leaves out undocumented members"](),
  );
