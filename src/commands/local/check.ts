/** `formctl local check`: lists the records of the store that break a rule. */

import type { Violation } from "../../local-service.ts";
import { printTable } from "../../terminal/table.ts";
import { defineCommand } from "../command.ts";

export default defineCommand({
  details: "Lists the records that break a rule and changes nothing. The exit code is 1 if there are any.",
  examples: ["formctl local check", "formctl local check -o json"],
  args: {},
  options: {},
  async run(context) {
    return (await context.local()).check();
  },
  view(violations: Violation[], terminal) {
    if (violations.length === 0) {
      terminal.out("No problems found.\n");
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
      "No problems found.",
    );
  },
  names: (violations: Violation[]) => violations.map(({ invariant, record }) => `${invariant} ${record}`),
  next: (violations: Violation[]) => (violations.length === 0 ? [] : ["formctl local restore BACKUP"]),
  exitCode: (violations: Violation[]) => (violations.length === 0 ? 0 : 1),
});
