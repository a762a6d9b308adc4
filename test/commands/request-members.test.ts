/**
 * Tests that every member of every request has a flag or a file. A command line sets each member, and the sent request
 * contains the value.
 */

import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import type { Target } from "../../src/schemas/layout.ts";
import {
  type Input,
  type OperationName,
  operationRow,
  operations,
  pathParameters,
} from "../../src/schemas/operations.ts";
import { parsePath } from "../../src/schemas/path.ts";
import { openRecordingScene, type RecordingScene } from "./recording-scene.ts";
import { DESK, fixture, PROFILE } from "./layouts-scene.ts";

type KeysOf<T> = keyof NonNullable<T> & string;
type PartOf<N extends OperationName, Part extends "body" | "query"> =
  Input<N> extends { [K in Part]?: infer T } ? `${Part}.${KeysOf<T>}` : never;
/** A member of an operation's input, such as `path.formId`, `query.page` or `body.name`. */
type MemberOf<N extends OperationName> =
  | `path.${Exclude<keyof Input<N>, "body" | "query"> & string}`
  | PartOf<N, "query">
  | PartOf<N, "body">;

type Confirmation = NonNullable<Input<"publishLayout">["body"]["confirmFieldChanges"]>[number];
type Assignment = NonNullable<Input<"replaceAssignments">["body"]["roles"]>[number];
/** Nested members that have a flag. */
type Inner = {
  createForm: `body.config.${"title" | "successMessage" | "description"}`;
  updateForm: `body.config.${"title" | "successMessage" | "description"}`;
  createLayout: `body.target.${keyof Target}`;
  publishLayout: `body.confirmFieldChanges[0].${keyof Confirmation}`;
  replaceAssignments: `body.roles[0].${keyof Assignment}`;
};
type InnerOf<N extends OperationName> = N extends keyof Inner ? Inner[N] : never;

/** A command line without `formctl`, and the value that the member then has. */
type Proof = [words: string[], value: unknown];

const OBJECT = "staffing/candidate";
const OF_OBJECT = (...words: string[]) => ({
  "path.moduleKey": [words, "staffing"] as Proof,
  "path.objectKey": [words, "candidate"] as Proof,
});
const OF_FORM = (...words: string[]) => ({ ...OF_OBJECT(...words), "path.formId": [words, "$FORM"] as Proof });
const OF_LAYOUT = (...words: string[]) => ({ "path.layoutId": [words, "$LAYOUT"] as Proof });

const createForm = ["forms", "create", OBJECT, "--name", "New", "--types", "VIEW,EDIT"];
const updateForm = ["forms", "update", PROFILE];
const setAccess = ["forms", "access", "set", PROFILE, "-f", "access.yaml"];
const setDefaults = ["forms", "defaults", "set", OBJECT];
const listForms = ["forms", "list", OBJECT];
const createLayout = ["layouts", "create", "--surface", "CONTRACTOR", "--modes", "VIEW", "--name", "Board"];
const dashboard = ["layouts", "create", "--surface", "DASHBOARD", "--modes", "VIEW", "--name", "Board"];
const object = ["layouts", "create", "--surface", "DYNAMIC_OBJECT", "--modes", "VIEW", "--name", "Card"];
const ofCandidate = [...object, "--target", "moduleKey=staffing", "--target", "objectKey=candidate"];
const updateLayout = ["layouts", "update", PROFILE];
const push = ["layouts", "draft", "push", DESK, "draft.json"];
const publish = ["layouts", "publish", PROFILE];
const restore = ["layouts", "versions", "restore", PROFILE, "$VERSION"];
const assign = ["layouts", "assignments", "set", "$PAGE"];
/**
 * The API document defines no parameters for these lists, so commands may filter the answer. Only `api` always sends
 * the parameters.
 */
const raw = (query: string) => ["api", "GET", `/v1/view-layouts${query}`];

const CURSOR = Buffer.from("2026-01-01T00:00:00.000Z frm_1").toString("base64url");
const FILTER = { op: "or", items: [{ field: "name", operator: "in", value: ["A", "B"] }] };
const DRAFT = {
  regions: [{ key: "main", label: "Main", layout: "grid", columns: 12 }],
  scriptBindings: [{ scriptId: "scr_1", hook: "onLoad" }],
  metadata: { owner: "desk" },
};
const FILES: Record<string, object | string> = {
  "config.yaml": { title: "T", theme: "dark" },
  "access.yaml": { users: [{ membershipId: "mem_1", types: ["VIEW"] }], roles: [{ roleId: "rol_1", types: ["EDIT"] }] },
  "filter.yaml": FILTER,
  "metadata.yaml": { owner: "sales" },
  "layout.yaml": { surface: "DASHBOARD", target: { dashboardKey: "sales" }, metadata: { a: 1 } },
  "b.yaml": fixture("placement-desk.yaml"),
};

const members = {
  createForm: {
    ...OF_OBJECT(...createForm),
    "body.name": [createForm, "New"],
    "body.types": [createForm, ["VIEW", "EDIT"]],
    "body.isActive": [[...createForm, "--inactive"], false],
    "body.isPublic": [[...createForm, "--public"], true],
    "body.config": [[...createForm, "--title", "T"], { title: "T" }],
    "body.config.title": [[...createForm, "--title", "T"], "T"],
    "body.config.successMessage": [[...createForm, "--success-message", "S"], "S"],
    "body.config.description": [[...createForm, "--description", "D"], "D"],
  },
  listForms: {
    ...OF_OBJECT(...listForms),
    "query.page": [[...listForms, "--page", "2"], "2"],
    "query.limit": [[...listForms, "--limit", "7"], "7"],
    "query.count": [[...listForms, "--count", "hasmore"], "hasMore"],
    // Other commands send only cursors that a server reported.
    "query.cursor": [["api", "GET", `/v1/custom-modules/staffing/objects/candidate/forms?cursor=${CURSOR}`], CURSOR],
    "query.sort": [[...listForms, "--sort", "-name"], [{ field: "name", direction: "desc" }]],
    "query.filters": [[...listForms, "-f", "filter.yaml"], FILTER],
    "query.columns": [
      [...listForms, "--columns", "id, name", "--columns", "types"],
      ["id", "name", "types"],
    ],
  },
  listAvailableForms: {
    ...OF_OBJECT("forms", "available", OBJECT),
    "query.type": [["forms", "available", OBJECT, "--type", "EDIT"], "EDIT"],
  },
  updateFormDefaults: {
    ...OF_OBJECT(...setDefaults, "VIEW=-"),
    "body.defaultCreateFormId": [[...setDefaults, "CREATE=-"], null],
    "body.defaultViewFormId": [[...setDefaults, "VIEW=Candidate profile"], "$FORM"],
    "body.defaultEditFormId": [[...setDefaults, "EDIT=Candidate profile"], "$FORM"],
  },
  getForm: OF_FORM("forms", "get", PROFILE),
  updateForm: {
    ...OF_FORM(...updateForm, "--name", "New"),
    "body.name": [[...updateForm, "--name", "New"], "New"],
    "body.types": [[...updateForm, "--types", "VIEW"], ["VIEW"]],
    "body.config": [[...updateForm, "--config", "config.yaml"], FILES["config.yaml"]],
    "body.config.title": [[...updateForm, "--title", "T"], "T"],
    "body.config.successMessage": [[...updateForm, "--success-message", "S"], "S"],
    "body.config.description": [[...updateForm, "--description", "D"], "D"],
    "body.isActive": [[...updateForm, "--inactive"], false],
    "body.isPublic": [[...updateForm, "--public"], true],
  },
  deleteForm: OF_FORM("forms", "delete", PROFILE, "--allow-delete"),
  getFormAccess: OF_FORM("forms", "access", "show", PROFILE),
  replaceFormAccess: {
    ...OF_FORM(...setAccess),
    "body.users": [setAccess, [{ membershipId: "mem_1", types: ["VIEW"] }]],
    "body.roles": [setAccess, [{ roleId: "rol_1", types: ["EDIT"] }]],
  },
  createLayout: {
    "body.clientMutationId": [[...createLayout, "--client-mutation-id", "m 1"], "m 1"],
    "body.surface": [createLayout, "CONTRACTOR"],
    "body.supportedModes": [createLayout, ["VIEW"]],
    "body.target": [createLayout, {}],
    "body.target.moduleKey": [ofCandidate, "staffing"],
    "body.target.objectKey": [ofCandidate, "candidate"],
    "body.target.formId": [[...ofCandidate, "--target", "formId="], null],
    "body.target.entityId": [[...createLayout, "--target", "entityId=ent_1"], "ent_1"],
    "body.target.scopeId": [[...createLayout, "--target", "scopeId="], null],
    "body.target.dashboardKey": [[...dashboard, "--target", "dashboardKey=sales"], "sales"],
    "body.name": [createLayout, "Board"],
    "body.metadata": [[...createLayout, "--metadata", "metadata.yaml"], { owner: "sales" }],
  },
  listLayouts: {
    "query.surface": [raw("?surface=DASHBOARD"), "DASHBOARD"],
    "query.mode": [raw("?mode=VIEW"), "VIEW"],
    "query.moduleKey": [raw("?moduleKey=staffing"), "staffing"],
    "query.objectKey": [raw("?objectKey=candidate"), "candidate"],
    "query.formId": [raw("?formId=$FORM"), "$FORM"],
    "query.scopeId": [raw("?scopeId=s1"), "s1"],
    "query.dashboardKey": [raw("?dashboardKey=sales"), "sales"],
  },
  getSurfaceDefinitions: {
    "query.surface": [raw("/surface-definitions?surface=DASHBOARD"), "DASHBOARD"],
  },
  getLayout: OF_LAYOUT("layouts", "get", "$LAYOUT"),
  updateLayout: {
    ...OF_LAYOUT(...updateLayout, "--name", "New"),
    "body.name": [[...updateLayout, "--name", "New"], "New"],
    "body.metadata": [[...updateLayout, "--no-metadata"], null],
    "body.supportedModes": [[...updateLayout, "--modes", "VIEW"], ["VIEW"]],
    "body.surface": [[...updateLayout, "-f", "layout.yaml"], "DASHBOARD"],
    "body.target": [[...updateLayout, "-f", "layout.yaml"], { dashboardKey: "sales" }],
  },
  saveDraft: {
    "path.layoutId": [["layouts", "draft", "push", "$LAYOUT", "a.yaml"], "$LAYOUT"],
    "body.clientMutationId": [[...push, "--client-mutation-id", "m-2"], "m-2"],
    "body.expectedDraftVersionId": [[...push, "--expect-draft", "ver_1"], "ver_1"],
    "body.schemaVersion": [push, 1],
    "body.regions": [push, DRAFT.regions],
    "body.blocks": [push, []],
    "body.stagedFieldDefinitions": [push, []],
    "body.scriptBindings": [push, DRAFT.scriptBindings],
    "body.metadata": [push, DRAFT.metadata],
  },
  publishLayout: {
    ...OF_LAYOUT(...publish),
    "body.clientMutationId": [[...publish, "--client-mutation-id", "m-3"], "m-3"],
    "body.draftVersionId": [[...publish, "--draft", "ver_9"], "ver_9"],
    "body.confirmFieldChanges": [
      [...publish, "--confirm-field-change", "d_a", "--confirm-type-change", "d_b", "--confirm-value-clear", "d_c"],
      [
        { draftId: "d_a", confirmTypeChange: true, confirmValueClear: true },
        { draftId: "d_b", confirmTypeChange: true },
        { draftId: "d_c", confirmValueClear: true },
      ],
    ],
    "body.confirmFieldChanges[0].draftId": [[...publish, "--confirm-field-change", "d_a"], "d_a"],
    "body.confirmFieldChanges[0].confirmTypeChange": [[...publish, "--confirm-type-change", "d_a"], true],
    "body.confirmFieldChanges[0].confirmValueClear": [[...publish, "--confirm-value-clear", "d_a"], true],
    "body.expectedPublishedVersionId": [[...publish, "--expect-published", "$VERSION"], "$VERSION"],
  },
  listVersions: OF_LAYOUT("layouts", "versions", "list", PROFILE),
  getVersion: {
    ...OF_LAYOUT("api", "GET", "/v1/view-layouts/$LAYOUT/versions/$VERSION"),
    "path.versionId": [["api", "GET", "/v1/view-layouts/$LAYOUT/versions/$VERSION"], "$VERSION"],
  },
  restoreDraft: {
    ...OF_LAYOUT(...restore),
    "path.versionId": [restore, "$VERSION"],
    "body.clientMutationId": [[...restore, "--client-mutation-id", "m-4"], "m-4"],
  },
  replaceAssignments: {
    "path.layoutId": [[...assign, "--default"], "$PAGE"],
    "body.clientMutationId": [[...assign, "--default", "--client-mutation-id", "m-5"], "m-5"],
    "body.organizationDefault": [[...assign, "--default"], true],
    "body.roles": [
      [...assign, "--role", "rol_1=5", "--role", "rol_2"],
      [
        { roleId: "rol_1", priority: 5 },
        { roleId: "rol_2", priority: 0 },
      ],
    ],
    "body.roles[0].roleId": [[...assign, "--role", "rol_1=5"], "rol_1"],
    "body.roles[0].priority": [[...assign, "--role", "rol_1=5"], 5],
  },
  archiveLayout: { "path.layoutId": [["layouts", "archive", "$PAGE", "--allow-delete"], "$PAGE"] },
  listCurrencies: {},
} satisfies { [N in OperationName]: Record<MemberOf<N> | InnerOf<N>, Proof> };

/** Sets the same members through `-f FILE`, for commands that accept the whole body. */
const bodies: [operation: OperationName, words: string[], body: object][] = [
  [
    "createForm",
    ["forms", "create", OBJECT],
    { name: "F", types: ["VIEW"], isActive: false, isPublic: true, config: { x: 1 } },
  ],
  ["updateForm", updateForm, { name: "F", types: ["VIEW"], isActive: false, isPublic: true, config: { x: 1 } }],
  [
    "createLayout",
    ["layouts", "create"],
    {
      clientMutationId: "in-file",
      surface: "CONTRACTOR",
      supportedModes: ["VIEW"],
      target: { scopeId: null, entityId: "e1" },
      name: "Board",
      metadata: { a: 1 },
    },
  ],
  ["updateLayout", updateLayout, { name: "F", metadata: null, supportedModes: ["VIEW"], surface: "USER", target: {} }],
];

type Sent = { method: string; path: string; query: Record<string, unknown>; body?: unknown };

/**
 * Runs a command line. A write runs with `--dry-run`. @returns the sent requests, or the printed requests of a dry run
 */
async function requestsOf({ cli, received, withIds }: RecordingScene, words: readonly string[], isWrite: boolean) {
  received.length = 0;
  const line = [...words.map(withIds), "-o", "json", ...(isWrite ? ["--dry-run"] : [])];
  const { code, stderr, json } = await cli.run(...line);
  expect({ line, code, stderr: code === 0 ? "" : stderr }).toEqual({ line, code: 0, stderr: "" });
  if (isWrite)
    return (json() as { requests: Omit<Sent, "query">[] }).requests.map((sent): Sent => ({ ...sent, query: {} }));
  return received.map(({ method, url }): Sent => {
    const { pathname, searchParams } = new URL(url, "http://server");
    const query = Object.fromEntries([...searchParams].map(([name, text]) => [name, textOrJson(text)]));
    return { method, path: pathname, query };
  });
}

const textOrJson = (text: string): unknown => (/^[[{]/.test(text) ? JSON.parse(text) : text);

/** Returns the request of an operation, split into `path`, `query` and `body`. */
function inputOf(name: OperationName, requests: readonly Sent[]): unknown {
  const { method, path } = operationRow(name);
  const pattern = new RegExp(`^${path.replace(/:(\w+)/g, "(?<$1>[^/]+)")}$`);
  const sent = requests.findLast((request) => request.method === method && pattern.test(request.path));
  expect(sent, `a request of ${name}`).toBeDefined();
  return { path: { ...pattern.exec(sent!.path)?.groups }, query: sent!.query, body: sent!.body };
}

function valueAt(value: unknown, path: string): unknown {
  return parsePath(path).reduce(
    (inner, step) => (inner as Record<string | number, unknown> | undefined)?.[step],
    value,
  );
}

async function schemaMembers(part: "body" | "query", name: OperationName): Promise<string[]> {
  const schema = await operationRow(name)[part]?.();
  return schema instanceof z.ZodMiniObject ? Object.keys(schema.shape).map((key) => `${part}.${key}`) : [];
}

async function openScene(): Promise<RecordingScene> {
  const scene = await openRecordingScene();
  for (const [path, content] of Object.entries(FILES)) scene.cli.file(path, content);
  scene.cli.file("draft.json", { schemaVersion: 1, blocks: [], ...DRAFT });
  return scene;
}

describe.each(Object.keys(operations) as OperationName[])("%s", (name) => {
  const proofs: Record<string, Proof> = members[name];

  it("has a command line for each member of its schemas and its path", async () => {
    const wanted = [
      ...pathParameters(operationRow(name).path).map((parameter) => `path.${parameter}`),
      ...(await schemaMembers("query", name)),
      ...(await schemaMembers("body", name)),
    ];
    expect(Object.keys(proofs)).toEqual(expect.arrayContaining(wanted));
  });

  it("is sent with each of its members", async () => {
    const scene = await openScene();
    const isWrite = operationRow(name).method !== "GET";
    for (const [member, [words, value]] of Object.entries(proofs)) {
      const input = inputOf(name, await requestsOf(scene, words, isWrite));
      const wanted = typeof value === "string" ? scene.withIds(value) : value;
      expect({ words, [member]: valueAt(input, member) }).toEqual({ words, [member]: wanted });
    }
  });
});

it.each(bodies)("%s reads its whole body from a file", async (name, words, body) => {
  const scene = await openScene();
  scene.cli.file("body.json", body);
  const input = inputOf(name, await requestsOf(scene, [...words, "-f", "body.json"], true));
  expect(valueAt(input, "body")).toEqual(expect.objectContaining(body));
});
