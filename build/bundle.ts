/** Bundles `src/` into `dist/`: a small entry, and a chunk for each command that loads when the command runs. */

import { rmSync } from "node:fs";
import { rolldown } from "rolldown";
import { lazyBuiltins } from "./lazy-builtins.ts";
import manifest from "../package.json" with { type: "json" };

/**
 * A file costs about half a millisecond to open, so what is always needed together stands together: the ways to
 * Node's builtins, the command line, and the service with its store. Everything else stays a chunk of its own.
 */
const groups = [
  { name: "builtins", test: /^\0builtin:/ },
  {
    name: "cli",
    test: /node_modules\/(commander|env-paths|fastest-levenshtein)\/|src\/(interrupts|commands\/[\w-]+|terminal\/(terminal|style|escape|hidden|write-all|table|width|is-terminal)|config\/[\w-]+|schemas\/(nearest|json))\.ts$/,
  },
  { name: "engine", test: /node_modules\/(zod|sql-template-tag)\/|src\/(service|local-service|schemas\/.+|engine\/.+|store\/.+)\.ts$/ },
];

rmSync("dist", { recursive: true, force: true });

const bundle = await rolldown({
  input: { main: "src/main.ts" },
  platform: "node",
  plugins: [lazyBuiltins()],
  transform: { define: { FORMCTL_VERSION: JSON.stringify(manifest.version) } },
});
await bundle.write({
  dir: "dist",
  format: "esm",
  minify: true,
  chunkFileNames: "chunks/[name]-[hash].js",
  codeSplitting: { groups: groups.map((group, index) => ({ ...group, priority: groups.length - index })) },
});
await bundle.close();
