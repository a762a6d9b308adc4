/**
 * Two servers of the same API in front of ours, on a real socket. `documented` answers and accepts what the API document names,
 * and nothing else. `live` has the record shapes of other servers: a layout without metadata, versions without modes that keep
 * what they staged, a clientMutationId that every write of a layout requires.
 */

import { onTestFinished } from "vitest";
import { isJsonObject, type JsonObject } from "../../src/schemas/json.ts";
import { type OperationName, operationRow, operations } from "../../src/schemas/operations.ts";
import { type Received, type Reply, startServer, type TableServer } from "../client/table-server.ts";

export const SHAPES = ["documented", "live"] as const;
export type Shape = (typeof SHAPES)[number];

export type LeanManners = {
  /** A published version keeps its blocks as the draft had them, those of staged fields too. */
  keepsBlocks: boolean;
  /** What a proxy in front of it refuses. */
  isRefused: (method: string, path: string) => boolean;
};

/** @param url of the server behind it */
export function openLeanServer(url: string, shape: Shape, manners: Partial<LeanManners> = {}): Promise<TableServer> {
  const { keepsBlocks = false, isRefused = () => false } = manners;
  const server = shape === "documented" ? documented : live(keepsBlocks);
  const opened = startServer((received) =>
    isRefused(received.method, received.url) ? refusal(403, "not now") : answer(url, received, server),
  );
  onTestFinished(async () => (await opened).close());
  return opened;
}

type Request = { name: OperationName; query: URLSearchParams; body: JsonObject };
/** How a server treats requests of ours. */
type Server = {
  /** What it answers instead; undefined: the server behind it answers. */
  refuse(request: Request): Reply | undefined;
  /** The answer's body, made of ours; undefined: 204. */
  show(request: Request, data: unknown, rest: JsonObject): unknown;
};

async function answer(real: string, { method, url, headers, body }: Received, server: Server): Promise<Reply> {
  const { pathname, searchParams: query } = new URL(url, real);
  const name = operationAt(method, pathname);
  if (!name) return refusal(404, "no such endpoint");
  const request = { name, query, body: body === "" ? {} : (JSON.parse(body) as JsonObject) };
  const refused = server.refuse(request);
  if (refused) return refused;
  // The key by which a form is known again is ours alone.
  const response = await fetch(`${real}${url}`, {
    method,
    headers: { authorization: headers.authorization ?? "", "content-type": "application/json" },
    ...(body !== "" && { body }),
  });
  const text = await response.text();
  if (!response.ok || text === "") return { status: response.status, ...(text !== "" && { body: text }) };
  const { data, ...rest } = JSON.parse(text) as { data: unknown };
  const shown = server.show(request, data, rest);
  return shown === undefined ? { status: 204 } : { status: response.status, body: shown };
}

function operationAt(method: string, pathname: string): OperationName | undefined {
  return (Object.keys(operations) as OperationName[]).find((name) => {
    const row = operationRow(name);
    return row.method === method && new RegExp(`^${row.path.replace(/:\w+/g, "[^/]+")}$`).test(pathname);
  });
}

function refusal(status: number, message: string, members: readonly string[] = []): Reply {
  const fieldErrors = Object.fromEntries(members.map((member) => [member, ["is not known"]]));
  const code = status === 404 ? "NOT_FOUND" : "VALIDATION_FAILED";
  return { status, body: { error: { code, message, ...(members.length > 0 && { fieldErrors }) } } };
}

const CONTENT = ["schemaVersion", "regions", "blocks", "stagedFieldDefinitions", "scriptBindings", "metadata"];
const FORM = ["id", "name", "types", "isActive", "isPublic", "config", "viewLayoutId", "viewLayoutName", "usableTypes"];
const LISTED = ["id", "name", "types", "usableTypes"];
const LAYOUT = ["surface", "supportedModes", "target", "name", "metadata"];

/** The members of a body that the document names. */
const BODIES: Partial<Record<OperationName, readonly string[]>> = {
  createForm: ["name", "types", "isActive", "isPublic", "config"],
  updateForm: ["name", "types", "config"],
  updateFormDefaults: ["defaultCreateFormId", "defaultEditFormId", "defaultViewFormId"],
  replaceFormAccess: ["users", "roles"],
  createLayout: LAYOUT,
  updateLayout: ["name", "metadata"],
  saveDraft: ["clientMutationId", ...CONTENT],
  publishLayout: ["clientMutationId", "draftVersionId", "confirmFieldChanges"],
  restoreDraft: ["clientMutationId"],
  replaceAssignments: ["clientMutationId", "organizationDefault", "roles"],
};
const QUERIES: Partial<Record<OperationName, readonly string[]>> = {
  listForms: ["page", "limit"],
  listAvailableForms: ["type"],
};

const documented: Server = {
  refuse({ name, query, body }) {
    if (name === "listLayouts" || name === "getLayout") return refusal(404, "no such endpoint");
    const members = Object.keys(body).filter((member) => !BODIES[name]?.includes(member));
    const parameters = [...query.keys()].filter((parameter) => !QUERIES[name]?.includes(parameter));
    const unknown = [...members, ...parameters];
    return unknown.length > 0 ? refusal(400, `unknown: ${unknown.join(", ")}`, unknown) : undefined;
  },
  show({ name }, data) {
    const record = data as JsonObject;
    const list = (members: readonly string[]) => ({ data: (data as JsonObject[]).map((each) => pick(each, members)) });
    const states = (form: JsonObject) => ({
      layoutAvailability: Object.fromEntries(
        Object.entries(form["layoutAvailability"] as JsonObject).map(([mode, one]) => [mode, pick(one, ["state"])]),
      ),
    });
    switch (name) {
      case "createForm":
      case "getForm":
        return { data: { ...pick(record, FORM), ...states(record) } };
      case "listForms":
      case "listAvailableForms":
        return { data: (data as JsonObject[]).map((each) => ({ ...pick(each, LISTED), ...states(each) })) };
      case "updateForm":
        return { data: pick(record, ["id"]) };
      case "getFormAccess":
        return { data: pick(record, ["users", "roles"]) };
      case "createLayout":
      case "updateLayout":
        return { data: pick(record, ["id", ...LAYOUT]) };
      case "saveDraft":
        return { data: pick(record, ["draftVersionId", "validation"]) };
      case "restoreDraft":
        return { data: pick(record, ["draftVersionId"]) };
      case "publishLayout":
        return { data: { id: record["versionId"] } };
      case "listVersions":
        return list(["id"]);
      case "getVersion":
        return { data: pick(record, ["id", ...CONTENT]) };
      case "getSurfaceDefinitions":
      case "listCurrencies":
        return { data };
      default:
        return undefined;
    }
  },
};

const VERSION = ["id", "layoutId", "version", "status", "validation", "createdAt", ...CONTENT];
const KNOWN_BY_ID = ["createLayout", "saveDraft", "publishLayout", "restoreDraft", "replaceAssignments"];

function live(keepsBlocks: boolean): Server {
  /** What each draft was saved with, which stays in the version that is made of it. */
  const saved = new Map<unknown, JsonObject>();
  const kept = keepsBlocks ? ["stagedFieldDefinitions", "blocks"] : ["stagedFieldDefinitions"];
  const version = (record: unknown) =>
    isJsonObject(record) ? { ...pick(record, VERSION), ...saved.get(record["id"]) } : null;
  const layout = (record: unknown) => {
    const { metadata: _, ...rest } = record as JsonObject;
    const { currentVersion, latestDraftVersion } = rest;
    return { ...rest, currentVersion: version(currentVersion), latestDraftVersion: version(latestDraftVersion) };
  };
  return {
    refuse({ name, body }) {
      const isLacking = KNOWN_BY_ID.includes(name) && typeof body["clientMutationId"] !== "string";
      if (isLacking) return refusal(400, "clientMutationId is required", ["clientMutationId"]);
      return undefined;
    },
    show({ name, body }, data, rest) {
      const record = data as JsonObject;
      switch (name) {
        case "createLayout":
        case "updateLayout":
        case "getLayout":
        case "replaceAssignments":
          return { data: layout(data) };
        case "listLayouts":
          return { data: (data as unknown[]).map(layout), ...rest };
        case "saveDraft": {
          const draft = record["draftVersion"] as JsonObject;
          saved.set(draft["id"], pick(body, kept));
          return {
            data: {
              layout: layout(record["layout"]),
              draftVersion: version(draft),
              ...pick(record, ["validation", "stagedFieldDefinitions"]),
            },
          };
        }
        case "restoreDraft":
          return {
            data: {
              layout: layout(record["layout"]),
              draftVersion: version(record["draftVersion"]),
              ...pick(record, ["validation", "stagedFieldDefinitions"]),
            },
          };
        case "publishLayout":
          return {
            data: {
              layout: layout(record["layout"]),
              publishedVersion: version(record["publishedVersion"]),
              ...pick(record, ["validation", "committedFieldDefinitions"]),
            },
          };
        case "listVersions":
          return { data: (data as unknown[]).map(version) };
        case "getVersion":
          return { data: version(data) };
        default:
          return data === undefined ? undefined : { data, ...rest };
      }
    },
  };
}

function pick(value: unknown, members: readonly string[]): JsonObject {
  const record = isJsonObject(value) ? value : {};
  return Object.fromEntries(
    members.filter((member) => record[member] !== undefined).map((name) => [name, record[name]]),
  );
}
