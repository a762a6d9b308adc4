/**
 * Implements `Project.export`: exports forms and layouts as manifests. An export can merge them into a folder with
 * manifests.
 */

import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { makeFolder } from "../disk/folders.ts";
import { refuseLeadingOut, requireFolders } from "../disk/links.ts";
import { requireWritableFolder } from "../disk/write-file.ts";
import { FormctlError } from "../base/error.ts";
import { findForm, type FormAddress } from "../lists/forms.ts";
import { isUserLayout, layoutsNotListed, listAllLayouts } from "../lists/layouts.ts";
import { ownerOf } from "../lists/objects.ts";
import type { LayoutAnswer } from "../schemas/answers.ts";
import { readLayout, type Service } from "../service.ts";
import { writeEditorSchemas } from "../export/editor-files.ts";
import { chooseEverything, knownToProject } from "../export/everything.ts";
import type { Exported } from "../export/exported.ts";
import { type Folder, type FolderManifest, readFolder } from "../export/folder.ts";
import type { FileOutcome } from "../export/new-files.ts";
import { type Chosen, type ReadChosen, readExported } from "../export/read-exported.ts";
import { carryOutWrites, planWrites, type Writes } from "../export/write.ts";
import { readManifests } from "../manifests/read/read-manifests.ts";
import type { References } from "../manifests/references.ts";
import { keepOrWarn, openProjectLock, type ProjectContext } from "./context.ts";
import { fieldLookup, stateFolder } from "../state/target.ts";
import { objectText, type ObjectKey } from "../lists/addresses.ts";
import { invalidManifests } from "../manifests/problems.ts";

export type ExportRequest = {
  /** Exports all forms of these objects. */
  objects?: readonly ObjectKey[];
  /** Exports these forms, by name or id. */
  forms?: readonly FormAddress[];
  /** Exports these layouts, by id. If a form owns a layout, the form is exported. */
  layouts?: readonly string[];
  /** Exports every layout that no form owns. */
  allLayouts?: boolean;
  /**
   * Exports everything: all forms, and every layout that no form owns. If the server lists no layouts, its objects are
   * unknown: what the lock and the manifests of the project name is then exported.
   */
  all?: boolean;
  /**
   * The folder to write into, relative to the project's `cwd`; created if missing. Without a folder, nothing is
   * written.
   */
  into?: string | undefined;
  /**
   * Takes the value of the target if the file differs and the last common state is unknown. By default, such a
   * difference is reported as a conflict.
   */
  overwrite?: boolean;
  /** Reports what would be written, without writing it. */
  dryRun?: boolean;
};

export type ExportResult = {
  /** The exported resources in the order of their addresses. `members` and `layout` are those of a manifest. */
  exported: readonly Exported[];
  /** What the export omitted or could not read, each with its address. */
  notes: readonly string[];
  /** Present if `into` is set. */
  written?: {
    /** The outcome of each file. Conflicts are left for the user. */
    files: readonly FileOutcome[];
    /** Manifests in the folder whose form or layout no longer exists. Their files are not changed. */
    missing: readonly { address: string; path: string }[];
  };
};

export async function exportManifests(context: ProjectContext, request: ExportRequest): Promise<ExportResult> {
  const { into } = request;
  const opened = into === undefined ? undefined : await openFolder(context, into, request.dryRun ?? false);
  const references = await context.target.references();
  const { exported, omitted, missing, chosen } = await readChosen(context, { request, references, opened });
  const notes = [...chosen.notes];
  notes.push(...missing.map((object) => `${objectText(object)}: the project names this object, but it does not exist`));
  notes.push(...exported.flatMap(({ address, notes: own }) => own.map((note) => `${address}: ${note}`)));
  notes.push(...omitted.map(({ exported: { address }, reason }) => `${address}: ${reason}`));
  for (const message of notes) await context.onWarning({ message });
  if (!opened) return { exported, notes };

  const whole = new Set([...chosen.objects, ...(chosen.perhaps ?? [])].map(objectText));
  const without = new Set(omitted.map(({ exported: { address } }) => address));
  const writes = await writeInto(context, opened, {
    exported,
    references,
    overwrite: request.overwrite ?? false,
    dryRun: request.dryRun ?? false,
    isWhole: (manifest) =>
      !without.has(manifest.address) &&
      (manifest.kind === "Form" ? whole.has(objectText(manifest.object)) : chosen.hasAllLayouts),
  });
  for (const message of writes.notes) await context.onWarning({ message });
  return {
    exported,
    notes: [...notes, ...writes.notes],
    written: { files: writes.outcomes, missing: writes.missing },
  };
}

type ChosenResources = Chosen & {
  /** Whether all layouts that no form owns are chosen. */
  hasAllLayouts: boolean;
  notes: readonly string[];
};

async function readChosen(
  context: ProjectContext,
  {
    request,
    references: { nameOf },
    opened,
  }: { request: ExportRequest; references: References; opened: OpenedFolder | undefined },
): Promise<ReadChosen & { chosen: ChosenResources }> {
  const { target, concurrency, onProgress } = context;
  const service = await target.service();
  onProgress({ stage: "reading", done: 0, total: undefined });
  try {
    const chosen = request.all ? await chooseAll(context, service, opened) : await choose(service, request);
    const progress = (done: number, total: number) => onProgress({ stage: "reading", done, total });
    return { ...(await readExported(chosen, { service, nameOf, concurrency, onProgress: progress })), chosen };
  } finally {
    onProgress({ stage: "ended" });
  }
}

/** Chooses everything that the target shows or the project knows. @throws NOT_FOUND if nothing is known */
async function chooseAll(
  context: ProjectContext,
  service: Service,
  opened: OpenedFolder | undefined,
): Promise<ChosenResources> {
  const { target, concurrency, cwd, root, host, variables, manifests: path } = context;
  const lock = await openProjectLock(context, await target.key());
  const inFolder = (opened?.folder.manifests ?? []).map(({ manifest }) => manifest);
  const paths = path === undefined || !existsSync(path) ? [] : [relative(cwd, path) || "."];
  const own = await readManifests({ paths, cwd, root, env: host.env, variables, dropsContents: true });
  const known = knownToProject(lock, [...inFolder, ...own.manifests]);
  const { isComplete, notes, ...chosen } = await chooseEverything(target, { service, concurrency, known });
  if (!isComplete && own.problems.some(({ severity }) => severity === "error"))
    notes.push(
      `manifests in ${paths.join()} have errors, and may name other objects. List the errors: formctl validate`,
    );
  return { ...chosen, notes, hasAllLayouts: isComplete };
}

/** Finds the forms and layouts that the request names. @throws NOT_FOUND, AMBIGUOUS_NAME */
async function choose(
  service: Service,
  { objects = [], forms = [], layouts: ids = [], allLayouts = false }: ExportRequest,
): Promise<ChosenResources> {
  const layouts = await Promise.all([...new Set(ids)].map((id) => findLayout(service, id)));
  if (allLayouts) layouts.push(...(await listLayouts(service)));
  const owners = layouts.flatMap((layout) => ownerOf(layout) ?? []);
  const addresses = [...forms, ...owners.map(({ formId, ...object }) => ({ ...object, form: formId }))];
  return {
    objects,
    forms: await Promise.all(
      addresses.map(async (address) => {
        const { moduleKey, objectKey } = address;
        return { object: { moduleKey, objectKey }, form: await findForm(service, address) };
      }),
    ),
    layouts: layouts.filter((layout) => !ownerOf(layout)),
    hasAllLayouts: allLayouts,
    notes: [],
  };
}

async function findLayout(service: Service, layoutId: string): Promise<LayoutAnswer> {
  const layout = await readLayout(service, layoutId);
  if (layout) return layout;
  throw new FormctlError(
    "NOT_FOUND",
    `the layout ${layoutId} does not exist, or the server does not show its target`,
    "Export the layout of a form with its form: formctl export MODULE/OBJECT/FORM",
  );
}

async function listLayouts(service: Service): Promise<LayoutAnswer[]> {
  const all = await listAllLayouts(service);
  if (!all) throw layoutsNotListed();
  return all.filter(isUserLayout);
}

type OpenedFolder = {
  /** The folder as given in the request (`into`), and after links are resolved (`real`). */
  into: string;
  real: string;
  folder: Folder;
};

/**
 * Checks the folder and reads its manifests.
 *
 * @throws MANIFESTS_INVALID if a manifest can't be read, because the export might duplicate this manifest
 * @throws FILE_UNWRITABLE, also if the folder is a file, or would be below a file
 * @throws FILE_UNFIT if a link points outside the project
 */
async function openFolder({ cwd, root, host }: ProjectContext, into: string, dryRun: boolean): Promise<OpenedFolder> {
  const path = resolve(cwd, into);
  const existing = nearestExisting(path);
  if (!statSync(existing).isDirectory()) {
    const what = existing === path ? into : `${relative(cwd, existing)}, a parent of ${into},`;
    throw new FormctlError(
      "FILE_UNWRITABLE",
      `can't write ${into}: ${what} is not a folder`,
      "Specify an existing folder or a new one.",
    );
  }
  refuseLeadingOut(path, root);
  if (!dryRun) await requireWritableFolder(existing, into);
  if (existing !== path) return { into, real: path, folder: { manifests: [], problems: [], sources: new Map() } };
  const folder = readFolder({ paths: [into], cwd, root, env: host.env });
  if (folder.problems.some(({ severity }) => severity === "error")) {
    throw invalidManifests(folder.problems, folder.sources);
  }
  // The path may contain links. Inside the project, `refuseLeadingOut` has checked that they don't leave the project.
  // In the path of a folder outside the project, all links are accepted, because they are not from the repository.
  return { into, real: realpathSync.native(path), folder };
}

function nearestExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path));
}

type IntoOptions = {
  exported: readonly Exported[];
  references: References;
  overwrite: boolean;
  dryRun: boolean;
  /**
   * Whether the export read every form or layout that the manifest may describe. If so, and none of them matches the
   * manifest, the form or layout was deleted.
   */
  isWhole: (manifest: FolderManifest["manifest"]) => boolean;
};

async function writeInto(
  context: ProjectContext,
  { into, real, folder }: OpenedFolder,
  options: IntoOptions,
): Promise<Writes> {
  const { target, concurrency, host } = context;
  const state = stateFolder(context);
  const schemas = join(state, "schemas");
  const manifests = folder.manifests.map(({ manifest }) => manifest);
  const lock = await openProjectLock(context, await target.key(), { files: folder.sources.keys(), manifests });
  const addresses = [...manifests, ...options.exported].map(({ address }) => address);
  lock.adopt(addresses, new Set(options.exported.map(({ layoutId }) => layoutId)));
  const writes = await planWrites({
    ...options,
    folder,
    into,
    real,
    schemas,
    concurrency,
    lock,
    env: host.env,
    service: await target.service(),
    fieldsOf: await fieldLookup(target, manifests),
  });
  if (options.dryRun) return writes;
  const hasNewFiles = writes.outcomes.some(({ status }) => status === "written");
  // The folders in `.formctl` are written last, but checked before the first file is written.
  for (const name of ["runs", ...(hasNewFiles ? ["schemas"] : [])]) await requireFolders(join(state, name), state);
  makeFolder(real);
  await carryOutWrites(writes, real, lock);
  await keepOrWarn(context, "could not record the export in .formctl", () => lock.save());
  if (hasNewFiles) {
    await keepOrWarn(context, "could not write the editor schemas", () => writeEditorSchemas(schemas));
  }
  return writes;
}
