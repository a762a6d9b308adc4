/**
 * The library's door: the service over HTTP, or in a local store, and the shapes of what it takes and gives; manifests
 * from their files (`readManifests`), what is wrong with them (`checkManifests`), and their names as ids (`resolveNames`).
 */

import { httpService } from "./client/http-service.ts";
import type { Attempt } from "./client/transport.ts";
import { undiciFetch } from "./client/undici-fetch.ts";
import { parseToken } from "./config/token.ts";
import { type Lock, openLock as openLockInTurn } from "./manifests/lock.ts";
import { createStore, openLocal as openLocalService } from "./local-store.ts";
import type { LocalService } from "./local-service.ts";
import { parseBaseUrl } from "./schemas/base-url.ts";
import type { Service } from "./service.ts";
import { systemProcesses } from "./system-processes.ts";
import { sleep } from "./system-sleep.ts";

export { NoAnswer, type NoAnswerCode } from "./client/no-answer.ts";
export type {
  AccessAnswer,
  Answer,
  DefaultsAnswer,
  FormAnswer,
  FormListedAnswer,
  LayoutAnswer,
  PublishedAnswer,
  SavedDraftAnswer,
  SurfacesAnswer,
  VersionAnswer,
} from "./schemas/answers.ts";
export type { Attempt };
export { type ErrorCode, FormctlError } from "./error.ts";
export type { LocalService } from "./local-service.ts";
export { readCurrent } from "./manifests/current/read.ts";
export { openPlan, type SealedPlan, sealPlan, staleResources } from "./manifests/plan/plan-file.ts";
export type { Current } from "./manifests/state.ts";
export type { Lock } from "./manifests/lock.ts";
export { planChanges, type PlanOptions } from "./manifests/plan/plan.ts";
export type { Plan, PlannedResource } from "./manifests/plan/planned.ts";
export { checkManifests, type Checked, type NotRun } from "./manifests/read/check.ts";
export type { Knowledge } from "./manifests/read/knowledge.ts";
export type { FormManifest, LayoutManifest, Manifest } from "./manifests/manifest.ts";
export { type ManifestSet, readManifests, type ReadOptions } from "./manifests/read/read.ts";
export { type References, referencesOf, resolveNames } from "./manifests/references.ts";
export type { Currency } from "./schemas/currency.ts";
export type { Diagnostic, Located, Validation } from "./schemas/diagnostic.ts";
export { Block, Draft, DraftContent, DraftFile, Region, ScriptBinding, StagedField } from "./schemas/draft.ts";
export type { ErrorBody } from "./schemas/error-body.ts";
export {
  AccessMatrix,
  Form,
  FormConfig,
  FormCreate,
  FormDefaults,
  FormDefaultsPatch,
  FormListItem,
  FormPatch,
} from "./schemas/form.ts";
export { AssignmentSet, Layout, LayoutCreate, LayoutPatch, LayoutVersion, Publish, Target } from "./schemas/layout.ts";
export { type Input, type OperationName, operations, type Output } from "./schemas/operations.ts";
export type { OrganizationFile, OrganizationView } from "./schemas/organization.ts";
export { ListQuery } from "./schemas/page.ts";
export { MODES, type Mode, PERMISSIONS, type Permission } from "./schemas/words.ts";
export { type FullService, NotConfirmed, type Service, ServiceError } from "./service.ts";

export type ClientOptions = {
  /** https, or http to this machine. */
  baseUrl: string;
  token: string;
  /** How long an operation may take, in milliseconds; 30 seconds where nothing is said. */
  timeout?: number;
  /** Told of each attempt of a request. */
  onAttempt?: (attempt: Attempt) => void;
  /** Told once of what the server announces: deprecation, sunset. */
  onNotice?: (notice: string) => void;
};

export type Client = Service & { close(): Promise<void> };

/**
 * A client of a server. It keeps connections until it is closed.
 *
 * @throws BASE_URL_INVALID, and CREDENTIALS_UNUSABLE for what can't be a token: an empty text, or one with spaces inside
 */
export function createClient({ baseUrl, token, timeout = 30_000, onAttempt, onNotice }: ClientOptions): Client {
  const place = parseBaseUrl(baseUrl);
  const network = undiciFetch(place.origin, process.env);
  const service = httpService({
    baseUrl: place.baseUrl,
    token: parseToken(token, "token"),
    fetch: network.fetch,
    deadline: timeout,
    now: () => new Date(),
    sleep,
    random: Math.random,
    ...(onAttempt && { onAttempt }),
    ...(onNotice && { onNotice }),
  });
  return { ...service, close: network.close };
}

/** A local store; with `create` one is made where there is none. Close it in the end. */
export async function openLocal(path: string, { create = false } = {}): Promise<LocalService> {
  if (create) await createStore(path);
  return openLocalService(path, () => new Date());
}

/**
 * What was last applied to a place, or exported from it, in the lock file at `path`.
 *
 * @throws INVALID_FILE where the file is broken, FILE_UNFIT where it is a link
 */
export function openLock(path: string, place: string): Promise<Lock> {
  return openLockInTurn(path, place, { processes: async () => systemProcesses(), sleep });
}
