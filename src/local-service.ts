/** The interface of a local store: the service of the API, and operations without an endpoint in the API. */

import type { JsonObject } from "./schemas/json.ts";
import type { OperationName } from "./schemas/operations.ts";
import type { Mode, Permission } from "./schemas/words.ts";
import type { DraftContent } from "./schemas/draft.ts";
import type { Surface, Target } from "./schemas/layout.ts";
import type { OrganizationFile, OrganizationView, SeedChange, SeedOrganization } from "./schemas/organization.ts";
import type { ResolvedLayout } from "./schemas/local-requests.ts";
import type { Caller, FullService, TokenRefusal } from "./service.ts";

export type TokenView = {
  id: string;
  name: string;
  organization: string;
  permissions: Permission[];
  last4: string;
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
  /** A date, such as `2026-11-21`. Null if the token was never used. */
  lastUsedAt: string | null;
};

export type UploadView = {
  id: string;
  formId: string;
  fileName: string;
  size: number;
  sha256: string;
  createdAt: string;
};

/** A committed write. */
export type LogEntry = {
  /** The position in the order of the commits of the organization. */
  seq: number;
  at: string;
  /** Null if the organization was deleted afterwards. */
  organization: string | null;
  /** Null for an administrator on this machine, without a token. */
  tokenId: string | null;
  tokenName: string | null;
  operation: string;
  /** The path of the request. */
  target: string;
  /** The clientMutationId or Idempotency-Key of the request. */
  clientMutationId: string | null;
  requestId: string | null;
};

export type LogRequest = { organization?: string; operation?: OperationName; limit: number };

export type TokenRequest = {
  organization?: string;
  name: string;
  permissions: readonly Permission[];
  /** A time in ISO 8601, UTC. Null if the token does not expire. */
  expiresAt: string | null;
};

export type UploadRequest = { formId: string; fileName: string; bytes: Uint8Array };

/** A migration in the record of an organization. `entry` has the format of src/migrations/record.ts. */
export type StoredMigration = { name: string; entry: JsonObject };

export interface StoredMigrations {
  /**
   * Returns the entries in their order. `revision` identifies this state of the record. `revision` is null if the
   * record was never written.
   */
  read(): Promise<{ entries: StoredMigration[]; revision: string | null }>;
  /**
   * Replaces all entries, if the record still has the given revision. No two entries may have the same name.
   *
   * @returns the new revision; undefined if the record has another revision. Then nothing is written
   */
  write(entries: readonly StoredMigration[], revision: string | null): Promise<string | undefined>;
}

/** Receives the number of finished steps, and the number of all steps. */
export type OnProgress = (done: number, total: number) => void;

/**
 * The operations of a local store. Without an organization, an operation uses the only organization of the store. An
 * operation that covers all organizations states this in its description.
 *
 * @throws ORGANIZATION_UNCLEAR if the specified organization is unknown
 * @throws ORGANIZATION_UNCLEAR if none is specified and the store does not have exactly one
 */
export interface LocalService extends AsyncDisposable {
  /**
   * Returns the service for an administrator of an organization. The first operation that uses the store looks up the
   * organization. So operations with constant results work without a store.
   */
  service(organizationKey?: string): Promise<FullService>;
  /**
   * Returns the caller that a token identifies. Undefined if the token is unknown, expired or revoked (R101).
   *
   * @param onRefused called before undefined is returned
   * @internal
   */
  authenticate(token: string, onRefused?: (refusal: TokenRefusal) => void): Promise<Caller | undefined>;
  /** Sends a short query to the store, to check that the store answers. @throws StoreError @internal */
  ping(): Promise<void>;
  /** Whether any organization has a token that is not revoked. @internal */
  hasToken(): Promise<boolean>;
  /**
   * Returns a number that changes with each write to the store, also by other processes. Undefined if the number is
   * unknown, or if the store is not opened for a server.
   * @internal
   */
  version(): number | undefined;
  /** The number of transactions that the store ran again after a conflict or a lost connection. @internal */
  retries(): number;

  /**
   * Adds and updates records by key. Removes no records (docs/decisions.md, "The organization file").
   *
   * @param onProgress called after each record of the file
   * @returns a line for each record that was added or updated
   * @throws ServiceError 400 with every problem of the file at its path
   */
  seed(file: OrganizationFile, onProgress?: OnProgress): Promise<SeedChange[]>;
  /**
   * Runs operations in one transaction: commits all their writes, or none.
   *
   * @param work may run several times. It uses the store only through its parameter
   */
  transaction<T>(work: (local: LocalService) => Promise<T>): Promise<T>;
  /** Returns the specified organization, or else all organizations, with the seeded records and their ids. */
  show(organizationKey?: string): Promise<{ organizations: OrganizationView[] }>;
  /** Returns the violated invariants of the store. @param onProgress called after each invariant */
  check(onProgress?: OnProgress): Promise<Violation[]>;

  /** @returns the token itself. The store keeps only its hash */
  createToken(request: TokenRequest): Promise<TokenView & { token: string }>;
  /** Returns the tokens of the specified organization, or else of all organizations. */
  listTokens(organizationKey?: string): Promise<TokenView[]>;
  /** Revokes a token. A revoked token stays unchanged. @throws ServiceError 404 if the token does not exist */
  revokeToken(id: string): Promise<TokenView>;

  /** Returns the log of the specified organization, or else of all organizations. The newest entry is first. */
  log(request: LogRequest): Promise<LogEntry[]>;

  /** @internal */
  migrations(organizationKey?: string): StoredMigrations;

  /** @internal */
  holdsFiles: boolean;
  /**
   * Adds a file, as a submission of a public form does.
   *
   * @throws ServiceError 400 for an invalid file name, 404 if the form does not exist, 409 if the form is not public
   */
  addUpload(request: UploadRequest): Promise<UploadView>;
  listUploads(formId: string): Promise<UploadView[]>;

  /**
   * Returns the layout that a member sees, or null without such a layout (docs/decisions.md, "Resolution").
   *
   * @throws ServiceError 400, 404
   */
  resolveLayout(request: {
    organization?: string;
    surface: string;
    target: Record<string, string>;
    mode: string;
    memberEmail: string;
  }): Promise<ResolvedLayout | null>;

  /**
   * Opens a private copy of the current state of the store. Writes to the copy do not reach this store, and are not
   * durable. The copy has the records of uploaded files, but not the files. `close` of the copy deletes the copy.
   *
   * @param growth the approximate number of bytes that the caller will add to the copy. A large copy is in a temporary
   *   file. Default: 0
   * @param part what the caller needs of the store. The copy may have more. Default: the whole store
   * @throws StoreError if the store can't be read, or the folder of temporary files is full
   * @internal
   */
  copy(growth?: number, part?: CopyPart): Promise<LocalService>;

  close(): Promise<void>;
}

/**
 * The part of a store that a copy needs: an organization without its log and tokens. With `objects`, the copy also
 * lacks most forms and layouts of the organization.
 */
export type CopyPart = {
  /** The key of the organization. Undefined for the only organization of the store. */
  organization: string | undefined;
  /**
   * The forms with these ids or names, and the default forms of these objects. If undefined, the copy has all forms and
   * layouts.
   */
  objects?: readonly {
    moduleKey: string;
    objectKey: string;
    formIds: readonly string[];
    names: readonly string[];
  }[];
  /**
   * The Idempotency-Keys of creations of forms. If the store has a stored response for one of these keys, all forms are
   * copied. The response may be about a form with another name.
   */
  creations?: readonly string[];
};

/**
 * The records that a server showed, for a copy of the server in a temporary store. They are inserted with the ids of
 * the server. The rules of the service are not checked.
 */
export type CopySeed = {
  organization: SeedOrganization;
  forms: readonly CopiedForm[];
  layouts: readonly CopiedLayout[];
};

export type CopiedForm = {
  object: { moduleKey: string; objectKey: string };
  id: string;
  name: string;
  types: readonly Mode[];
  isActive: boolean;
  isPublic: boolean;
  config: JsonObject | null;
  access: CopiedAccess;
  /** The modes for which the form is the default of its object. */
  defaultFor: readonly Mode[];
};

export type CopiedAccess = {
  users: readonly { membershipId: string; types: Mode[] }[];
  roles: readonly { roleId: string; types: Mode[] }[];
};

export type CopiedLayout = {
  id: string;
  surface: Surface;
  target: Target;
  /** Null for a layout that no form owns. */
  formId: string | null;
  name: string;
  metadata: JsonObject | null;
  /** The modes of a layout that no form owns. The layout of a form has the modes of the form. */
  modes: readonly Mode[];
  assignments: readonly { roleId: string; priority: number }[];
  isOrganizationDefault: boolean;
  /** The published version and the draft, as far as they were read. The oldest version is first. */
  versions: readonly CopiedVersion[];
};

export type CopiedVersion = {
  id: string;
  status: "DRAFT" | "PUBLISHED";
  /** The modes of the layout when the version was saved. */
  modes: readonly Mode[];
  content: DraftContent;
  /** What the server shows of a published version of a form, by mode. Absent if it shows nothing. */
  shown?: ShownAvailability;
};

/**
 * - published: the modes in which the content matches the fields of the object
 * - invalid: the modes in which it does not
 * - usable: the modes in which users can use the form. Undefined for an inactive form, which has none
 */
export type ShownAvailability = {
  published: readonly Mode[];
  invalid: readonly Mode[];
  usable: readonly Mode[] | undefined;
};

/** A record that breaks an invariant of the store. */
export type Violation = {
  invariant: string;
  about: string;
  /** The id of the record; "store" if the database itself is damaged. */
  record: string;
  detail: string;
};

/** The numbers of records in a store. Uploaded files are outside of the store; `uploads` counts their records. */
export type StoreCounts = { organizations: number; forms: number; layouts: number; versions: number; uploads: number };

/** A copy of a store. `path` is the file, and `bytes` its size. */
export type StoreBackup = { path: string; bytes: number; counts: StoreCounts };

/** The result of a restore. `damaged` is the new path of the former files, if they could not be read. */
export type StoreRestored = { counts: StoreCounts; damaged: string | undefined };
