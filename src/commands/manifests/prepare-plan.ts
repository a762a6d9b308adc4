/** From what was typed to a plan: manifests, names, what exists, what has to change. For plan, apply and status. */

import type { Lock } from "../../manifests/lock.ts";
import type { ManifestSet } from "../../manifests/read.ts";
import type { Plan } from "../../manifests/plan.ts";
import type { Located } from "../../schemas/diagnostic.ts";
import type { Service } from "../../service.ts";
import type { CommandContext } from "../command.ts";

export type PlanRequest = {
  paths: readonly string[];
  prune: boolean;
  /** Addresses; empty: all. */
  targets: readonly string[];
  publish: boolean;
  stamp: boolean;
  /** Warnings of the manifests stop it too. */
  strict: boolean;
  concurrency: number | undefined;
  organizationFile: string | undefined;
};

export type PreparedPlan = {
  plan: Plan;
  set: ManifestSet;
  /** Warnings of the manifests. */
  problems: readonly Located[];
  notRun: readonly string[];
  service: Service;
  lock: Lock;
  /** For lock, journal and mutation ids. */
  place: string;
  /** Of a server; null: a local store. */
  origin: string | null;
  concurrency: number;
};

/**
 * @throws InvalidManifests (exit 3), PlanRefused (5, 6), UnknownTargets (64), IncompleteList (6), and what the service throws
 */
export declare function preparePlan(context: CommandContext, request: PlanRequest): Promise<PreparedPlan>;
