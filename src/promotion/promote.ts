/**
 * Promotes forms and layouts from one target to another in three steps:
 * - export the source in memory
 * - replace the ids of the source by the ids of the target
 * - plan and apply the result like manifests
 *
 * A form that the source lacks stays on the target, unless the request has `prune` (plan/form-steps.ts).
 */

import { toYaml } from "../documents/write-yaml.ts";
import { FormctlError } from "../base/error.ts";
import type { Manifest } from "../manifests/manifest.ts";
import {
  type ApplyRequest,
  type ApplyResult,
  type DesiredState,
  type ProjectHost,
  openProject,
  type Project,
  type ProjectOptions,
  type ProjectSetup,
} from "../project/project.ts";
import type { JsonObject } from "../schemas/json.ts";
import type { KeepRules } from "../schemas/keep-path.ts";
import type { UnmappedId } from "./ids.ts";
import { openKeeping } from "./keep.ts";
import { type Converted, convert } from "./manifests.ts";
import { missingReferences } from "./missing-references.ts";
import { withNextSteps } from "./next-steps.ts";
import { readSource, type Selection, type Side } from "./source.ts";
import { readKnowledge } from "../state/knowledge.ts";
import { invalidManifests } from "../manifests/problems.ts";

export type PromotionOptions = Pick<
  ProjectOptions,
  "root" | "cwd" | "organizationFile" | "concurrency" | "onProgress" | "onWarning"
> & {
  from: Side;
  to: Side;
  /** What is promoted. Default: everything that `from` shows. */
  selection?: Selection;
  /** What stays as it is on `to`. Default: nothing. */
  keep?: KeepRules;
};

/** The options of a promotion, with those that only other modules of formctl use. */
type PromotionSetup = PromotionOptions & Pick<ProjectSetup, "rehearse">;

export type Promotion = {
  /**
   * A project with the state of the source as its desired state. `plan`, `apply` and `status` work like those of
   * manifests.
   *
   * @throws MANIFESTS_INVALID before the target is read, for each missing field and each id without a counterpart. An
   *   id that stays unchanged, because the target may have the same id, causes no error
   * @throws USAGE for `prune` if single forms are promoted
   */
  project: Project;
  /** The manifests, with the ids of the target. */
  manifests: readonly Manifest[];
  /** The ids of the source that can't be replaced. The target has no counterpart of such an id, or several. */
  unmapped: readonly UnmappedId[];
  /** The part of the project file that would name the unmapped ids. Undefined if there is nothing to add. */
  missingReferences: JsonObject | undefined;
};

/**
 * Reads the source, and returns the promotion. Writes nothing.
 *
 * @param host the clock, files and processes that the project uses
 * @throws the errors of `readSource`
 * @throws INVALID_VALUE if a form or layout in the selection can't be promoted
 */
export async function preparePromotion(options: PromotionSetup, host: ProjectHost): Promise<Promotion> {
  const { from, to, selection = {}, keep = {}, onProgress = () => undefined } = options;
  const { onWarning = () => undefined, root, cwd, concurrency, rehearse } = options;
  const read = (done: number, total: number | undefined) => onProgress({ stage: "reading", done, total });
  read(0, undefined);
  let converted: Converted;
  const keeping = openKeeping(keep);
  try {
    const { knowledge, organization } = await readKnowledge({ host, target: to.target }, options.organizationFile);
    const reading = { concurrency: concurrency ?? from.target.concurrency, onProgress: read };
    const source = await readSource(from, selection, reading);
    converted = convert({
      source,
      from: { name: from.name, records: await from.target.records() },
      to: { name: to.name, records: await to.target.records(), knowledge },
      organization,
      keeping,
      file: `promotion of ${from.name}`,
    });
  } finally {
    onProgress({ stage: "ended" });
  }
  const { loaded, blocking, unmapped, omitted, notes } = converted;
  refuseOmitted(converted, selection);
  for (const [address, reason] of omitted) await onWarning({ message: `${address} is not promoted: ${reason}` });
  for (const [address, own] of notes) for (const note of own) await onWarning({ message: `${address}: ${note}` });

  const keys = { from: from.references?.key, to: to.references?.key };
  const missing = missingReferences(unmapped, keys);
  const desired: DesiredState = {
    async load() {
      if (blocking.length > 0) throw invalidManifests(blocking, new Map(), nextStep(unmapped, missing, options));
      return loaded;
    },
    // Some servers don't list layouts. On such a server, a layout that formctl created is found by its id in the lock
    // (`.formctl/lock.json`).
    usesLock: true,
    described() {
      if (selection.forms?.length) {
        throw new FormctlError(
          "USAGE",
          "prune deletes all other forms of an object, and single forms are promoted",
          "Promote the whole object: MODULE/OBJECT",
        );
      }
      return new Set(omitted.keys());
    },
    complete: (wanted, current) => wanted.map((each) => keeping.withCurrent(each, current)),
  };
  const own = { root, ...(cwd !== undefined && { cwd }), concurrency, rehearse, onProgress, onWarning };
  const project = withNextSteps(openProject({ ...own, target: to.target, desired }, host), { from, to });
  return { project, manifests: loaded.set.manifests, unmapped, missingReferences: missing };
}

/**
 * Makes the target equal to the selected part of the source.
 *
 * @param request the permissions, such as `allowDelete`, and the callback `confirm`, as for `Project.apply`
 * @throws the errors of `preparePromotion` and `Project.apply`
 */
export async function promote(
  { request, ...options }: PromotionSetup & { request?: Omit<ApplyRequest, "paths" | "plan"> },
  host: ProjectHost,
): Promise<ApplyResult> {
  const { project } = await preparePromotion(options, host);
  return project.apply(request);
}

/** Refuses a selection with a form or layout that can't be promoted. */
function refuseOmitted({ omitted }: Converted, { forms = [], layouts = [] }: Selection): void {
  const [first] = omitted;
  if (!first || forms.length + layouts.length === 0) return;
  const [address, reason] = first;
  throw new FormctlError(
    "INVALID_VALUE",
    `${address} can't be promoted: ${reason}`,
    "Correct it on the source, or leave it out.",
  );
}

/**
 * Returns a hint for the user: how to name the ids that have no counterpart. Undefined if all ids have a counterpart.
 */
function nextStep(
  unmapped: readonly UnmappedId[],
  missing: JsonObject | undefined,
  { from, to }: Pick<PromotionOptions, "from" | "to">,
): string | undefined {
  const isInStore =
    !to.references && unmapped.some(({ name, counterpart }) => name !== undefined && counterpart.state === "missing");
  const inStore = `Add the missing records to ${to.name}: formctl local seed FILE`;
  if (!missing) return isInStore ? inStore : undefined;
  const file = (from.references ?? to.references)?.file ?? "formctl.yaml";
  return (
    (isInStore ? `${inStore}\n` : "") +
    `Add the ids to ${file}. The API can't look up ids by name. To add these lines: --write-references\n` +
    toYaml(missing).trimEnd()
  );
}
