/** Where the package keeps its example. */

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** Found from wherever this file stands, in the sources or in the bundle. @throws Error where the package is not whole */
export function exampleFolder(): string {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    const example = join(folder, "examples", "northwind");
    if (existsSync(join(folder, "package.json")) && existsSync(example)) return example;
    if (dirname(folder) === folder)
      throw new Error(`no folder above ${import.meta.dirname} holds the package's example`);
  }
}
