/** `formctl apply`: makes a place equal to manifests, or carries out a plan that was made before. */

import { placeText } from "../../config/target.ts";
import type { ApplyReport } from "../../manifests/apply/apply.ts";
import { openRuns, type Runs } from "../../manifests/apply/journal.ts";
import { recoverCreatedIds, updateLock } from "../../manifests/apply/lock-update.ts";
import { defineCommand, flag, list, option, optionalRest, wholeNumber } from "../command.ts";
import { requireConsent } from "./apply-consent.ts";
import { printApplied } from "./apply-view.ts";
import { toApplied } from "./applied.ts";
import { carryOut } from "./carry-out.ts";
import { runsFolder } from "./earlier-runs.ts";
import { type Errand, errandOf } from "./errand.ts";
import { keepOrWarn } from "./keep-or-warn.ts";
import { printPlan } from "./plan-view.ts";
import { openProjectLock } from "./project-lock.ts";

export default defineCommand({
  about: "Make forms and layouts what manifests say",
  details: `PATH is a file or a folder of manifests; without one, the folder that the project file names as manifests. PLAN is a file that
formctl plan --out has written: it is carried out as it was read, and refused where anything has changed since.

What will be done is shown and asked for; --yes consents to it, and to nothing that would be lost: a form that is deleted
(--prune) needs --allow-delete, a draft of somebody else that is overwritten --allow-replace, and a field whose values would be
cleared stands under confirmFieldChanges in the manifest.

A run that was cut off goes on when the same is applied again: nothing is done twice. What fails stops its own form or layout,
and the others go on; the exit code is 9 then, or 8 where a draft waits for consent and nothing else was done.`,
  examples: [
    "formctl apply examples/northwind/manifests --dry-run",
    "formctl apply examples/northwind/manifests/candidate.yaml --yes",
    "formctl apply plan.json --yes",
  ],
  args: { paths: optionalRest("PATH", "Files and folders of manifests, or one plan") },
  options: {
    prune: flag("--prune", "Delete forms of the same objects that no manifest names, here or beside PATH"),
    allowDelete: flag("--allow-delete", "Consent to the deletion of forms"),
    allowReplace: flag("--allow-replace", "Consent to overwriting drafts that somebody else has made"),
    target: list("--target <address>", "Only this form or layout, by its address in a plan; may be repeated"),
    noPublish: flag("--no-publish", "Save drafts, and publish none"),
    noStamp: flag("--no-stamp", "Leave no mark of this tool in the metadata of drafts"),
    strict: flag("--strict", "Stop at warnings"),
    notCreated: list("--not-created <address@time>", "What was to be created then is not there: create it"),
    concurrency: option("--concurrency <number>", "How many requests may be under way at once", wholeNumber(1, 64)),
    organizationFile: option("--organization-file <file>", "Organization file that says which fields there are"),
  },
  writes: true,
  tellsSteps: true,
  foretells: true,
  async run(context, input) {
    const { dryRun, settings } = context;
    if (dryRun) return tell(await errandOf(context, input, undefined), undefined);
    const runs = await openRuns(runsFolder(context), await context.processes());
    const told = await work(runs).catch(async (error: unknown) => {
      await runs.close().catch(() => undefined);
      throw error;
    });
    await keepOrWarn(context, "the folder of records is not put in order", () => runs.close());
    return told;

    async function work(held: Runs) {
      await recoverCreatedIds(await held.list(), (place) => openProjectLock(context, place));
      const errand = await errandOf(context, input, held);
      if (errand.plan.resources.every(({ steps }) => steps.length === 0)) {
        const keep = () => updateLock(errand.plan, [], errand.lock);
        await keepOrWarn(context, "what is in place is not kept in .formctl", keep);
        return tell(errand, undefined);
      }
      // Without a record nothing is sent, and nobody is asked.
      if (held.unwritable) throw held.unwritable;
      const { terminal, prompter } = context;
      // Whoever is asked sees what about.
      if (prompter || (settings.get("output") === "table" && !terminal.quiet))
        printPlan(errand.plan, { style: terminal.errStyle, out: (text) => terminal.err(text) });
      await requireConsent(context, errand, input);
      return tell(errand, await carryOut(context, { ...errand, runs: held }));
    }

    async function tell(errand: Errand, report: ApplyReport | undefined) {
      const applied = await toApplied(context, errand.plan, report, errand);
      return { applied, plan: errand.plan, where: placeText(context.target), sources: errand.sources };
    }
  },
  view({ applied, plan, where, sources }, terminal) {
    if (applied.outcome === "planned") printPlan(plan, terminal);
    const isObserved = plan.resources.every(({ drift }) => !Object.values(drift).includes("unobservable"));
    printApplied(applied, { where, sources, isObserved, terminal });
  },
  document: ({ applied }) => applied,
  names: ({ applied }) => applied.resources.map(({ address }) => address),
  exitCode: ({ applied }) => applied.exitCode,
});
