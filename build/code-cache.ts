/** Keeps what V8 compiles for the short commands of the bundle in FOLDER: `node build/code-cache.ts FOLDER`. */

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Script } from "node:vm";
import { precompiledRequire } from "./precompiled.ts";

/** What people wait for most often, and what `npm run bench:startup` measures. */
const SHORT_COMMANDS = [
  ["currencies", "list"],
  ["forms", "list", "staffing/candidate"],
  ["forms", "create", "compliance/document_check", "--name", "New", "--types", "VIEW", "--quiet"],
];

const folder = resolve(process.argv[2] ?? "dist");
const entry = join(folder, "main.cjs");
const require = createRequire(entry);
const home = mkdtempSync(join(tmpdir(), "formctl-build-"));
try {
  process.env["FORMCTL_HOME"] = home;
  await formctl(["local", "init", "--demo", "--quiet"]);

  // What making the demo has loaded and compiled does not count.
  for (const path of Object.keys(require.cache)) delete require.cache[path];
  const scripts = new Map<string, Script>();
  const load = precompiledRequire(require, folder, (script, codeFile) => scripts.set(codeFile, script));
  const chunks = readdirSync(folder).filter((name) => name.endsWith(".cjs") && join(folder, name) !== entry);
  for (const chunk of chunks) load(`./${chunk}`);
  for (const words of SHORT_COMMANDS) await formctl(words);
  for (const [codeFile, script] of scripts) writeFileSync(codeFile, script.createCachedData());
} finally {
  rmSync(home, { recursive: true, force: true });
}

async function formctl(words: readonly string[]): Promise<void> {
  process.argv = [process.execPath, "formctl", ...words];
  const { start } = require(entry) as { start: () => Promise<void> };
  await start();
  if (process.exitCode !== 0) throw new Error(`formctl ${words.join(" ")} failed`);
}
