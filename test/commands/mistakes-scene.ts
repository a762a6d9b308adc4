/** A working directory with common mistakes in its files. `answerTo` returns the answer to a command line. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Cli } from "./cli.ts";
import { openDemo } from "./demo-cli.ts";

const FORM = ["object: staffing/candidate", "name: X"];
const FILES: Readonly<Record<string, readonly string[]>> = {
  "broken.yaml": ["kind: Form", "object: staffing/candidate", "name: [X"],
  "tab.yaml": ["\tkind: Form"],
  "kind.yaml": ["kind: From", ...FORM, "types: [VIEW]"],
  "mode.yaml": ["kind: Form", ...FORM, "types: [VEIW]"],
  "field.yaml": ["kind: Form", ...FORM, "types: [VIEW]", "layuot: x.yaml"],
  "k8s.yaml": ["apiVersion: v1", "kind: ConfigMap", "metadata: {name: x}"],
  "draft.yaml": ["regions: []"],
};

/** The demo store, a profile of a server, and the files. */
export async function openMistakes(): Promise<Cli> {
  const cli = await openDemo();
  for (const [name, lines] of Object.entries(FILES)) cli.file(name, `${lines.join("\n")}\n`);
  await cli.run("profiles", "add", "server", "--base-url", "https://forms.example.com");
  mkdirSync(join(cli.cwd, "empty"));
  return cli;
}

/**
 * Returns three parts of the answer:
 * - the first line of stderr, or of stdout if stderr is empty;
 * - the first line of the hint;
 * - the exit code.
 */
export async function answerTo(cli: Cli, line: string): Promise<{ message: string; hint: string; code: number }> {
  const words = (line.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", ""));
  const { stdout, stderr, code } = await cli.run(...words);
  const [message = "", ...more] = (stderr || stdout).replaceAll(/\b(lay|frm|ver)_\w{20,}/g, "$1_ID").split("\n");
  const hint = more.find((each) => each.startsWith("hint: ")) ?? "";
  return { message, hint: hint.replace(/^hint: /, ""), code };
}
