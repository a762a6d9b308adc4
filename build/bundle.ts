/** Bundles `src/` into `dist/`: a small entry, and a chunk for each command that loads when the command runs. */

import { rmSync } from "node:fs";
import { rolldown } from "rolldown";
import { lazyBuiltins } from "./lazy-builtins.ts";
import manifest from "../package.json" with { type: "json" };

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
});
await bundle.close();
