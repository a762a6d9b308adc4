/**
 * The library of layouts as code: a project is a folder of manifests and the target that they describe. Each operation
 * returns data; nothing here prints or reads a command line.
 */

import { resolve } from "node:path";
import type { ApplyRequest, ApplyResult } from "./apply.ts";
import type { ProjectContext, ProjectHost } from "./context.ts";
import type { ExportRequest, ExportResult } from "./export.ts";
import type { PlanRequest, PlanResult } from "./plan.ts";
import type { StatusRequest, StatusResult } from "./status.ts";
import type { ProjectTarget } from "./target.ts";
import type { ValidateRequest, ValidateResult } from "./validate.ts";

export type ProjectOptions = Partial<Pick<ProjectContext, "onProgress" | "onWarning">> & {
  /** The project folder. `.formctl` is in it, and the links and layout files of manifests must stay inside. */
  root: string;
  /** The folder that paths in requests and in problems are relative to. Default: `root`. */
  cwd?: string;
  /** The folder of manifests that a request without paths means, relative to `root`. */
  manifests?: string | undefined;
  /** What the manifests describe: `serverTarget(…)` or `storeTarget(…)`. */
  target: ProjectTarget;
  /** An organization file with the fields, roles and scripts that validation checks against, relative to `cwd`. */
  organizationFile?: string | undefined;
  /** The only variables that `${NAME}` in a manifest may use. Default: any but those that begin with FORMCTL_. */
  variables?: readonly string[] | undefined;
  /** The maximum number of concurrent requests. Default: 16 for a server, 64 for a local store. */
  concurrency?: number | undefined;
};

/**
 * Each operation reads the files and the target again. Errors are FormctlErrors with a `code`, a `hint` and, where a file
 * is at fault, `problems` with positions; ServiceErrors are refusals by the service.
 */
export type Project = {
  /**
   * Finds every problem of every manifest, without a request to a server. Problems are returned, not thrown.
   *
   * @throws USAGE without paths and without a `manifests` folder; INVALID_FILE for a broken `organizationFile`
   */
  validate(request?: ValidateRequest): Promise<ValidateResult>;
  /**
   * Compares manifests with the target, and returns the steps that make them equal. Writes nothing on the target, and
   * records in `.formctl/lock.json` which resources are in sync.
   *
   * @throws MANIFESTS_INVALID with every problem; OBJECT_MISSING, AMBIGUOUS_NAME and ASSIGNMENT_DEFAULT_TAKEN at the
   *   lines of manifests; LIST_INCOMPLETE; USAGE for an address in `targets` that no manifest has; FILE_UNFIT for an
   *   `out` that can't be written
   */
  plan(request?: PlanRequest): Promise<PlanResult>;
  /**
   * Makes the target equal to manifests, or executes a saved plan. Steps that an interrupted run of the same request
   * completed are not repeated. Failures of steps are returned, not thrown: they stop their own resource only.
   *
   * @throws before the first write: what `plan` throws; CONSENT_MISSING where `confirm` returns false, or something
   *   would be lost that neither `allowDelete`, `allowReplace` nor `confirm` permits; PLAN_STALE and PLAN_UNUSABLE for
   *   a saved plan; LAYOUT_UNKNOWN where an earlier creation has an unknown outcome; RUN_IN_PROGRESS while another
   *   process applies in the same project; FILE_UNWRITABLE and RECORD_UNWRITABLE where no journal can be written
   */
  apply(request?: ApplyRequest): Promise<ApplyResult>;
  /**
   * Reads forms and layouts as manifests. With `into`, it also writes them into a folder, and edits only the lines that
   * differ in files that exist.
   *
   * @throws NOT_FOUND and AMBIGUOUS_NAME for the request; MANIFESTS_INVALID where the folder has invalid manifests;
   *   INVALID_VALUE where `into` is not a folder; FILE_UNFIT and FILE_UNWRITABLE
   */
  export(request: ExportRequest): Promise<ExportResult>;
  /**
   * The state of each manifest: in sync, changed in the files, changed on the target, and so on. Records in
   * `.formctl/lock.json` which resources are in sync.
   *
   * @throws what `plan` throws, except for problems that only a write would meet
   */
  status(request?: StatusRequest): Promise<StatusResult>;
};

/**
 * Opens a project. Nothing is read until an operation is called.
 *
 * @param host the clock, files and processes that the operations use
 */
export function openProject(options: ProjectOptions, host: ProjectHost): Project {
  const { cwd, manifests, target, organizationFile, variables, concurrency } = options;
  const root = resolve(options.root);
  const ignore = () => undefined;
  const context: ProjectContext = {
    root,
    cwd: cwd === undefined ? root : resolve(cwd),
    manifests: manifests === undefined ? undefined : resolve(root, manifests),
    target,
    organizationFile,
    variables,
    concurrency: concurrency ?? target.concurrency,
    host,
    onProgress: options.onProgress ?? ignore,
    onWarning: options.onWarning ?? ignore,
  };
  // An operation loads only its own modules: `validate` needs neither the journal nor the comparison with a target.
  return {
    validate: async (request = {}) => (await import("./validate.ts")).validate(context, request),
    plan: async (request = {}) => (await import("./plan.ts")).plan(context, request),
    apply: async (request = {}) => (await import("./apply.ts")).apply(context, request),
    export: async (request) => (await import("./export.ts")).exportManifests(context, request),
    status: async (request = {}) => (await import("./status.ts")).status(context, request),
  };
}
