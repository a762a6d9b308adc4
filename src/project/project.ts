/**
 * The library interface of layouts as code. A project is a folder of manifests and the target that they describe. Each
 * operation returns data. Operations don't print, and don't read a command line.
 */

import { resolve } from "node:path";
import type { ApplyRequest } from "./apply.ts";
import type { ApplyResult } from "./apply-result.ts";
import type { DesiredState, Progress, ProjectContext, ProjectHost, Warning } from "./context.ts";
import type { ExportRequest, ExportResult } from "./export.ts";
import type { LayoutsRequest, LayoutsResult } from "./layouts.ts";
import type { ValidateRequest, ValidateResult } from "./load.ts";
import type { PlanRequest, PlanResult, StatusRequest, StatusResult } from "./plan.ts";
import type { Rehearse } from "../rehearsal/rehearsal.ts";
import type { ProjectTarget } from "../state/target.ts";

// The requests and results of the operations. Other folders import them from here.
export type { FileOutcome } from "../export/new-files.ts";
export type { ApplyRequest, Proposal } from "./apply.ts";
export type { ApplyOutcome, ApplyResult, ResourceResult, StepResult } from "./apply-result.ts";
export type { DesiredState, LoadedManifests, Progress, ProjectHost, Warning } from "./context.ts";
export type { ExportRequest, ExportResult } from "./export.ts";
export type { LayoutsRequest, LayoutsResult, PlannedLayout, ReadLayout } from "./layouts.ts";
export type { ValidateRequest, ValidateResult } from "./load.ts";
export type { PlanChoices } from "./make-plan.ts";
export type { PlanRequest, PlanResult, PlanSummary, ResourceStatus, StatusRequest, StatusResult } from "./plan.ts";

export type ProjectOptions = {
  /**
   * The project folder, which contains `.formctl`. Links and references to layout files must not point outside this
   * folder.
   */
  root: string;
  /** The folder to which paths in requests and in problems are relative. Default: `root`. */
  cwd?: string;
  /** The default folder of manifests, for requests without `paths`. Relative to `root`. */
  manifests?: string | undefined;
  /** The target that the manifests describe: `serverTarget(…)` or `storeTarget(…)`. */
  target: ProjectTarget;
  /** An organization file with the fields, roles and scripts that validation checks against, relative to `cwd`. */
  organizationFile?: string | undefined;
  /**
   * The environment variables that `${NAME}` in a manifest may use. Default: all except those that begin with FORMCTL_.
   */
  variables?: readonly string[] | undefined;
  /** The maximum number of concurrent requests. Default: 16 for a server, 128 for a local store. */
  concurrency?: number | undefined;
  onProgress?: (progress: Progress) => void;
  /** Called for a problem that does not stop an operation. */
  onWarning?: (warning: Warning) => void | Promise<void>;
};

/** The options of a project, with those that only other modules of formctl use. */
export type ProjectSetup = ProjectOptions & {
  /**
   * The desired state, if it is not in manifest files. Requests then need no paths. `validate` and `export` ignore the
   * desired state.
   */
  desired?: DesiredState | undefined;
  /**
   * Rehearses plans on a copy of the target. Without this function, `plan({ rehearse: true })` is an error of the
   * caller.
   */
  rehearse?: Rehearse | undefined;
};

/**
 * The operations of a project. Each operation reads the files and the target again. Operations throw FormctlErrors with
 * a `code`, a `hint` and, if a file is invalid, `problems` with positions. A refusal by the service is a ServiceError.
 */
export type Project = {
  /**
   * Finds every problem of every manifest, without a request to a server. Problems are returned, not thrown.
   *
   * @throws USAGE without paths and without a `manifests` folder
   * @throws INVALID_FILE for a broken `organizationFile`
   */
  validate(request?: ValidateRequest): Promise<ValidateResult>;
  /**
   * Returns the layouts of manifests. Each layout has its content, its problems and its available fields. Sends no
   * request to a server.
   *
   * @throws what `validate` throws
   */
  layouts(request?: LayoutsRequest): Promise<LayoutsResult>;
  /**
   * Compares manifests with the target, and returns the steps that make them equal. Writes nothing but the
   * file `out`.
   *
   * @throws MANIFESTS_INVALID with every problem
   * @throws OBJECT_MISSING, AMBIGUOUS_NAME, ASSIGNMENT_DEFAULT_TAKEN at the lines of manifests
   * @throws LIST_INCOMPLETE
   * @throws USAGE for an address in `targets` that no manifest has
   * @throws FILE_UNFIT for an `out` that can't be written
   */
  plan(request?: PlanRequest): Promise<PlanResult>;
  /**
   * Makes the target equal to manifests, or executes a saved plan. Steps that an interrupted run of the same request
   * completed are not repeated. A failed step is returned, not thrown. It stops only its own resource. The following
   * errors are thrown before the first write.
   *
   * @throws what `plan` throws
   * @throws CONSENT_MISSING if `confirm` returns false
   * @throws CONSENT_MISSING if data would be lost without permission by `allowDelete`, `allowReplace` or `confirm`
   * @throws PLAN_STALE, PLAN_UNUSABLE for a saved plan
   * @throws LAYOUT_UNKNOWN if an earlier creation has an unknown outcome
   * @throws RUN_IN_PROGRESS while another process applies in the same project
   * @throws FILE_UNWRITABLE, RECORD_UNWRITABLE if no journal can be written
   */
  apply(request?: ApplyRequest): Promise<ApplyResult>;
  /**
   * Reads forms and layouts as manifests. With `into`, the export also writes them into a folder. In existing files,
   * only the lines that differ are edited.
   *
   * @throws NOT_FOUND, AMBIGUOUS_NAME for the request
   * @throws MANIFESTS_INVALID if the folder has invalid manifests
   * @throws INVALID_VALUE if `into` is not a folder
   * @throws FILE_UNFIT, FILE_UNWRITABLE
   */
  export(request: ExportRequest): Promise<ExportResult>;
  /**
   * Returns the state of each manifest, for example in sync or changed on the target. Writes nothing.
   *
   * @throws what `plan` throws, except for problems that only stop an apply: an error in the content of a layout, an
   *   inactive form as a default, and ASSIGNMENT_DEFAULT_TAKEN
   */
  status(request?: StatusRequest): Promise<StatusResult>;
};

/**
 * Opens a project. Nothing is read until an operation is called.
 *
 * @param host the clock, files and processes that the operations use
 */
export function openProject(options: ProjectSetup, host: ProjectHost): Project {
  const { cwd, manifests, target, desired, organizationFile, variables, concurrency, rehearse } = options;
  const root = resolve(options.root);
  const ignore = () => undefined;
  const context: ProjectContext = {
    root,
    cwd: cwd === undefined ? root : resolve(cwd),
    manifests: manifests === undefined ? undefined : resolve(root, manifests),
    target,
    ...(desired && { desired }),
    organizationFile,
    variables,
    concurrency: concurrency ?? target.concurrency,
    ...(rehearse && { rehearse }),
    host,
    onProgress: options.onProgress ?? ignore,
    onWarning: options.onWarning ?? ignore,
  };
  // An operation loads only its own modules: `validate` needs neither the journal nor the comparison with a target.
  return {
    validate: async (request = {}) => (await import("./load.ts")).validate(context, request),
    layouts: async (request = {}) => (await import("./layouts.ts")).readLayouts(context, request),
    plan: async (request = {}) => (await import("./plan.ts")).plan(context, request),
    apply: async (request = {}) => (await import("./apply.ts")).apply(context, request),
    export: async (request) => (await import("./export.ts")).exportManifests(context, request),
    status: async (request = {}) => (await import("./plan.ts")).status(context, request),
  };
}
