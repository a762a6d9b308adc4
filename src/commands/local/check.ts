/** `formctl local check`: everything in the store that breaks a rule. */

import type { Violation } from "../../local-service.ts";
import { printTable } from "../../terminal/table.ts";
import { defineCommand } from "../command.ts";

export default defineCommand({
  about: "Look for anything in the store that breaks a rule",
  details: "Exit code 1 when something does. Nothing is changed.",
  examples: ["formctl local check", "formctl local check -o json"],
  args: {},
  options: {},
  async run(context) {
    return (await context.local()).check();
  },
  view(violations: Violation[], terminal) {
    if (violations.length === 0) {
      terminal.out("The store is sound.\n");
      return;
    }
    printTable(
      terminal,
      [
        { title: "Invariant", value: ({ invariant }) => invariant },
        { title: "Record", value: ({ record }) => record },
        { title: "Broken rule", value: ({ about }) => about, shrink: true },
        { title: "Detail", value: ({ detail }) => detail, shrink: true },
      ],
      violations,
      "The store is sound.",
    );
  },
  names: (violations: Violation[]) => violations.map(({ invariant, record }) => `${invariant} ${record}`),
  next: (violations: Violation[]) => (violations.length === 0 ? [] : ["formctl local restore BACKUP"]),
  exitCode: (violations: Violation[]) => (violations.length === 0 ? 0 : 1),
});
