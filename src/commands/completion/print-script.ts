/** `formctl completion`: prints the completion script of a shell. */

import { FormctlError } from "../../base/error.ts";
import { argument, defineCommand } from "../command.ts";
import { SCRIPTS, type Shell } from "./scripts.ts";

const SHELLS = Object.keys(SCRIPTS) as Shell[];

export default defineCommand({
  details: `To load the script in every session:
  bash        Add to ~/.bashrc: source <(formctl completion bash)
  zsh         Add to ~/.zshrc, after compinit: source <(formctl completion zsh)
  fish        formctl completion fish > ~/.config/fish/completions/formctl.fish
  PowerShell  Add to $PROFILE:
              formctl completion powershell | Out-String | Invoke-Expression

It completes commands, options and their values, and objects, forms, layouts, versions, roles, members and tokens. A server
that does not answer within a second completes nothing.`,
  examples: ["formctl completion bash", "formctl completion fish > formctl.fish"],
  args: { shell: argument("SHELL", SHELLS.join(", "), parseShell, SHELLS) },
  options: {},
  run: (_context, { shell }) => Promise.resolve({ shell, script: SCRIPTS[shell] }),
  view: ({ script }, terminal) => terminal.out(script),
  names: ({ shell }) => [shell],
});

function parseShell(text: string): Shell {
  const word = text === "pwsh" ? "powershell" : text;
  const found = SHELLS.find((shell) => shell === word);
  if (found) return found;
  throw new FormctlError("USAGE", `must be one of ${SHELLS.join(", ")}, not "${text}"`);
}
