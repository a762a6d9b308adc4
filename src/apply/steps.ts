/** Sends a planned step to the service, with the ids from earlier steps of the resource. */

import { FormctlError } from "../base/error.ts";
import { contentOf, diagnosticsOf, wholeVersion } from "../lists/versions.ts";
import type { VersionAnswer } from "../schemas/answers.ts";
import type { Diagnostic } from "../schemas/diagnostic.ts";
import type { DraftContent } from "../schemas/draft.ts";
import type { Input } from "../schemas/operations.ts";
import { DEFAULT_KEY } from "../schemas/words.ts";
import {
  type CallOptions,
  localRefusal,
  notShown,
  type Service,
  ServiceError,
  unconfirmedImpacts,
} from "../service.ts";
import { contentDigest } from "../contents/compare.ts";
import { withBlocksHash } from "../contents/memory.ts";
import { readStamp } from "../state/stamp.ts";
import type { PlannedResource, StepRequest } from "../plan/planned.ts";
import { type CreateContext, createForm, createLayout, isNotFound, mutationId } from "./create.ts";
import type { Lookup } from "./lookup.ts";
import type { Ids } from "./recorded-runs.ts";

/** Thrown with `--strict` instead of publishing a draft with warnings. */
export class DraftHasWarnings extends FormctlError {
  override readonly name = "DraftHasWarnings";
  readonly warnings: readonly Diagnostic[];

  constructor(warnings: readonly Diagnostic[]) {
    const count = warnings.length;
    super(
      "DRAFT_HAS_WARNINGS",
      `the draft has ${count === 1 ? "a warning" : `${count || "some"} warnings`} and is not published`,
      "Correct them, or remove --strict.",
    );
    this.warnings = warnings;
  }
}

/** The known ids of a resource after some of its steps. */
export type KnownIds = {
  formId?: string | undefined;
  layoutId?: string | undefined;
  /** The initial draft of a layout that this plan created. Null if another version was saved later. */
  initialDraft?: string | null | undefined;
  /**
   * The draft that this plan saved. Null after this plan published the draft, because then no draft exists. Undefined
   * if this plan neither saved nor published a draft.
   */
  draft?: string | null | undefined;
  /** The version that this plan published. */
  published?: string | undefined;
};

export type StepContext = {
  service: Service;
  resource: PlannedResource;
  known: KnownIds;
  /** When the run began. This time distinguishes the writes of the run from equal writes of other runs. */
  runStartedAt: string;
  strict: boolean;
  /**
   * The validations of the drafts that this run saved, by draft id. Some servers do not report the validations again.
   */
  validations: Map<string, NonNullable<VersionAnswer["validation"]>>;
  sleep: (milliseconds: number) => Promise<void>;
  /** Finds records by name before a creation is sent again. */
  lookup: () => Lookup;
  recentForms: () => Pick<Lookup, "formsNamed">;
  /** Writes the journal entry of the next request. `mutation` is empty if that request has no mutation id. */
  recordIntent: (mutation: string) => Promise<void>;
};

/**
 * Sends the request of a step.
 *
 * @returns the ids of the created records and versions
 * @throws the errors of the service
 * @throws DraftHasWarnings if `strict` is set and the draft has warnings
 * @throws NOT_SHOWN if the server does not show the layout id or, with `strict`, the validation
 * @throws AmbiguousNames if a creation finds several records that may be the resource
 */
export function sendStep(context: StepContext, request: StepRequest): Promise<Ids> {
  return (senders[request.operation] as (context: StepContext, request: StepRequest) => Promise<Ids>)(context, request);
}

/** The members that are omitted if the server refuses them. The plan has read the versions that a step replaces. */
const MAY_OMIT: CallOptions = {
  mayOmit: ["expectedDraftVersionId", "expectedPublishedVersionId", "clientMutationId"],
};

type Requests = { [S in StepRequest as S["operation"]]: S };
type Senders = { [N in keyof Requests]: (context: StepContext, request: Requests[N]) => Promise<Ids> };

const senders: Senders = {
  async createForm(context, request) {
    const { id: formId, viewLayoutId: layoutId } = await createForm(creating(context), request);
    if (layoutId === undefined) return { formId };
    return { formId, layoutId, ...(await initialDraftOf(context, layoutId)) };
  },
  async updateForm({ service, resource, known, recordIntent }, { body }) {
    await recordIntent("");
    await service.updateForm({ ...formPath(resource, known), body });
    return {};
  },
  async createLayout(context, request) {
    const { id } = await createLayout(creating(context), request);
    return { layoutId: id, ...(await initialDraftOf(context, id)) };
  },
  async updateLayout({ service, resource, known, recordIntent }, { body }) {
    await recordIntent("");
    await service.updateLayout({ layoutId: layoutOf(resource, known), body });
    return {};
  },
  async saveDraft({ service, resource, known, validations, recordIntent }, { content, replaces }) {
    const layoutId = layoutOf(resource, known);
    if (known.initialDraft === null && known.draft === undefined) {
      return { draftVersionId: await findEqualVersion(service, layoutId, content) };
    }
    const expected = known.draft === undefined ? (known.initialDraft ?? replaces) : known.draft;
    const published = known.published ?? plannedPublished(resource);
    const schemaVersion = 1 as const;
    const expectation = expected === undefined ? {} : { expectedDraftVersionId: expected };
    // The same content over another version is another write. So the id depends on the replaced versions.
    const hashed = { ...expectation, ...withBlocksHash(content), schemaVersion };
    const clientMutationId = mutationId("saveDraft", layoutId, hashed, [published ?? null, expected ?? null]);
    await recordIntent(clientMutationId);
    // Many drafts wait for the journal at the same time. To save memory, their compressed blocks are unpacked only now.
    const body = { clientMutationId, ...expectation, ...content, schemaVersion };
    const saved = await service.saveDraft({ layoutId, body }, MAY_OMIT);
    if (saved.validation) validations.set(saved.draftVersionId, saved.validation);
    return { draftVersionId: saved.draftVersionId };
  },
  async publishLayout(context, request) {
    const { service, resource, known, recordIntent } = context;
    const layoutId = layoutOf(resource, known);
    const draftVersionId = request.draft ?? known.draft;
    if (draftVersionId == null) throw new Error(`${resource.address} has no draft to publish`);
    if (context.strict) await requireNoWarnings(context, layoutId, draftVersionId);
    // The manifest confirms a change with all of its effects: the type and the values together.
    const confirmFieldChanges = request.confirmFieldChanges.map((draftId) => ({
      draftId,
      confirmTypeChange: true,
      confirmValueClear: true,
    }));
    const expected = known.published ?? request.published;
    const expectation = expected === undefined ? {} : { expectedPublishedVersionId: expected };
    const body = { ...expectation, draftVersionId, confirmFieldChanges };
    const clientMutationId = mutationId("publishLayout", layoutId, body, expected);
    await recordIntent(clientMutationId);
    const input = { layoutId, body: { clientMutationId, ...body } };
    const done = await service.publishLayout(input, MAY_OMIT).catch((error: unknown) => {
      if (!(error instanceof ServiceError)) throw error;
      const needsConfirmation = unconfirmedImpacts(error, request.confirmFieldChanges).length > 0;
      throw needsConfirmation ? error.reworded({ needsConfirmation }) : error;
    });
    return { versionId: done.versionId };
  },
  async replaceFormAccess({ service, resource, known, recordIntent }, { body }) {
    await recordIntent("");
    await service.replaceFormAccess({ ...formPath(resource, known), body });
    return {};
  },
  async replaceAssignments({ service, resource, known, runStartedAt, recordIntent }, { organizationDefault, roles }) {
    const layoutId = layoutOf(resource, known);
    const body = { organizationDefault, roles };
    // Assignments have no version. An equal earlier write may have been undone by another user. Only the time of the
    // run distinguishes this write from the earlier write.
    const clientMutationId = mutationId("replaceAssignments", layoutId, body, runStartedAt);
    await recordIntent(clientMutationId);
    await service.replaceAssignments({ layoutId, body: { clientMutationId, ...body } });
    return {};
  },
  async updateFormDefaults({ service, resource, known, recordIntent }, { take, leave }) {
    const { formId, ...object } = formPath(resource, known);
    const body = Object.fromEntries([
      ...take.map((mode) => [DEFAULT_KEY[mode], formId]),
      ...leave.map((mode) => [DEFAULT_KEY[mode], null]),
    ]) as Input<"updateFormDefaults">["body"];
    await recordIntent("");
    await service.updateFormDefaults({ ...object, body });
    return {};
  },
  async deleteForm({ service, resource, known, recordIntent }) {
    await recordIntent("");
    try {
      await service.deleteForm(formPath(resource, known));
    } catch (error) {
      // Another user deleted the form first.
      if (!isNotFound(error)) throw error;
    }
    return {};
  },
};

/** Reads the initial draft of a layout that this plan created. Skipped if no later step replaces the draft. */
async function initialDraftOf({ service, resource }: StepContext, layoutId: string): Promise<Ids> {
  const isReplaced = resource.steps.some(({ request }) => request.operation === "saveDraft");
  return isReplaced ? initialDraftIds(service, layoutId) : {};
}

function creating({ resource, ...context }: StepContext): CreateContext {
  return { ...context, address: resource.address, isUsedLater: resource.steps.length > 1 };
}

/** Returns the known ids of a resource after a step returned `ids`. */
export function idsAfter(known: KnownIds, { operation }: StepRequest, ids: Ids): KnownIds {
  const { formId, layoutId, firstDraftId, draftVersionId, versionId } = ids;
  const initialDraft = firstDraftId === "" ? null : firstDraftId;
  switch (operation) {
    case "createForm":
      return { ...known, formId, layoutId, initialDraft };
    case "createLayout":
      return { ...known, layoutId, initialDraft };
    case "saveDraft":
      return { ...known, draft: draftVersionId };
    case "publishLayout":
      return { ...known, draft: null, published: versionId };
    default:
      return known;
  }
}

/**
 * Finds the initial draft of a layout. The service creates this draft together with the layout. The plan may replace
 * the draft until another run or user saves a version.
 *
 * Returns the id of the draft in the member `firstDraftId`, as in journal entries. The member is an empty text if
 * another version was saved. The member is absent if the service does not show the draft.
 */
export async function initialDraftIds(service: Service, layoutId: string): Promise<{ firstDraftId?: string }> {
  try {
    const versions = await service.listVersions({ layoutId });
    const [only] = versions;
    // A server may list versions without their status.
    if (!only || only.status === undefined) return {};
    if (versions.length > 1 || only.status !== "DRAFT") return REPLACED;
    const content = contentOf(await wholeVersion(service, layoutId, only));
    // The initial draft of the service may have any content except a stamp. A stamp marks a draft that formctl saved.
    if (readStamp(content)) return REPLACED;
    return { firstDraftId: only.id };
  } catch {
    // The layout was created, even if its versions can't be read now.
    return {};
  }
}

const REPLACED = { firstDraftId: "" };

/**
 * Returns the id of the version with the given content. Used if another run created the same layout and saved the draft
 * first. This run then continues with the version of the other run.
 *
 * @throws ServiceError 409 DRAFT_STALE if no version has this content
 */
export async function findEqualVersion(service: Service, layoutId: string, content: DraftContent): Promise<string> {
  const wanted = contentDigest(content);
  for (const listed of await service.listVersions({ layoutId })) {
    if (listed.status === "ARCHIVED") continue;
    const version = await wholeVersion(service, layoutId, listed);
    if (contentDigest(contentOf(version)) === wanted) return listed.id;
  }
  const message = "another user saved a different draft of the layout after this run created it";
  throw localRefusal(409, "DRAFT_STALE", message);
}

/**
 * Returns what the plan read of the published version: its id, or a digest. The result is a part of the mutation id. So
 * the same draft over another published version is another write.
 */
function plannedPublished({ steps, read }: PlannedResource): string | null {
  const publish = steps.map(({ request }) => request).find((request) => request.operation === "publishLayout");
  // If the plan has no publish step, or the step does not name the version, the digest of everything that the plan read
  // is used.
  return publish && publish.published !== undefined ? publish.published : read.record;
}

/**
 * @throws DraftHasWarnings if the draft has warnings
 * @throws NOT_SHOWN if the server does not report the validation
 */
async function requireNoWarnings(
  { service, validations }: StepContext,
  layoutId: string,
  versionId: string,
): Promise<void> {
  const validation = validations.get(versionId) ?? (await service.getVersion({ layoutId, versionId })).validation;
  if (!validation) throw notShown(`whether the draft ${versionId} has warnings`, "Remove --strict.");
  const warnings = diagnosticsOf(validation).filter(({ severity }) => severity === "warning");
  if (warnings.length > 0 || validation.state === "valid_with_warnings") throw new DraftHasWarnings(warnings);
}

function formPath({ address, object, formId }: PlannedResource, known: KnownIds) {
  const id = known.formId ?? formId;
  if (!object || id === undefined) throw new Error(`${address} has no form yet`);
  return { ...object, formId: id };
}

/** Returns the id of the layout. @throws NOT_SHOWN if the server does not show the layout id of a created form */
function layoutOf({ address, layoutId }: PlannedResource, known: KnownIds): string {
  const id = known.layoutId ?? layoutId;
  if (id === undefined) throw notShown(`the layout of ${address}`);
  return id;
}
