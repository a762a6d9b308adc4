/**
 * An editor for tests: `node editor.ts FILE`. The environment variable `EDITOR_STEPS` has the path of a JSON file with
 * steps. The editor removes the next step from this file, and executes the step. Before the step, the editor appends
 * the text of FILE to `$EDITOR_STEPS.opened`, as a line of JSON.
 */

import { execFileSync } from "node:child_process";
import { appendFileSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import type { EditorStep } from "../scripted-editor.ts";

const plan = process.env["EDITOR_STEPS"]!;
const path = process.argv.at(-1)!;
const [step, ...left] = JSON.parse(readFileSync(plan, "utf8")) as EditorStep[];
writeFileSync(plan, JSON.stringify(left));
const text = readFileSync(path, "utf8");
appendFileSync(`${plan}.opened`, `${JSON.stringify(text)}\n`);
if (!step) throw new Error("the editor was opened too often");

const { replace, run, remove, exitCode, waits } = step;
if (replace) {
  const changed = text.replace(replace[0], replace[1]);
  if (changed === text) throw new Error(`nothing to replace: ${replace[0]}`);
  writeFileSync(path, changed);
}
if (run) execFileSync(process.execPath, run, { stdio: "ignore" });
if (remove) unlinkSync(path);
process.stdout.write("the editor is open\n");
if (waits) setInterval(() => undefined, 60_000);
process.exitCode = exitCode ?? 0;
