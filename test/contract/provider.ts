/** The interface that the contract suite requires of a provider. */

import type { OperationName } from "../../src/schemas/operations.ts";
import type { Permission } from "../../src/schemas/words.ts";
import type { LocalService } from "../../src/local-service.ts";
import type { FullService } from "../../src/service.ts";

/** The service that a case calls. With every provider it returns complete records. */
export type ContractService = FullService;

export type Provider = {
  name: string;
  open(): Promise<ContractWorld>;
  /** The cases call the engine itself, and not a client, which filters layouts and surfaces itself. */
  isEngine?: true;
} & Extent;

/** The features of our server that a provider supports. A case that needs more asserts the alternative. */
export type Extent = {
  offers(name: OperationName): boolean;
  /** Whether it accepts a parameter of the query or a member of the body. */
  accepts(name: OperationName, member: string): boolean;
  /** Whether it requires a member of the body that our server does not require. */
  requires(name: OperationName, member: string): boolean;
  /** Whether it recognizes a repeated call by its idempotencyKey. */
  idempotencyKeys: boolean;
};

/** A separate world for one test: a fresh store with the organizations of `organizations.ts`. */
export type ContractWorld = {
  /** The service for a holder of these permissions in an organization; all permissions by default. */
  as(organizationKey: string, permissions?: readonly Permission[]): Promise<ContractService>;
  /** Functions for which the API has no endpoint: seeds, ids, tokens, uploads, the invariants. */
  local: LocalService;
  /** The clock is fixed until it is advanced. */
  clock: { now: Date; advance(milliseconds: number): void };
  close(): Promise<void>;
};

export const OUR_EXTENT: Extent = {
  offers: () => true,
  accepts: () => true,
  requires: () => false,
  idempotencyKeys: true,
};
