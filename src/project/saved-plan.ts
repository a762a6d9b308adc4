/**
 * Saves a plan, and makes it again when it is applied. A saved plan is stale if the target has changed. The manifests
 * are not read again: their changes have no effect.
 */

import { FormctlError } from "../base/error.ts";
import { sha256 } from "../base/sha256.ts";
import { atManifestLines, stalePlan } from "../apply/failures.ts";
import { recoverCreatedIds } from "../apply/lock-update.ts";
import { type RecordedRun, recordedWrites, unfinishedRuns } from "../apply/recorded-runs.ts";
import type { StepOutcome } from "../apply/step-runner.ts";
import { digestOf } from "../contents/compare.ts";
import { readCurrent } from "../state/read.ts";
import { knownLayouts, layoutsWithoutContent, type Lock } from "../state/lock.ts";
import { planChanges } from "../plan/plan.ts";
import { openManifest, openPlan, type PlanFile, sealManifest, sealPlan } from "../plan/plan-file.ts";
import { remainingSteps, type Shown, shownResource, type Written } from "../plan/shown-steps.ts";
import { openProjectLock, type ProjectContext, keepingOwners } from "./context.ts";
import type { Job, JobRequest } from "./job.ts";
import type { MadePlan, PlanChoices } from "./make-plan.ts";
import { fieldLookup, targetText } from "../state/target.ts";
import { addressesOf } from "../manifests/manifest.ts";

/** Returns the text of a plan file. */
export function savePlan({ target: { origin } }: ProjectContext, made: MadePlan): string {
  const { plan, set, target, inputs } = made;
  const { lock, wanted, renames, unreadFileOf, publish, stamp } = inputs;
  const changed = new Set(plan.resources.flatMap(({ address, steps }) => (steps.length > 0 ? [address] : [])));
  const manifests = wanted.filter(({ address }) => changed.has(address));
  const entries = manifests.flatMap(addressesOf).flatMap((address) => {
    const entry = lock?.get(address);
    return entry ? [[address, entry] as const] : [];
  });
  const deleted = plan.resources.flatMap(({ action, address, object, formId }) => {
    const unreadFile = unreadFileOf?.(address, formId ?? "");
    return action === "delete"
      ? [{ object: object!, formId: formId!, ...(unreadFile !== undefined && { unreadFile }) }]
      : [];
  });
  const likely = [...(renames ?? [])].filter(([address]) => changed.has(address));
  return sealPlan({
    target,
    origin,
    files: Object.fromEntries(set.files.map((file) => [file, digestOf(set.sources.get(file) ?? "")])),
    manifests: manifests.map(sealManifest),
    lock: Object.fromEntries(entries),
    deleted,
    renames: Object.fromEntries(likely.map(([address, { from, alike }]) => [address, { from, alike }])),
    publish,
    ...(stamp && { stamp }),
    shown: Object.fromEntries(plan.resources.map((resource) => [resource.address, shownResource(resource)])),
  });
}

type SavedOptions = { text: string; request: JobRequest; runs: readonly RecordedRun[] };

/**
 * Opens a saved plan, and makes it again from the current state.
 *
 * @throws PLAN_UNUSABLE, PLAN_STALE, OBJECT_MISSING, AMBIGUOUS_NAME
 * @throws USAGE if the plan was created for another target
 * @throws USAGE for options that can't be used with a saved plan
 */
export async function savedJob(context: ProjectContext, { text, request, runs }: SavedOptions): Promise<Job> {
  const file = openPlan(text);
  refuseChoices(request, context);
  const target = await context.target.key();
  if (target !== file.target) {
    throw new FormctlError(
      "USAGE",
      `the plan was created for ${targetText(file.target)}, and the current target is ${targetText(target)}`,
      "Specify the target with --profile, --store or --organization.",
    );
  }
  const service = await context.target.service();
  const shown: Shown = new Map(Object.entries(file.shown));
  const ofTarget = runs.filter((run) => run.target === target);
  const digest = sha256(text);
  const addresses = new Set([...shown].flatMap(([address, { steps }]) => (steps.length > 0 ? [address] : [])));
  const begun = unfinishedRuns(ofTarget, { plan: digest, addresses });
  const written = begun.length === 0 ? undefined : recordedWrites(begun);

  const wanted = file.manifests.map(openManifest);
  const opened = await openProjectLock(context, target, { files: [], manifests: wanted });
  // A plan without files comes from a desired state that was computed.
  const lock = Object.keys(file.files).length === 0 ? keepingOwners(opened) : opened;
  await recoverCreatedIds(ofTarget, async () => ({ ...lock, save: async () => undefined }));
  const plan = await planAgain(context, file, { wanted, lock });
  const left = remainingSteps(plan, shown, written);
  if (left.stale.length > 0) throw stalePlan(left.stale.map((address) => ({ address, ...shown.get(address) })));

  const inPlan = new Set(left.plan.resources.map(({ address }) => address));
  const others = [...shown].filter(([address]) => !inPlan.has(address));
  for (const [address, { action }] of others) if (action === "delete") lock.set(address, null);
  const resources = left.plan.resources.map((each) => ({ ...each, action: shown.get(each.address)!.action }));
  return {
    plan: { resources },
    others: others.map(([address, { action }]) => ({ address, action })),
    doneBefore: [...shown].flatMap(([address, { steps }]) => {
      const open =
        resources.find((each) => each.address === address)?.steps.map((step) => step.request.operation) ?? [];
      return doneSteps(address, { shown: steps, left: open, written: written?.get(address) });
    }),
    digest,
    target,
    service,
    lock,
    problems: [],
    notRun: [],
    manifests: [],
    sources: new Map(),
  };
}

/** Makes the plan of a file from the current state. */
async function planAgain(
  context: ProjectContext,
  file: PlanFile,
  { wanted, lock }: { wanted: ReturnType<typeof openManifest>[]; lock: Lock },
) {
  const { deleted, publish, stamp } = file;
  const { target, concurrency } = context;
  const sealed = new Map(Object.entries(file.lock));
  // Earlier runs of the plan may have created records. Their ids are in the lock.
  const idsOnly = (address: string) => {
    const entry = lock.get(address);
    return entry && { ...entry, base: {} };
  };
  const known = { ...lock, get: (address: string) => sealed.get(address) ?? idsOnly(address) };
  const current = await readCurrent({
    service: await target.service(),
    wanted,
    objects: deleted.map(({ object }) => object),
    known: knownLayouts(known, wanted),
    withoutContent: layoutsWithoutContent(known, wanted),
    concurrency,
    byName: deleted.length > 0 ? undefined : () => [],
    publish,
  }).catch((error: unknown) => {
    const locatable = wanted.map((each) => ({ ...each, object: each.kind === "Form" ? each.object : undefined }));
    throw atManifestLines(error, locatable, new Map());
  });
  const unreadFiles = new Map(deleted.map(({ formId, unreadFile }) => [formId, unreadFile]));
  return planChanges({
    wanted,
    current,
    lock: known,
    prune: new Set(unreadFiles.keys()),
    renames: new Map(
      wanted.flatMap((each) => {
        const rename = Object.hasOwn(file.renames, each.address) ? file.renames[each.address] : undefined;
        return rename ? [[each.address, { ...rename, wanted: each }]] : [];
      }),
    ),
    unreadFileOf: (_address, formId) => unreadFiles.get(formId),
    targets: [],
    publish,
    stamp,
    nameOf: (await target.references()).nameOf,
    fieldsOf: await fieldLookup(target, wanted),
  });
}

/** Returns the outcomes of the shown steps that are not left. */
function doneSteps(
  resource: string,
  steps: { shown: readonly { operation: string }[]; left: string[]; written: Written | undefined },
): StepOutcome[] {
  const left = [...steps.left];
  const done = steps.shown.filter(({ operation }) => {
    const index = left.indexOf(operation);
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  });
  return done.map(({ operation }, index): StepOutcome => {
    const ids = steps.written?.steps.findLast((each) => each.operation === operation)?.ids ?? {};
    return { resource, step: index - done.length, operation, status: "done", ids, doneBefore: true };
  });
}

/** Refuses options that would result in another plan. A saved plan keeps the options of its creation. */
function refuseChoices(
  { prune = false, targets = [], publish = true, stamp = true }: PlanChoices,
  { organizationFile }: ProjectContext,
): void {
  const choices = {
    "--prune": prune,
    "--target": targets.length > 0,
    "--no-publish": !publish,
    "--no-stamp": !stamp,
    "--organization-file": organizationFile !== undefined,
  };
  const [chosen] = Object.entries(choices).filter(([, isChosen]) => isChosen);
  if (chosen) {
    throw new FormctlError(
      "USAGE",
      `${chosen[0]} can't be used with a saved plan`,
      "Create a new plan and review it: formctl plan --out FILE",
    );
  }
}
