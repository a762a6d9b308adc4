/** The port for operations of a local store that have no endpoint in the API. */

import type { OperationName } from "./schemas/operations.ts";
import type { Permission } from "./schemas/words.ts";
import type { OrganizationFile, OrganizationView, SeedChange } from "./schemas/organization.ts";
import type { ResolvedLayout } from "./schemas/local-requests.ts";
import type { Caller, FullService } from "./service.ts";

export type TokenView = {
  id: string;
  name: string;
  organization: string;
  permissions: Permission[];
  last4: string;
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
  /** A date: `2026-11-21`. */
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
  /** The order of the commits. */
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
  /** ISO 8601, UTC; null: never. */
  expiresAt: string | null;
};

export type UploadRequest = { formId: string; fileName: string; bytes: Uint8Array };

/**
 * Without an organization, the only one of the store is used.
 * @throws ORGANIZATION_UNCLEAR when there is not exactly one
 */
export interface LocalService {
  /**
   * The service for an administrator of an organization. The organization is read with the first operation that needs
   * it: constant operations work without a store.
   */
  service(organizationKey?: string): Promise<FullService>;
  /** The caller with a token; undefined when the token is unknown, expired or revoked (R101). */
  authenticate(token: string): Promise<Caller | undefined>;

  /**
   * Adds and updates records by key, and removes none (docs/decisions.md, "The organization file").
   *
   * @returns a line for each record that was added or updated
   * @throws ServiceError 400 with every problem of the file at its path
   */
  seed(file: OrganizationFile): Promise<SeedChange[]>;
  /** The organization, or all, with the seeded records and their ids. */
  show(organizationKey?: string): Promise<{ organizations: OrganizationView[] }>;
  /** The violated invariants of the store. */
  check(): Promise<Violation[]>;

  /** @returns the token itself, which is stored only as a hash */
  createToken(request: TokenRequest): Promise<TokenView & { token: string }>;
  /** The tokens of the organization, or of all. */
  listTokens(organizationKey?: string): Promise<TokenView[]>;
  /** Revoking a revoked token changes nothing. @throws ServiceError 404 when there is no such token */
  revokeToken(id: string): Promise<TokenView>;

  /** The log of the organization, or of all; the newest entry first. */
  log(request: LogRequest): Promise<LogEntry[]>;

  /** Adds a file like an upload through a public form. @throws ServiceError 404, 409 when the form is not public */
  addUpload(request: UploadRequest): Promise<UploadView>;
  listUploads(formId: string): Promise<UploadView[]>;

  /** The layout that a member sees, or null (docs/decisions.md, "Resolution"). @throws ServiceError 400, 404 */
  resolveLayout(request: {
    organization?: string;
    surface: string;
    target: Record<string, string>;
    mode: string;
    memberEmail: string;
  }): Promise<ResolvedLayout | null>;

  close(): Promise<void>;
}

/** A record that breaks what is true of every sound store. */
export type Violation = {
  invariant: string;
  about: string;
  /** The id of the record; "store" where the database itself is damaged. */
  record: string;
  detail: string;
};

/** The numbers of records. The files of uploads are outside the store. */
export type StoreCounts = { organizations: number; forms: number; layouts: number; versions: number; uploads: number };
