/** Opens the projects of transforms: the one that carries a transform out, and the one that brings the contents back. */

import { relative } from "node:path";
import type { Service } from "../service.ts";
import type { MigrationsContext } from "./context.ts";
import type { LoadedMigration } from "./load.ts";
import type { Replaced } from "./record.ts";
import { downProject, transformProject } from "./transform.ts";

/** A migration file, and a function that wraps the service of the target. */
export type TransformSource = { name: string; path: string; wrap?: (service: Service) => Service };

export function openTransform(context: MigrationsContext, source: TransformSource, loaded: LoadedMigration) {
  return transformProject({ ...optionsOf(context, source), loaded });
}

export function openDown(context: MigrationsContext, source: TransformSource, replaced: readonly Replaced[]) {
  return downProject({ ...optionsOf(context, source), replaced });
}

function optionsOf(context: MigrationsContext, { name, path, wrap = (service) => service }: TransformSource) {
  const { root, cwd, target, host, concurrency, onProgress, onWarning } = context;
  const file = relative(cwd, path);
  const service = async () => wrap(await target.service());
  return { name, file, root, cwd, target: { ...target, service }, host, concurrency, onProgress, onWarning };
}
