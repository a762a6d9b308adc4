/**
 * The model of the service: answers each request in the documented order of checks. Requests and answers have the same
 * shape as in the engine.
 */

import { formRules } from "./forms.ts";
import { layoutRules } from "./layouts.ts";
import {
  canonical,
  conflict,
  type Json,
  type Key,
  notFound,
  objectOf,
  type Organization,
  Refusal,
  refuseInvalid,
  type Replay,
  type State,
  type World,
} from "./records.ts";
import { BODIES, QUERIES } from "./shapes.ts";

export type Request = {
  by: Key;
  /** Whether the caller may only read. */
  isReader: boolean;
  operation: string;
  input: Json;
  idempotencyKey?: string;
};

/**
 * An answer or a refusal. `isReplay` is defined for an accepted write with a clientMutationId or an Idempotency-Key.
 */
export type Outcome = { answer?: unknown; refusal?: Json; isReplay?: boolean };

type Rule = (world: never) => unknown;
/** The catalog of currencies is constant. Answers are compared by the number of currencies and the first code. */
const listCurrencies = () => ({ count: 178, first: "AED" });
const RULES: Record<string, Rule> = { ...formRules, ...layoutRules, listCurrencies };
const WEEK = 7 * 24 * 3_600_000;

const isRead = (operation: string) => /^(get|list)/.test(operation);

/** Answers a request, and changes the state. `state.now` is the time of the request. */
export function answer(state: State, request: Request): Outcome {
  try {
    return perform(state, request);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const id = (request.input["body"] as Json | undefined)?.["clientMutationId"];
    const isEchoed = typeof id === "string" && id.length <= 128;
    const refusal = { status: error.status, ...error.body, ...(isEchoed && { clientMutationId: id }) };
    return { refusal: structuredClone(refusal) };
  }
}

function perform(state: State, request: Request): Outcome {
  const { operation, input } = request;
  const organization = state.organizations[request.by];
  if (request.isReader && !isRead(operation)) throw new Refusal(403, "FORBIDDEN");
  const { body, query, ...path } = input;
  const { parsed, problems } = read(operation, body, query);
  // The Idempotency-Key is looked up before the path: a repeated deletion gets its first answer, although the form is
  // missing.
  const mutation = problems.length === 0 ? mutationOf(request, parsed["body"] as Json | undefined, path) : undefined;
  const stored = () => mutation && storedAnswer(organization, mutation, state.now);
  const byKey = mutation?.isByKey ? stored() : undefined;
  if (byKey) return { answer: structuredClone(byKey.answer), isReplay: true };
  const records = recordsOf(organization, path);
  refuseInvalid(problems);
  const byId = stored();
  if (byId) return { answer: structuredClone(byId.answer), isReplay: true };
  const newId = (kind: string) => {
    const id = `${kind}-${state.ids.length + 1}`;
    state.ids.push(id);
    return id;
  };
  const world: World = { organization, now: state.now, newId };
  const result = structuredClone(RULES[operation]!({ ...world, ...records, ...parsed } as never));
  if (!mutation) return { answer: result };
  organization.replays = organization.replays.filter(({ scope }) => scope !== mutation.scope);
  organization.replays.push({
    scope: mutation.scope,
    request: mutation.request,
    answer: result,
    ownerId: ownerOf(operation, path, result),
    conflict: { ...mutation.conflict, firstSeenAt: state.now },
  });
  return { answer: structuredClone(result), isReplay: false };
}

function read(operation: string, body: unknown, query: unknown): { parsed: Json; problems: string[] } {
  const problems: string[] = [];
  const parsed: Json = {};
  const bodyShape = BODIES[operation];
  const queryShape = QUERIES[operation];
  if (queryShape) parsed["query"] = queryShape(query ?? {}, "", problems);
  if (bodyShape) parsed["body"] = bodyShape(body, "", problems);
  else if (body !== undefined) problems.push("");
  return { parsed, problems };
}

/** The records that the path names, in the organization of the caller. */
function recordsOf(organization: Organization, path: Json): Json {
  const records: Json = {};
  if (path["objectKey"] !== undefined) {
    const object = path["moduleKey"] === "staffing" ? objectOf(organization, path["objectKey"]) : undefined;
    if (!object) throw notFound();
    records["object"] = object;
    if (path["formId"] !== undefined) {
      const isNamed = (form: { id: string; objectKey: string }) =>
        form.id === path["formId"] && form.objectKey === object.key;
      records["form"] = organization.forms.find(isNamed);
      if (!records["form"]) throw notFound();
    }
  }
  if (path["layoutId"] !== undefined) {
    const layout = organization.layouts.find(({ id }) => id === path["layoutId"]);
    if (!layout) throw notFound();
    records["layout"] = layout;
    if (path["versionId"] !== undefined) {
      records["version"] = layout.versions.find(({ id }) => id === path["versionId"]);
      if (!records["version"]) throw notFound();
    }
  }
  return records;
}

type Mutation = Pick<Replay, "scope" | "request"> & {
  isByKey: boolean;
  conflict: Omit<Replay["conflict"], "firstSeenAt">;
};

/** Returns what identifies a repeated write: its clientMutationId, otherwise its Idempotency-Key. */
function mutationOf({ operation, idempotencyKey }: Request, body: Json | undefined, path: Json): Mutation | undefined {
  const given = body?.["clientMutationId"] as string | undefined;
  const id = given ?? idempotencyKey;
  if (isRead(operation) || id === undefined) return undefined;
  const layoutId = (path["layoutId"] as string | undefined) ?? null;
  const kind = given === undefined ? `key ${canonical(path)}` : `id ${layoutId}`;
  return {
    scope: `${operation} ${kind} ${id}`,
    request: canonical({ path, body }),
    isByKey: given === undefined,
    conflict: { clientMutationId: id, operation, layoutId },
  };
}

function storedAnswer({ replays }: Organization, mutation: Mutation, now: string): Replay | undefined {
  const found = replays.find(({ scope }) => scope === mutation.scope);
  if (!found || Date.parse(now) - Date.parse(found.conflict.firstSeenAt) > WEEK) return undefined;
  if (found.request === mutation.request) return found;
  throw conflict("IDEMPOTENCY_CONFLICT", { idempotencyConflict: { ...found.conflict, reason: "BODY_MISMATCH" } });
}

/**
 * Returns the owner of a stored response: the id of a form or layout. The response is deleted with its owner. The
 * response to a deletion has no owner.
 */
function ownerOf(operation: string, path: Json, result: unknown): string | null {
  if (operation === "deleteForm" || operation === "archiveLayout") return null;
  const isCreation = operation === "createForm" || operation === "createLayout";
  const created = isCreation ? (result as { id: string }).id : null;
  return ((path["formId"] ?? path["layoutId"]) as string | undefined) ?? created;
}

/** The state before the first request: two organizations that differ only in their ids. */
export function emptyState(ids: (by: Key, record: string) => string): State {
  const organization = (by: Key): Organization => ({
    id: ids(by, "organization"),
    objects: structuredClone(OBJECTS).map((object) => ({ ...object, id: ids(by, object.key), fieldIds: {} })),
    roles: ROLES.map((role) => ids(by, role)),
    members: MEMBERS.map((member) => ids(by, member)),
    forms: [],
    layouts: [],
    defaults: {},
    replays: [],
  });
  return { now: "", ids: [], organizations: { north: organization("north"), south: organization("south") } };
}

export const ROLES = ["recruiter", "manager"] as const;
export const MEMBERS = ["ana", "bo"] as const;

const field = (key: string, type: string, more: object = {}) => {
  const members = { key, type, required: false, options: [] as string[], valueCount: 0 };
  return { ...members, ...more };
};

export const OBJECTS = [
  {
    key: "candidate",
    isSubordinate: false,
    fields: [
      field("full_name", "TEXT", { required: true }),
      field("level", "SELECT", { options: ["junior", "senior"], valueCount: 9 }),
      field("notes", "TEXTAREA", { valueCount: 4 }),
      field("phone", "PHONE"),
    ],
  },
  {
    key: "placement",
    isSubordinate: false,
    fields: [field("full_name", "TEXT", { required: true }), field("notes", "TEXTAREA")],
  },
  { key: "milestone", isSubordinate: true, fields: [field("label", "TEXT", { required: true })] },
];
