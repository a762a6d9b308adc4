/**
 * Defines a rehearsal. A rehearsal executes the steps of a plan on a copy of the target. It reports what the target
 * would refuse, and the effects of the plan. Only the composition can open the copy of a server, which needs the engine.
 * Therefore the caller passes the function `Rehearse` to the project.
 */

import type { Located } from "../schemas/diagnostic.ts";
import type { SeedOrganization } from "../schemas/organization.ts";
import type { Manifest } from "../manifests/manifest.ts";
import type { Plan, PlannedResource } from "../plan/planned.ts";
import type { References } from "../manifests/references.ts";
import type { Current } from "../state/state.ts";
import type { ProjectTarget } from "../state/target.ts";

/** Executes a plan on a copy of its target. Writes nothing on the target. @throws what opening the copy throws */
export type Rehearse = (request: RehearsalRequest) => Promise<Rehearsal>;

export type RehearsalRequest = {
  plan: Plan;
  target: ProjectTarget;
  /** The state that the plan was compared with. The copy of a server is created from it. */
  current: Current;
  /** The manifests of the plan, in which refusals are located. */
  manifests: readonly Manifest[];
  /**
   * The organization of the project's organization file. It describes what a server does not show. Undefined if
   * unknown.
   */
  organization: SeedOrganization | undefined;
  nameOf: References["nameOf"];
  /** Whether a draft with warnings is not published. */
  strict: boolean;
  concurrency: number;
  now: () => Date;
  /** Called with the number of steps that have ended, and the number of all steps. */
  onStep?: (done: number, total: number) => void;
};

export type ForetoldRefusal = {
  address: string;
  /** The index of the step in the steps of the resource. */
  step: number;
  operation: string;
  /** The HTTP status. Absent if formctl itself would stop the resource. */
  status?: number;
  code: string;
  message: string;
  hint?: string;
  /** False if the refusal depends on a fact that the copy does not know. The target may then accept the step. */
  isCertain: boolean;
  /** The refusal at the lines of the manifest. Has at least one problem if the resource has a manifest. */
  problems: readonly Located[];
  error: Error;
};

/**
 * - availability: a mode of a form or layout can be used, or can't be used any more
 * - access: a member or role loses modes that the plan does not name
 * - default: another form is the default of an object for a mode
 * - field: a field is created, changed or deleted
 * - values: values of a field are cleared
 * - uploads: uploaded files are deleted
 */
export type EffectKind = "availability" | "access" | "default" | "field" | "values" | "uploads";

/** A consequence of the plan, as observed on the copy. */
export type RehearsedEffect = {
  kind: EffectKind;
  /** The address of a form or layout (`staffing/candidate/Intake`), or of an object or field. */
  subject: string;
  /** The consequence as text: `CREATE: DRAFT_ONLY → PUBLISHED`. */
  text: string;
  /** True if the plan has no step for this form or layout. The effect then comes from a step for another resource. */
  isElsewhere: boolean;
};

/**
 * - permissions: what the token may do
 * - fields: the fields of an object or surface
 * - currentFields: whether the organization file is up to date
 * - values: the number of values of a field
 * - layouts: the contents of layouts that the plan does not read
 * - defaults: which forms or layouts are defaults
 * - kinds: whether an object can have forms
 * - grantees: whether roles and members exist
 * - notRehearsed: steps that the copy could not execute
 */
export type UnknownKind =
  | "permissions"
  | "fields"
  | "currentFields"
  | "values"
  | "layouts"
  | "defaults"
  | "kinds"
  | "grantees"
  | "notRehearsed";

/** A fact that the copy of a server can't know. */
export type UnknownFact = {
  kind: UnknownKind;
  /** One line for the user. */
  text: string;
  /** The addresses of the resources that the target may refuse because of this fact. */
  addresses: readonly PlannedResource["address"][];
  /** The codes of the refusals that the target may give because of this fact. `any` for `notRehearsed`. */
  codes: readonly string[] | "any";
};

export type Rehearsal = {
  refusals: readonly ForetoldRefusal[];
  effects: readonly RehearsedEffect[];
  unknown: readonly UnknownFact[];
};
