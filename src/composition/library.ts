/**
 * The exports of the library, except `openMigrations` and `codemod`. They import this module to pass it to migrations. So
 * they are in index.ts, and the two modules do not import each other.
 *
 * - `createClient` returns the service over HTTP.
 * - `openLocal` returns the service of a local store.
 * - `openProject` manages layouts as code on a target.
 * - `promote` copies forms and layouts from one target to another.
 *
 * The other exports are parts of these functions, functions for migrations, schemas, errors and types.
 */

import type { Attempt } from "../client/transport.ts";
import type { ProjectFileContent } from "../config/read-project.ts";
import type { Failure } from "../commands/failure.ts";
import { describeFailure } from "./exit.ts";
import { libraryHint } from "./library-hint.ts";
import type { ManifestSet, ReadOptions } from "../manifests/read/read-manifests.ts";
import { hostOf, rehearse, type WithHost } from "./library-host.ts";
import {
  type ProjectHost,
  type ApplyRequest,
  type ApplyResult,
  openProject as openProjectOn,
  type Project,
  type ProjectOptions,
} from "../project/project.ts";
import type { DiffOptions, DiffResult } from "../promotion/diff.ts";
import type { Promotion, PromotionOptions } from "../promotion/promote.ts";
import { FormctlError, hasCode } from "../base/error.ts";
import { contentToSave } from "../lists/versions.ts";
import type { VersionAnswer } from "../schemas/answers.ts";
import type { DraftContent } from "../schemas/draft.ts";
import { refuseMistypedUrl } from "../base/database-url.ts";
import { createStore, openInMemory, openLocal as openLocalService, requireSqlite } from "./local-store.ts";
import type { LocalService } from "../local-service.ts";
import { type Client, type ClientOptions, createClient, createClientWithin } from "./client.ts";
import type { LayoutContent } from "./layout-content.ts";
import type { OpenedProfile, ProfileOptions } from "./open-profile.ts";
import type { RenderedLayout, RenderOptions } from "./render-layout.ts";
import type { StoreBackup, StoreRestored } from "../local-service.ts";
import { resolve } from "node:path";

// The service.
export type {
  AccessAnswer,
  AssignmentAnswer,
  CommittedFieldAnswer,
  CurrencyAnswer,
  DefaultsAnswer,
  FormAnswer,
  FormListedAnswer,
  FormPageAnswer,
  LayoutAnswer,
  LayoutWarningAnswer,
  ModeStateAnswer,
  PublishedAnswer,
  RoleAccessAnswer,
  SavedDraftAnswer,
  StagedFieldAnswer,
  SurfaceAnswer,
  SurfacesAnswer,
  UserAccessAnswer,
  VersionAnswer,
} from "../schemas/answers.ts";
export type { Attempt };
export { NoAnswer, type NoAnswerCode, type NoAnswerOptions } from "../client/no-answer.ts";
export { type Evidence, LocatedError } from "../documents/located-error.ts";
export { type ErrorCode, FormctlError } from "../base/error.ts";
export type {
  LocalService,
  LogEntry,
  LogRequest,
  OnProgress,
  TokenRequest,
  TokenView,
  UploadRequest,
  UploadView,
  Violation,
} from "../local-service.ts";
export type { ResolvedLayout } from "../schemas/local-requests.ts";
export type { Json, JsonObject } from "../schemas/json.ts";
export type { ExitCode } from "../base/exit-codes.ts";
export type {
  ErrorBody,
  IdempotencyConflict,
  Impact,
  ReportedMessage,
  ReportedValidation,
} from "../schemas/error-body.ts";
export type { Input, OperationName, OperationTypes, Output } from "../schemas/operation-types.ts";
export type {
  ArchiveLayoutInput,
  AvailableFormsQuery,
  CreateFormBody,
  CreateFormInput,
  CreateLayoutBody,
  CreateLayoutInput,
  DeleteFormInput,
  FieldChangeConfirmation,
  FormInput,
  GetFormAccessInput,
  GetFormInput,
  GetLayoutInput,
  GetSurfaceDefinitionsInput,
  GetVersionInput,
  LayoutInput,
  LayoutsQuery,
  ListAvailableFormsInput,
  ListCurrenciesInput,
  ListFormsInput,
  ListLayoutsInput,
  ListVersionsInput,
  ObjectInput,
  PublishLayoutBody,
  PublishLayoutInput,
  ReplaceAssignmentsBody,
  ReplaceAssignmentsInput,
  ReplaceFormAccessInput,
  RestoreDraftBody,
  RestoreDraftInput,
  RoleAssignment,
  SaveDraftBody,
  SaveDraftInput,
  SurfaceDefinitionsQuery,
  UpdateFormBody,
  UpdateFormDefaultsBody,
  UpdateFormDefaultsInput,
  UpdateFormInput,
  UpdateLayoutBody,
  UpdateLayoutInput,
  VersionInput,
} from "../schemas/requests.ts";
export {
  type CallOptions,
  type FullService,
  NotConfirmed,
  type OptionalMember,
  type Service,
  ServiceError,
} from "../service.ts";
export { type FormsInput, listAll, type Page, pages, type PagesOptions } from "../lists/form-pages.ts";
export type { Failure };

// Edits of layouts.
export {
  editLayout,
  type EditedLayout,
  type EditOptions,
  type EditOutcome,
  type EditService,
  type LayoutEdit,
} from "../layout-edits/edit-layout.ts";
export { draftFiles, type KeptDrafts } from "../layout-edits/kept-drafts.ts";

// Layouts as code.
export type { Progress, Warning } from "../project/project.ts";
export type { ApplyRequest, Proposal } from "../project/project.ts";
export type { ApplyOutcome, ApplyResult, ResourceResult, StepResult } from "../project/project.ts";
export type { ExportRequest, ExportResult } from "../project/project.ts";
export type { LayoutsRequest, LayoutsResult, ReadLayout } from "../project/project.ts";
export type { PlanChoices } from "../project/project.ts";
export type {
  PlanRequest,
  PlanResult,
  PlanSummary,
  ResourceStatus,
  StatusRequest,
  StatusResult,
} from "../project/project.ts";
export type { PlannedLayout } from "../project/project.ts";
export type {
  EffectKind,
  ForetoldRefusal,
  Rehearsal,
  RehearsedEffect,
  UnknownFact,
  UnknownKind,
} from "../rehearsal/rehearsal.ts";
export type { Project, ProjectHost, ProjectOptions, WithHost };
export {
  type KnownRecords,
  type NamedIds,
  type ProjectTarget,
  type RecordKind,
  type ServerClient,
  type ServerOptions,
  serverTarget,
  type StoreOptions,
  storeTarget,
  type TargetKnowledge,
} from "../state/target.ts";
export type { ValidateRequest, ValidateResult } from "../project/project.ts";

// Counterparts of commands.
export type { RenderedLayout, RenderOptions } from "./render-layout.ts";
export type { LayoutContent } from "./layout-content.ts";
export type { StoreBackup, StoreCounts, StoreRestored } from "../local-service.ts";

// Settings.
export type { OpenedProfile, OpenedTarget, ProfileOptions } from "./open-profile.ts";
export type { ProjectFileContent, ProjectMembers } from "../config/read-project.ts";
export type { ProjectReferences } from "../config/project-settings.ts";

// Plans and manifests.
export type {
  Drift,
  Need,
  Phase,
  Plan,
  PlannedResource,
  PlannedStep,
  State,
  StepOperation,
  StepOutline,
} from "../plan/planned.ts";
export type { Change } from "../schemas/content-diff.ts";
export type { CatalogField, LayoutCatalog, OrganizationCatalog } from "../schemas/catalog.ts";
export type { FormAddress } from "../lists/forms.ts";
export type { ObjectKey } from "../lists/addresses.ts";
export type { AccessFile } from "../schemas/access-file.ts";
export type { Processes, ProcessIdentity } from "../base/host.ts";
export type { Exported, ExportedForm, ExportedLayout, ExportedResource } from "../export/exported.ts";
export type { FileOutcome } from "../project/project.ts";
export type { CatalogSource } from "../manifests/read/check.ts";
export type {
  FormManifest,
  LayoutManifest,
  Manifest,
  ManifestAssignments,
  ManifestMembers,
} from "../manifests/manifest.ts";
export type { ManifestSet, ReadOptions };
export type { Named, NameOf, References, SubjectKind, Unresolved } from "../manifests/references.ts";

// Migrations.
export {
  type About,
  type Defined,
  defineMigration,
  type DraftHandling,
  type FormMembers,
  type Match,
  type Migration,
  type Script,
  type ScriptBody,
  type ScriptInputs,
  type ScriptPublishLayoutInput,
  type ScriptReplaceAssignmentsInput,
  type ScriptRestoreDraftInput,
  type ScriptSaveDraftInput,
  type ScriptService,
  type Step,
  type Transform,
} from "../migrations/definition.ts";
export {
  addRegion,
  addSection,
  type BlockPlace,
  type BlockSelector,
  type BlockTarget,
  findBlocks,
  moveBlocks,
  type NewSection,
  removeBlocks,
  renameField,
  replaceBlocks,
  walkBlocks,
} from "../migrations/edits.ts";
export { mutationIds } from "../mutation-ids.ts";
export type { BaselineRequest, BaselineResult } from "../migrations/baseline.ts";
export type { MigrationOutcome, MigrationResult } from "../migrations/carry-out.ts";
export type { MigrationsProgress } from "../migrations/context.ts";
export type { Acceptances } from "../migrations/due.ts";
export type { MigrationFile } from "../migrations/folder.ts";
export type { LeftOut } from "../migrations/left-out.ts";
export type { Permissions, PlannedMigration, RehearsedScript, RehearsedWrite } from "../migrations/plan-migrations.ts";
export type { MigrationEntry, RecordedStep } from "../migrations/record.ts";
export type { Repair, RepairRequest, RepairResult } from "../migrations/repair.ts";
export type { DownProposal, DownRequest, DownResult, PlannedDown } from "../migrations/revert-migrations.ts";
export type {
  MigrationsPlan,
  MigrationsPlanRequest,
  PlanDueRequest,
  RunOutcome,
  RunProposal,
  RunRequest,
  RunResult,
} from "../migrations/run-migrations.ts";
export type { MigrationState, MigrationStatus } from "../migrations/status.ts";
export type { Migrations } from "../migrations/migrate.ts";

// Promotions.
export type { Difference } from "../promotion/diff.ts";
export type { DiffOptions, DiffResult };
export type { Counterpart } from "../promotion/counterparts.ts";
export type { UnmappedId } from "../promotion/ids.ts";
export type { Promotion, PromotionOptions };
export type { Selection, Side } from "../promotion/source.ts";
export type { KeepRules } from "../schemas/keep-path.ts";

// Records of the API and of files.
export type { Currency } from "../schemas/currency.ts";
export type { Diagnostic, Located, Severity, ValidationState } from "../schemas/diagnostic.ts";
export type {
  BindingTarget,
  Block,
  BlockGrid,
  BlockRef,
  DraftContent,
  Region,
  ScriptBinding,
  StagedField,
} from "../schemas/draft.ts";
export type {
  AccessMatrix,
  Form,
  FormConfig,
  FormDefaults,
  FormListItem,
  FormPage,
  LayoutWarning,
  ModeAvailability,
} from "../schemas/form.ts";
export type {
  Assignment,
  CommittedField,
  DraftValidation,
  Layout,
  LayoutVersion,
  Published,
  SavedDraft,
  StagedFieldState,
  SurfaceDefinition,
  SurfaceDefinitions,
  Target,
  ValidationMessage,
  VersionSummary,
} from "../schemas/layout.ts";
export type { Filter, FilterCondition, ListQuery, SortTerm } from "../schemas/page.ts";
export type {
  CustomFieldEntry,
  CustomFieldView,
  FieldEntry,
  FieldView,
  KeyedEntry,
  KeyedView,
  MemberEntry,
  MemberView,
  ModuleEntry,
  ModuleView,
  ObjectEntry,
  ObjectKind,
  ObjectView,
  OrganizationEntry,
  OrganizationFile,
  OrganizationView,
  SeedChange,
  SeedField,
  SeedObject,
  SeedOrganization,
} from "../schemas/organization.ts";
export {
  type AvailabilityState,
  type BlockSource,
  type BlockType,
  type FieldType,
  type Mode,
  MODES,
  type ModeWord,
  type OpenWord,
  type PageCount,
  type Permission,
  PERMISSIONS,
  type RegionLayout,
  type RequiredPolicy,
  type SortField,
  type StagedAction,
  type Surface,
  type VersionStatus,
} from "../schemas/words.ts";

export { type Client, type ClientOptions, createClient };
export type { StandardFetch } from "../client/undici-fetch.ts";
export type { RawAnswer, RawRequest } from "../service.ts";

/**
 * Returns the content of a version, to be saved as a draft. The staged field changes of a version that is not a draft
 * are left out, because its publication has applied them.
 *
 * ```ts
 * const [newest] = await service.listVersions({ layoutId });
 * const content = contentOf(newest);
 * ```
 *
 * @param version a version of `listVersions`, `getVersion`, `saveDraft` (`draftVersion`) or `publishLayout`
 *   (`publishedVersion`)
 * @throws NOT_SHOWN if the server left out the content. `getVersion` may return it
 */
export function contentOf(version: VersionAnswer): DraftContent {
  return contentToSave(version);
}

/**
 * Opens a store. With `create`, creates the store if it does not exist. The caller must close the result.
 *
 * @param store the path of a file, `:memory:` for a new store in memory, or the URL of a PostgreSQL database. If the URL
 *   contains no password, the password is read from PGPASSWORD or `~/.pgpass`
 * @throws SETTING_INVALID if the store is an address of another kind. The message does not quote it
 * @throws STORE_UNUSABLE on a Node that can't open a store
 */
export async function openLocal(store: string, { create = false } = {}): Promise<LocalService> {
  requireSqlite();
  if (store === ":memory:") return openInMemory(() => new Date());
  refuseMistypedUrl(store);
  if (create) await createStore(store);
  return openLocalService(store, () => new Date());
}

/**
 * Copies a store into a new file. Other processes can use the store meanwhile. The copy has the records of uploaded files,
 * but not the files.
 *
 * ```ts
 * const { counts } = await backupStore("formctl.db", "before-upgrade.db");
 * ```
 *
 * @param store the path of a store in a file
 * @throws USAGE for a store on a database server, which its own tools copy
 * @throws INVALID_VALUE for a store in memory, or if the folder of `into` does not exist
 * @throws STORE_MISSING, STORE_CORRUPT or another StoreError if the store can't be read, or `into` exists
 */
export async function backupStore(store: string, into: string): Promise<StoreBackup> {
  return (await storeFile(store)).backup(into);
}

/**
 * Replaces a store with a backup, in one transaction. Other processes read the new records from their next transaction
 * on. A missing store is created. Close your own `LocalService` of the store first.
 *
 * ```ts
 * const { counts } = await restoreStore("before-upgrade.db", "formctl.db");
 * ```
 *
 * @returns the numbers of records, and the new path of a store that could not be read (`damaged`)
 * @throws USAGE for a store on a database server, INVALID_VALUE for a store in memory
 * @throws STORE_CORRUPT or another StoreError if `from` is not an intact store. Nothing is changed
 * @throws STORE_BUSY while another process keeps the store locked. Nothing is changed
 */
export async function restoreStore(from: string, store: string): Promise<StoreRestored> {
  return (await storeFile(store)).restore(from);
}

/** Returns the operations on the file of a store. */
async function storeFile(store: string) {
  requireSqlite();
  if (store === ":memory:") throw new FormctlError("INVALID_VALUE", "a store in memory has no file: specify a path");
  refuseMistypedUrl(store);
  const host = { cwd: process.cwd(), env: process.env, now: () => new Date() };
  return (await import("./local-target.ts")).openLocalTarget(store, host).file;
}

/**
 * Renders a layout as `formctl layouts preview` does: as a page for a browser, and as text for a terminal. Sends no
 * request.
 *
 * ```ts
 * const { html, text } = await renderLayout(content, { title: "Intake", modes: ["CREATE"] });
 * ```
 *
 * @throws INVALID_VALUE if a content is invalid, or the layout does not support the mode
 */
export async function renderLayout(content: LayoutContent, options: RenderOptions = {}): Promise<RenderedLayout> {
  return (await import("./render-layout.ts")).renderLayout(content, options);
}

/**
 * Opens the server or store of a profile of the user. The token comes from where the commands take it: FORMCTL_TOKEN, or
 * what `formctl auth login` stored for exactly this server. A profile is only in the settings of the user, so a project
 * file can't choose the server that receives the token.
 *
 * ```ts
 * await using staging = await openProfile("staging");
 * const { plan } = await openProject({ root: ".", manifests: "manifests", target: staging.target }).plan();
 * ```
 *
 * @param options options of the client for the profile of a server. `maxRequestsPerSecond` replaces the setting of the
 *   user. The setting `timeout` limits the requests of a call without the option `timeout`, as it does for commands:
 *   waits that the server requests do not count
 * @throws SETTING_INVALID if the profile is unknown, or a setting is invalid
 * @throws INVALID_FILE if a settings file is invalid, FILE_UNFIT if another user may have planted it
 * @throws NO_TOKEN without a token for the server, CREDENTIALS_UNUSABLE if it can't be read
 * @throws STORE_UNUSABLE on a Node that can't open a store
 */
export async function openProfile(
  name: string,
  { root, env, namedBy, ...options }: ProfileOptions & Partial<Omit<ClientOptions, "baseUrl" | "token">> = {},
): Promise<OpenedProfile<Client>> {
  const { openProfile: openOn } = await import("./open-profile.ts");
  const from = { ...(root !== undefined && { root: resolve(root) }), ...(env && { env }), ...(namedBy && { namedBy }) };
  return openOn(name, from, (found, deadline) => {
    const { maxRequestsPerSecond = found.maxRequestsPerSecond } = options;
    return createClientWithin({ ...found, ...options, maxRequestsPerSecond }, deadline);
  });
}

/**
 * Reads the project file of a folder: `formctl.yaml`, `formctl.yml` or `formctl.json`. Searches the folder and its
 * parents, up to the folder that contains `.git`. Executes nothing.
 *
 * ```ts
 * const file = await readProjectFile(".");
 * const project = file && openProject({ ...file, target });
 * ```
 *
 * @returns undefined if there is no project file
 * @throws INVALID_FILE with every problem at its line
 * @throws FILE_UNFIT if another user may have planted the file
 */
export async function readProjectFile(folder: string): Promise<ProjectFileContent | undefined> {
  return (await import("../config/read-project.ts")).readProject(folder);
}

/**
 * Opens a project: manifests in files, and the target that they describe. `examples/library` has complete programs.
 *
 * ```ts
 * const local = await openLocal("formctl.db");
 * const project = openProject({ root: ".", manifests: "manifests", target: storeTarget({ local, store: "formctl.db" }) });
 * const { plan } = await project.plan();
 * const { outcome } = await project.apply({ allowDelete: false });
 * ```
 *
 * @param host replaces parts of the system, such as the clock, files and processes. Default: those of this process
 */
export function openProject({ host, ...options }: ProjectOptions & WithHost): Project {
  return openProjectOn({ rehearse, ...options }, hostOf(options, host));
}

/**
 * Reads the forms and layouts of one target as manifests for another target. In these manifests, the ids of roles,
 * members, scripts, fields and modules are those of the other target. Writes nothing. Returns a project for `plan` and
 * `apply`.
 *
 * ```ts
 * const staging = { name: "staging", target: serverTarget({ baseUrl, service, references }) };
 * const production = { name: "production", target: storeTarget({ local, store: "formctl.db" }) };
 * const { project, unmapped } = await preparePromotion({ root: ".", from: staging, to: production });
 * const { plan } = await project.plan();
 * ```
 *
 * @throws USAGE, NOT_FOUND, OBJECT_MISSING, AMBIGUOUS_NAME and LIST_INCOMPLETE from the search for the selected forms
 *   and layouts
 * @throws INVALID_VALUE if a form or layout that the selection names can't be promoted
 * @throws the errors of the service of the source
 */
export async function preparePromotion({ host, ...options }: PromotionOptions & WithHost): Promise<Promotion> {
  return (await import("../promotion/promote.ts")).preparePromotion({ rehearse, ...options }, hostOf(options, host));
}

/**
 * Makes forms and layouts of the target `to` equal to the selected ones of `from`. Calls `preparePromotion`, then
 * `apply`.
 *
 * @param options.request options of `Project.apply`, such as `allowDelete`
 * @throws the errors of `preparePromotion` and `Project.apply`
 */
export async function promote({
  host,
  ...options
}: PromotionOptions & { request?: Omit<ApplyRequest, "paths" | "plan"> } & WithHost): Promise<ApplyResult> {
  return (await import("../promotion/promote.ts")).promote({ rehearse, ...options }, hostOf(options, host));
}

/**
 * Compares two targets. Writes nothing.
 *
 * Ids of roles, members, scripts, fields and modules are compared by name. An id without a counterpart is a difference.
 *
 * @throws USAGE if nothing is selected and a server does not list layouts
 * @throws AMBIGUOUS_NAME if two forms of one object have the same name
 * @throws NOT_FOUND, OBJECT_MISSING, LIST_INCOMPLETE, and the errors of the services
 */
export async function diffTargets(options: DiffOptions): Promise<DiffResult> {
  return (await import("../promotion/diff.ts")).diffTargets(options);
}

/**
 * Reads the manifests in a file or folder, and reports every problem. Sends no request.
 *
 * ```ts
 * const { manifests, problems } = await readManifests("manifests");
 * ```
 *
 * @param from a path, or options that specify the paths and the variables. A path is relative to the working directory
 *   of this process. With a path, the environment variables of this process replace `${NAME}` in the manifests
 */
export async function readManifests(from: string | ReadOptions): Promise<ManifestSet> {
  const { readManifests: readFiles } = await import("../manifests/read/read-manifests.ts");
  if (typeof from !== "string") return readFiles(from);
  const cwd = process.cwd();
  return readFiles({ paths: [from], cwd, root: cwd, env: process.env });
}

/** Who reads the hint of an error: the user of a command, or the author of a program that uses the library. */
export type Audience = "command" | "library";

/**
 * Describes an error as the commands print it: error code, readable message, next step (`hint`) and exit code. For
 * problems in files, `location` and `problems` name the lines. For a refusal of the service, `api` is the service's
 * answer. An error unknown to formctl has the code `ERROR`, its own message, and exit code 1.
 *
 * ```ts
 * } catch (error) {
 *   const { message, hint, exitCode } = describeError(error, { audience: "library" });
 *   console.error(message, hint ?? "");
 *   process.exitCode = exitCode;
 * }
 * ```
 *
 * @param options.audience With `library`, the hint names functions and options of the library. It is absent if the
 *   library has no counterpart. Default: `command`, where the hint names commands and their options
 */
export function describeError(error: unknown, { audience = "command" }: { audience?: Audience } = {}): Failure {
  const failure = describeFailure(error);
  if (failure.code === "INTERNAL" && !hasCode(error, "INTERNAL")) {
    return { code: "ERROR", message: error instanceof Error ? error.message : String(error), exitCode: 1 };
  }
  if (audience === "command") return failure;
  const { hint: _ofCommands, ...described } = failure;
  const hint = failure.hint === undefined ? undefined : libraryHint(failure.code, failure.hint);
  return { ...described, ...(hint !== undefined && { hint }) };
}
