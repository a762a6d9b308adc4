/** Bundles `src/` into `dist/`: a small entry, and a chunk for each command that loads when the command runs. */

import { rmSync } from "node:fs";
import { rolldown } from "rolldown";
import { lazyBuiltins } from "./lazy-builtins.ts";
import manifest from "../package.json" with { type: "json" };

/**
 * A file costs about a quarter of a millisecond to open, and a function that is not called next to nothing, so what is
 * always needed together stands together, with all that it needs itself: the command line, the reading of shapes, the
 * service with its store. What few commands need, questions, YAML, seeding, stays a chunk of its own.
 */
const groups = [
  {
    name: "base",
    test: /builtin:\w+:(fs|path|os|process|crypto|url|tty|util)$|src\/(system-world|commands\/(tree|command|global-flags|invocation|plain-line)|schemas\/words)\.ts$/,
  },
  {
    name: "run",
    test: /src\/(execute|service|local-service|commands\/(addresses|forms\/(form-view|mode-list|chosen-object))|terminal\/table|schemas\/(identifier|path))\.ts$/,
  },
  { name: "help", test: /src\/commands\/program\.ts$/ },
  { name: "shapes", test: /src\/schemas\/shape\.ts$/ },
  { name: "engine", test: /src\/(local-store|engine\/form-reads|store\/sqlite)\.ts$/ },
  { name: "checks", test: /src\/engine\/verdict\.ts$/ },
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
  // CommonJS: its loader is a good two milliseconds faster over these files than that of ES modules.
  format: "cjs",
  minify: true,
  entryFileNames: "[name].cjs",
  chunkFileNames: "chunks/[name]-[hash].cjs",
  codeSplitting: {
    groups: groups.map((group, index) => ({ ...group, priority: groups.length - index })),
  },
});
await bundle.close();
