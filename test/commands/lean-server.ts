/**
 * Starts the contract suite's servers with fewer members or other shapes, on a real socket. Each server forwards its
 * requests to a formctl server.
 */

import { onTestFinished } from "vitest";
import type { JsonObject } from "../../src/schemas/json.ts";
import { startServer, type TableServer } from "../client/table-server.ts";
import { documentedServer } from "../contract/documented-server.ts";
import { liveServer } from "../contract/live-server.ts";
import { pick, serverOf, type ServerTable } from "../contract/server-table.ts";

export const SHAPES = ["documented", "live"] as const;
export type Shape = (typeof SHAPES)[number];

export type LeanManners = {
  /** Whether a published version keeps all blocks of the draft, including those of staged fields. */
  keepsBlocks: boolean;
  /** Whether versions are listed without content. */
  hidesContent: boolean;
  /** Whether a list of layouts has only their ids. */
  listsIds: boolean;
  /** A proxy in front of the server. It refuses a request, or loses the response. */
  meddles: (method: string, path: string) => "refuses" | "loses" | undefined;
};

/** @param url the URL of the formctl server */
export function openLeanServer(url: string, shape: Shape, manners: Partial<LeanManners> = {}): Promise<TableServer> {
  const table = shape === "documented" ? leanest(documentedServer.table()) : withManners(liveServer.table(), manners);
  const handler = serverOf(table, async (request) => {
    const { pathname, search } = new URL(request.url);
    const { method, headers } = request;
    const body = await request.text();
    return fetch(`${url}${pathname}${search}`, { method, headers: headersOf(headers), ...(body !== "" && { body }) });
  });
  const opened = startServer(async ({ method, url: path, headers, body }) => {
    const meddling = manners.meddles?.(method, path);
    if (meddling === "refuses") return { status: 403, body: { error: { code: "FORBIDDEN", message: "not now" } } };
    const sent = {
      method,
      headers: headersOf(new Headers(headers as Record<string, string>)),
      ...(body !== "" && { body }),
    };
    const response = await handler(new Request(`http://server${path}`, sent));
    if (meddling === "loses") return { status: 504, body: { error: { code: "TIMEOUT", message: "too late" } } };
    const text = await response.text();
    return { status: response.status, ...(text !== "" && { body: text }) };
  });
  onTestFinished(async () => (await opened).close());
  return opened;
}

function headersOf(headers: Headers): Record<string, string> {
  return { authorization: headers.get("authorization") ?? "", "content-type": "application/json" };
}

/**
 * Removes `isActive`, `isPublic` and the layout from listed forms: the API document does not name these members for a
 * list.
 */
function leanest(table: ServerTable): ServerTable {
  const { listForms } = table;
  const shown = ["id", "name", "types", "layoutAvailability", "usableTypes"];
  return {
    ...table,
    ...(listForms && {
      listForms: { ...listForms, answer: (ours) => mapped(listForms.answer(ours), (each) => pick(each, ...shown)) },
    }),
  };
}

function withManners(table: ServerTable, manners: Partial<LeanManners>): ServerTable {
  const { keepsBlocks, hidesContent, listsIds } = manners;
  /** The blocks of each saved draft. */
  const saved = new Map<unknown, unknown>();
  const version = (record: JsonObject): JsonObject => {
    const blocks = keepsBlocks ? (saved.get(record["id"]) ?? record["blocks"]) : record["blocks"];
    const { regions, ...rest } = { ...record, blocks } as JsonObject;
    return hidesContent ? pick(rest, "id", "version", "status", "createdAt") : { ...rest, regions };
  };
  const { saveDraft, listVersions, getVersion, listLayouts } = table;
  return {
    ...table,
    ...(saveDraft && {
      saveDraft: {
        ...saveDraft,
        answer(ours) {
          const { draftVersion } = ours["data"] as { draftVersion: JsonObject };
          saved.set(draftVersion["id"], draftVersion["blocks"]);
          return saveDraft.answer(ours);
        },
      },
    }),
    ...(listVersions && {
      listVersions: { ...listVersions, answer: (ours) => mapped(listVersions.answer(ours), version) },
    }),
    ...(getVersion && { getVersion: { ...getVersion, answer: (ours) => mapped(getVersion.answer(ours), version) } }),
    ...(listsIds &&
      listLayouts && {
        listLayouts: { ...listLayouts, answer: (ours) => mapped(listLayouts.answer(ours), (each) => pick(each, "id")) },
      }),
  };
}

/** A response with each record changed. */
function mapped(answer: unknown, change: (record: JsonObject) => JsonObject): unknown {
  const { data, ...rest } = answer as { data: JsonObject | JsonObject[] };
  return { ...rest, data: Array.isArray(data) ? data.map(change) : change(data) };
}
