/**
 * Suggests how to take changes on the target into the files. An apply would revert these changes. If it is unknown which
 * side changed, suggests both directions.
 */

import { statSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { quoted } from "../../base/shell-quote.ts";
import { formAddress, objectText } from "../../lists/addresses.ts";
import type { Drift, Plan, PlannedResource } from "../../plan/planned.ts";
import type { CommandContext } from "../command.ts";

const ON_TARGET = new Set<Drift>(["target", "both"]);
/** The maximum number of names in a suggested command. */
const MAX_NAMED = 3;

/** Whether an apply would revert a change on the target. */
export function revertsChanges({ resources }: Plan): boolean {
  return resources.some(({ drift }) => Object.values(drift).some((each) => ON_TARGET.has(each)));
}

/**
 * Returns the commands for changes on the target: show a changed draft, and export other changes into the files.
 *
 * @param into the folder of the manifests
 */
export function nextForChanges({ resources }: Plan, into: string): string[] {
  const changedDrafts = resources.filter(
    (resource) => comparesDraft(resource) && ON_TARGET.has(resource.drift["content"] ?? "same"),
  );
  // An export reads published versions, so it can't export a draft.
  const isExported = (resource: PlannedResource) =>
    Object.entries(resource.drift).some(
      ([aspect, each]) => ON_TARGET.has(each) && !(aspect === "content" && comparesDraft(resource)),
    );
  // An export needs the surface and the object of a layout. A server that omits the name of a layout omits both of
  // these.
  const isReadable = ({ kind, drift }: PlannedResource) => kind === "Form" || drift["name"] !== "unobservable";
  const changed = resources.filter((each) => isExported(each) && isReadable(each));

  const lines: string[] = [];
  const [first] = changedDrafts;
  if (first) {
    const name = changedDrafts.length > 1 ? "NAME" : quoted(nameOnTarget(first));
    lines.push(`formctl layouts draft show ${name}  # shows the draft; export writes the published version`);
  }
  if (changed.length > 0) lines.push(`${exportInto(changed, into)}  # writes the changes on the target into the files`);
  return lines;
}

/**
 * Returns the commands for differences of which it is unknown whether the files or the target changed: to keep the
 * files, or the target. Empty if there are none.
 *
 * @param apply the command that applies the plan
 */
export function nextForUnclear({ resources }: Plan, apply: string, into: string): string[] {
  // A content that is only published has no other state on the target to keep.
  const savesDraft = ({ steps }: PlannedResource) => steps.some(({ request }) => request.operation === "saveDraft");
  const unclear = resources.filter((resource) =>
    Object.entries(resource.drift).some(
      ([aspect, drift]) => drift === "differs" && (aspect !== "content" || savesDraft(resource)),
    ),
  );
  if (unclear.length === 0) return [];
  return [
    `${apply}  # if the files have the wanted state`,
    `${exportInto(unclear, into)} --overwrite  # if the target has the wanted state`,
  ];
}

function exportInto(resources: readonly PlannedResource[], into: string): string {
  const names = resources.length > MAX_NAMED ? ["NAME"] : resources.map((each) => quoted(nameOnTarget(each)));
  return `formctl export ${names.join(" ")} --into ${quoted(into)}`;
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
export function folderOf({ cwd, settings }: CommandContext, [path, ...others]: readonly string[]): string {
  if (path === undefined) return relative(cwd, settings.manifests ?? cwd) || ".";
  if (path === "-" || others.length > 0) return "FOLDER";
  return statSync(resolve(cwd, path), { throwIfNoEntry: false })?.isDirectory() ? path : dirname(path);
}
