/**
 * `formctl status`: prints one line for each manifest. The line states what changed since the last apply, and whether
 * the files or the target changed.
 */

import { statSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { targetText } from "../../config/target.ts";
import { formAddress, objectText } from "../../manifests/address.ts";
import { isDrifted, type State, STATES } from "../../manifests/plan/drift.ts";
import type { Drift, Plan, PlannedResource } from "../../manifests/plan/planned.ts";
import type { ResourceStatus } from "../../manifests/project/plan.ts";
import { quoted } from "../../shell-quote.ts";
import { renderDiagnostics } from "../../terminal/diagnostics.ts";
import { printTable } from "../../terminal/table.ts";
import { type CommandContext, defineCommand, flag, list, oneOf, option } from "../command.ts";
import { concurrencyOption } from "../concurrency.ts";
import { FORMATS, refuseTwoFormats, statusMarkdown } from "./markdown.ts";
import { chosenArguments, pathsArgument } from "./arguments.ts";
import { projectOf } from "./open-project.ts";

export default defineCommand({
  details: `in sync: no difference. changed in files: the manifest changed since the last apply or export. changed on target:
another user changed the form or layout on the target. conflict: both changed. differs: neither the stamp in the layout
nor .formctl/lock.json shows which side changed. missing: apply would create it. unobservable: the server does
not show all of it. .formctl/lock.json records what is in sync, so that later differences can be attributed.

--format markdown prints the table for an issue or a job summary.

The exit code is 0, or with --detailed-exitcode 2 if anything is neither in sync nor unobservable.`,
  examples: [
    "formctl status examples/northwind/manifests",
    "formctl status examples/northwind/manifests --detailed-exitcode --format markdown",
  ],
  args: { paths: pathsArgument("Files and folders of manifests") },
  options: {
    detailedExitcode: flag("--detailed-exitcode", "Exit code 2 if there are differences"),
    format: option("--format <format>", `Output format: ${FORMATS.join(" or ")}`, oneOf(FORMATS), FORMATS),
    target: list("--target <address>", "Only this form or layout, by its address in a plan; repeatable"),
    noPublish: flag("--no-publish", "Compare drafts instead of published versions"),
    concurrency: concurrencyOption,
    organizationFile: option("--organization-file <file>", "Organization file that lists the fields"),
  },
  async run(context, { paths, detailedExitcode, target: targets, noPublish, format = "text", ...options }) {
    refuseTwoFormats(format, context.settings);
    const result = await projectOf(context, options).status({ paths, targets, publish: !noPublish });
    const hasDrifted = result.resources.some(({ state }) => isDrifted(state));
    const exitCode = detailedExitcode && hasDrifted ? 2 : 0;
    return { result, hasDrifted, exitCode, format, where: targetText(context.target), into: folderOf(context, paths) };
  },
  view({ result: { resources, problems, sources }, format, where }, terminal) {
    terminal.err(renderDiagnostics(problems, sources, terminal.errStyle, terminal.errWidth));
    if (format === "markdown") {
      const rows = resources.map((each) => ({ ...each, state: STATE_WORDS[each.state], what: differenceText(each) }));
      return terminal.out(statusMarkdown(rows, where));
    }
    printTable(
      terminal,
      [
        { title: "State", value: ({ state }) => STATE_WORDS[state], essential: true },
        { title: "Manifest", value: ({ address }) => address, essential: true },
        { title: "What", value: differenceText, wraps: true },
      ],
      resources,
      "",
    );
  },
  document: ({ result: { resources, target, problems }, exitCode }) => ({
    exitCode,
    place: target,
    summary: Object.fromEntries(STATES.map((state) => [state, resources.filter((row) => row.state === state).length])),
    resources,
    problems,
  }),
  names: ({ result }) => result.resources.filter(({ state }) => isDrifted(state)).map(({ address }) => address),
  next: ({ result: { resources, plan }, hasDrifted, into }, { paths, target, noPublish, organizationFile }) => {
    if (!hasDrifted) return [];
    const choices = chosenArguments({ paths, target, noPublish, organizationFile });
    return [["formctl plan", ...choices].join(" "), ...nextForChanges(resources, plan, into)];
  },
  exitCode: ({ exitCode }) => exitCode,
});

/**
 * The words of the table. The JSON document has the values of `STATES` instead. These values never change, because
 * scripts compare them.
 */
const STATE_WORDS: Record<State, string> = {
  "in sync": "in sync",
  "changed here": "changed in files",
  "changed there": "changed on target",
  "changed on both sides": "conflict",
  differs: "differs",
  "not there": "missing",
  unobservable: "unobservable",
};

const DRIFT_WORDS: Record<Drift, string> = {
  same: "in sync",
  here: "changed in files",
  there: "changed on target",
  both: "conflict",
  differs: "differs",
  missing: "missing",
  unobservable: "unobservable",
};

/**
 * Returns the aspects that differ. An aspect is a part of a resource, such as the name or the content. Returns the
 * notes if no aspect differs. Also returns the notes for a resource that is missing on the target, because every aspect
 * would differ.
 */
function differenceText({ state, drift, notes }: ResourceStatus): string {
  const different = state === "not there" ? [] : Object.entries(drift).filter(([, each]) => each !== "same");
  return different.map(([aspect, each]) => `${aspect}: ${DRIFT_WORDS[each]}`).join(", ") || notes.join("; ");
}

const ON_TARGET = new Set<Drift>(["there", "both"]);
/** The maximum number of names in a suggested command. */
const MAX_NAMED = 3;

/** Returns the commands for changes on the target: show a changed draft, and export other changes into the files. */
function nextForChanges(rows: readonly ResourceStatus[], { resources }: Plan, into: string): string[] {
  const names = new Map(resources.map((resource) => [resource.address, nameOnTarget(resource)]));
  const drafts = new Set(resources.filter(comparesDraft).map(({ address }) => address));
  const changedDrafts = rows.filter(
    ({ address, drift }) => drafts.has(address) && ON_TARGET.has(drift["content"] ?? "same"),
  );
  // An export reads published versions, so it can't export a draft.
  const isExported = ({ address, drift }: ResourceStatus) =>
    Object.entries(drift).some(
      ([aspect, each]) => ON_TARGET.has(each) && !(aspect === "content" && drafts.has(address)),
    );
  const isChanged = ({ state }: ResourceStatus) => state === "changed there" || state === "changed on both sides";
  // An export needs the surface and the object of a layout. A server that omits the name of a layout omits both of
  // these.
  const isReadable = ({ kind, drift }: ResourceStatus) => kind === "Form" || drift["name"] !== "unobservable";
  const changed = rows.filter((row) => isChanged(row) && isExported(row) && isReadable(row));

  const lines: string[] = [];
  const [first] = changedDrafts;
  if (first) {
    const name = changedDrafts.length > 1 ? "NAME" : quoted(names.get(first.address)!);
    lines.push(`formctl layouts draft show ${name}  # shows the draft; export writes the published version`);
  }
  if (changed.length > 0) {
    const words = changed.length > MAX_NAMED ? ["NAME"] : changed.map(({ address }) => quoted(names.get(address)!));
    lines.push(
      `formctl export ${words.join(" ")} --into ${quoted(into)}  # writes the changes on the target into the files`,
    );
  }
  return lines;
}

/**
 * Returns the argument by which other commands find the resource. For a layout, this is the id. For a form, this is the
 * address with the form's current name on the target.
 */
function nameOnTarget({ kind, address, object, layoutId, changes }: PlannedResource): string {
  if (kind === "Layout" || !object) return layoutId ?? address;
  const name = changes.find(({ path }) => path === "name")?.before;
  return typeof name === "string" ? formAddress(objectText(object), name) : address;
}

/**
 * Whether the manifest was compared with the draft on the target instead of the published version. The plan of such a
 * manifest replaces the draft and publishes nothing.
 */
function comparesDraft({ steps }: PlannedResource): boolean {
  return steps.some(({ request }, index) => {
    const isLast = steps[index + 1]?.request.operation !== "publishLayout";
    return request.operation === "saveDraft" && isLast && typeof request.replaces === "string";
  });
}

/**
 * Returns the folder of the manifests, as an argument that the user can type. Returns `FOLDER` if the manifests have no
 * single folder.
 */
function folderOf({ cwd, settings }: CommandContext, [path, ...others]: readonly string[]): string {
  if (path === undefined) return relative(cwd, settings.manifests ?? cwd) || ".";
  if (path === "-" || others.length > 0) return "FOLDER";
  return statSync(resolve(cwd, path), { throwIfNoEntry: false })?.isDirectory() ? path : dirname(path);
}
