/** Where the package keeps its example. */

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** Found from wherever this file stands, in the sources or in the bundle. */
export function exampleFolder(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  return join(folder, "examples", "northwind");
}
