/**
 * Tests completion in real shells. The test types keys into a pseudo-terminal, and the shell prints the words of its
 * line.
 */

import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tier } from "../effort.ts";
import { reasonWithout, skipTests } from "../skip.ts";
import { demoHome, emptyHome, environment, formctl } from "./program.ts";
import { openShell, type ShellSession, SHELLS } from "./shell-session.ts";

const PROFILE = "staffing/candidate/Candidate profile";
/** A name that a shell must not evaluate. */
const HOSTILE = 'It\'s "50%" $(touch pwned) & !x `touch pwned`; é';
/** The program of a repository. It marks its execution with a file. */
const PLANTED = "#!/bin/sh\ntouch executed\n";
const REVIEW = `compliance/document_check/${HOSTILE}`;

let home: string;
let cwd: string;

beforeAll(async () => {
  home = await demoHome();
  cwd = emptyHome();
  writeFileSync(join(cwd, "review.yaml"), "");
  writeFileSync(join(cwd, "formctl"), PLANTED, { mode: 0o755 });
  const words = ["forms", "create", "compliance/document_check", "--name", HOSTILE, "--types", "VIEW"];
  const { code, stderr } = await formctl(words, { home });
  if (code !== 0) throw new Error(stderr);
});

const ROWS: readonly [keys: string, line: readonly string[]][] = [
  ["formctl lay\tdraft pu\t", ["formctl", "layouts", "draft", "push"]],
  ["formctl forms get staff\tcandidate/\tp\t", ["formctl", "forms", "get", PROFILE]],
  ["formctl forms get 'staffing/candidate/Candidate p\t", ["formctl", "forms", "get", PROFILE]],
  ['formctl forms get "staffing/candidate/Candidate p\t', ["formctl", "forms", "get", PROFILE]],
  ["formctl forms get staffing/candidate/Candidate\\ p\t", ["formctl", "forms", "get", PROFILE]],
  ["formctl forms get compliance/document_check/I\t", ["formctl", "forms", "get", REVIEW]],
  ["formctl forms get 'compliance/document_check/I\t", ["formctl", "forms", "get", REVIEW]],
  ['formctl forms get "compliance/document_check/I\t', ["formctl", "forms", "get", REVIEW]],
  [
    "formctl layouts versions get 'staffing/candidate/Candidate profile' la\t",
    ["formctl", "layouts", "versions", "get", PROFILE, "latest"],
  ],
  [
    "formctl forms defaults set staffing/candidate VIEW=Candidate\\ p\t",
    ["formctl", "forms", "defaults", "set", "staffing/candidate", "VIEW=Candidate profile"],
  ],
  // The word after a space is empty. The layout has only one version.
  [
    "formctl layouts versions get compliance/document_check/I\t\t",
    ["formctl", "layouts", "versions", "get", REVIEW, "draft"],
  ],
  ["formctl forms list --output=y\t", ["formctl", "forms", "list", "--output=yaml"]],
  ["formctl forms list -o ya\t", ["formctl", "forms", "list", "-o", "yaml"]],
  ["formctl forms get --verb\t", ["formctl", "forms", "get", "--verbose"]],
  ["formctl apply rev\t", ["formctl", "apply", "review.yaml"]],
  ["formctl forms get review\t", ["formctl", "forms", "get", "review"]],
];

describe.each(SHELLS)("the completion of %s", (shell) => {
  const reason = reasonWithout(shell);
  // `npm run test:full` requires each shell, unless the machine can't have it (.ci/run).
  const isRequired = tier === "full" && !process.env["TEST_WITHOUT_SHELLS"];
  skipTests(isRequired ? undefined : reason);
  let session: ShellSession | undefined;
  beforeAll(async () => {
    if (reason === undefined) session = await openShell(shell, { home, cwd });
    else if (isRequired) throw new Error(reason);
  });
  afterAll(() => session?.close());

  it.each(ROWS)("completes %j", async (keys, line) => {
    expect(await session!.complete(keys)).toEqual(line);
    expect(existsSync(join(cwd, "pwned"))).toBe(false);
  });

  it("completes a line with a path to another formctl, and does not run this file", async () => {
    expect(await session!.complete("./formctl lay\tdraft pu\t")).toEqual(["./formctl", "layouts", "draft", "push"]);
    expect(existsSync(join(cwd, "executed"))).toBe(false);
  });
});

it("finds that a script runs the typed program: the control", async () => {
  const weaker = `eval "$(declare -f _formctl | sed 's/(formctl complete/("$1" complete/')"`;
  const folder = emptyHome();
  writeFileSync(join(folder, "formctl"), PLANTED, { mode: 0o755 });
  const session = await openShell("bash", { home, cwd: folder, more: [weaker] });
  try {
    await session.complete("./formctl lay\t");
  } finally {
    await session.close();
  }
  expect(existsSync(join(folder, "executed"))).toBe(true);
});

it("answers the package manager completion of @bomb.sh/tab", async () => {
  const words = ["complete", "--", "layouts", "draft", ""];
  const { code, stdout: answer } = await formctl(words, { home, cwd });
  expect(code).toBe(0);
  // tab waits only one second for a program, which is too short on a busy machine. This replacement prints the answer
  // at once.
  const folder = emptyHome();
  writeFileSync(join(folder, "answer"), answer);
  const script = `#!/bin/sh\n[ "$*" = "${words.join(" ")}" ] && cat '${join(folder, "answer")}'\n`;
  writeFileSync(join(folder, "formctl"), script, { mode: 0o755 });
  const tab = fileURLToPath(import.meta.resolve("@bomb.sh/tab/bin/cli"));
  const env = environment(home, {
    PATH: `${folder}${delimiter}${process.env["PATH"]}`,
    TAB_DISABLE_COMPLETION_CACHE: "1",
  });
  const line = [tab, "npm", "complete", "--", "exec", "formctl", "layouts", "draft", ""];
  const { stdout } = spawnSync(process.execPath, line, { cwd, env, encoding: "utf8" });
  expect(stdout.split("\n").map((each) => each.split("\t")[0])).toEqual(["push", "show", "scaffold", ":4", ""]);
});
