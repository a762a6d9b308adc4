/**
 * Generates random requests for every operation. A record in a request exists, belongs to another organization, or is
 * missing.
 */

import * as fc from "fast-check";
import type { LocalService } from "../../src/local-service.ts";
import type { Block, DraftContent, StagedField } from "../../src/schemas/draft.ts";
import type { FormListItem } from "../../src/schemas/form.ts";
import type { Layout } from "../../src/schemas/layout.ts";
import type { OperationName } from "../../src/schemas/operations.ts";
import type { OrganizationFile, OrganizationView } from "../../src/schemas/organization.ts";
import { DEFAULT_KEY, FIELD_TYPES, type Mode, MODES, PERMISSIONS, SURFACES } from "../../src/schemas/words.ts";
import type { FullService } from "../../src/service.ts";
import { wildDraft } from "../arbitraries/draft.ts";

/** The records that an organization has seen so far. */
export type Pool = { forms: string[]; layouts: string[]; versions: string[]; tokens: string[] };

/**
 * The sources of ids for a request: current records, earlier records of the caller, and records of the other
 * organization.
 */
export type Scene = {
  forms: FormListItem[];
  layouts: Layout[];
  past: Pool;
  foreign: Pool;
  admin: FullService;
  local: LocalService;
  organization: OrganizationView;
};

export type Request = { operation: OperationName; input: unknown };
/** Creates a request. It is called just before the request is sent: earlier, the existing records are unknown. */
export type Plan = (scene: Scene) => Promise<Request> | Request;

type Choice = { of: "present" | "past" | "foreign" | "nowhere"; index: number };

const choice: fc.Arbitrary<Choice> = fc.record({
  of: fc.oneof(
    { weight: 40, arbitrary: fc.constant("present" as const) },
    { weight: 3, arbitrary: fc.constant("past" as const) },
    { weight: 2, arbitrary: fc.constant("foreign" as const) },
    { weight: 1, arbitrary: fc.constant("nowhere" as const) },
  ),
  index: fc.nat(1000),
});

/** Returns the id of the chosen record. If the scene has no such record, returns the id of a missing form. */
function chosen(scene: Scene, kind: keyof Pool, { of, index }: Choice): string {
  const present = kind === "forms" || kind === "layouts" ? scene[kind].map(({ id }) => id) : scene.past[kind];
  const records = { present, past: scene.past[kind], foreign: scene.foreign[kind], nowhere: [] }[of];
  return records[index % records.length] ?? "frm_aaaaaaaaaaaaaaaaaaaaaaaa";
}

const mostly = <T>(likely: fc.Arbitrary<T>, odd: fc.Arbitrary<unknown> = fc.jsonValue({ maxDepth: 1 })) =>
  fc.oneof<fc.MaybeWeightedArbitrary<unknown>[]>({ weight: 60, arbitrary: likely }, { weight: 1, arbitrary: odd });

const rarely = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 15, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });

/** Members that may be absent. */
const some = (members: Record<string, fc.Arbitrary<unknown>>) => fc.record(members, { requiredKeys: [] });

const name = mostly(fc.constantFrom("Intake", "Profile", "Card", " padded ", "Žluťoučký", "x".repeat(200)));
const mode = fc.constantFrom(...MODES);
const types = mostly(
  fc.subarray([...MODES], { minLength: 1 }),
  fc.constantFrom([], ["PRINT"], ["VIEW", "VIEW"], "VIEW"),
);
// Few ids, so that requests often reuse an id.
const mutationId = mostly(fc.constantFrom("m1", "m2", "m3", ...Array.from({ length: 20 }, (_, index) => `n${index}`)));
const config = mostly(some({ title: fc.constantFrom("Welcome", ""), note: fc.jsonValue({ maxDepth: 1 }) }));
const objectKey = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom("candidate", "placement") },
  { weight: 1, arbitrary: fc.constantFrom("milestone", "nothing", "..") },
);

const place = fc.record({ moduleKey: mostly(fc.constant("staffing"), fc.constant("nowhere")), objectKey });

/** The path of a form, under its own object or under a wrong object. */
const formPath = fc.record({ form: choice, wrong: fc.nat(15), place });

function pathOf(scene: Scene, { form, wrong, place: elsewhere }: { form: Choice; wrong: number; place: object }) {
  const formId = chosen(scene, "forms", form);
  if (wrong === 0) return { ...elsewhere, formId };
  const { objectId } = scene.forms.find(({ id }) => id === formId) ?? {};
  const object = scene.organization.modules[0]?.objects.find(({ id }) => id === objectId);
  return { moduleKey: "staffing", objectKey: object?.key ?? "candidate", formId };
}

const fieldKeys = [
  "full_name",
  "email",
  "level",
  "skills",
  "notes",
  "phone",
  "milestones",
  "candidate",
  "po_number",
  "extra",
];

const staged: fc.Arbitrary<StagedField> = fc.oneof(
  fc.record({
    draftId: fc.constantFrom("d_1", "d_2"),
    action: fc.constant("create" as const),
    key: fc.constantFrom("po_number", "extra"),
    name: fc.constant("Staged"),
    type: fc.constantFrom("TEXT", "NUMBER", "SELECT"),
    config: fc.constantFrom(null, { required: true }, { required: true, defaultValue: "x" }, { options: ["x", "y"] }),
  }),
  fc.record(
    {
      draftId: fc.constantFrom("d_1", "d_2"),
      action: fc.constantFrom("update" as const, "unlink" as const, "delete" as const),
      key: fc.constantFrom("notes", "phone", "po_number", "extra", "level"),
      type: fc.constantFrom("TEXT", "TEXTAREA", "SELECT", "MULTI_SELECT"),
      config: fc.constantFrom(null, { options: ["junior"] }, { required: false }),
    },
    { requiredKeys: ["draftId", "action", "key"] },
  ),
);

type Sketch = { keys: string[]; staged: StagedField[]; drops: number; wild: DraftContent | undefined; bound: boolean };

const sketch: fc.Arbitrary<Sketch> = fc.record({
  keys: fc.subarray(fieldKeys),
  staged: fc.oneof(
    { weight: 3, arbitrary: fc.constant<StagedField[]>([]) },
    { weight: 2, arbitrary: fc.uniqueArray(staged, { maxLength: 2, selector: ({ draftId }) => draftId }) },
  ),
  drops: fc.nat(9),
  wild: fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: wildDraft }),
  bound: fc.boolean(),
});

/** Returns a draft that can usually be published. It shows the required fields and some optional fields. */
function drawn(
  { keys, staged: stagedFields, drops, wild, bound }: Sketch,
  scene: Scene,
  object: string | undefined,
): DraftContent {
  if (wild) return wild;
  const fields = scene.organization.modules[0]?.objects.find(({ key }) => key === object)?.fields ?? [];
  const gone = stagedFields.filter(({ action }) => action === "delete" || action === "unlink").map(({ key }) => key);
  const shown = fields.filter(({ key, required }) => (required || keys.includes(key)) && !gone.includes(key));
  // One of ten drafts omits a field.
  if (drops === 0) shown.shift();
  const blocks: Block[] = shown.map(({ key, type }, index) =>
    type === "SUBORDINATE_OBJECT_REFERENCE"
      ? {
          id: `b_${key}`,
          type: "relation_table",
          source: "dynamic_relation",
          ref: { relationFieldKey: key },
          regionKey: "main",
        }
      : {
          id: `b_${key}`,
          type: "field",
          source: "dynamic_field",
          ref: { fieldKey: key },
          regionKey: "main",
          displayOrder: index,
        },
  );
  if (object === undefined) {
    const ref = { componentKey: "contractor.details" };
    blocks.push({ id: "details", type: "builtin", source: "built_in", ref, regionKey: "main" });
  }
  for (const { action, draftId } of stagedFields) {
    if (action !== "create") continue;
    const ref = { draftFieldDefinitionId: draftId };
    blocks.push({ id: `s_${draftId}`, type: "field", source: "draft_custom_field", ref, regionKey: "main" });
  }
  const [first] = blocks;
  return {
    schemaVersion: 1,
    regions: [{ key: "main", label: "Main", layout: "grid", columns: 12 }],
    blocks,
    stagedFieldDefinitions: stagedFields,
    scriptBindings:
      bound && first?.id
        ? [{ id: "bind", scriptId: "rate_guard", hook: "onRender", target: { blockId: first.id } }]
        : [],
    metadata: null,
  };
}

function layoutNow({ layouts }: Scene, layoutId: string): Layout | undefined {
  return layouts.find(({ id }) => id === layoutId);
}

function personOf({ organization }: Scene, kind: "roles" | "members", index: number): string {
  const people = organization[kind];
  return people[index % (people.length + 1)]?.id ?? "rol_aaaaaaaaaaaaaaaaaaaaaaaa";
}

type Maker<T> = (value: T, scene: Scene) => unknown;

function plan<T>(operation: OperationName, values: fc.Arbitrary<T>, make: Maker<T>): fc.Arbitrary<Plan> {
  return values.map((value) => async (scene: Scene) => ({ operation, input: await make(value, scene) }));
}

const body = (members: Record<string, fc.Arbitrary<unknown>>, required: readonly string[]) =>
  mostly(fc.record(members, { requiredKeys: [...required] }));

const accessRows = fc.array(fc.record({ who: fc.nat(3), types }), { maxLength: 3 });
const target = fc.constantFrom(
  { surface: "CONTRACTOR", target: {} },
  { surface: "CONTRACTOR", target: { scopeId: "export" } },
  { surface: "DASHBOARD", target: { dashboardKey: "main" } },
  { surface: "DYNAMIC_OBJECT", target: { moduleKey: "staffing", objectKey: "candidate" } },
  { surface: "DYNAMIC_OBJECT", target: { moduleKey: "staffing", objectKey: "nothing" } },
);

/** The inputs of each operation, and its relative frequency. */
const plans: Record<OperationName, [weight: number, fc.Arbitrary<Plan>]> = {
  createForm: [
    6,
    plan(
      "createForm",
      fc.record({
        place,
        body: body({ name, types, isActive: fc.boolean(), isPublic: fc.boolean(), config }, ["name", "types"]),
      }),
      ({ place: address, body: content }) => ({ ...address, body: content }),
    ),
  ],
  listForms: [
    2,
    plan(
      "listForms",
      fc.record({
        place,
        query: mostly(
          some({
            page: mostly(fc.integer({ min: 1, max: 3 })),
            limit: mostly(fc.integer({ min: 1, max: 5 })),
            sort: mostly(fc.constantFrom("name", "-createdAt", "updatedAt")),
            count: mostly(fc.constantFrom("none", "hasMore")),
          }),
        ),
      }),
      ({ place: address, query }) => ({ ...address, query }),
    ),
  ],
  listAvailableForms: [
    1,
    plan(
      "listAvailableForms",
      fc.record({ place, query: mostly(some({ type: mostly(mode) })) }),
      ({ place: address, query }) => ({ ...address, query }),
    ),
  ],
  updateFormDefaults: [
    5,
    plan(
      "updateFormDefaults",
      fc.record({
        place,
        picks: fc.dictionary(fc.constantFrom(...MODES), fc.option(choice), { noNullPrototype: true }),
        anyForm: fc.nat(9),
      }),
      ({ place: address, picks, anyForm }, scene) => {
        const wanted = Object.entries(picks).map(([key, pick]) => {
          // Nine of ten choices are limited to the forms that support the mode.
          const fit = scene.forms.filter(({ types: modes }) => modes.includes(key as Mode));
          const forms = anyForm === 0 ? scene.forms : fit;
          return [DEFAULT_KEY[key as Mode], pick && chosen({ ...scene, forms }, "forms", pick)];
        });
        return { ...address, body: Object.fromEntries(wanted) as unknown };
      },
    ),
  ],
  getForm: [1, plan("getForm", formPath, (path, scene) => pathOf(scene, path))],
  updateForm: [
    5,
    plan(
      "updateForm",
      fc.record({
        path: formPath,
        body: mostly(
          some({
            name,
            types,
            config: fc.oneof(config, fc.constant(null)),
            isActive: fc.boolean(),
            isPublic: fc.boolean(),
          }),
        ),
      }),
      ({ path, body: content }, scene) => ({ ...pathOf(scene, path), body: content }),
    ),
  ],
  deleteForm: [2, plan("deleteForm", formPath, (path, scene) => pathOf(scene, path))],
  getFormAccess: [1, plan("getFormAccess", formPath, (path, scene) => pathOf(scene, path))],
  replaceFormAccess: [
    3,
    plan(
      "replaceFormAccess",
      fc.record({ path: formPath, users: accessRows, roles: accessRows }),
      ({ path, users, roles }, scene) => ({
        ...pathOf(scene, path),
        body: {
          users: users.map(({ who, types: modes }) => ({
            membershipId: personOf(scene, "members", who),
            types: modes,
          })),
          roles: roles.map(({ who, types: modes }) => ({ roleId: personOf(scene, "roles", who), types: modes })),
        },
      }),
    ),
  ],
  createLayout: [
    3,
    plan(
      "createLayout",
      fc.record({
        target,
        rest: body({ clientMutationId: mutationId, supportedModes: types, name, metadata: config }, [
          "supportedModes",
          "name",
        ]),
      }),
      ({ target: aim, rest }) => ({ body: { ...aim, ...(rest as object | null) } }),
    ),
  ],
  listLayouts: [
    1,
    plan(
      "listLayouts",
      mostly(some({ surface: mostly(fc.constantFrom(...SURFACES)), mode: mostly(mode), objectKey })),
      (query) => ({ query }),
    ),
  ],
  getSurfaceDefinitions: [
    1,
    plan("getSurfaceDefinitions", mostly(some({ surface: mostly(fc.constantFrom(...SURFACES)) })), (query) => ({
      query,
    })),
  ],
  getLayout: [1, plan("getLayout", choice, (pick, scene) => ({ layoutId: chosen(scene, "layouts", pick) }))],
  updateLayout: [
    2,
    plan(
      "updateLayout",
      fc.record({ pick: choice, body: mostly(some({ name, metadata: config, supportedModes: types })) }),
      ({ pick, body: content }, scene) => ({ layoutId: chosen(scene, "layouts", pick), body: content }),
    ),
  ],
  saveDraft: [
    9,
    plan(
      "saveDraft",
      fc.record({ pick: choice, sketch, id: mutationId, odd: rarely(fc.jsonValue({ maxDepth: 2 })) }),
      async ({ pick, sketch: outline, id, odd }, scene) => {
        const layoutId = chosen(scene, "layouts", pick);
        if (odd !== undefined) return { layoutId, body: odd };
        const layout = layoutNow(scene, layoutId);
        const object = layout?.target["objectKey"];
        const content = drawn(outline, scene, typeof object === "string" ? object : undefined);
        return { layoutId, body: { clientMutationId: id, ...content } };
      },
    ),
  ],
  publishLayout: [
    9,
    plan(
      "publishLayout",
      fc.record({
        pick: choice,
        stale: fc.nat(9),
        version: choice,
        id: mutationId,
        confirms: fc.boolean(),
        expects: rarely(choice),
      }),
      async ({ pick, stale, version, id, confirms, expects }, scene) => {
        const layoutId = chosen(scene, "layouts", pick);
        const layout = layoutNow(scene, layoutId);
        const draftVersionId =
          stale === 0
            ? chosen(scene, "versions", version)
            : (layout?.latestDraftVersionId ?? chosen(scene, "versions", version));
        const draft = await scene.admin.getVersion({ layoutId, versionId: draftVersionId }).catch(() => undefined);
        const confirmed = (draft?.stagedFieldDefinitions ?? []).map(({ draftId }) => ({
          draftId,
          confirmTypeChange: true,
          confirmValueClear: true,
        }));
        return {
          layoutId,
          body: {
            clientMutationId: id,
            draftVersionId,
            confirmFieldChanges: confirms ? confirmed : [],
            ...(expects && { expectedPublishedVersionId: chosen(scene, "versions", expects) }),
          },
        };
      },
    ),
  ],
  listVersions: [1, plan("listVersions", choice, (pick, scene) => ({ layoutId: chosen(scene, "layouts", pick) }))],
  getVersion: [
    1,
    plan("getVersion", fc.tuple(choice, choice), ([layout, version], scene) => ({
      layoutId: chosen(scene, "layouts", layout),
      versionId: chosen(scene, "versions", version),
    })),
  ],
  restoreDraft: [
    3,
    plan(
      "restoreDraft",
      fc.record({ pick: choice, at: fc.nat(9), id: mutationId }),
      async ({ pick, at, id }, scene) => {
        const layoutId = chosen(scene, "layouts", pick);
        const versions = await scene.admin.listVersions({ layoutId }).catch(() => []);
        const closed = versions.filter(({ status }) => status !== "DRAFT");
        const versionId = (at === 0 ? versions[0] : closed[at % closed.length])?.id ?? "ver_aaaaaaaaaaaaaaaaaaaaaaaa";
        return { layoutId, versionId, body: { clientMutationId: id } };
      },
    ),
  ],
  replaceAssignments: [
    3,
    plan(
      "replaceAssignments",
      fc.record({
        pick: choice,
        id: mutationId,
        organizationDefault: fc.boolean(),
        roles: fc.array(fc.record({ who: fc.nat(3), priority: fc.integer({ min: -1, max: 3 }) }), { maxLength: 2 }),
      }),
      ({ pick, id, organizationDefault, roles }, scene) => ({
        layoutId: chosen(scene, "layouts", pick),
        body: {
          clientMutationId: id,
          organizationDefault,
          roles: roles.map(({ who, priority }) => ({ roleId: personOf(scene, "roles", who), priority })),
        },
      }),
    ),
  ],
  archiveLayout: [1, plan("archiveLayout", choice, (pick, scene) => ({ layoutId: chosen(scene, "layouts", pick) }))],
  listCurrencies: [1, plan("listCurrencies", fc.constant({}), (input) => input)],
};

/** A request of any operation of the service. Some operations are more frequent than others. */
export const anyRequest: fc.Arbitrary<Plan> = fc.oneof(
  ...Object.values(plans).map(([weight, arbitrary]) => ({ weight, arbitrary })),
);

/** Operations outside the API: changed data models, files, tokens, layout resolution. */
export type Event = { what: string; act: (scene: Scene) => Promise<unknown> };

const event = <T>(what: string, values: fc.Arbitrary<T>, act: (value: T, scene: Scene) => Promise<unknown>) =>
  values.map((value): Event => ({ what: `${what} ${JSON.stringify(value)}`, act: (scene) => act(value, scene) }));

const seededField = fc.record(
  {
    key: fc.constantFrom("notes", "phone", "level", "extra", "consent"),
    name: fc.constant("Seeded"),
    type: mostly(fc.constantFrom(...FIELD_TYPES)),
    required: fc.boolean(),
    options: fc.constantFrom(["junior"], ["junior", "senior"], []),
    default: fc.constantFrom(null, "junior", 3),
    valueCount: fc.integer({ min: -1, max: 90 }),
  },
  { requiredKeys: ["key", "name", "type"] },
);

export const anyEvent: fc.Arbitrary<Event> = fc.oneof(
  event(
    "seed",
    fc.record({ field: seededField, object: fc.constantFrom("candidate", "placement") }),
    ({ field, object }, scene) => {
      const objects = [{ key: object, name: "Object", fields: [field] }];
      const modules = [{ key: "staffing", name: "Staffing", objects }];
      const file = { organizations: [{ key: scene.organization.key, name: "Organization", modules }] };
      return scene.local.seed(file as unknown as OrganizationFile);
    },
  ),
  event("upload", choice, (pick, scene) =>
    scene.local.addUpload({ formId: chosen(scene, "forms", pick), fileName: "cv.pdf", bytes: Buffer.from("cv") }),
  ),
  event("token", fc.subarray([...PERMISSIONS]), async (permissions, scene) => {
    const request = { organization: scene.organization.key, name: "ci", permissions, expiresAt: null };
    const { id } = await scene.local.createToken(request);
    scene.past.tokens.push(id);
  }),
  event("revoke", choice, (pick, scene) => scene.local.revokeToken(chosen(scene, "tokens", pick))),
  event(
    "resolve",
    fc.record({ target, mode: mostly(mode), member: fc.constantFrom("ana", "bo", "nobody") }),
    ({ target: aim, mode: wanted, member }, scene) =>
      scene.local.resolveLayout({
        organization: scene.organization.key,
        surface: aim.surface,
        target: aim.target,
        mode: wanted as string,
        memberEmail: `${member}@${scene.organization.key}.example`,
      }),
  ),
);
