/** Bundles `src/` into `dist/`: a small entry, and a chunk for each command that loads when the command runs. */

import { rmSync } from "node:fs";
import { rolldown } from "rolldown";
import { lazyBuiltins } from "./lazy-builtins.ts";
import manifest from "../package.json" with { type: "json" };

/**
 * A file costs about a quarter of a millisecond to open, and an unused function next to nothing, so what is always needed
 * together stands together: the command line, the commands of an area, the service with its store. Schemas, questions,
 * YAML and whatever else few commands need stay chunks of their own.
 */
const groups = [
  {
    name: "command-line",
    test: /^\0(rolldown|builtin:\w+:(fs|path|os|process|crypto|url|tty|util|child_process)$)|node_modules\/(commander|env-paths|is-safe-filename|fastest-levenshtein)\/|src\/(execute|system-world|local-target|service|local-service|commands\/(?!by-schema|read-body|help)[\w-]+|config\/[\w-]+|schemas\/(hidden|operations|words|identifier|json|path|nearest|diagnostic)|terminal\/(terminal|style|escape|write-all|is-terminal))\.ts$/,
  },
  { name: "table", test: /node_modules\/get-east-asian-width\/|src\/terminal\/(table|width)\.ts$/ },
  {
    name: "engine",
    test: /node_modules\/sql-template-tag\/|^\0builtin:\w+:(sqlite|fs\/promises|timers\/promises)$|src\/(local-store|schemas\/(draft-.+|mode-set|diagnostic-codes|staged-fields)|engine\/(?!resolve)[\w-]+|store\/(?!backup|invariants|durable-file|file-errors).+)\.ts$/,
  },
];

rmSync("dist", { recursive: true, force: true });

const bundle = await rolldown({
  input: { main: "src/main.ts" },
  platform: "node",
  // No module of this program acts by being imported.
  treeshake: { moduleSideEffects: false },
  plugins: [lazyBuiltins()],
  transform: { define: { FORMCTL_VERSION: JSON.stringify(manifest.version) } },
});
await bundle.write({
  dir: "dist",
  format: "esm",
  minify: true,
  chunkFileNames: "chunks/[name]-[hash].js",
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: groups.map((group, index) => ({ ...group, priority: groups.length - index })),
  },
});
await bundle.close();
