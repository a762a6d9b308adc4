/** An answer that succeeded, as the record or the list that it holds: another server may wrap it differently. */

import { isJsonObject, type JsonObject } from "../schemas/json.ts";
import type { OperationName } from "../schemas/operations.ts";
import { validationOf } from "./error-answer.ts";
import { pageMeta, pagesIn, type SaidOfPages } from "./said-of-pages.ts";

/** An answer that lacks what its reader can't do without. */
export class Unreadable extends Error {
  override readonly name = "Unreadable";
}

type Kind =
  | { kind: "page" | "list"; wanted: readonly string[] }
  | { kind: "record"; wanted: readonly string[] }
  | { kind: "draft" | "published" | "surfaces" | "nothing" };

const FORM = ["id", "name", "types"] as const;
const LAYOUT = ["id"] as const;

/**
 * What each answer must hold. An access matrix without one of its lists is refused: taken for empty and written back, it
 * would wipe the rows.
 */
const KINDS: Record<OperationName, Kind> = {
  createForm: { kind: "record", wanted: FORM },
  listForms: { kind: "page", wanted: FORM },
  listAvailableForms: { kind: "list", wanted: FORM },
  updateFormDefaults: {
    kind: "record",
    wanted: ["defaultCreateFormId", "defaultViewFormId", "defaultEditFormId"],
  },
  getForm: { kind: "record", wanted: FORM },
  updateForm: { kind: "record", wanted: FORM },
  deleteForm: { kind: "nothing" },
  getFormAccess: { kind: "record", wanted: ["users", "roles"] },
  replaceFormAccess: { kind: "record", wanted: ["users", "roles"] },
  createLayout: { kind: "record", wanted: LAYOUT },
  listLayouts: { kind: "list", wanted: LAYOUT },
  getSurfaceDefinitions: { kind: "surfaces" },
  getLayout: { kind: "record", wanted: LAYOUT },
  updateLayout: { kind: "record", wanted: LAYOUT },
  saveDraft: { kind: "draft" },
  publishLayout: { kind: "published" },
  listVersions: { kind: "list", wanted: ["id"] },
  getVersion: { kind: "record", wanted: ["id"] },
  restoreDraft: { kind: "draft" },
  replaceAssignments: { kind: "record", wanted: [...LAYOUT, "assignments"] },
  archiveLayout: { kind: "nothing" },
  listCurrencies: { kind: "list", wanted: ["code"] },
};

/** Members that are lists wherever they are wanted. */
const LISTS = new Set(["types", "users", "roles", "assignments"]);

/**
 * The output of an operation from the JSON of its answer. Unknown members are kept.
 *
 * @param asked page and limit of the request, for a server that does not repeat them
 * @throws Unreadable when it lacks what every reader needs
 */
export function readAnswer(name: OperationName, json: unknown, asked: { page: number; limit: number }): unknown {
  const expected = KINDS[name];
  switch (expected.kind) {
    case "nothing":
      return undefined;
    case "list":
      return readList(name, json).items;
    case "page":
      return { data: listIn(json, expected.wanted), meta: pageMeta(json, asked) };
    case "record":
      return requireMembers(recordIn(json), expected.wanted);
    case "draft":
      return savedDraft(recordIn(json));
    case "published":
      return published(recordIn(json));
    default:
      return surfaces(json);
  }
}

function unwrapped(json: unknown): unknown {
  return isJsonObject(json) && json["data"] !== undefined && json["data"] !== null ? json["data"] : json;
}

function recordIn(json: unknown): JsonObject {
  const record = unwrapped(json);
  if (!isJsonObject(record)) throw new Unreadable("it holds no record");
  return record;
}

function requireMembers(record: JsonObject, wanted: readonly string[]): JsonObject {
  const missing = wanted.filter((member) => {
    const value = record[member];
    return value === undefined || (LISTS.has(member) && !Array.isArray(value));
  });
  if (missing.length > 0) throw new Unreadable(`it lacks ${missing.join(", ")}`);
  return record;
}

const LIST_MEMBERS = ["data", "items", "results", "forms", "layouts", "versions", "currencies"];

/** The first list among the usual places. An answer without any is not an empty list. */
function listIn(json: unknown, wanted: readonly string[]): JsonObject[] {
  const inside = isJsonObject(json) ? json["data"] : undefined;
  const places = [
    json,
    ...[json, inside].filter(isJsonObject).flatMap((holder) => LIST_MEMBERS.map((key) => holder[key])),
  ];
  const list = places.find((place): place is unknown[] => Array.isArray(place));
  if (!list) throw new Unreadable("it holds no list");
  return list.map((item) => {
    if (!isJsonObject(item)) throw new Unreadable("its list holds something that is no record");
    return requireMembers(item, wanted);
  });
}

/** A list that is no page of its own, with what its answer says of pages all the same. */
export function readList(name: OperationName, json: unknown): SaidOfPages & { items: JsonObject[] } {
  const expected = KINDS[name];
  if (expected.kind !== "list") throw new Error(`${name} answers no list`);
  const { page: _page, limit: _limit, ...said } = pagesIn(json);
  return { items: listIn(json, expected.wanted), ...said };
}

/** The member by which the items of a list are told apart; undefined: the operation answers no list. */
export function listKey(name: OperationName): string | undefined {
  const expected = KINDS[name];
  return expected.kind === "list" ? expected.wanted[0] : undefined;
}

/** The draft's id stands in one of several places, and so does the validation. */
function savedDraft(record: JsonObject): JsonObject {
  const draft = [record["draftVersion"], record["version"], record].filter(isJsonObject);
  const id = [record["draftVersionId"], ...draft.map((place) => place["id"])].find(
    (value) => typeof value === "string",
  );
  const validation = [record["validation"], ...draft.map((place) => place["validation"]), record]
    .map(validationOf)
    .find((found) => found !== undefined);
  if (id === undefined) throw new Unreadable("it lacks draftVersionId");
  const draftVersion = [record["draftVersion"], record["version"]].find(isJsonObject);
  return { ...record, draftVersionId: id, ...(draftVersion && { draftVersion }), ...(validation && { validation }) };
}

function published(record: JsonObject): JsonObject {
  const version = [record["publishedVersion"], record["version"]].find(isJsonObject);
  const id = record["versionId"] ?? version?.["id"];
  const validation = validationOf(record["validation"] ?? version?.["validation"]);
  if (typeof id !== "string") throw new Unreadable("it lacks versionId");
  return { ...record, versionId: id, ...(version && { publishedVersion: version }), ...(validation && { validation }) };
}

/** A list of definitions, `{surfaces: [...]}`, or a map by surface. */
function surfaces(json: unknown): JsonObject {
  const record = unwrapped(json);
  if (Array.isArray(record)) return { surfaces: listIn(record, ["surface"]) };
  if (!isJsonObject(record)) throw new Unreadable("it holds no surfaces");
  if (Array.isArray(record["surfaces"])) return { ...record, surfaces: listIn(record["surfaces"], ["surface"]) };
  const map = isJsonObject(record["surfaces"]) ? record["surfaces"] : record;
  const entries = Object.entries(map).filter((entry): entry is [string, JsonObject] => isJsonObject(entry[1]));
  if (entries.length === 0) throw new Unreadable("it holds no surfaces");
  return { surfaces: entries.map(([surface, definition]) => ({ surface, ...definition })) };
}
