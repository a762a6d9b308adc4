/** The port of what only a local store can do: everything that the API has no endpoint for. */

import type { OrganizationFile, OrganizationView, SeedChange } from "./schemas/organization.ts";
import type { Permission } from "./schemas/operations.ts";
import type { Service } from "./service.ts";

export type Violation = { invariant: string; about: string; record: string; detail: string };

export type TokenView = {
  id: string;
  name: string;
  organization: string;
  permissions: Permission[];
  last4: string;
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
  lastUsedAt: string | null;
};

export type UploadView = { id: string; formId: string; fileName: string; size: number; sha256: string; createdAt: string };

export interface LocalService {
  /** The service for an administrator of an organization; the only one of the store where no key is given. */
  service(organizationKey?: string): Promise<Service>;
  /** The service for the holder of a token, or undefined when the token is unknown, expired or revoked (R101). */
  authenticate(token: string): Promise<Service | undefined>;

  /** Adds and updates by key, removes nothing. @returns what it did, one line a record that was added or updated */
  seed(file: OrganizationFile): Promise<SeedChange[]>;
  /** Every organization with all that was seeded, ids included. */
  show(): Promise<{ organizations: OrganizationView[] }>;
  /** Everything in the store that breaks an invariant; nothing when it is sound. */
  check(): Promise<Violation[]>;

  /** @returns the token itself, which is shown this once and stored only as a hash */
  createToken(request: {
    organization?: string;
    name: string;
    permissions: readonly Permission[];
    expiresAt: string | null;
  }): Promise<TokenView & { token: string }>;
  listTokens(organizationKey?: string): Promise<TokenView[]>;
  /** @throws ServiceError 404 when there is no such token */
  revokeToken(id: string): Promise<TokenView>;

  /** Adds a file as if somebody had uploaded it through a public form. @throws ServiceError 404, 409 when the form is not public */
  addUpload(request: { formId: string; fileName: string; bytes: Uint8Array }): Promise<UploadView>;
  listUploads(formId: string): Promise<UploadView[]>;

  /** The layout that a member would see (docs/decisions.md, "Resolution"), or null. @throws ServiceError 400, 404 */
  resolveLayout(request: {
    organization?: string;
    surface: string;
    target: Record<string, string>;
    mode: string;
    memberEmail: string;
  }): Promise<{ layoutId: string; layoutName: string; versionId: string; reason: "ROLE" | "ORGANIZATION_DEFAULT" } | null>;

  close(): Promise<void>;
}
