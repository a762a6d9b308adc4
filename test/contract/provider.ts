/** What the contract suite asks of whatever answers the table of operations. */

import type { Permission } from "../../src/schemas/words.ts";
import type { LocalService } from "../../src/local-service.ts";
import type { FullService } from "../../src/service.ts";

export type Provider = { name: string; open(): Promise<ContractWorld> };

/** A world of its own for one test: a fresh store with the organizations of `contract-organizations.ts`. */
export type ContractWorld = {
  /** The service for somebody of an organization, who has all permissions unless told. */
  as(organizationKey: string, permissions?: readonly Permission[]): Promise<FullService>;
  /** What the API has no endpoint for: seeds, ids, tokens, uploads, the invariants. */
  local: LocalService;
  /** The clock stands still until it is moved. */
  clock: { now: Date; advance(milliseconds: number): void };
  close(): Promise<void>;
};
