/** Bundles `src/` into `dist/`: a small entry, and a chunk for each command that loads when the command runs. */

import { rmSync } from "node:fs";
import { rolldown } from "rolldown";
import { lazyBuiltins } from "./lazy-builtins.ts";
import manifest from "../package.json" with { type: "json" };

/**
 * A file costs about half a millisecond to open, so what is always needed together stands together: the ways to Node's
 * builtins; what reads a command line and prints help; what every command runs with; the service with its store.
 * Everything else stays a chunk of its own.
 */
const groups = [
  { name: "builtins", test: /^\0builtin:/ },
  {
    name: "command-line",
    test: /node_modules\/commander\/|src\/(interrupts|commands\/(program|tree|command|global-flags)|schemas\/hidden|terminal\/(terminal|style|escape|write-all|is-terminal))\.ts$/,
  },
  {
    name: "command",
    test: /node_modules\/(zod|env-paths|fastest-levenshtein|get-east-asian-width)\/|src\/(service|local-service|schemas\/(operations|form|layout|draft|page|currency|text|json|path|shape|nearest|diagnostic)|config\/[\w-]+|commands\/(run-command|output|watched-service|addresses|local-organization|by-schema|read-body)|terminal\/(table|width))\.ts$/,
  },
  { name: "engine", test: /node_modules\/sql-template-tag\/|src\/(schemas|engine|store)\/.+\.ts$/ },
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
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: groups.map((group, index) => ({ ...group, priority: groups.length - index })),
  },
});
await bundle.close();
