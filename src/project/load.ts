/**
 * Reads the manifests of a request, and checks each manifest after it is read. Also reads neighboring manifests (see
 * `neighborAddresses`). Sends no request to a server. Implements `Project.validate`.
 */

import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { FormctlError, hasCode } from "../base/error.ts";
import { type Located, sortProblems } from "../schemas/diagnostic.ts";
import { type Manifest, addressesOf } from "../manifests/manifest.ts";
import { fileProblem, type ManifestCode, invalidManifests } from "../manifests/problems.ts";
import { notRunText, openCheck } from "../manifests/read/check.ts";
import type { PartialManifest } from "../manifests/read/read-manifest.ts";
import { findOrganizations, readManifests } from "../manifests/read/read-manifests.ts";
import { resolveNames } from "../manifests/references.ts";
import type { LoadedManifests, ProjectContext } from "./context.ts";
import { knowledgeOf, readOrganizationFile } from "../state/knowledge.ts";

export type ValidateRequest = {
  /**
   * Files and folders, relative to the project's `cwd`; `-` is standard input. Default: the project's folder of
   * manifests.
   */
  paths?: readonly string[];
};

export type ValidateResult = {
  /** Whether no problem is an error. There may be warnings. */
  isValid: boolean;
  /** The problems in the order of files and lines. Lines and columns start at 1; columns count characters. */
  problems: readonly Located[];
  /** The checks that could not run, and why. */
  notRun: readonly string[];
  manifests: readonly { address: string; kind: "Form" | "Layout"; file: string }[];
  /** Every file that was read. */
  files: readonly string[];
  /** The texts of the files, to show the lines of problems. */
  sources: ReadonlyMap<string, string>;
};

export async function validate(context: ProjectContext, { paths = [] }: ValidateRequest): Promise<ValidateResult> {
  const onFile = (done: number, total: number) => context.onProgress({ stage: "validating", done, total });
  try {
    const { set, problems, notRun } = await loadManifests(context, paths, { dropsContents: true, onFile });
    return {
      isValid: problems.every(({ severity }) => severity !== "error"),
      problems,
      notRun,
      manifests: set.manifests.map(({ address, kind, file }) => ({ address, kind, file })),
      files: set.files,
      sources: set.sources,
    };
  } finally {
    context.onProgress({ stage: "ended" });
  }
}

export type LoadOptions = {
  /** Drops the content of each layout after its check. Contents are most of the memory of a large folder. */
  dropsContents?: boolean;
  /** Called with each manifest after it is read. The manifest is checked later. */
  onManifest?: (manifest: Manifest) => void;
  /** Called before each file is read. `done` is the number of finished files. */
  onFile?: (done: number, total: number) => void;
};

/**
 * Reads and checks manifests.
 *
 * @param paths if empty, the project's folder of manifests
 * @throws USAGE if a path is empty
 * @throws USAGE if `paths` is empty and the project has no folder of manifests
 * @throws INVALID_FILE if the project's organization file is invalid
 */
export async function loadManifests(
  context: ProjectContext,
  paths: readonly string[],
  { dropsContents = false, onManifest, onFile }: LoadOptions = {},
): Promise<LoadedManifests> {
  const { cwd, root, host, variables, organizationFile } = context;
  if (paths.includes("")) throw new FormctlError("USAGE", "a path is empty", "Check that its shell variable is set.");
  const chosen = paths.length > 0 ? paths : [manifestsFolder(context)];
  let stdin: Promise<Uint8Array> | undefined;
  const readStdin = () => (stdin ??= host.readFile("-"));
  const where = { paths: chosen, cwd, root, readStdin };
  const found = organizationFile === undefined ? await findOrganizations(where) : undefined;
  const organizations = found?.organizations ?? [await readOrganizationFile(host, organizationFile ?? "")];
  const { knowledge, references, organization } = await knowledgeOf(context.target, organizations);

  const check = openCheck(knowledge);
  const set = await readManifests({
    ...where,
    env: host.env,
    variables,
    dropsContents,
    ...(found && { ahead: found.ahead }),
    ...(onFile && { onFile }),
    onManifest(manifest) {
      onManifest?.(manifest);
      check.add(manifest);
    },
    onPartial: (partial: PartialManifest) => check.addPartial(partial),
  });
  const checked = check.finish();
  const problems = [...set.problems, ...checked.problems];
  const notRun = [...checked.notRun];
  const naming = set.manifests.filter(namesRolesOrMembers);
  if (references) problems.push(...resolveNames(naming, references).problems);
  else if (naming.length > 0) {
    notRun.push({
      check: `whether the roles and members exist (${knowledge.source})`,
      manifests: naming.map(({ address }) => address),
    });
  }
  // An error already explains why no manifest was read.
  if (set.manifests.length === 0 && !problems.some(({ severity }) => severity === "error")) {
    problems.push(fileProblem("MANIFESTS_MISSING", chosen[0]!, "contains no manifests; nothing was checked"));
  }
  return {
    set,
    problems: withoutRepeats(sortProblems(problems)),
    ofContents: checked.ofContents,
    notRun: notRun.map(notRunText),
    knownOf: (manifest) => check.knownOf(manifest),
    ...(organization && { organization }),
  };
}

/** Returns the folder of manifests as a user in `cwd` would type it. */
function manifestsFolder({ cwd, manifests }: ProjectContext): string {
  if (manifests !== undefined) return relative(cwd, manifests) || ".";
  throw new FormctlError(
    "USAGE",
    "missing argument PATH: the project file sets no folder of manifests",
    "Specify files or folders, or add `manifests: FOLDER` to formctl.yaml.",
  );
}

/**
 * Returns the current and former addresses of the neighbors of a request. These manifests are neighbors:
 *
 * - manifests in the files next to a file of the request
 * - manifests in the project's folder of manifests, unless the request contains this folder
 *
 * The files next to a folder of the request are not neighbors. A resource that a neighbor describes is neither pruned
 * nor reported as renamed.
 *
 * @param paths if empty, the project's folder of manifests
 * @throws MANIFESTS_INVALID if a neighbor can't be read: otherwise a prune might delete its form
 */
export async function neighborAddresses(
  { cwd, root, manifests, variables, host }: ProjectContext,
  paths: readonly string[],
): Promise<Set<string>> {
  const beside = paths.filter((path) => path !== "-").flatMap((path) => filesBeside(cwd, path));
  const isWhole = paths.length === 0 || paths.some((path) => resolve(cwd, path) === manifests);
  if (!isWhole && manifests !== undefined) beside.push(relative(cwd, manifests) || ".");
  if (beside.length === 0) return new Set();
  const set = await readManifests({ paths: beside, cwd, root, env: host.env, variables, dropsContents: true });
  const unreadable = set.problems.filter(({ code, severity }) => severity === "error" && code !== NOT_A_MANIFEST);
  if (unreadable.length > 0) throw invalidManifests(unreadable, set.sources);
  return new Set(set.manifests.flatMap(addressesOf));
}

/**
 * Like {@link neighborAddresses}, but returns an empty set if a neighbor can't be read. Used for rename hints, which
 * are only guesses.
 */
export async function readableNeighborAddresses(
  context: ProjectContext,
  paths: readonly string[],
): Promise<Set<string>> {
  try {
    return await neighborAddresses(context, paths);
  } catch (error) {
    if (hasCode(error, "MANIFESTS_INVALID")) return new Set();
    throw error;
  }
}

/**
 * The code of a file that is not a manifest. Neighbors with this problem are ignored, because a folder may also contain
 * other YAML and JSON files.
 */
const NOT_A_MANIFEST = "MANIFEST_KIND" satisfies ManifestCode;

function filesBeside(cwd: string, path: string): string[] {
  if (statSync(resolve(cwd, path)).isDirectory()) return [];
  const folder = dirname(path);
  return readdirSync(resolve(cwd, folder), { withFileTypes: true })
    .filter((entry) => entry.isFile() && IS_MANIFEST_FILE.test(entry.name) && entry.name !== basename(path))
    .map(({ name }) => join(folder, name));
}

/**
 * Matches names of manifest files. Excludes settings files and layout files. A layout file is read only if a manifest
 * references it.
 */
const IS_MANIFEST_FILE = /^(?!formctl\.)(?!.*\.layout\.).*\.(?:yaml|yml|json)$/i;

function namesRolesOrMembers(manifest: Manifest): boolean {
  if (manifest.kind === "Layout") return manifest.assignments?.roles.some(({ role }) => role !== undefined) ?? false;
  const { users = [], roles = [] } = manifest.access ?? {};
  return users.some(({ member }) => member !== undefined) || roles.some(({ role }) => role !== undefined);
}

const REPORTED_ONCE = new Set<string>(["ACCESS_TWICE", "ASSIGNMENT_TWICE"] satisfies ManifestCode[]);

/**
 * Removes a problem that repeats the code and position of the problem before it. Only codes in `REPORTED_ONCE` are
 * removed. Two checks report a role or member that is listed twice. The first check compares the names, the second
 * check compares the ids.
 */
function withoutRepeats(problems: readonly Located[]): Located[] {
  return problems.filter((problem, index) => {
    const before = problems[index - 1];
    const isSamePosition =
      before?.file === problem.file && before.line === problem.line && before.column === problem.column;
    return !(isSamePosition && before.code === problem.code && REPORTED_ONCE.has(problem.code));
  });
}
