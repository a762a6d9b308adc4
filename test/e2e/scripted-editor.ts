/** Runs the installed program in a terminal, with an editor that follows a list of steps. */

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { quoted } from "../../src/base/shell-quote.ts";
import { type PtyOutcome, runInPty, type Step } from "../pty.ts";
import { COMMAND } from "./program.ts";

/** What the editor does. The editor waits for the node command `run`. With `waits`, it stays open. */
export type EditorStep = {
  replace?: [from: string, to: string];
  run?: string[];
  remove?: boolean;
  exitCode?: number;
  waits?: boolean;
};

export type EditorOutcome = PtyOutcome & {
  /** The texts that the editor opened. */
  opened: string[];
  /** The paths of the edited files that still exist. */
  kept: string[];
};

const SCRIPT = fileURLToPath(new URL("scripts/editor.ts", import.meta.url));
const EDITOR = [process.execPath, SCRIPT].map((word) => quoted(word)).join(" ");

/** Runs `formctl` with the arguments `words` in a terminal. Stdout is a file. */
export async function runWithEditor(
  { home, env = {} }: { home: string; env?: Record<string, string> },
  words: readonly string[],
  { steps, reactions = [], editor = EDITOR }: { steps: EditorStep[]; reactions?: Step[]; editor?: string },
): Promise<EditorOutcome> {
  const plan = join(home, `steps-${Math.random()}.json`);
  writeFileSync(plan, JSON.stringify(steps));
  const options = { home, env: { EDITOR: editor, EDITOR_STEPS: plan, ...env }, hasStdoutFile: true };
  const outcome = await runInPty([...COMMAND, ...words], options, reactions);
  const lines = existsSync(`${plan}.opened`) ? readFileSync(`${plan}.opened`, "utf8").trim().split("\n") : [];
  return { ...outcome, opened: lines.map((line) => JSON.parse(line) as string), kept: keptIn(home) };
}

function keptIn(home: string): string[] {
  const folder = join(home, "edits");
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((one) =>
    readdirSync(join(folder, one))
      .filter((name) => name.endsWith(".yaml"))
      .map((name) => join(folder, one, name)),
  );
}
