/** Reads what `formctl layouts preview` shows: a draft file, the layouts of manifests, or a layout on the target. */

import { statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { readDocuments } from "../../documents/document.ts";
import { FormctlError } from "../../base/error.ts";
import { diagnosticsOf } from "../../lists/versions.ts";
import type { LayoutsResult } from "../../project/project.ts";
import { isAboutAppliedChange } from "../../manifests/read/check.ts";
import { hasKind } from "../../manifests/read/read-manifest.ts";
import { buildPreview } from "../../preview/build.ts";
import type { Preview } from "../../preview/model.ts";
import { checkDraft, checksNotRun } from "../../schemas/draft-checks.ts";
import type { Located } from "../../schemas/diagnostic.ts";
import { DraftFile, OpenDraftFile } from "../../schemas/draft-schema.ts";
import { isJsonObject } from "../../schemas/json.ts";
import { layoutAddressOf } from "../address-arguments.ts";
import type { LayoutAddress } from "../addresses.ts";
import type { CommandContext } from "../command.ts";
import { projectOf } from "../manifests/open-project.ts";
import { readBody, withStdinKept } from "../read-input.ts";
import { versionAndStatus } from "../version-text.ts";
import { catalogOf } from "../../schemas/catalog.ts";
import { findOrganization } from "./layout-catalog.ts";
import { readSummary } from "./layout-summary.ts";
import { comparedVersion, comparedWithManifest, readDraftOrPublished, readVersion } from "./preview-versions.ts";
import { locateValidation } from "./validation.ts";
import { invalidManifests } from "../../manifests/problems.ts";

export type PreviewRequest = {
  /** A draft file, a file or folder of manifests, `-` for standard input, or the address of a layout. */
  shown: string;
  /** The layout of a draft file. It determines the fields and the modes. */
  layout?: LayoutAddress | undefined;
  /**
   * The version to compare with, or two versions. With two versions, the second version is shown, and compared with the
   * first version. If empty, nothing is compared.
   */
  compare: readonly string[];
  organizationFile?: string | undefined;
};

export type Previewed = {
  previews: readonly Preview[];
  /** The problems that belong to no drawn layout. */
  problems: readonly Located[];
  /** The checks that could not run, and why. */
  notRun: readonly string[];
  /** The files that were read. */
  files: readonly string[];
  /** The texts of the files, to show the lines of problems. */
  sources: ReadonlyMap<string, string>;
};

/** The content of a preview. It can be read again after a file has changed. */
export type PreviewInput = {
  /** The file or folder to watch; undefined for a layout on the target, and for standard input. */
  path: string | undefined;
  /** @throws INVALID_FILE or MANIFESTS_INVALID with positions if nothing can be drawn */
  read(): Promise<Previewed>;
};

/**
 * Finds the source of the preview, without reading it. @throws USAGE for an option that does not apply to the source
 */
export function openPreview(context: CommandContext, request: PreviewRequest): PreviewInput {
  const { shown, compare, layout } = request;
  if (compare.length > 2)
    throw new FormctlError("USAGE", `--compare is given ${compare.length} times`, "Specify it once or twice.");
  const stats = shown === "-" ? undefined : statSync(resolve(context.cwd, shown), { throwIfNoEntry: false });
  if (shown !== "-" && !stats && !/\.(?:ya?ml|json)$/i.test(shown)) {
    if (layout !== undefined) throw notForDraft(shown);
    const read = async () => readOnTarget(context, await layoutAddressOf(shown, context), request);
    return { path: undefined, read };
  }
  if (compare.length === 2) {
    throw new FormctlError(
      "USAGE",
      "--compare with two versions needs a layout, not a file",
      "Compare the file with one version, or specify the layout: formctl layouts preview LAYOUT",
    );
  }
  const files = withStdinKept(context);
  const path = shown === "-" ? undefined : shown;
  if (stats?.isDirectory()) return { path, read: () => readProject(files, [shown], request) };
  return { path, read: () => readFile(files, request) };
}

const notForDraft = (shown: string) =>
  new FormctlError("USAGE", `--layout is only for a draft file, and ${shown} is not one`, "Remove --layout.");

async function readFile(context: CommandContext, request: PreviewRequest): Promise<Previewed> {
  const { shown, layout } = request;
  const documents = readDocuments(await context.readFile(shown), shown === "-" ? "<stdin>" : shown);
  if (documents.some(hasKind)) return readProject(context, [shown], request);
  // A file without any draft gets one clear error, instead of a problem for every member.
  if (documents.every(({ value }) => !isLikeDraft(value))) throw withoutLayout(shown);
  if (layout === undefined && /\.layout\.(?:ya?ml|json)$/i.test(shown)) {
    const previewed = await readReferenced(context, request);
    if (previewed) return previewed;
  }
  return readDraft(context, request);
}

/** Reads a draft file. The fields are known only with a specified layout. */
async function readDraft(context: CommandContext, request: PreviewRequest): Promise<Previewed> {
  const { shown, layout, compare, organizationFile } = request;
  const [version] = compare;
  if (layout === undefined && version !== undefined) {
    throw new FormctlError("USAGE", "--compare needs the layout of the draft file", "Specify it: --layout LAYOUT");
  }
  const isLocal = context.target.kind === "local";
  const { value: content, document } = await readBody(context, shown, isLocal ? DraftFile : OpenDraftFile);
  const service = layout && (await context.service());
  const summary = layout && service && (await readSummary(service, layout));
  const catalog = summary ? catalogOf(summary, await findOrganization(context, organizationFile)) : {};
  const compareWith =
    summary && service && version !== undefined ? await comparedVersion(service, summary.layoutId, version) : undefined;
  const problems = locateValidation(document, content, checkDraft(content, catalog));
  const { file } = document;
  const title = summary?.form?.name ?? summary?.name ?? basename(file);
  return {
    previews: [buildPreview({ title, origin: file, content, catalog, form: summary?.form, problems, compareWith })],
    problems: [],
    notRun: summary
      ? checksNotRun(catalog)
      : ["fields, modes and scripts, because the layout of the file is unknown. Specify it with --layout LAYOUT"],
    files: [file],
    sources: new Map([[file, document.text]]),
  };
}

/**
 * Reads the manifests that reference a layout file, from the folder of this file. Undefined if no manifest references
 * the file.
 */
async function readReferenced(context: CommandContext, request: PreviewRequest): Promise<Previewed | undefined> {
  const { cwd } = context;
  const path = resolve(cwd, request.shown);
  const read = await projectOf(context, request).layouts({ paths: [dirname(request.shown)] });
  const layouts = read.layouts.filter(({ file }) => resolve(cwd, file) === path);
  if (layouts.length === 0) return undefined;
  const files = layouts.flatMap(({ file, manifest }) => [file, manifest.file]);
  return previewLayouts(context, { ...read, layouts, problems: [], files, notRun: [] }, request);
}

/**
 * Reads manifests.
 *
 * @throws MANIFESTS_INVALID if no layout can be drawn because of errors
 * @throws INVALID_FILE if the manifests contain no layout
 */
async function readProject(
  context: CommandContext,
  paths: readonly string[],
  request: PreviewRequest,
): Promise<Previewed> {
  if (request.layout !== undefined) throw notForDraft(request.shown);
  const read = await projectOf(context, request).layouts({ paths });
  if (read.layouts.length > 0) return previewLayouts(context, read, request);
  if (read.problems.some(({ severity }) => severity === "error")) throw invalidManifests(read.problems, read.sources);
  throw withoutLayout(request.shown);
}

const withoutLayout = (shown: string) =>
  new FormctlError(
    "INVALID_FILE",
    `${shown} contains no layout`,
    "Specify a draft file, or a manifest with the member layout.",
  );

function isLikeDraft(value: unknown): boolean {
  return isJsonObject(value) && ["schemaVersion", "regions", "blocks"].some((member) => Object.hasOwn(value, member));
}

async function previewLayouts(
  context: CommandContext,
  { layouts, problems, notRun, files, sources }: LayoutsResult,
  { compare: [version] }: PreviewRequest,
): Promise<Previewed> {
  const previews: Preview[] = [];
  for (const { manifest, file, content, catalog, problems: own } of layouts) {
    const compareWith =
      version === undefined ? undefined : await comparedWithManifest(await context.service(), manifest, version);
    const form = manifest.kind === "Form" ? manifest : undefined;
    previews.push(
      buildPreview({ title: manifest.address, origin: file, content, catalog, form, problems: own, compareWith }),
    );
  }
  return { previews, problems, notRun, files, sources };
}

/**
 * Reads a layout on the target: the second version in `compare`. Without a second version, reads the draft, or else the
 * published version.
 */
async function readOnTarget(
  context: CommandContext,
  address: LayoutAddress,
  { compare, organizationFile }: PreviewRequest,
): Promise<Previewed> {
  const service = await context.service();
  const summary = await readSummary(service, address);
  const { layoutId } = summary;
  const [before, after] = compare;
  const version = await (after === undefined
    ? readDraftOrPublished(service, layoutId)
    : readVersion(service, layoutId, after));
  const compareWith = before === undefined ? undefined : await comparedVersion(service, layoutId, before);
  const catalog = catalogOf(summary, await findOrganization(context, organizationFile));
  const stored = context.target.kind === "local" ? undefined : version.validation;
  // The staged changes of a published version are already applied, so problems about them are omitted.
  const isDraft = version.status === "DRAFT";
  const problems = stored
    ? diagnosticsOf(stored)
    : checkDraft(version, catalog).filter((each) => isDraft || !isAboutAppliedChange(each, version, catalog));
  const title = summary.form?.name ?? summary.name ?? layoutId;
  return {
    previews: [
      buildPreview({
        title,
        origin: versionAndStatus(version),
        content: version,
        catalog,
        form: summary.form,
        problems,
        compareWith,
      }),
    ],
    problems: [],
    notRun: stored ? [] : checksNotRun(catalog),
    files: [],
    sources: new Map(),
  };
}
