/**
 * The records of the model: a small service in memory, written only from the API document and docs/decisions.md. It
 * imports nothing of the engine (model.test.ts checks this): the model must not repeat a mistake of the engine.
 */

export const MODES = ["CREATE", "VIEW", "EDIT"] as const;
export type Mode = (typeof MODES)[number];
export type Key = "north" | "south";
export type Json = Record<string, unknown>;

/** A text that the document does not define, such as a message. Matches every nonempty text. */
export const ANY_TEXT = "<any text>";

export type Field = { key: string; type: string; required: boolean; options: string[]; valueCount: number };
export type ObjectRecord = {
  id: string;
  key: string;
  isSubordinate: boolean;
  fields: Field[];
  /** The ids of fields that an answer has named, by the key of the field. */
  fieldIds: Record<string, string>;
};

export type AccessRow = { id: string; types: Mode[] };

export type FormRecord = {
  id: string;
  objectKey: string;
  name: string;
  types: Mode[];
  isActive: boolean;
  isPublic: boolean;
  publicToken: string | null;
  config: Json | null;
  users: AccessRow[];
  roles: AccessRow[];
  createdAt: string;
  updatedAt: string;
};

export type Block = {
  id?: string;
  type: string;
  source: string;
  ref?: { fieldKey?: string; draftFieldDefinitionId?: string; componentKey?: string };
  regionKey: string;
  displayOrder: number;
  config?: { readOnly?: boolean };
  requiredPolicy?: string;
  supportedModes?: Mode[];
};

export type StagedField = {
  draftId: string;
  action: "create" | "update" | "delete";
  key: string;
  name?: string;
  type?: string;
  config?: { required?: boolean; options?: string[] };
};

export type Content = {
  schemaVersion: number;
  regions: { key: string; layout: string; [member: string]: unknown }[];
  blocks: Block[];
  stagedFieldDefinitions: StagedField[];
  scriptBindings: never[];
  metadata: Json | null;
};

/** The codes of the diagnostics. The document defines no texts. */
export type Validation = { state: string; errors: string[]; warnings: string[] };

export type VersionRecord = {
  id: string;
  number: number;
  status: "DRAFT" | "PUBLISHED" | "ARCHIVED";
  modes: Mode[];
  validation: Validation;
  content: Content;
  sourceVersionId: string | null;
  createdAt: string;
  publishedAt: string | null;
};

export type LayoutRecord = {
  id: string;
  /** The form that owns the layout; null for a layout of the organization. */
  formId: string | null;
  surface: string;
  target: Json;
  name: string;
  metadata: Json | null;
  /** The modes of a layout of the organization. An owned layout has the modes of its form. */
  modes: Mode[];
  /** The newest version is the last one. */
  versions: VersionRecord[];
  assignments: { id: string; roleId: string; priority: number }[];
  /** The id of the layout's assignment as the organization default. */
  defaultId: string;
  isDefault: boolean;
  createdAt: string;
  updatedAt: string;
};

/** A stored response. `ownerId` is the form or layout with which the response is deleted. */
export type Replay = {
  scope: string;
  request: string;
  answer: unknown;
  ownerId: string | null;
  /** What a conflict with this response reports. */
  conflict: { clientMutationId: string; operation: string; layoutId: string | null; firstSeenAt: string };
};

export type Organization = {
  id: string;
  objects: ObjectRecord[];
  roles: string[];
  members: string[];
  forms: FormRecord[];
  layouts: LayoutRecord[];
  /** The default form of a mode, by `object mode`. */
  defaults: Record<string, string>;
  replays: Replay[];
};

/** The whole state of the model: plain data, so that it can be copied. */
export type State = {
  /** The time of the current request. */
  now: string;
  /** All ids that the model has assigned. A service assigns other ids (compare.ts). */
  ids: string[];
  organizations: Record<Key, Organization>;
};

/** What a rule uses: the records of the caller's organization, the time and new ids. */
export type World = { organization: Organization; now: string; newId: (kind: string) => string };

/** The refusal of a request, as the service reports it. */
export class Refusal extends Error {
  readonly status: number;
  readonly body: Json;

  constructor(status: number, code: string, members: Json = {}) {
    super(code);
    this.status = status;
    this.body = { code, message: ANY_TEXT, ...members };
  }
}

export const notFound = () => new Refusal(404, "NOT_FOUND");
export const conflict = (code: string, members?: Json) => new Refusal(409, code, members);

/** @throws Refusal 400 with the paths, if there are any */
export function refuseInvalid(paths: readonly string[]): void {
  if (paths.length === 0) return;
  const fieldErrors = Object.fromEntries(paths.map((path) => [path, [ANY_TEXT]]));
  throw new Refusal(400, "VALIDATION_FAILED", { fieldErrors });
}

export function objectOf({ objects }: Organization, key: unknown): ObjectRecord | undefined {
  return objects.find((object) => object.key === key);
}

export function modesOf(organization: Organization, layout: LayoutRecord): Mode[] {
  return layout.formId === null ? layout.modes : organization.forms.find(({ id }) => id === layout.formId)!.types;
}

export const isSameSet = (a: readonly unknown[], b: readonly unknown[]) =>
  a.length === b.length && a.every((item) => b.includes(item));

/** JSON text with sorted members: equal values have equal texts. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === "object" && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}
