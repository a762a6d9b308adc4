/** Opens the project that carries out a transform, and the project that reverts a transform. */

import { relative } from "node:path";
import type { ProjectSetup } from "../project/project.ts";
import type { Service } from "../service.ts";
import type { MigrationsContext } from "./context.ts";
import { isScript, type Transform } from "./definition.ts";
import { type DownProject, downProject } from "./down.ts";
import type { LoadedMigration } from "./loaded.ts";
import type { Replaced } from "./record.ts";
import { type TransformProject, transformProject } from "./transform.ts";

export type WrapService = (service: Service) => Service;

export type OpenTransformOptions = {
  /** Whether drafts of other users are overwritten. If not, layouts with such a draft are left out. */
  allowReplace: boolean;
  /** What an interrupted run has replaced already. */
  recorded: readonly Replaced[];
  wrap?: WrapService;
};

export function openTransform(
  context: MigrationsContext,
  loaded: LoadedMigration,
  { wrap, allowReplace, recorded }: OpenTransformOptions,
): TransformProject {
  const options = { transform: transformOf(loaded), code: loaded, allowReplace, recorded };
  return transformProject({ ...projectOptions(context, wrap), ...options }, context.host);
}

function transformOf({ migration }: LoadedMigration): Transform {
  if (isScript(migration)) throw new TypeError("the migration is a script");
  return migration;
}

export type OpenDownOptions = {
  /** The absolute path of the migration file, for messages. */
  path: string;
  allowReplace: boolean;
  /** What the record states that the migration replaced. */
  replaced: readonly Replaced[];
  /** Whether contents that were changed after the migration are overwritten too. */
  overwrite: boolean;
  wrap?: WrapService;
};

export function openDown(
  context: MigrationsContext,
  loaded: LoadedMigration,
  { path, wrap, ...choices }: OpenDownOptions,
): DownProject {
  const made = { transform: transformOf(loaded), code: loaded, file: relative(context.cwd, path) };
  return downProject({ ...projectOptions(context, wrap), ...choices, ...made }, context.host);
}

function projectOptions(
  { root, cwd, target, concurrency, rehearse, onProgress, onWarning }: MigrationsContext,
  wrap: WrapService = (service) => service,
): ProjectSetup {
  const service = async () => wrap(await target.service());
  return { root, cwd, target: { ...target, service }, concurrency, rehearse, onProgress, onWarning };
}
