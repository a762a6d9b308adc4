/** An interactive shell in a terminal, with the completion of formctl loaded. */

import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { CTRL_A, ENTER, openPty, type Pty } from "../pty.ts";
import { folderOnPath } from "./program.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type ShellName = (typeof SHELLS)[number];

const PROMPT = "ready> ";

/**
 * The setup file of each shell. With `args`, the shell reads this file before the first prompt. The function `show`
 * prints its arguments, so that a test sees how the shell parses a completed line.
 */
const SETUP: Record<ShellName, { file: string; lines: string[]; args: (folder: string) => string[] }> = {
  bash: {
    file: "setup.bash",
    lines: [
      `PS1='${PROMPT}'`,
      `show() { printf '<%s>\\n' "$@"; echo "done-$#"; }`,
      "source <(formctl completion bash)",
    ],
    args: (folder) => ["--noprofile", "--rcfile", join(folder, "setup.bash"), "-i"],
  },
  zsh: {
    // zsh reads this file from ZDOTDIR.
    file: ".zshrc",
    lines: [
      `PS1='${PROMPT}'`,
      `show() { printf '<%s>\\n' "$@"; echo "done-$#"; }`,
      "autoload -U compinit; compinit -u -D; bindkey -e",
      "source <(formctl completion zsh)",
    ],
    args: () => ["--no-globalrcs", "-i"],
  },
  fish: {
    file: "setup.fish",
    lines: [
      `function fish_prompt; echo -n '${PROMPT}'; end`,
      `function show; printf '<%s>\\n' $argv; echo done-(count $argv); end`,
      "formctl completion fish | source",
    ],
    args: (folder) => ["--no-config", "-i", "--init-command", `source '${join(folder, "setup.fish")}'`],
  },
};

export type ShellSession = {
  /**
   * Types keys. The key `\t` completes the command line.
   *
   * @returns the arguments of the completed command line, as the shell parses them
   */
  complete(keys: string): Promise<string[]>;
  close: Pty["close"];
};

/** @param more lines of the setup file after the completion of formctl is loaded */
export async function openShell(
  shell: ShellName,
  { home, cwd, more = [] }: { home: string; cwd: string; more?: readonly string[] },
): Promise<ShellSession> {
  const { file, lines, args } = SETUP[shell];
  const folder = join(home, `shell-${shell}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, file), `${[...lines, ...more].join("\n")}\n`);
  // Without this folder, fish fills it in the background, even after its end.
  mkdirSync(join(home, ".local", "share", "fish", "generated_completions"), { recursive: true });
  const env = {
    PATH: `${folderOnPath()}${delimiter}${process.env["PATH"]}`,
    LC_ALL: "C.UTF-8",
    HISTFILE: "",
    ZDOTDIR: folder,
    // Otherwise fish leaves a folder in /tmp. It uses only a folder of mode 0700.
    XDG_RUNTIME_DIR: folder,
  };
  const pty = openPty([shell, ...args(folder)], { home, cwd, columns: 200, rows: 50, env });
  // A shell reads keys from the moment when its prompt is shown.
  await pty.shows(new RegExp(PROMPT));
  return {
    async complete(keys) {
      pty.type(`${keys}${CTRL_A}show ${ENTER}`);
      const text = await pty.shows(new RegExp(`^done-\\d+$[^]*${PROMPT}`, "m"));
      const printed = [...text.slice(0, text.search(/^done-\d+$/m)).matchAll(/^<(.*)>$/gm)];
      return printed.map(([, word]) => word!);
    },
    close: () => pty.close(),
  };
}
