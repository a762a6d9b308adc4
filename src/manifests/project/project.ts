/**
 * The library of layouts as code: a project is a folder of manifests and the target that they describe. Each operation
 * returns data; nothing here prints or reads a command line.
 */

import type { ApplyRequest, ApplyResult } from "./apply.ts";
import type { ProjectContext, ProjectHost } from "./context.ts";
import type { ExportRequest, ExportResult } from "./export.ts";
import type { PlanRequest, PlanResult } from "./plan.ts";
import type { StatusRequest, StatusResult } from "./status.ts";
import type { ProjectTarget } from "./target.ts";
import type { ValidateRequest, ValidateResult } from "./validate.ts";

export type ProjectOptions = Partial<Pick<ProjectContext, "onProgress" | "onWarning">> & {
  /** The project folder, absolute. `.formctl` is in it, and the links and layout files of manifests must stay inside. */
  root: string;
  /** The folder that paths are relative to, absolute. Default: `root`. */
  cwd?: string;
  /** The folder of manifests that a request without paths means, absolute or relative to `root`. */
  manifests?: string | undefined;
  /** What the manifests describe: `serverTarget(…)` or `storeTarget(…)`. */
  target: ProjectTarget;
  /** An organization file, which states the fields, roles and scripts that validation checks against. */
  organizationFile?: string | undefined;
  /** The only variables that `${NAME}` in a manifest may use. Default: any but those that begin with FORMCTL_. */
  variables?: readonly string[] | undefined;
  /** The maximum number of concurrent requests. Default: 16 for a server, 64 for a local store. */
  concurrency?: number | undefined;
};

/** Every operation reads files and target again; a project holds no state between them, and nothing to close. */
export type Project = {
  /**
   * Finds every problem of every manifest, without a request to a server.
   *
   * @throws FormctlError `USAGE` without paths and without a `manifests` folder; `INVALID_FILE` for a broken
   *   `organizationFile`. Problems of manifests are returned, not thrown.
   */
  validate(request?: ValidateRequest): Promise<ValidateResult>;
  /**
   * Compares manifests with the target and returns the steps that make them equal. It writes nothing on the target.
   * In `.formctl/lock.json` it records which resources are in sync.
   *
   * @throws FormctlError with the code `MANIFESTS_INVALID` (every problem at its line), `OBJECT_MISSING`,
   *   `AMBIGUOUS_NAME`, `ASSIGNMENT_DEFAULT_TAKEN`, `LIST_INCOMPLETE`, `USAGE` (a target address that no manifest has),
   *   `FILE_UNFIT` (`out` cannot be written); ServiceError where the service refuses a read
   */
  plan(request?: PlanRequest): Promise<PlanResult>;
  /**
   * Makes the target equal to manifests, or executes a saved plan. Steps that an interrupted run of the same request
   * completed are not repeated. A failed step stops its own resource only: failures are returned with their steps, not
   * thrown.
   *
   * @throws before the first write: what `plan` throws; FormctlError with the code `CONSENT_MISSING` (not confirmed, or
   *   something would be lost that neither `allowDelete`, `allowReplace` nor `confirm` permits), `PLAN_STALE`,
   *   `PLAN_UNUSABLE`, `LAYOUT_UNKNOWN` (an earlier creation has an unknown outcome), `RUN_IN_PROGRESS`,
   *   `FILE_UNWRITABLE` and `RECORD_UNWRITABLE` (no journal can be written)
   */
  apply(request?: ApplyRequest): Promise<ApplyResult>;
  /**
   * Reads forms and layouts as manifests. With `into` it also writes them into a folder, where it edits only the lines
   * that differ.
   *
   * @throws FormctlError with the code `NOT_FOUND`, `AMBIGUOUS_NAME`, `MANIFESTS_INVALID` (the folder has invalid
   *   manifests), `INVALID_VALUE` (`into` is not a folder), `FILE_UNFIT`, `FILE_UNWRITABLE`
   */
  export(request: ExportRequest): Promise<ExportResult>;
  /**
   * States of each manifest: in sync, changed in files, changed on the target, and so on. Records in `.formctl/lock.json` which
   * resources are in sync.
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
  const { root, cwd = root, manifests, target, organizationFile, variables, concurrency } = options;
  const ignore = () => undefined;
  const context: ProjectContext = {
    root,
    cwd,
    manifests,
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
