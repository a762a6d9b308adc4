/** The interface that the contract suite requires of a provider. */

import type { OperationName } from "../../src/schemas/operations.ts";
import type { Permission } from "../../src/schemas/words.ts";
import type { LocalService } from "../../src/local-service.ts";
import type { FullService } from "../../src/service.ts";

/** The service that a case calls. It returns complete records with every provider. */
export type ContractService = FullService;

export type Provider = {
  name: string;
  open(): Promise<ContractWorld>;
  /** Whether the cases call the engine. Otherwise they call a client, which filters layouts and surfaces. */
  isEngine?: true;
} & Extent;

/**
 * The features of our server that a provider supports. A case that needs a missing feature checks the provider's
 * alternative.
 */
export type Extent = {
  offers(name: OperationName): boolean;
  /** Whether the server accepts a parameter of the query or a member of the body. */
  accepts(name: OperationName, member: string): boolean;
  /** Whether the server requires a member of the body that our server does not require. */
  requires(name: OperationName, member: string): boolean;
  /** Whether the server recognizes a repeated call by its idempotency key. */
  idempotencyKeys: boolean;
};

/** A separate world for one test: a new store with the organizations of `organizations.ts`. */
export type ContractWorld = {
  /**
   * Returns the service for a caller with these permissions in an organization. By default, the caller has all
   * permissions.
   */
  as(organizationKey: string, permissions?: readonly Permission[]): Promise<ContractService>;
  /** Functions for which the API has no endpoint: seeds, ids, tokens, uploads, the invariants. */
  local: LocalService;
  /** A fixed clock, which a case can advance. */
  clock: { now: Date; advance(milliseconds: number): void };
  close(): Promise<void>;
};

export const OUR_EXTENT: Extent = {
  offers: () => true,
  accepts: () => true,
  requires: () => false,
  idempotencyKeys: true,
};
