/** `formctl status`: one line for each manifest, and who has moved since the last apply. */

import { statSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import type { PlannedResource } from "../../manifests/plan/plan.ts";
import { isDrifted, type State, stateOf, STATES } from "../../manifests/plan/status.ts";
import { renderDiagnostics } from "../../terminal/diagnostics.ts";
import { printTable } from "../../terminal/table.ts";
import { quoted } from "../addresses.ts";
import { type CommandContext, defineCommand, flag, list, option, optionalRest, wholeNumber } from "../command.ts";
import { chosenWords } from "./chosen-words.ts";
import { preparePlan } from "./prepare-plan.ts";
import { refreshBases } from "./refresh-bases.ts";

type Row = Pick<PlannedResource, "address" | "kind" | "drift" | "notes" | "formId" | "layoutId"> & { state: State };

export default defineCommand({
  about: "Show which forms and layouts differ from their manifests, and who changed them",
  details: `in sync: nothing differs. changed here: the manifest has been changed since the last apply or export. changed there:
somebody has changed the form or layout itself. changed on both sides: both. differs: neither the stamp in the layout nor
.formctl/lock.json tells who changed it. not there: it is to be created. unobservable: the server does not show all of it.
What is found in sync is kept in .formctl/lock.json, so that it can be told later who moves first.

The exit code is 0, or with --detailed-exitcode 2 where anything but in sync and unobservable is found.`,
  examples: [
    "formctl status examples/northwind/manifests",
    "formctl status examples/northwind/manifests --detailed-exitcode",
  ],
  args: { paths: optionalRest("PATH", "Files and folders of manifests") },
  options: {
    detailedExitcode: flag("--detailed-exitcode", "Exit code 2 where something is not in sync"),
    target: list("--target <address>", "Only this form or layout; may be repeated"),
    noPublish: flag("--no-publish", "Compare with the drafts"),
    concurrency: option("--concurrency <number>", "How many requests may be under way at once", wholeNumber(1, 64)),
    organizationFile: option("--organization-file <file>", "Organization file that says which fields there are"),
  },
  async run(context, { detailedExitcode, target, noPublish, ...rest }) {
    const request = { ...rest, targets: target, publish: !noPublish, prune: false, stamp: true };
    const prepared = await preparePlan(context, { ...request, strict: false, onlyTold: true });
    const { plan, place, problems, set, lock } = prepared;
    if (!noPublish) await refreshBases(plan, lock);
    const rows = plan.resources.map((resource): Row => {
      const { address, kind, drift, notes, formId, layoutId } = resource;
      const ids = { ...(formId !== undefined && { formId }), ...(layoutId !== undefined && { layoutId }) };
      return { address, kind, state: stateOf(resource), ...ids, drift, notes };
    });
    const exitCode = detailedExitcode && rows.some(({ state }) => isDrifted(state)) ? 2 : 0;
    return { rows, place, exitCode, problems, sources: set.sources, into: folderOf(context, rest.paths) };
  },
  view({ rows, problems, sources }, terminal) {
    terminal.err(renderDiagnostics(problems, sources, terminal.errStyle));
    printTable(
      terminal,
      [
        { title: "State", value: ({ state }) => state },
        { title: "Manifest", value: ({ address }) => address, wraps: true },
        { title: "What", value: movedText, shrink: true, wraps: true },
      ],
      rows,
      "",
    );
  },
  document: ({ rows, place, exitCode, problems }) => ({
    exitCode,
    place,
    summary: Object.fromEntries(STATES.map((state) => [state, rows.filter((row) => row.state === state).length])),
    resources: rows,
    problems,
  }),
  names: ({ rows }) => rows.filter(({ state }) => isDrifted(state)).map(({ address }) => address),
  next: ({ rows, into }, { paths, target, noPublish, organizationFile }) => {
    if (!rows.some(({ state }) => isDrifted(state))) return [];
    const words = chosenWords({ paths, target, noPublish, organizationFile });
    return [["formctl plan", ...words].join(" "), ...exportLines(rows, into)];
  },
  exitCode: ({ exitCode }) => exitCode,
});

/** The aspects that differ; all are missing of what is not there. */
function movedText({ state, drift }: Row): string {
  if (state === "not there") return "";
  return Object.entries(drift)
    .flatMap(([aspect, move]) => (move === "same" ? [] : [`${aspect}: ${move}`]))
    .join(", ");
}

/** What has been changed there may be meant to stay. */
function exportLines(rows: readonly Row[], into: string): string[] {
  const changed = rows.filter(({ state }) => state === "changed there" || state === "changed on both sides");
  if (changed.length === 0) return [];
  const names = changed.map(({ kind, address, layoutId }) => (kind === "Form" ? address : (layoutId ?? address)));
  const words = names.length > MAX_NAMED ? ["NAME"] : names.map(quoted);
  return [`formctl export ${words.join(" ")} --into ${quoted(into)}  # takes over what was changed there`];
}

const MAX_NAMED = 3;

/** The folder that holds the manifests, as it would be typed. */
function folderOf({ cwd, settings }: CommandContext, [path, ...others]: readonly string[]): string {
  if (path === undefined) return relative(cwd, settings.manifests ?? cwd) || ".";
  if (path === "-" || others.length > 0) return "FOLDER";
  return statSync(resolve(cwd, path), { throwIfNoEntry: false })?.isDirectory() ? path : dirname(path);
}
