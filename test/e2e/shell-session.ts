/** An interactive shell in a pseudo-terminal, with the completion of formctl loaded. */

import { spawnSync } from "node:child_process";
import { delimiter } from "node:path";
import { spawn } from "@lydell/node-pty";
import { environment, folderOnPath } from "./program.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type ShellName = (typeof SHELLS)[number];

/** `show` prints its arguments, so that a test sees how the shell parses a completed line. */
const SETUP: Record<ShellName, { args: string[]; lines: string[] }> = {
  bash: {
    args: ["--norc", "--noprofile", "-i"],
    lines: [
      `show() { printf '<%s>\\n' "$@"; echo "done-$#"; }`,
      "source <(formctl completion bash)",
      "echo ready-$((1+1))",
    ],
  },
  zsh: {
    args: ["-f", "-i"],
    lines: [
      `show() { printf '<%s>\\n' "$@"; echo "done-$#"; }`,
      "autoload -U compinit; compinit -u -D; bindkey -e",
      "source <(formctl completion zsh)",
      "echo ready-$((1+1))",
    ],
  },
  fish: {
    args: ["--no-config", "-i"],
    lines: [
      `function show; printf '<%s>\\n' $argv; echo done-(count $argv); end`,
      "formctl completion fish | source",
      "echo ready-(math 1+1)",
    ],
  },
};

/** Whether the shell is installed. */
export function isInstalled(shell: ShellName): boolean {
  return spawnSync(shell, ["--version"]).status === 0;
}

export type ShellSession = {
  /**
   * Types keys, of which `\t` completes.
   *
   * @returns the arguments of the completed command line, as the shell parses them
   */
  complete(keys: string): Promise<string[]>;
  close(): void;
};

export async function openShell(shell: ShellName, { home, cwd }: { home: string; cwd: string }): Promise<ShellSession> {
  const { args, lines } = SETUP[shell];
  const env = environment(home, {
    PATH: `${folderOnPath()}${delimiter}${process.env["PATH"]}`,
    TERM: "xterm",
    PS1: "$ ",
    LC_ALL: "C.UTF-8",
    HISTFILE: "",
  });
  const terminal = spawn(shell, args, { cols: 200, rows: 50, cwd, env });
  let screen = "";
  terminal.onData((text) => (screen += text));
  const seen = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (let tries = 0; tries < 600; tries++) {
      const found = pattern.exec(screen);
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`${shell} did not print ${pattern}:\n${JSON.stringify(screen)}`);
  };
  for (const line of lines) terminal.write(`${line}\r`);
  await seen(/ready-2/);
  return {
    async complete(keys) {
      screen = "";
      // Ctrl-A moves to the start of the line.
      terminal.write(`${keys}\u0001show \r`);
      const { index } = await seen(/done-\d+/);
      const printed = [...screen.slice(0, index).matchAll(/^<(.*)>\r?$/gm)];
      return printed.map(([, word]) => word!);
    },
    close: () => terminal.kill(),
  };
}
