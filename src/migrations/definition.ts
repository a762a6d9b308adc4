/**
 * Defines a migration. A transform computes new contents of layouts and forms from the current contents. A script calls
 * operations of the API step by step.
 */

import type { DraftContent } from "../schemas/draft.ts";
import type { Json, JsonObject } from "../schemas/json.ts";
import type { Surface, Target } from "../schemas/layout.ts";
import type {
  LayoutInput,
  PublishLayoutBody,
  ReplaceAssignmentsBody,
  RestoreDraftBody,
  SaveDraftBody,
  VersionInput,
} from "../schemas/requests.ts";
import type { ModeWord } from "../schemas/words.ts";
import type { ObjectKey } from "../lists/addresses.ts";
import type { Service } from "../service.ts";

/**
 * Selects layouts and forms. A resource must match every member that is present. Without members, all resources match.
 */
export type Match = {
  /** Objects, such as `staffing/candidate`. Selects only the forms of these objects. */
  objects?: readonly string[];
  surfaces?: readonly Surface[];
  /** The names of forms. */
  forms?: readonly string[];
  /** The names of layouts that no form owns. */
  layouts?: readonly string[];
  /** The key of a field that the layout shows. */
  showsField?: string;
  /** The type of a block that the layout contains. */
  blockType?: string;
};

/** The form or layout that a transform is called for. */
export type About = {
  kind: "Form" | "Layout";
  /** The address in plans, such as `staffing/candidate/Intake`. */
  address: string;
  name: string;
  surface: Surface;
  modes: readonly ModeWord[];
  /** Present for the layout of a form. */
  object?: ObjectKey;
  formId?: string;
  /** Present for a layout that no form owns. */
  target?: Target;
  /** Absent in `formctl codemod`, like `formId`: files contain no ids of forms and layouts. */
  layoutId?: string;
};

/**
 * The members of a form that a transform can change: the members of a `Form` manifest without these:
 *
 * - `layout`
 * - `kind`, `object` and `renamedFrom`, which identify the form
 * - `publish` and `confirmFieldChanges`, which control an apply
 */
export type FormMembers = JsonObject & { name: string; types: ModeWord[] };

/**
 * Computes new contents. The functions are pure. A function gets a copy, which it may change, and returns the desired
 * content. It returns null to leave the resource unchanged; undefined, as after a forgotten `return`, is refused.
 */
export type Transform = {
  match?: Match;
  layout?(content: DraftContent, about: About): DraftContent | null;
  form?(form: FormMembers, about: About): FormMembers | null;
  /** Confirms staged field changes that clear values or change types. Contains the draft ids of these changes. */
  confirmFieldChanges?: readonly string[];
  /**
   * What happens with a published layout whose draft has another content:
   *
   * - `leave`: the layout is left out. With `--allow-replace`, the draft is lost
   * - `rebase`: the changed layout is published, and then the draft, changed in the same way, is saved again
   * - `publish`: the draft is changed and published. If only the draft changes, it stays unpublished
   *
   * Default: `leave`.
   */
  drafts?: DraftHandling;
};

/** The values of `drafts` of a transform. */
export const DRAFT_HANDLINGS = ["leave", "rebase", "publish"] as const;
export type DraftHandling = (typeof DRAFT_HANDLINGS)[number];

/** A body without the need of a clientMutationId. */
export type ScriptBody<B> = Omit<B, "clientMutationId"> & { clientMutationId?: string | undefined };

/** The input of {@link ScriptService.saveDraft}. */
export type ScriptSaveDraftInput = LayoutInput & { body: ScriptBody<SaveDraftBody> };

/** The input of {@link ScriptService.publishLayout}. */
export type ScriptPublishLayoutInput = LayoutInput & { body: ScriptBody<PublishLayoutBody> };

/** The input of {@link ScriptService.restoreDraft}. */
export type ScriptRestoreDraftInput = VersionInput & { body: ScriptBody<RestoreDraftBody> };

/** The input of {@link ScriptService.replaceAssignments}. */
export type ScriptReplaceAssignmentsInput = LayoutInput & { body: ScriptBody<ReplaceAssignmentsBody> };

/** The inputs that differ from those of a service, by the operation. */
export type ScriptInputs = {
  saveDraft: ScriptSaveDraftInput;
  publishLayout: ScriptPublishLayoutInput;
  restoreDraft: ScriptRestoreDraftInput;
  replaceAssignments: ScriptReplaceAssignmentsInput;
};

/**
 * The operations of the API, as a script calls them. Each write gets a clientMutationId or an idempotency key. If the
 * migration continues after an interruption, the write gets the same id or key. The service therefore carries out the
 * write once. A clientMutationId in the input is replaced. A script can pass this object to functions that take a
 * `Service`.
 */
export type ScriptService = {
  [N in keyof Service]: (
    input: N extends keyof ScriptInputs ? ScriptInputs[N] : Parameters<Service[N]>[0],
  ) => ReturnType<Service[N]>;
};

/**
 * Runs `work` once, and records its answer. If the migration runs again, returns the recorded answer without running
 * `work`. The name identifies the step in the record, and must be unique in the migration. Steps can run concurrently,
 * but a step can't contain another step. A failed step is not recorded, and ends the migration even if the migration
 * catches the error. Catch an expected error in `work`.
 *
 * @param work calls operations, and awaits its writes. In a step, a deletion must not follow another write. After an
 *   interruption, the whole step runs again. The service recognizes no repeated write to a deleted form or layout
 * @returns the answer as JSON: undefined becomes null, and undefined members are left out
 * @throws MIGRATION_INVALID if the name is used twice, or the step is inside another step
 * @throws MIGRATION_INVALID if JSON can't represent the answer, or the answer has more than 64 KiB
 * @throws what `work` throws
 */
export type Step = <T>(name: string, work: () => Promise<T>) => Promise<T>;

/** Calls operations of the API. A write outside of a step is refused. */
export type Script = {
  run(service: ScriptService, step: Step): Promise<void>;
  /**
   * Reverses `run`. Absent if the script can't be reversed.
   *
   * @param answers the recorded answers of the steps of `run`, by the name of the step
   */
  down?(service: ScriptService, step: Step, answers: Readonly<Record<string, Json>>): Promise<void>;
};

export type Migration = Transform | Script;

/**
 * A migration with the members of its definition. Its functions have all parameters, also those that the definition
 * leaves out, so that a test can call them.
 */
export type Defined<M> = {
  [K in keyof M]: K extends keyof Required<Transform>
    ? Required<Transform>[K]
    : K extends keyof Required<Script>
      ? Required<Script>[K]
      : M[K];
};

/**
 * Returns the migration unchanged, so that an editor knows its type: `export default defineMigration({ … })`.
 *
 * ```ts
 * const migration = defineMigration({ layout: (content) => removeBlocks(content, { type: "notes" }) });
 * const changed = migration.layout(content, about);
 * ```
 */
export function defineMigration<M extends Migration>(migration: M): Defined<M> {
  return migration as Defined<M>;
}

export function isScript(migration: Migration): migration is Script {
  return "run" in migration;
}
