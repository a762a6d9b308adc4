/** From the paths that were typed, or the folder that the project names, to manifests that are read and checked. */

import { relative } from "node:path";
import { FormctlError } from "../../error.ts";
import { type NotRun, openCheck } from "../../manifests/read/check.ts";
import type { Manifest } from "../../manifests/manifest.ts";
import { fileProblem, type ManifestCode, sortProblems } from "../../manifests/problems.ts";
import { findOrganizations } from "../../manifests/read/find-organizations.ts";
import { invalidManifests } from "../../manifests/read/invalid-manifests.ts";
import { type ManifestSet, readManifests } from "../../manifests/read/read.ts";
import type { Judged } from "../../manifests/read/read-manifest.ts";
import { resolveNames } from "../../manifests/references.ts";
import type { Located } from "../../schemas/diagnostic.ts";
import { visible } from "../../terminal/escape.ts";
import type { CommandContext } from "../command.ts";
import { findSurroundings } from "./knowledge.ts";

export type LoadedManifests = {
  set: ManifestSet;
  /** Of reading and of checking, in the order of files and lines. */
  problems: readonly Located[];
  /** Those that are about what a layout shows, and not about its shape, with the address of the manifest that wants it shown. */
  ofContents: ReadonlyMap<Located, string>;
  /** The checks that could not run, why, and for how many manifests, in words for the person. */
  notRun: readonly string[];
};

export type LoadOptions = {
  /** A file that says which fields, roles and scripts there are. */
  organizationFile?: string | undefined;
  /** What manifests want to be shown is only checked, and not kept. */
  dropsContents?: boolean;
  /** Given each manifest as soon as it is read and before it is known whether it is sound. */
  onManifest?: (manifest: Manifest) => void;
};

/**
 * Reads and checks, without asking a server anything.
 *
 * @param paths as they were typed; none: the folder that the project file names as `manifests`
 * @throws USAGE where no path was typed and none is set; INVALID_FILE, INVALID_VALUE for an organization file that
 *   was named and can't be used
 */
export async function loadManifests(
  context: CommandContext,
  paths: readonly string[],
  { organizationFile, dropsContents = false, onManifest: tell }: LoadOptions = {},
): Promise<LoadedManifests> {
  const { cwd, env, settings } = context;
  if (paths.includes(""))
    throw new FormctlError("USAGE", "a path is empty", "Is it a variable of your shell that is not set?");
  const wanted = paths.length > 0 ? paths : [manifestsFolder(context)];
  let stdin: Promise<Uint8Array> | undefined;
  const readStdin = () => (stdin ??= context.readFile("-"));
  const where = { paths: wanted, cwd, root: settings.root, readStdin };
  const among = organizationFile === undefined ? await findOrganizations(where) : undefined;
  const { knowledge, references } = await findSurroundings(context, among?.organizations ?? [], organizationFile);
  // Each manifest is checked as soon as it is read.
  const check = openCheck(knowledge);
  const onManifest = (manifest: Manifest) => {
    tell?.(manifest);
    check.take(manifest);
  };
  const onRefused = (judged: Judged) => check.takeRefused(judged);
  const { variables } = settings;
  const options = { ...where, env, variables, onManifest, onRefused, dropsContents };
  const set = await readManifests({ ...options, ...(among && { ahead: among.ahead }) });
  const checked = check.conclude();
  const problems = [...set.problems, ...checked.problems];
  const notRun = [...checked.notRun];
  const named = set.manifests.filter(namesSomebody);
  if (references) problems.push(...resolveNames(named, references).problems);
  else if (named.length > 0) {
    notRun.push({
      check: `whether the roles and members exist: they are not known (${knowledge.source})`,
      manifests: named.map(({ address }) => address),
    });
  }
  // An error says why there is no manifest.
  if (set.manifests.length === 0 && !problems.some(({ severity }) => severity === "error")) {
    problems.push(fileProblem("MANIFESTS_MISSING", wanted[0]!, "holds no manifest, so that nothing has been checked"));
  }
  const { ofContents } = checked;
  return { set, problems: withoutRepeats(sortProblems(problems)), ofContents, notRun: notRun.map(inWords) };
}

function inWords({ check, manifests }: NotRun): string {
  return `${check}, for ${manifests.length === 1 ? visible(manifests[0]!) : `${manifests.length} manifests`}`;
}

const TOLD_ONCE = new Set<string>(["ACCESS_TWICE", "ASSIGNMENT_TWICE"] satisfies ManifestCode[]);

/** A name that stands twice is also an id that stands twice: one mistake is told once. */
function withoutRepeats(problems: readonly Located[]): Located[] {
  return problems.filter((problem, index) => {
    const before = problems[index - 1];
    const isSamePlace =
      before?.file === problem.file && before.line === problem.line && before.column === problem.column;
    return !(isSamePlace && before.code === problem.code && TOLD_ONCE.has(problem.code));
  });
}

/** The folder that the project names, as a person would type it. */
function manifestsFolder({ cwd, settings }: CommandContext): string {
  if (settings.manifests !== undefined) return relative(cwd, settings.manifests) || ".";
  throw new FormctlError(
    "USAGE",
    "which manifests? No path was given, and the project names no folder",
    "Name files or folders, or put `manifests: FOLDER` into formctl.yaml.",
  );
}

/** Whether a manifest speaks of roles or members by names. */
function namesSomebody(manifest: ManifestSet["manifests"][number]): boolean {
  if (manifest.kind === "Layout") return manifest.assignments?.roles.some(({ role }) => role !== undefined) ?? false;
  const { users = [], roles = [] } = manifest.access ?? {};
  return users.some(({ member }) => member !== undefined) || roles.some(({ role }) => role !== undefined);
}

/**
 * The manifests, where a plan can be made of them: what their layouts show is judged when it is known which of them would be
 * saved or published (sound-contents.ts).
 *
 * @param strict a warning is wrong too, whatever it is about
 * @throws MANIFESTS_INVALID with every problem, among them that there is no manifest at all
 */
export function requireReadable(
  { set, problems, ofContents }: LoadedManifests,
  { strict }: { strict: boolean },
): ManifestSet {
  if (problems.some((each) => strict || (each.severity === "error" && !ofContents.has(each)))) {
    throw invalidManifests(problems, set.sources);
  }
  return set;
}
