/** Applies a migration to manifests, as `formctl codemod` does. Loaded when a program does so. */

import { resolve } from "node:path";
import { type Codemod, planCodemod, writeCodemod } from "../migrations/codemod.ts";
import type { Transform } from "../migrations/definition.ts";
import { loadTransform, type TransformSource } from "../migrations/load-transform.ts";

export type CodemodOptions = {
  /** The name of a migration or a part of it, or a transform that the program defines. */
  migration: string | Transform;
  /** The project folder. Files outside are not changed. */
  root: string;
  /** The folder to which paths are relative. Default: `root`. */
  cwd?: string;
  /** The folder of the migrations, relative to `root`. Default: `migrations`. */
  folder?: string;
  /** Files and folders of manifests, relative to `cwd`. Default: `root`. */
  paths?: readonly string[];
  /** The values of `${NAME}` in manifests. Default: the environment variables of this process. */
  env?: Readonly<Record<string, string | undefined>>;
  /** The environment variables that manifests may use. Default: all that do not start with FORMCTL_. */
  variables?: readonly string[] | undefined;
  /** Writes nothing. Default: false. */
  dryRun?: boolean;
  /** Receives what the migration prints. Default: prints it on stderr. */
  print?: ((text: string) => void) | undefined;
};

export type CodemodResult = Codemod & { outcome: "changed" | "would change" | "unchanged" };

/** @param library returns what the file of a migration can import from `formctl` */
export async function runCodemod(
  { migration, env = process.env, variables, dryRun = false, print, ...where }: CodemodOptions,
  library: TransformSource["library"],
): Promise<CodemodResult> {
  const root = resolve(where.root);
  const cwd = where.cwd === undefined ? root : resolve(where.cwd);
  const folder = resolve(root, where.folder ?? "migrations");
  const { transform } = await loadTransform({ migration, root, cwd, folder, library, print });
  const codemod = planCodemod({ transform, paths: where.paths ?? [root], cwd, root, env, variables });
  if (codemod.files.length === 0) return { ...codemod, outcome: "unchanged" };
  if (dryRun) return { ...codemod, outcome: "would change" };
  await writeCodemod(codemod.files, root);
  return { ...codemod, outcome: "changed" };
}
