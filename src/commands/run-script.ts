/** Runs a script of commands, in which `formctl` is this program. */

import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { constants } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { MAX_FILE_BYTES } from "../base/file-limits.ts";
import { readWithin } from "../disk/read-file.ts";
import { reasonOf } from "../disk/file-errors.ts";
import { FormctlError } from "../base/error.ts";
import { quoted } from "../base/shell-quote.ts";
import { endSignalOf } from "../terminal/interrupted.ts";

export type ScriptRun = {
  /** The path of the script as the user typed it, relative to `cwd`. */
  file: string;
  interpreter: Interpreter;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Variables that each formctl command gets. The script can't remove them from the environment of the command. */
  always: Readonly<Record<string, string>>;
  /** An existing folder for the program `formctl`. The folder comes first on the PATH of the script. */
  folder: string;
  /** The environment variable that contains the file and line of a command in the script. Only bash sets it. */
  lineVariable: string;
  /**
   * The log to which bash reports the start and the end of these other programs, with their lines. The script then runs
   * many times, so its output is not shown.
   */
  watched?: { programs: readonly string[]; log: string };
  /** Aborted by the first signal that formctl receives. */
  ending: AbortSignal;
};

export type Interpreter = readonly [program: string, ...words: string[]];

/**
 * Runs the script. Its output goes to stderr.
 *
 * @returns the exit code of the script. If a signal ended the script: 128 plus the number of the signal
 * @throws INVALID_VALUE if the script can't be started
 */
export function runScript(run: ScriptRun): Promise<number> {
  const { file, args, cwd, ending } = run;
  const [program, ...words] = run.interpreter;
  // Without a slash, a shell would search for the script on the PATH.
  const path = file.includes("/") ? file : `./${file}`;
  return new Promise((settle, reject) => {
    const child = spawn(program, [...words, path, ...args], {
      cwd,
      env: withProgram(run),
      stdio: run.watched ? "ignore" : ["inherit", 2, 2],
    });
    // The terminal sends the SIGINT of Ctrl-C to the script too. So only SIGTERM is forwarded.
    const forward = () => {
      if (endSignalOf(ending) !== "SIGINT") child.kill("SIGTERM");
    };
    ending.addEventListener("abort", forward);
    const end = () => ending.removeEventListener("abort", forward);
    child.on("error", (cause) => {
      end();
      const hint = "Check the interpreter in line 1 of the script.";
      reject(new FormctlError("INVALID_VALUE", `can't start ${program}: ${reasonOf(cause)}`, hint, cause));
    });
    child.on("close", (code, signal) => {
      end();
      settle(code ?? 128 + (signal ? constants.signals[signal] : 0));
    });
  });
}

/**
 * Returns the program that runs the script, with arguments. Reads the `#!` line by the rules of the kernel. Without a
 * `#!` line, the program is sh.
 *
 * @throws INVALID_VALUE if the script can't be read
 */
export function readInterpreter(file: string, cwd: string): Interpreter {
  let text: string;
  try {
    text = readWithin(resolve(cwd, file), MAX_FILE_BYTES).toString("utf8");
  } catch (error) {
    if (error instanceof FormctlError) throw error;
    const hint = "Specify a script of formctl commands.";
    throw new FormctlError("INVALID_VALUE", `can't read ${file}: ${reasonOf(error)}`, hint, error);
  }
  const [, program, argument] = /^#![ \t]*(\S+)(?:[ \t]+(.*\S))?/.exec(text) ?? [];
  if (program === undefined) return ["/bin/sh"];
  return argument === undefined ? [program] : [program, argument];
}

/** Writes the program `formctl` into `folder`. Returns the environment with `folder` on the PATH. */
function withProgram({ env, always, folder, lineVariable, watched }: ScriptRun): NodeJS.ProcessEnv {
  const program = [process.execPath, process.argv[1] ?? ""].map(shellQuoted).join(" ");
  const variables = Object.entries(always).map(([name, value]) => `export ${name}=${shellQuoted(value)}\n`);
  writeFileSync(join(folder, "formctl"), `#!/bin/sh\n${variables.join("")}exec ${program} "$@"\n`, { mode: 0o700 });
  // bash reads `lines.bash` before the script, unless the user has set BASH_ENV. `lines.bash` defines a function
  // `formctl`. The function adds the file and line of the command to the environment, and runs the program.
  const lines = join(folder, "lines.bash");
  const call = `${lineVariable}="\${BASH_SOURCE[1]-}:\${BASH_LINENO[0]}" command formctl "$@"`;
  const others = watched?.programs.map((name) => watchedProgram(name, watched.log)) ?? [];
  writeFileSync(lines, `formctl() { ${call}; }\n${others.join("")}`, { mode: 0o600 });
  return { ...env, ...always, PATH: `${folder}${delimiter}${env["PATH"] ?? ""}`, BASH_ENV: env["BASH_ENV"] ?? lines };
}

/** Returns a function for bash that runs a program, and appends the events of config/script-rehearsal.ts to a log. */
function watchedProgram(name: string, log: string): string {
  return `${name}() {
  local id="${name}-$BASHPID-$RANDOM" file="\${BASH_SOURCE[1]-}" code=0
  file="\${file//[!A-Za-z0-9_./-]/_}"
  printf '{"id":"%s","type":"start","program":"${name}","words":[],"line":"%s:%s"}\\n' "$id" "$file" "\${BASH_LINENO[0]}" >> ${shellQuoted(log)}
  command ${name} "$@" || code=$?
  printf '{"id":"%s","type":"end","exitCode":%s}\\n' "$id" "$code" >> ${shellQuoted(log)}
  return "$code"
}
`;
}

function shellQuoted(text: string): string {
  return quoted(text, "linux");
}
