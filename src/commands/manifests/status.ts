/** `formctl status`: one line for each manifest, and who has moved since the last apply. */

import { statSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import type { Drift, PlannedResource } from "../../manifests/plan/planned.ts";
import { isDrifted, type State, stateOf, STATES } from "../../manifests/plan/drift.ts";
import { formAddress, objectText } from "../../manifests/address.ts";
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
    target: list("--target <address>", "Only this form or layout, by its address in a plan; may be repeated"),
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
    const drafts = new Set(plan.resources.filter(isOfDraft).map(({ address }) => address));
    const called = new Map(plan.resources.map((resource) => [resource.address, calledThere(resource)]));
    return {
      rows,
      drafts,
      called,
      place,
      exitCode,
      problems,
      sources: set.sources,
      into: folderOf(context, rest.paths),
    };
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
  next: ({ rows, drafts, called, into }, { paths, target, noPublish, organizationFile }) => {
    if (!rows.some(({ state }) => isDrifted(state))) return [];
    const words = chosenWords({ paths, target, noPublish, organizationFile });
    return [
      ["formctl plan", ...words].join(" "),
      ...draftLines(rows, drafts, called),
      ...exportLines(rows, drafts, called, into),
    ];
  },
  exitCode: ({ exitCode }) => exitCode,
});

/** The aspects that differ, else what there is to know. All are missing of what is not there. */
function movedText({ state, drift, notes }: Row): string {
  const moved = state === "not there" ? [] : Object.entries(drift).filter(([, move]) => move !== "same");
  return moved.map(([aspect, move]) => `${aspect}: ${move}`).join(", ") || notes.join("; ");
}

type Called = ReadonlyMap<string, string>;

/** What other commands know it by: it may have another name there than its manifest says. */
function calledThere({ kind, address, object, layoutId, changes }: PlannedResource): string {
  if (kind === "Layout" || !object) return layoutId ?? address;
  const other = changes.find(({ path }) => path === "name")?.before;
  return typeof other === "string" ? formAddress(objectText(object), other) : address;
}

const THERE = new Set<Drift>(["there", "both"]);

/** Whether it is a draft that differs from the manifest, and not what is published: as where drafts are compared. */
function isOfDraft({ steps }: PlannedResource): boolean {
  return steps.some(({ request }, index) => {
    const isLast = steps[index + 1]?.request.operation !== "publishLayout";
    return request.operation === "saveDraft" && isLast && typeof request.replaces === "string";
  });
}

/**
 * What has been changed there may be meant to stay. Of a layout, an export takes what is published, and none of which the server
 * shows no more than its versions: what it is for, nobody tells.
 */
function exportLines(rows: readonly Row[], drafts: ReadonlySet<string>, called: Called, into: string): string[] {
  const isTaken = ({ address, drift }: Row) =>
    Object.entries(drift).some(([aspect, move]) => THERE.has(move) && !(aspect === "content" && drafts.has(address)));
  const isChanged = ({ state }: Row) => state === "changed there" || state === "changed on both sides";
  const isShown = ({ kind, drift }: Row) => kind === "Form" || drift["name"] !== "unobservable";
  const changed = rows.filter((row) => isChanged(row) && isTaken(row) && isShown(row));
  if (changed.length === 0) return [];
  const names = changed.map(({ address }) => called.get(address)!);
  const words = names.length > MAX_NAMED ? ["NAME"] : names.map(quoted);
  return [`formctl export ${words.join(" ")} --into ${quoted(into)}  # takes over what was changed there`];
}

/** Drafts are looked at one by one. */
function draftLines(rows: readonly Row[], drafts: ReadonlySet<string>, called: Called): string[] {
  const changed = rows.filter(({ address, drift }) => drafts.has(address) && THERE.has(drift["content"] ?? "same"));
  const [first] = changed;
  if (!first) return [];
  const name = changed.length > 1 ? "NAME" : quoted(called.get(first.address)!);
  return [`formctl layouts draft show ${name}  # what the draft says; an export takes what is published`];
}

const MAX_NAMED = 3;

/** The folder that holds the manifests, as it would be typed. */
function folderOf({ cwd, settings }: CommandContext, [path, ...others]: readonly string[]): string {
  if (path === undefined) return relative(cwd, settings.manifests ?? cwd) || ".";
  if (path === "-" || others.length > 0) return "FOLDER";
  return statSync(resolve(cwd, path), { throwIfNoEntry: false })?.isDirectory() ? path : dirname(path);
}
