/** What a plan is made of: phases, steps and resources. plan.ts makes it; it is printed, sealed and carried out elsewhere. */

import type { AccessAnswer } from "../../schemas/answers.ts";
import type { Mode } from "../../schemas/words.ts";
import type { Change } from "../../schemas/content-diff.ts";
import type { DraftContent } from "../../schemas/draft.ts";
import type { Input } from "../../schemas/operations.ts";
import type { ObjectKey } from "../manifest.ts";
import type { Subject } from "../subject.ts";

/**
 * The order that satisfies every rule. Steps of one phase are independent of each other but for those of one resource;
 * a phase begins when the one before it has ended.
 *
 * - create: forms and layouts that are not there
 * - widen: name, config, activation, added types, metadata
 * - fields: drafts that stage new fields, which others may show
 * - content: drafts and their publication
 * - access: access rows and assignments
 * - defaults: who holds a default, the old holders before the new ones where that is needed
 * - narrow: removed types and deactivation, which a default forbids
 * - narrowContent: drafts of forms that were narrowed, which are checked for the modes that are left
 * - loseFields: drafts that stage the end of fields, which others showed until now
 * - delete: what is pruned
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

/** One request, or one that depends on the answer of an earlier step of the same resource. */
export type StepRequest =
  | { operation: "createForm"; object: ObjectKey; body: Input<"createForm">["body"] }
  | { operation: "updateForm"; body: Input<"updateForm">["body"] }
  | { operation: "createLayout"; body: Omit<Input<"createLayout">["body"], "clientMutationId"> }
  | { operation: "updateLayout"; body: Input<"updateLayout">["body"] }
  /** `replaces` is the draft that was there, null for none, undefined where the server does not tell. */
  | { operation: "saveDraft"; content: DraftContent; replaces: string | null | undefined }
  /** `draft` is the draft that is there already; absent: the one that this resource's `saveDraft` has made. `published` as `replaces`. */
  | {
      operation: "publishLayout";
      draft?: string;
      confirmFieldChanges: readonly string[];
      published: string | null | undefined;
    }
  | { operation: "replaceFormAccess"; body: AccessAnswer }
  | { operation: "replaceAssignments"; organizationDefault: boolean; roles: { roleId: string; priority: number }[] }
  /** The modes for which this form becomes the default, and those that it gives up without a successor. */
  | { operation: "updateFormDefaults"; take: readonly Mode[]; leave: readonly Mode[] }
  | { operation: "deleteForm" };

/**
 * Digests of what a step overwrites, by aspect: `config`, `types`, `access`, `defaultFor.VIEW` … What a server does not show is
 * not among them.
 */
export type Replaced = Readonly<Record<string, string>>;

export type PlannedStep = {
  phase: Phase;
  request: StepRequest;
  /** What was read of that which it overwrites; drafts and publications say so in their requests. */
  replaces?: Replaced;
};

/** A consent that `--yes` does not give. */
export type Need =
  | { consent: "allow-delete"; what: string; lost: readonly string[] }
  | { consent: "allow-replace"; what: string; lost: readonly string[] };

/**
 * An aspect as it is wanted and as it is: the same, or changed since the last apply or export in the manifest (`here`), on
 * the server (`there`) or on both sides. `differs`: neither stamp nor lock tells who changed it; `missing`: the record is
 * not there; `unobservable`: the server does not show it.
 */
export type Drift = "same" | "here" | "there" | "both" | "differs" | "missing" | "unobservable";

export type PlannedResource = {
  address: string;
  kind: "Form" | "Layout";
  action: "create" | "update" | "delete" | "none";
  object?: ObjectKey;
  formId?: string;
  layoutId?: string;
  /** Where the manifest stands. */
  place?: { file: string; line: number };
  /** Field by field: `types`, `config.title`, `access.roles`, `layout.blocks[3].grid`. */
  changes: readonly Change[];
  /** What follows from a rule: "role Recruiter loses EDIT", "CREATE becomes DRAFT_ONLY until the next publish". */
  effects: readonly string[];
  /** What can't be observed, what somebody else has changed since our last apply. */
  notes: readonly string[];
  needs: readonly Need[];
  /** What was read for it. */
  subject: Subject;
  /** A digest of everything that was read of it: a plan whose digests do not hold any more is stale. */
  read: string;
  /** Who has moved since the last apply or export, by managed aspect (`types`, `access`, `content` …). */
  drift: Readonly<Record<string, Drift>>;
  steps: readonly PlannedStep[];
  /** What the lock will hold of it when all steps have landed. */
  base: Readonly<Record<string, string>>;
};

export type Plan = { resources: readonly PlannedResource[] };

/** What is written into the metadata of drafts so that our own publishes are told from others'; undefined: nothing. */
export type Stamping = { ref?: string } | undefined;
