/** What was exported, written into a folder that may hold manifests already. */

import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { FormctlError } from "../../error.ts";
import type { Exported } from "../../manifests/export/export.ts";
import { type Folder, type FolderManifest, readFolder } from "../../manifests/export/folder.ts";
import { invalidManifests } from "../../manifests/read/invalid-manifests.ts";
import type { References } from "../../manifests/references.ts";
import { makeFolder } from "../../disk/make-folder.ts";
import { refuseLeadingOut } from "../../disk/inside.ts";
import { refuseLinks, requireFolders } from "../../disk/unfit-file.ts";
import { clearDrafts, requireWritableFolder, writeWhole } from "../../disk/whole-file.ts";
import { carryOutWrites, planWrites, type Writes } from "../../manifests/export/write.ts";
import type { EditorKind } from "../../schemas/editor-schemas.ts";
import { jsonText } from "../../terminal/escape.ts";
import type { CommandContext } from "../command.ts";
import { keepOrWarn } from "./keep-or-warn.ts";
import { placeOf } from "./place.ts";
import { findFields } from "./present-fields.ts";
import { openBases } from "./project-lock.ts";

export type OpenedFolder = {
  /** As it was typed, and where it is. */
  into: string;
  real: string;
  folder: Folder;
};

/** What is read by which schema. */
const SCHEMAS: Record<string, EditorKind> = { "manifest.schema.json": "Manifest", "layout.schema.json": "Draft" };

/**
 * The manifests of a folder, which need not exist.
 *
 * @throws INVALID_VALUE where it is a file, or would be below one; MANIFESTS_INVALID where some can't be read: they would be written a second time;
 * FILE_UNWRITABLE where nothing can be written there; FILE_UNFIT where a link leads out of the project
 */
export async function openFolder({ cwd, env, settings, dryRun }: CommandContext, into: string): Promise<OpenedFolder> {
  const path = resolve(cwd, into);
  const there = nearestAbove(path);
  if (!statSync(there).isDirectory()) {
    const what = there === path ? into : `${relative(cwd, there)}, which ${into} would be below,`;
    throw new FormctlError("INVALID_VALUE", `${what} is not a folder`, "Name a folder, or one that is to be made.");
  }
  refuseLeadingOut(path, settings.root);
  if (!dryRun) await requireWritableFolder(there, into);
  if (there !== path) return { into, real: path, folder: { manifests: [], problems: [], sources: new Map() } };
  const folder = readFolder({ into, cwd, root: settings.root, env });
  if (folder.problems.some(({ severity }) => severity === "error")) {
    throw invalidManifests(folder.problems, folder.sources);
  }
  // Links that stay in the project, and those on the way to another folder, are a person's own.
  return { into, real: realpathSync.native(path), folder };
}

/** The path itself where something is there, or the nearest above it that is. */
function nearestAbove(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestAbove(dirname(path));
}

export type IntoOptions = {
  exported: readonly Exported[];
  references: References;
  concurrency: number;
  /** What is there is taken where nothing tells who has changed what. */
  overwrite: boolean;
  /** Whether a manifest is about something of which everything was read. */
  isWhole: (manifest: FolderManifest["manifest"]) => boolean;
};

/** Writes what differs, and what the lock knows of it; with `--dry-run` nothing. */
export async function exportInto(
  context: CommandContext,
  { into, real, folder }: OpenedFolder,
  options: IntoOptions,
): Promise<Writes> {
  const home = join(context.settings.root, ".formctl");
  const schemas = join(home, "schemas");
  const { env } = context;
  const files = folder.sources.keys();
  const manifests = folder.manifests.map(({ manifest }) => manifest);
  const lock = await openBases(context, await placeOf(context), { files, manifests });
  const addresses = [...manifests, ...options.exported].map(({ address }) => address);
  lock.adopt(addresses, new Set(options.exported.map(({ layoutId }) => layoutId)));
  const service = await context.service();
  const fieldsOf = await findFields(context, manifests);
  const writes = await planWrites({ ...options, folder, into, real, schemas, service, lock, env, fieldsOf });
  if (context.dryRun) return writes;
  const hasNew = writes.outcomes.some(({ status }) => status === "written");
  // What can't be kept is told before anything is written.
  for (const name of ["runs", ...(hasNew ? ["schemas"] : [])]) await requireFolders(join(home, name), home);
  makeFolder(real);
  await carryOutWrites(writes, real, lock);
  await keepOrWarn(context, "what was exported is not kept in .formctl", () => lock.save());
  if (hasNew) await keepOrWarn(context, "the schemas for editors are not written", () => writeSchemas(schemas));
  return writes;
}

/** The first lines of new files name them. */
async function writeSchemas(folder: string): Promise<void> {
  const { editorSchema } = await import("../../schemas/editor-schemas.ts");
  for (const [name, kind] of Object.entries(SCHEMAS)) {
    const path = join(folder, name);
    await refuseLinks(path, dirname(folder));
    const text = `${jsonText(editorSchema(kind), 2)}\n`;
    if (textOf(path) !== text) await writeWhole(path, text, 0o644);
  }
  await clearDrafts(folder);
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
