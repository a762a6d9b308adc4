/** The package as a user installs it: packed, and unpacked into a folder outside the repository. */

import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./e2e/program.ts";
import manifest from "../package.json" with { type: "json" };

/** The compilers that read the types of the package. */
export const COMPILERS = {
  newest: join(ROOT, "node_modules/typescript/bin/tsc"),
  oldest: join(ROOT, "test/oldest-typescript/node_modules/typescript/bin/tsc"),
};
export type Compiler = keyof typeof COMPILERS;

export type Consumer = {
  /** The folder of a package that depends on formctl. */
  folder: string;
  /** The unpacked package. */
  installed: string;
  /**
   * Type-checks files of the folder with `moduleResolution` nodenext. `skipLibCheck` checks only these files, which is
   * quicker, and not the types of the package itself.
   *
   * @throws Error with the output of tsc
   */
  typeCheck: (files: readonly string[], options?: { skipLibCheck?: boolean }, compiler?: Compiler) => void;
};

/** Returns the packages of a text of notices, each as `NAME VERSION`. */
export function noticedPackages(text: string): string[] {
  return [...text.matchAll(/^=+\n(\S+ \S+) \(.*\)\nSource: /gm)].map(([, name]) => name!);
}

/** @param folder an empty folder outside the repository */
export function installPackage(folder: string): Consumer {
  const archive = packPackage(folder);
  const consumer = join(folder, "consumer");
  const modules = join(consumer, "node_modules");
  const installed = join(modules, "formctl");
  mkdirSync(installed, { recursive: true });
  run("tar", ["-xzf", archive, "--strip-components=1", "-C", installed], folder);
  // Links replace an installation from a registry. Most packages are bundled.
  for (const name of ["pg", "@types"]) symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
  writeFileSync(join(consumer, "package.json"), JSON.stringify({ type: "module", private: true }));
  return {
    folder: consumer,
    installed,
    typeCheck(files, options, compiler = "newest") {
      const compilerOptions = {
        module: "nodenext",
        moduleResolution: "nodenext",
        target: "es2024",
        allowImportingTsExtensions: true,
        strict: true,
        noEmit: true,
        types: ["node"],
        exactOptionalPropertyTypes: true,
        ...options,
      };
      writeFileSync(join(consumer, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
      run(process.execPath, [COMPILERS[compiler], "-p", "."], consumer);
    },
  };
}

/** Packs the package into a folder. Returns the path of the tarball. */
export function packPackage(folder: string): string {
  run("npm", ["pack", "--ignore-scripts", "--pack-destination", folder], ROOT);
  return join(folder, `${manifest.name}-${manifest.version}.tgz`);
}

/** @returns stdout @throws Error with the printed output if the program fails */
export function run(command: string, argv: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(command, argv, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (status !== 0) throw new Error(`${command} ${argv.join(" ")} failed:\n${stdout}${stderr}`);
  return stdout;
}
