/** The port of what only a local store can do: everything that the API has no endpoint for. */

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
  /** A day: `2026-11-21`. */
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

/** A write that was done, in one organization or in any. */
export type LogEntry = {
  /** Counts up: the order in which writes were committed. */
  seq: number;
  at: string;
  /** Null where the organization has been deleted since. */
  organization: string | null;
  /** Null: an administrator on this machine, without a token. */
  tokenId: string | null;
  tokenName: string | null;
  operation: string;
  /** The path that was written to. */
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

/** Wherever no organization is named, the only one of the store is meant; an ORGANIZATION_UNCLEAR says otherwise. */
export interface LocalService {
  /**
   * The service for an administrator of an organization. Which one is found out at the first operation that needs to
   * know: constant operations are answered even where there is no store yet.
   */
  service(organizationKey?: string): Promise<FullService>;
  /** Who holds a token at this moment, or undefined when the token is unknown, expired or revoked (R101). */
  authenticate(token: string): Promise<Caller | undefined>;

  /**
   * Adds and updates by key, removes nothing (docs/decisions.md, "The organization file").
   *
   * @returns what it did, one line a record that was added or updated
   * @throws ServiceError 400 with every problem of the file at its path
   */
  seed(file: OrganizationFile): Promise<SeedChange[]>;
  /** One organization, or every one, with all that was seeded, ids included. */
  show(organizationKey?: string): Promise<{ organizations: OrganizationView[] }>;
  /** Everything in the store that breaks an invariant; nothing when it is sound. */
  check(): Promise<Violation[]>;

  /** @returns the token itself, which is shown this once and stored only as a hash */
  createToken(request: TokenRequest): Promise<TokenView & { token: string }>;
  /** Of one organization, or of all. */
  listTokens(organizationKey?: string): Promise<TokenView[]>;
  /** Revoking twice changes nothing. @throws ServiceError 404 when there is no such token */
  revokeToken(id: string): Promise<TokenView>;

  /** What was written, of one organization or of all; the newest first. */
  log(request: LogRequest): Promise<LogEntry[]>;

  /** Adds a file as if somebody had uploaded it through a public form. @throws ServiceError 404, 409 when the form is not public */
  addUpload(request: UploadRequest): Promise<UploadView>;
  listUploads(formId: string): Promise<UploadView[]>;

  /** The layout that a member would see (docs/decisions.md, "Resolution"), or null. @throws ServiceError 400, 404 */
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

/** What a store holds. Of uploads it holds the rows: the files themselves are beside it. */
export type StoreCounts = { organizations: number; forms: number; layouts: number; versions: number; uploads: number };
