/** `formctl local check`: lists the records of the store that break a rule. */

import type { Violation } from "../../local-service.ts";
import { withProgress } from "../../terminal/progress.ts";
import { printTable } from "../../terminal/table.ts";
import { defineCommand } from "../command.ts";
import { isLarge } from "./store-view.ts";

export default defineCommand({
  details: "Lists the records that break a rule and changes nothing. The exit code is 1 if there are any.",
  examples: ["formctl local check", "formctl local check -o json"],
  args: {},
  options: {},
  async run(context) {
    const local = await context.local();
    const options = { label: "Checking invariants", isLong: isLarge(context.localStore.location) };
    return withProgress(context.terminal, options, (progress) =>
      local.check((done, total) => progress.update(done, undefined, total)),
    );
  },
  view(violations: Violation[], terminal) {
    if (violations.length === 0) {
      terminal.line("No problems found.");
      return;
    }
    printTable(
      terminal,
      [
        { title: "Invariant", value: ({ invariant }) => invariant },
        { title: "Record", value: ({ record }) => record, essential: true },
        { title: "Broken rule", value: ({ about }) => about, wraps: true, yields: true },
        { title: "Detail", value: ({ detail }) => detail, wraps: true },
      ],
      violations,
      "No problems found.",
    );
  },
  names: (violations: Violation[]) => violations.map(({ invariant, record }) => `${invariant} ${record}`),
  next: (violations: Violation[]) => (violations.length === 0 ? [] : ["formctl local restore BACKUP"]),
  exitCode: (violations: Violation[]) => (violations.length === 0 ? 0 : 1),
});
