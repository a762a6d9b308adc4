/**
 * A server with only the documented endpoints and members, or with deviations. It uses a formctl server, over a real
 * socket.
 */

import { onTestFinished } from "vitest";
import { isJsonObject, type JsonObject } from "../../src/schemas/json.ts";
import { type Received, type Reply, startServer, type TableServer } from "../client/table-server.ts";

export type Manners = {
  /** Members of request bodies that are refused as unknown. */
  unknown: readonly string[];
  /** Whether a refusal names no member. */
  isCurt: boolean;
  /** Whether every write except a creation is answered with 204. */
  isSilent: boolean;
  /** The size of the pages. Each page is then a bare array without page information. */
  pageSize: number | undefined;
  /** Whether the server ignores the page number and always returns the first page. */
  ignoresPages: boolean;
  /** Whether versions have no status and no number. */
  hidesStatus: boolean;
};

const LETTER: Manners = {
  unknown: ["expectedDraftVersionId", "expectedPublishedVersionId"],
  isCurt: false,
  isSilent: false,
  pageSize: undefined,
  ignoresPages: false,
  hidesStatus: false,
};

/**
 * Undocumented members, which the server leaves out:
 * - flags and counts of lists;
 * - the content of listed versions;
 * - the assignments of a layout.
 */
const UNSAID = [
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

export function openSpecServer(url: string, manners: Partial<Manners> = {}): Promise<TableServer> {
  const all = { ...LETTER, ...manners };
  const opened = startServer((received) => answer(url, received, all));
  onTestFinished(async () => (await opened).close());
  return opened;
}

/** Returns the writes so far, as method and path. */
export function writesOf({ received }: TableServer, since = 0): string[] {
  return received.slice(since).flatMap(({ method, url }) => (method === "GET" ? [] : [`${method} ${url}`]));
}

async function answer(real: string, { method, url, headers, body }: Received, manners: Manners): Promise<Reply> {
  const { pathname, searchParams } = new URL(url, real);
  if (method === "GET" && /^\/v1\/view-layouts(\/[^/]+)?$/.test(pathname)) return refusal(404, "no such endpoint");
  const sent = body === "" ? undefined : (JSON.parse(body) as JsonObject);
  const unknown = manners.unknown.filter((member) => sent?.[member] !== undefined && !isNeeded(pathname, member));
  if (unknown.length > 0) return refusal(400, "this body is not understood", manners.isCurt ? [] : unknown);
  if (manners.pageSize !== undefined && searchParams.has("limit")) searchParams.set("limit", `${manners.pageSize}`);
  if (manners.ignoresPages) searchParams.delete("page");
  const query = searchParams.size > 0 ? `?${searchParams.toString()}` : "";
  // The idempotency key of a form is also removed.
  const response = await fetch(`${real}${pathname}${query}`, {
    method,
    headers: { authorization: headers.authorization ?? "", "content-type": "application/json" },
    ...(body !== "" && { body }),
  });
  const text = await response.text();
  const makes = method === "POST" && /\/(forms|view-layouts)$/.test(pathname);
  if (response.ok && method !== "GET" && manners.isSilent && !makes) return { status: 204 };
  if (text === "" || !response.ok) return { status: response.status, ...(text !== "" && { body: text }) };
  const { data, ...rest } = JSON.parse(text) as { data: unknown };
  if (Array.isArray(data) && method === "GET") {
    const hidden = [...UNSAID, ...(manners.hidesStatus && pathname.endsWith("/versions") ? ["status", "version"] : [])];
    const list = data.map((item) => (isJsonObject(item) ? without(item, hidden) : item));
    return { status: 200, body: manners.pageSize === undefined ? { ...rest, data: list } : list };
  }
  const isVersion = manners.hidesStatus && pathname.includes("/versions/");
  const hidden = ["assignments", ...(isVersion ? ["status", "version"] : [])];
  return { status: response.status, body: { data: isJsonObject(data) ? without(data, hidden) : data } };
}

/** In the API document, every write of a layout has a mutation id, except its creation. */
function isNeeded(pathname: string, member: string): boolean {
  return member === "clientMutationId" && pathname !== "/v1/view-layouts";
}

function refusal(status: number, message: string, members: readonly string[] = []): Reply {
  const fieldErrors = Object.fromEntries(members.map((member) => [member, ["is not known"]]));
  const code = status === 404 ? "NOT_FOUND" : "VALIDATION_FAILED";
  return { status, body: { error: { code, message, ...(members.length > 0 && { fieldErrors }) } } };
}

function without(record: JsonObject, members: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(record).filter(([member]) => !members.includes(member)));
}
