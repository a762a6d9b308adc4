/** A program that prompts once and prints the answer as JSON: `node ask.ts confirm|select|checkbox|input`. */

import { Interrupted } from "../../src/terminal/interrupted.ts";
import { systemPrompter } from "../../src/terminal/prompter.ts";
import { systemTerminal } from "../../src/terminal/terminal.ts";

const prompter = systemPrompter();
const terminal = systemTerminal({ env: process.env });

async function ask(): Promise<unknown> {
  switch (process.argv[2]) {
    case "confirm":
      return prompter.confirm("Delete Candidate\u202E profile?", false);
    case "select":
      return prompter.select("Which form?", [
        { name: "Candidate", value: "frm_1" },
        { name: "Contractor", value: "frm_2" },
      ]);
    case "wide":
      return prompter.confirm(`Delete ${Array.from({ length: 30 }, () => "candidates").join(" ")}?`, false);
    case "checkbox":
      return prompter.checkbox(
        "Modes:",
        ["CREATE", "VIEW", "EDIT"].map((mode) => ({ name: mode, value: mode })),
      );
    default:
      return prompter.input("Name?", { validate: (name) => (name === "" ? "must not be blank" : undefined) });
  }
}

try {
  terminal.out(`${JSON.stringify(await ask())}\n`);
} catch (error) {
  if (!(error instanceof Interrupted)) throw error;
  process.exitCode = 130;
}
