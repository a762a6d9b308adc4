/** Finds out whether `dist/` contains the current sources. */

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
export const DIST = join(ROOT, "dist");
/** The file of `dist/` that has the time of the build. It is a file of the package, so the package needs no other one. */
export const STAMP = "main.cjs";

const INPUTS = ["src", "build", "package.json", "package-lock.json", "tsconfig.json", "tsconfig.types.json"];

/** Whether `dist/` is newer than all its sources. A deleted source changes the time of its folder. */
export function isCurrent(): boolean {
  const built = timeOf(join(DIST, STAMP));
  return INPUTS.every((input) => {
    const path = join(ROOT, input);
    const inner = statSync(path).isDirectory() ? readdirSync(path, { recursive: true, encoding: "utf8" }) : [];
    return ["", ...inner].every((file) => timeOf(join(path, file)) < built);
  });
}

function timeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
