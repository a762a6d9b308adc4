/**
 * Generates requests from the state of the model. The requests use few names and ids. So conflicts, replays, missing
 * records and outdated expectations are frequent.
 */

import { type Request, MEMBERS, ROLES } from "./model.ts";
import {
  type Block,
  type FormRecord,
  type Json,
  type Key,
  type LayoutRecord,
  type Mode,
  MODES,
  objectOf,
  type Organization,
  type State,
} from "./records.ts";

type Random = (limit: number) => number;

const NAMES = ["Intake", "Profile", "Card"];
const INVALID_NAMES: unknown[] = ["", "  ", 7, null, "x".repeat(201)];
const INVALID_TYPES: unknown[] = [[], ["VIEW", "VIEW"], ["PRINT"], "VIEW", null];
const TARGETS: Json[] = [
  { surface: "CONTRACTOR", target: {} },
  { surface: "CONTRACTOR", target: {} },
  { surface: "CONTRACTOR", target: {} },
  { surface: "CONTRACTOR", target: { scopeId: "export" } },
  { surface: "DASHBOARD", target: { dashboardKey: "main" } },
  { surface: "DYNAMIC_OBJECT", target: { moduleKey: "staffing", objectKey: "candidate" } },
  { surface: "DYNAMIC_OBJECT", target: { moduleKey: "staffing", objectKey: "milestone" } },
];
const REFUSED_TARGETS: Json[] = [
  { surface: "DYNAMIC_OBJECT", target: { moduleKey: "staffing", objectKey: "nothing" } },
  { surface: "DYNAMIC_OBJECT", target: { moduleKey: "staffing", objectKey: "candidate", formId: "form-0" } },
  { surface: "INVOICE", target: {} },
  { surface: "DASHBOARD", target: {} },
  { surface: "USER", target: { objectKey: "candidate" } },
];

const isAssignable = ({ formId }: LayoutRecord) => formId === null;
/** Selects the layouts that most requests of an operation name. The service should accept most of these requests. */
const FITTING: Record<string, (layout: LayoutRecord) => boolean> = {
  replaceAssignments: isAssignable,
  archiveLayout: isAssignable,
  publishLayout: ({ versions }) =>
    versions.some(({ status, content }) => status === "DRAFT" && content.blocks.length > 0),
  restoreDraft: ({ versions }) => versions.some(({ status }) => status !== "DRAFT"),
};

/** The relative frequency of each operation. */
const WEIGHTS: Record<string, number> = {
  createForm: 3,
  listForms: 3,
  listAvailableForms: 1,
  updateFormDefaults: 8,
  getForm: 3,
  updateForm: 10,
  deleteForm: 3,
  getFormAccess: 2,
  replaceFormAccess: 7,
  createLayout: 2,
  listLayouts: 2,
  getSurfaceDefinitions: 1,
  getLayout: 2,
  updateLayout: 3,
  saveDraft: 11,
  publishLayout: 12,
  listVersions: 2,
  getVersion: 2,
  restoreDraft: 5,
  replaceAssignments: 6,
  archiveLayout: 2,
  listCurrencies: 1,
};
const DRAWN = Object.entries(WEIGHTS).flatMap(([name, weight]) => Array.from({ length: weight }, () => name));

export function nextRequest(state: State, random: Random, by?: Key): Request {
  const caller = by ?? (random(6) === 0 ? "south" : "north");
  const drawn = DRAWN[random(DRAWN.length)]!;
  const { forms, layouts } = state.organizations[caller];
  // Without records, nearly all requests would be refused.
  const others = layouts.filter(({ formId }) => formId === null);
  const operation = forms.length < 2 ? "createForm" : others.length < 2 ? "createLayout" : drawn;
  const maker = new Maker(state, caller, random);
  const input = maker.inputOf(operation);
  const isKeyed = !/^(get|list)/.test(operation) && random(3) === 0;
  const idempotencyKey = isKeyed ? { idempotencyKey: `key${random(4)}` } : {};
  return { by: caller, isReader: random(30) === 0, operation, input, ...idempotencyKey };
}

class Maker {
  readonly #state: State;
  readonly #own: Organization;
  readonly #foreign: Organization;
  readonly #random: Random;

  constructor(state: State, by: Key, random: Random) {
    this.#state = state;
    this.#own = state.organizations[by];
    this.#foreign = state.organizations[by === "north" ? "south" : "north"];
    this.#random = random;
  }

  inputOf(operation: string): Json {
    const path = this.#path(operation);
    const body = this.#body(operation, path);
    const query = this.#query(operation);
    return { ...path, ...(body !== undefined && { body }), ...(query && { query }) };
  }

  #one<T>(list: readonly T[]): T {
    return list[this.#random(list.length)]!;
  }

  #rarely(times = 12): boolean {
    return this.#random(times) === 0;
  }

  /**
   * Returns an id, mostly of a record of the caller. Rarely, it belongs to the other organization, to a deleted record,
   * or to no record.
   */
  #id(kind: string, own: readonly { id: string }[], foreign: readonly { id: string }[]): string {
    const all = this.#state.ids.filter((id) => id.startsWith(`${kind}-`));
    if (own.length > 0 && !this.#rarely(14)) return this.#one(own).id;
    if (foreign.length > 0 && this.#rarely(2)) return this.#one(foreign).id;
    return all.length > 0 && !this.#rarely(3) ? this.#one(all) : `${kind}-0`;
  }

  #formId(isOwn: (form: FormRecord) => boolean = () => true): string {
    return this.#id("form", this.#own.forms.filter(isOwn), this.#foreign.forms);
  }

  #path(operation: string): Json {
    if (/Currencies|Surface|createLayout|listLayouts/.test(operation)) return {};
    if (/Form/.test(operation)) {
      const used = this.#own.forms.map(({ objectKey }) => objectKey);
      const objects = this.#rarely(20) ? ["milestone", "nothing"] : ["candidate", "placement", ...used, ...used];
      const moduleKey = this.#rarely(40) ? "nowhere" : "staffing";
      if (!/getForm|updateForm$|deleteForm|FormAccess/.test(operation))
        return { moduleKey, objectKey: this.#one(objects) };
      const defaults = Object.values(this.#own.defaults);
      const isWrite = operation === "updateForm" || operation === "deleteForm";
      const formId = this.#formId(isWrite && this.#rarely(3) ? ({ id }) => defaults.includes(id) : undefined);
      const form = this.#own.forms.find(({ id }) => id === formId);
      return { moduleKey, objectKey: form && !this.#rarely(20) ? form.objectKey : this.#one(objects), formId };
    }
    const fits = FITTING[operation];
    const layouts = this.#own.layouts.filter((layout) => !fits || this.#rarely(4) || fits(layout));
    const layoutId = this.#id("layout", layouts, this.#foreign.layouts);
    if (operation !== "getVersion" && operation !== "restoreDraft") return { layoutId };
    const isPast = (status: string) => operation === "getVersion" || status !== "DRAFT" || this.#rarely(4);
    const versions = (this.#layout(layoutId)?.versions ?? []).filter(({ status }) => isPast(status));
    const others = this.#own.layouts.flatMap((layout) => layout.versions);
    return { layoutId, versionId: this.#id("version", versions, others) };
  }

  #layout(layoutId: unknown): LayoutRecord | undefined {
    return this.#own.layouts.find(({ id }) => id === layoutId);
  }

  #types(): unknown {
    if (this.#rarely(15)) return this.#one(INVALID_TYPES);
    const types = MODES.filter(() => this.#random(3) > 0);
    if (types.length === 0) return [this.#one(MODES)];
    return this.#rarely(4) ? types.reverse() : types;
  }

  #name(): unknown {
    return this.#rarely(15) ? this.#one(INVALID_NAMES) : this.#rarely(8) ? " Padded " : this.#one(NAMES);
  }

  #config(): unknown {
    if (this.#rarely(15)) return this.#one<unknown>([{ blocks: [] }, { title: 5 }, "text", 7]);
    return this.#one<unknown>([null, {}, { title: "Welcome" }, { title: "Welcome", note: [1, { a: null }] }]);
  }

  #mutationId(): unknown {
    return this.#rarely(20) ? this.#one<unknown>(["", "m".repeat(129), 5]) : `m${this.#random(12)}`;
  }

  #some(members: Record<string, () => unknown>): Json {
    const chosen = Object.entries(members).filter(() => this.#random(3) === 0);
    return Object.fromEntries(chosen.map(([member, make]) => [member, make()]));
  }

  #body(operation: string, path: Json): unknown {
    if (this.#rarely(60)) return this.#one<unknown>([undefined, "text", [], { nmae: "Intake" }]);
    const flag = () => this.#random(3) > 0;
    switch (operation) {
      case "createForm": {
        const others = { isActive: flag, isPublic: () => !flag(), config: () => this.#config() };
        return { name: this.#name(), types: this.#types(), ...this.#some(others) };
      }
      case "updateForm":
        return this.#some({
          name: () => this.#name(),
          types: () => this.#types(),
          config: () => this.#config(),
          isActive: flag,
          isPublic: flag,
        });
      case "updateFormDefaults":
        return this.#defaults(path);
      case "replaceFormAccess":
        return { users: this.#access("membershipId", MEMBERS, path), roles: this.#access("roleId", ROLES, path) };
      case "createLayout": {
        const target = structuredClone(this.#rarely(6) ? this.#one(REFUSED_TARGETS) : this.#one(TARGETS));
        const rest = { supportedModes: this.#types(), name: this.#name() };
        const others = { clientMutationId: () => this.#mutationId(), metadata: () => this.#config() };
        return { ...target, ...rest, ...this.#some(others) };
      }
      case "updateLayout":
        return {
          ...this.#some({ name: () => this.#name(), metadata: () => this.#one([null, { a: 1 }, { b: { a: 2 } }]) }),
          ...(this.#rarely(4) && { supportedModes: this.#types() }),
          ...(this.#rarely() && { surface: "USER" }),
        };
      case "saveDraft":
        return this.#draft(this.#layout(path["layoutId"]));
      case "publishLayout":
        return this.#publication(this.#layout(path["layoutId"]));
      case "restoreDraft":
        return { clientMutationId: this.#mutationId() };
      case "replaceAssignments": {
        const role = () => ({ roleId: this.#grantee("roles"), ...this.#some({ priority: () => this.#random(5) }) });
        // The list may contain a role twice. Then the shape is refused.
        const roles = Array.from({ length: this.#random(3) }, role);
        return { clientMutationId: this.#mutationId(), roles, organizationDefault: !this.#rarely(3) };
      }
      default:
        return undefined;
    }
  }

  #defaults(path: Json): Json {
    const member = { CREATE: "defaultCreateFormId", VIEW: "defaultViewFormId", EDIT: "defaultEditFormId" };
    const fits = (mode: Mode) => (form: FormRecord) =>
      form.objectKey === path["objectKey"] && form.isActive && form.types.includes(mode);
    const pick = (mode: Mode) => {
      const isFit = fits(mode);
      if (this.#rarely(5) || !this.#own.forms.some(isFit)) return null;
      return this.#formId(this.#rarely(6) ? undefined : isFit);
    };
    return this.#some(Object.fromEntries(MODES.map((mode) => [member[mode], () => pick(mode)])));
  }

  #grantee(kind: "roles" | "members"): string {
    if (this.#rarely(20)) return this.#one(this.#foreign[kind]);
    return this.#rarely(25) ? "role-0" : this.#one(this.#own[kind]);
  }

  #access(member: string, people: readonly string[], path: Json): Json[] {
    const kind = member === "roleId" ? "roles" : "members";
    const form = this.#own.forms.find(({ id }) => id === path["formId"]);
    const count = this.#random(people.length + 1);
    const types = () => {
      const fit = form?.types.filter(() => this.#random(3) > 0) ?? [];
      return fit.length > 0 && !this.#rarely(8) ? fit : this.#types();
    };
    const rows = this.#own[kind].slice(0, count);
    // Sometimes the last row names an unknown grantee, or a grantee for the second time.
    if (this.#rarely(10)) return [...rows, this.#grantee(kind)].map((id) => ({ [member]: id, types: ["VIEW"] }));
    return rows.map((id) => ({ [member]: id, types: types() }));
  }

  #draft(layout: LayoutRecord | undefined): Json {
    const object = layout?.surface === "DYNAMIC_OBJECT" ? objectOf(this.#own, layout.target["objectKey"]) : undefined;
    const staged = object && this.#rarely(2) ? [this.#staged()] : [];
    const removed = staged.filter(({ action }) => action === "delete").map(({ key }) => key);
    const shown = (object?.fields ?? []).filter(
      ({ key, required }) => (required ? !this.#rarely(10) : this.#random(2) > 0) && !removed.includes(key),
    );
    const base = { regionKey: "main" };
    const fields = shown.map(({ key, required }): Omit<Block, "displayOrder"> => ({
      ...base,
      id: `b_${key}`,
      type: "field",
      source: "dynamic_field",
      ref: { fieldKey: key },
      ...(required && !this.#rarely(8) && { requiredPolicy: "required" }),
    }));
    const created = staged.filter(({ action }) => action === "create" && !this.#rarely(6));
    const placed = created.map(({ draftId, config }): Omit<Block, "displayOrder"> => ({
      ...base,
      id: `s_${draftId}`,
      type: "field",
      source: "draft_custom_field",
      ref: { draftFieldDefinitionId: draftId },
      ...(config?.required && { requiredPolicy: "required" }),
    }));
    const fixed = { ...base, id: "fixed", type: "custom_html", source: "system" };
    const more = object ? this.#oddBlocks() : [fixed];
    const blocks = [...fields, ...placed, ...more].map((block, displayOrder) => this.#bend({ ...block, displayOrder }));
    const region = { key: "main", label: "Main", layout: "grid", columns: 12, displayOrder: 0, config: {} };
    const draftId = layout?.versions.at(-1)?.id;
    return {
      clientMutationId: this.#mutationId(),
      schemaVersion: this.#rarely(40) ? 2 : 1,
      regions: this.#rarely(40) ? [] : [region],
      blocks,
      ...(staged.length > 0 && { stagedFieldDefinitions: staged }),
      ...this.#some({ metadata: () => this.#one([null, { by: "a" }, { by: "b" }]) }),
      ...(this.#rarely(4) && { expectedDraftVersionId: this.#expected("DRAFT", layout, draftId) }),
    };
  }

  /** Returns blocks that are rare in a draft of an object: an unknown field, a possibly added field, a fixed text. */
  #oddBlocks(): Omit<Block, "displayOrder">[] {
    const make = (key: string) => ({
      id: `o_${key}`,
      type: "field",
      source: "dynamic_field",
      ref: { fieldKey: key },
      regionKey: "main",
    });
    if (this.#rarely(5)) return [{ id: "fixed", type: "custom_html", source: "system", regionKey: "main" }];
    return this.#rarely(8) ? [make(this.#one(["nick", "level", "salary"]))] : [];
  }

  /** Sometimes changes a block, so that its draft has warnings or errors. */
  #bend(block: Block): Block {
    if (this.#rarely(12)) return { ...block, supportedModes: [this.#one(MODES)] };
    if (this.#rarely(20) && block.type === "field") return { ...block, config: { readOnly: true } };
    if (this.#rarely(40)) return { ...block, regionKey: "attic" };
    if (this.#rarely(40)) return { ...block, id: "b_notes" };
    const { id: _id, ...unnamed } = block;
    return this.#rarely(20) ? unnamed : block;
  }

  #staged(): { draftId: string; action: "create" | "update" | "delete"; key: string; [member: string]: unknown } & {
    config?: { required?: boolean };
  } {
    return structuredClone(
      this.#one([
        { draftId: "d_1", action: "create", key: "nick", name: "Nick", type: "TEXT" },
        { draftId: "d_1", action: "create", key: "salary", name: "Salary", type: "NUMBER", config: { required: true } },
        { draftId: "d_1", action: "update", key: "level", config: { options: ["junior"] } },
        {
          draftId: "d_1",
          action: "update",
          key: "level",
          type: "MULTI_SELECT",
          config: { options: ["junior", "senior"] },
        },
        { draftId: "d_1", action: "update", key: "notes", type: "NUMBER" },
        { draftId: "d_1", action: "delete", key: this.#one(["notes", "phone", "nick", "salary"]) },
      ]),
    );
  }

  /** Returns the version id that a caller expects. It is mostly the current id, rarely null or another id. */
  #expected(status: string, layout: LayoutRecord | undefined, other: string | undefined): string | null {
    if (this.#rarely(5)) return null;
    const current = layout?.versions.find((version) => version.status === status)?.id;
    return (this.#rarely(4) ? undefined : current) ?? other ?? null;
  }

  #publication(layout: LayoutRecord | undefined): Json {
    const draft = layout?.versions.find(({ status }) => status === "DRAFT");
    const stale = this.#rarely(8) || !draft ? this.#id("version", [], layout?.versions ?? []) : draft.id;
    const staged = draft?.content.stagedFieldDefinitions ?? [];
    const confirmed = staged.map(({ draftId }) => ({
      draftId,
      confirmTypeChange: !this.#rarely(4),
      confirmValueClear: !this.#rarely(4),
    }));
    const unknown = { draftId: "d_9", confirmValueClear: true };
    const confirmFieldChanges = this.#rarely(30) ? [unknown] : confirmed;
    return {
      clientMutationId: this.#mutationId(),
      draftVersionId: stale,
      ...(confirmFieldChanges.length > 0 && !this.#rarely(3) && { confirmFieldChanges }),
      ...(this.#rarely(6) && { expectedPublishedVersionId: this.#expected("PUBLISHED", layout, draft?.id) }),
    };
  }

  #query(operation: string): Json | undefined {
    switch (operation) {
      case "listForms":
        return this.#some({
          page: () => (this.#rarely(8) ? 0 : 1 + this.#random(2)),
          limit: () => (this.#rarely(8) ? 101 : 1 + this.#random(3)),
          count: () => this.#one(["exact", "none", "hasMore", "hasMore"]),
          sort: () => [{ field: this.#one(["createdAt", "updatedAt"]), direction: this.#one(["asc", "desc"]) }],
          filters: () => ({ op: this.#one(["and", "or"]), items: this.#conditions() }),
        });
      case "listAvailableForms":
        return this.#some({ type: () => (this.#rarely(8) ? "PRINT" : this.#one(MODES)) });
      case "listLayouts":
        return this.#some({
          surface: () => this.#one(["DYNAMIC_OBJECT", "CONTRACTOR", "INVOICE"]),
          mode: () => this.#one(MODES),
          objectKey: () => "candidate",
        });
      case "getSurfaceDefinitions":
        return this.#some({ surface: () => this.#one(["USER", "DASHBOARD", "INVOICE"]) });
      default:
        return undefined;
    }
  }

  #conditions(): Json[] {
    const all = [
      { field: "name", operator: this.#one(["eq", "ne"]), value: this.#one(NAMES) },
      { field: "isActive", operator: "eq", value: this.#random(2) === 0 },
      { field: "types", operator: "contains", value: this.#one(MODES) },
    ];
    return all.filter(() => this.#random(2) === 0);
  }
}
