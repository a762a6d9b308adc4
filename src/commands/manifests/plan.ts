/** `formctl plan`: what it takes to make a place equal to manifests, and nothing is done. */

import { dirname, resolve } from "node:path";
import { FormctlError } from "../../error.ts";
import { refuseLeadingOut } from "../../disk/inside.ts";
import { placeText } from "../../config/target.ts";
import type { PlannedResource } from "../../manifests/plan/planned.ts";
import { requirePlanFile, sealPlan, writePlanFile } from "../../manifests/plan/plan-file.ts";
import { digestOf } from "../../manifests/content/compare.ts";
import { renderDiagnostics } from "../../terminal/diagnostics.ts";
import { quoted } from "../addresses.ts";
import { defineCommand, flag, list, option, optionalRest, wholeNumber } from "../command.ts";
import { type Choices, chosenWords, consentWords } from "./chosen-words.ts";
import { planMarkdown } from "./plan-markdown.ts";
import { isPending, summaryOf } from "./plan-summary.ts";
import { printPlan } from "./plan-view.ts";
import { preparePlan } from "./prepare-plan.ts";
import { refreshBases } from "./refresh-bases.ts";

const FORMATS = ["text", "markdown"] as const;
type Format = (typeof FORMATS)[number];

export default defineCommand({
  about: "Show what would change to make forms and layouts what manifests say",
  details: `PATH is a file or a folder of manifests; without one, the folder that the project file names as manifests. Everything
that exists is read, and nothing there is written; .formctl/lock.json learns what is in sync. Each form and layout that would
change is shown with its fields and blocks, with what follows from a rule (! lines), with what can't be observed or was changed
by somebody else (i lines), and with the flags that apply would need beside --yes (? lines).

--out seals the plan into a file for formctl apply, which refuses it if anything has changed by then. The exit code is 0, or
with --detailed-exitcode 2 where something would change.`,
  examples: [
    "formctl plan examples/northwind/manifests",
    "formctl plan examples/northwind/manifests --detailed-exitcode --format markdown",
    "formctl plan examples/northwind/manifests --out plan.json",
  ],
  args: { paths: optionalRest("PATH", "Files and folders of manifests") },
  options: {
    out: option("--out <file>", "Write the plan into this file, for apply"),
    format: option("--format <format>", `How it is told: ${FORMATS.join(" or ")}`, parseFormat),
    detailedExitcode: flag("--detailed-exitcode", "Exit code 2 where changes are pending"),
    prune: flag("--prune", "Delete forms of the same objects that no manifest names, here or beside PATH"),
    target: list("--target <address>", "Only this form or layout, by its address in a plan; may be repeated"),
    noPublish: flag("--no-publish", "Save drafts, and publish none"),
    noStamp: flag("--no-stamp", "Leave no mark of this tool in the metadata of drafts"),
    strict: flag("--strict", "Stop at warnings"),
    concurrency: option("--concurrency <number>", "How many requests may be under way at once", wholeNumber(1, 64)),
    organizationFile: option("--organization-file <file>", "Organization file that says which fields there are"),
  },
  async run(context, input) {
    const { paths, out, format = "text", detailedExitcode, noPublish, noStamp, target, ...rest } = input;
    const output = context.settings.get("output") ?? "table";
    if (format !== "text" && output !== "table") {
      throw new FormctlError(
        "USAGE",
        `--format ${format} and -o ${output} contradict each other`,
        "Leave one of them out.",
      );
    }
    const outPath = out === undefined ? undefined : resolve(context.cwd, out);
    if (outPath !== undefined) {
      refuseLeadingOut(dirname(outPath), context.settings.root);
      await requirePlanFile(outPath);
    }
    const request = { ...rest, paths, targets: target, publish: !noPublish, stamp: !noStamp };
    const { plan, set, problems, notRun, inDoubt, place, origin, lock } = await preparePlan(context, request);
    if (!noPublish) await refreshBases(plan, lock);
    if (outPath !== undefined) {
      const files = Object.fromEntries(set.files.map((file) => [file, digestOf(set.sources.get(file) ?? "")]));
      await writePlanFile(outPath, sealPlan({ version: 1, place, origin, files, plan }));
    }
    const summary = summaryOf(plan);
    const exitCode = detailedExitcode && isPending(summary) ? 2 : 0;
    const where = placeText(context.target);
    return { plan, place, where, summary, exitCode, format, problems, notRun, inDoubt, sources: set.sources };
  },
  view({ plan, where, format, problems, notRun, sources }, terminal) {
    terminal.err(renderDiagnostics(problems, sources, terminal.errStyle));
    if (format === "markdown") terminal.out(planMarkdown(plan, where));
    else printPlan(plan, terminal);
    terminal.hint(`Compared with ${where}.`);
    for (const check of notRun) terminal.hint(`Not checked: ${check}.`);
  },
  document: ({ plan, place, summary, exitCode, problems, notRun }) => ({
    exitCode,
    place,
    summary,
    resources: plan.resources.map(toDocument),
    problems,
    notRun,
  }),
  names: ({ plan }) => plan.resources.filter(({ action }) => action !== "none").map(({ address }) => address),
  next: ({ plan, summary, format, inDoubt }, input) => {
    if (!isPending(summary) || format !== "text") return [];
    const apply = ["formctl apply", ...applyWords(input), ...consentWords(plan)].join(" ");
    if (inDoubt.length === 0) return [apply];
    const answers = inDoubt.map((answer) => ` --not-created ${quoted(answer)}`).join("");
    return [
      "formctl export LAYOUT_ID --into FOLDER  # for a layout that is there though its creation was not answered",
      `${apply}${answers}  # once it is known that none is`,
    ];
  },
  exitCode: ({ exitCode }) => exitCode,
});

/** Contents stay in the sealed plan: here is what they change. */
function toDocument({ address, kind, action, object, formId, layoutId, place, steps, ...rest }: PlannedResource) {
  const { changes, effects, notes, needs, drift } = rest;
  return {
    address,
    kind,
    action,
    object,
    formId,
    layoutId,
    ...place,
    changes,
    effects,
    notes,
    needs,
    drift,
    steps: steps.map(({ phase, request }) => ({ phase, operation: request.operation })),
  };
}

/** The same choices, or the plan that was made with them. */
function applyWords({ out, ...choices }: Choices & { out: string | undefined; strict: boolean }): string[] {
  if (out === undefined) return chosenWords(choices);
  return [quoted(out), ...(choices.strict ? ["--strict"] : [])];
}

function parseFormat(text: string): Format {
  const found = FORMATS.find((format) => format === text);
  if (found) return found;
  throw new FormctlError("USAGE", `must be one of ${FORMATS.join(", ")}, not "${text}"`);
}
