/** Defines a plan: its phases, steps and resources. plan.ts creates a plan, and apply/ applies it. */

import { FormctlError } from "../base/error.ts";
import { contentDigest, isInitialDraft, lossOf, sameContent } from "../contents/compare.ts";
import { lossSentence } from "../base/losses.ts";
import type { AccessAnswer } from "../schemas/answers.ts";
import type { Change } from "../schemas/content-diff.ts";
import type { DraftContent } from "../schemas/draft.ts";
import type { Input } from "../schemas/operations.ts";
import { targetKey } from "../schemas/target-key.ts";
import type { Mode } from "../schemas/words.ts";
import type { Subject } from "../state/state.ts";
import { objectText, type ObjectKey } from "../lists/addresses.ts";

/**
 * The phases, in the order in which they run. The order satisfies all rules of the service. Within a phase, only steps
 * of the same resource depend on each other.
 *
 * - `create`: Creates forms and layouts.
 * - `widen`: Updates name, config, metadata and `isPublic`. Activates forms. Adds modes.
 * - `fields`: Saves and publishes drafts that create fields. Other drafts may show these fields.
 * - `content`: Saves and publishes other drafts.
 * - `access`: Replaces access rows. Also replaces assignments, unless `orderAssignments` chooses another phase.
 * - `defaults`: Sets and clears defaults.
 * - `narrow`: Removes modes and deactivates forms. The service refuses both while the form is a default.
 * - `narrowContent`: Saves and publishes drafts of resources that lost modes. The service checks a draft for all modes
 *   that its layout still has.
 * - `loseFields`: Saves and publishes drafts that delete fields. After the earlier phases, other layouts no longer show
 *   these fields. Also saves and publishes drafts that show a field that another resource creates late
 *   (`waitForFields`).
 * - `delete`: Deletes forms without a manifest.
 */
export const PHASES = [
  "create",
  "widen",
  "fields",
  "content",
  "access",
  "defaults",
  "narrow",
  "narrowContent",
  "loseFields",
  "delete",
] as const;
export type Phase = (typeof PHASES)[number];

/** Digests of values, by aspect. An aspect is a part that is compared as a whole, such as `types` or `access`. */
export type Digests = Readonly<Record<string, string>>;

/** The id of a version that was read. Null if no version existed. Undefined if the server does not show the version. */
export type VersionRead = string | null | undefined;
/** The roles whose members see a layout, and whether the layout is the default of the organization. */
export type Assignments = { organizationDefault: boolean; roles: { roleId: string; priority: number }[] };

/**
 * One request. The request lacks the ids that earlier steps of the resource create. Apply adds these ids when it sends
 * the request.
 */
export type StepRequest =
  | { operation: "createForm"; object: ObjectKey; body: Input<"createForm">["body"] }
  | { operation: "updateForm"; body: Input<"updateForm">["body"] }
  | { operation: "createLayout"; body: Omit<Input<"createLayout">["body"], "clientMutationId"> }
  | { operation: "updateLayout"; body: Input<"updateLayout">["body"] }
  /**
   * `replaces`: the id of the draft that was read. `isRebase`: the step saves the draft again that an earlier step
   * replaced. This draft stays unpublished.
   */
  | { operation: "saveDraft"; content: DraftContent; replaces?: VersionRead; isRebase?: true }
  /**
   * `draft`: the id of the existing draft. Absent if an earlier step of this resource saves the draft. `published`: the
   * id of the published version that was read.
   */
  | { operation: "publishLayout"; draft?: string; confirmFieldChanges: readonly string[]; published?: VersionRead }
  | { operation: "replaceFormAccess"; body: AccessAnswer }
  | ({ operation: "replaceAssignments" } & Assignments)
  /** `take`: the modes for which the form becomes the default. `leave`: the modes without a default after this step. */
  | { operation: "updateFormDefaults"; take: readonly Mode[]; leave: readonly Mode[] }
  | { operation: "deleteForm" };

/** The operations of the requests of a plan. */
export type StepOperation =
  | "createForm"
  | "updateForm"
  | "createLayout"
  | "updateLayout"
  | "saveDraft"
  | "publishLayout"
  | "replaceFormAccess"
  | "replaceAssignments"
  | "updateFormDefaults"
  | "deleteForm";

export const CONTENT_OPERATIONS: ReadonlySet<StepRequest["operation"]> = new Set(["saveDraft", "publishLayout"]);

/** Whether a step saves the draft again that an earlier step replaced. */
export function isRebase({ request }: PlannedStep): boolean {
  return request.operation === "saveDraft" && request.isRebase === true;
}

/** Whether a request saves the content that a manifest describes. */
export function savesContent(request: StepRequest): request is StepRequest & { operation: "saveDraft" } {
  return request.operation === "saveDraft" && !request.isRebase;
}

export interface StepOutline {
  phase: Phase;
  request: { operation: StepOperation };
}

export interface PlannedStep extends StepOutline {
  /** @internal */
  request: StepRequest;
  /**
   * Digests of what the step overwrites, by aspect. An aspect that the server does not show has no digest. Also
   * contains the access rows that a service removes with a mode.
   * @internal
   */
  replaces: Digests;
  /** Digests of what the step writes, by aspect. @internal */
  writes: Digests;
}

/** A confirmation with its own option. The option --yes does not include this confirmation. `lost` lists the losses. */
export type Need = {
  consent: "allow-delete" | "allow-replace" | "allow-answers";
  what: string;
  lost: readonly string[];
};

/**
 * Returns the confirmation that is required to overwrite a draft of another user. Returns undefined if the draft
 * contains no change that could be lost: the draft is the initial draft, or it equals the new or the published content.
 *
 * @param wanted the new content of the draft; undefined if it is unknown
 * @param origin what did not create the draft, such as `which these manifests did not create`
 */
export function overwriteNeed(
  draft: { id: string; content: DraftContent },
  {
    wanted,
    published,
    origin,
  }: { wanted: DraftContent | undefined; published: DraftContent | undefined; origin: string },
): Need | undefined {
  const { id, content } = draft;
  if (isInitialDraft(draft, published ?? null) || (wanted && sameContent(wanted, content))) return undefined;
  if (published && contentDigest(content) === contentDigest(published)) return undefined;
  return {
    consent: "allow-replace",
    what: `overwrite the unpublished draft ${id}, ${origin}`,
    lost: [`the draft ${id}: ${lossOf(content, published)}`],
  };
}

/** Asks `confirm` to approve a proposal. Without `confirm`, requires that it has no needs. @throws CONSENT_MISSING */
export async function requireConfirmation<P extends { needs: readonly Need[] }>(
  proposal: P,
  confirm: ((proposal: P) => boolean | Promise<boolean>) | undefined,
): Promise<void> {
  if (!confirm) return requireNoNeeds(proposal.needs);
  if (!(await confirm(proposal))) throw new FormctlError("CONSENT_MISSING", "cancelled");
}

/**
 * Throws if there are needs. The message contains all losses and all missing flags at once.
 *
 * @throws CONSENT_MISSING
 */
export function requireNoNeeds(needs: readonly Need[]): void {
  if (needs.length === 0) return;
  const facts = needs.map(({ what, lost }) => `${what}.${lossSentence(lost)}`);
  const flags = [...new Set(needs.map(({ consent }) => `--${consent}`))];
  const hint = `To confirm, add ${flags.join(" and ")}.`;
  throw new FormctlError("CONSENT_MISSING", `confirmation required: ${facts.join(" ")}`, hint);
}

/**
 * How the manifest and the target differ in an aspect:
 *
 * - `same`: no difference
 * - `files`: the manifest has changed since the last apply or export
 * - `target`: the target has changed since then
 * - `both`: the manifest and the target have changed since then
 * - `differs`: there is a difference, and neither the lock nor a stamp shows which side has changed
 * - `missing`: the record or the content does not exist
 * - `unobservable`: the server does not show the aspect
 */
export type Drift = "same" | "files" | "target" | "both" | "differs" | "missing" | "unobservable";

export type PlannedResource = {
  address: string;
  kind: "Form" | "Layout";
  action: "create" | "update" | "delete" | "none";
  object?: ObjectKey;
  formId?: string;
  layoutId?: string;
  /** The file and line of the manifest. */
  place?: { file: string; line: number };
  /** The changes of the steps, with paths such as `types`, `access.roles.Recruiter`, `layout.blocks[3].grid`. */
  changes: readonly Change[];
  /** Texts about the consequences of the steps: "role Recruiter loses EDIT". */
  effects: readonly string[];
  /** Texts with further facts. Examples: the server does not show an aspect, or another user has made a change. */
  notes: readonly string[];
  needs: readonly Need[];
  /** States what was read from the target. @internal */
  subject: Subject;
  /** @internal */
  read: ReadState;
  drift: Readonly<Record<string, Drift>>;
  /** The digest of the content from which a migration computed the desired content: see manifest.ts. @internal */
  computedFrom?: string;
  steps: readonly PlannedStep[];
  /** The base of the resource in the lock after all steps are applied. @internal */
  base: Digests;
};

/** Digests of everything that was read of a resource. A saved plan is stale if they differ when it is applied. */
export type ReadState = {
  /** The record with its access and content. */
  record: string;
  /** The defaults of the object or page. Steps for other resources of the plan may change them. */
  defaults: string;
};

export type Plan = { resources: readonly PlannedResource[] };

/** Returns a text for the owner of the fields of a resource. The owner is an object, or a surface with a scope. */
export function fieldsOwner({ object, subject }: PlannedResource): string {
  if (object) return objectText(object);
  if (subject.kind === "Form") return objectText(subject.object);
  const { surface, target } = subject;
  const { moduleKey, objectKey, scopeId } = target;
  return moduleKey && objectKey ? objectText({ moduleKey, objectKey }) : `${surface} ${targetKey({ scopeId })}`;
}

/** What the stamps of a plan contain. Undefined if drafts are not stamped. */
export type Stamping = { ref?: string } | undefined;

/**
 * The parts of a resource during its planning. The functions for record, content, access and defaults add to these
 * parts.
 */
export type Parts = {
  changes: PlannedResource["changes"];
  effects: string[];
  notes: string[];
  needs: Need[];
  steps: PlannedStep[];
  drift: Record<string, Drift>;
  base: Record<string, string>;
};

export function newParts(): Parts {
  return { changes: [], effects: [], notes: [], needs: [], steps: [], drift: {}, base: {} };
}

/** @param aspects digests of what the step overwrites and writes: see `PlannedStep` */
export function addStep(
  parts: Parts,
  phase: Phase,
  request: StepRequest,
  aspects: Pick<PlannedStep, "replaces" | "writes">,
): void {
  parts.steps.push({ phase, request, ...aspects });
}

/**
 * The states of a resource as a whole:
 *
 * - `in sync`: nothing differs
 * - `changed in files`: the manifest has changed since the last apply or export
 * - `changed on target`: the resource has changed on the target since then
 * - `conflict`: the manifest and the resource on the target have changed since then
 * - `differs`: neither the lock nor a stamp shows which side has changed
 * - `missing`: the resource does not exist
 * - `unobservable`: the server shows only some aspects, and all shown aspects are in sync
 */
export const STATES = [
  "in sync",
  "changed in files",
  "changed on target",
  "conflict",
  "differs",
  "missing",
  "unobservable",
] as const;
export type State = (typeof STATES)[number];

export function stateOf({ action, drift, steps }: Pick<PlannedResource, "action" | "drift" | "steps">): State {
  if (action === "create") return "missing";
  const drifts = new Set(Object.values(drift));
  // The manifest adds a record or content that the target lacks. So this counts as a change in the files, even if it was
  // deleted on the target.
  const inFiles = drifts.has("files") || drifts.has("missing");
  const onTarget = drifts.has("target");
  if (drifts.has("both") || (inFiles && onTarget)) return "conflict";
  if (drifts.has("differs")) return "differs";
  if (onTarget) return "changed on target";
  if (inFiles) return "changed in files";
  // All aspects are in sync, but the published version does not serve all desired modes.
  if (steps.length > 0) return "differs";
  return drifts.has("unobservable") ? "unobservable" : "in sync";
}

/** Whether the resource differs from its manifest, as far as the server shows it. */
export function isDrifted(state: State): boolean {
  return state !== "in sync" && state !== "unobservable";
}
