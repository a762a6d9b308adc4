/** `formctl local log`: prints the audit log of the store. */

import { FormctlError } from "../../base/error.ts";
import type { LogEntry } from "../../local-service.ts";
import { nearest } from "../../base/nearest.ts";
import { type OperationName, operationRow, operations } from "../../schemas/operations.ts";
import { printTable, type Column } from "../../terminal/table.ts";
import { defineCommand, option, wholeNumber } from "../command.ts";
import { withOrganization } from "./store-view.ts";

const columns: Column<LogEntry>[] = [
  { title: "When", value: ({ at }) => at, time: true, essential: true },
  { title: "Who", value: ({ tokenId, tokenName }) => tokenName ?? tokenId ?? "administrator" },
  { title: "Operation", value: ({ operation }) => operation, essential: true },
  { title: "Target", value: ({ target }) => target, shrink: true },
  { title: "Request", value: ({ requestId }) => requestId, yields: true },
];

export default defineCommand({
  details:
    "Each write adds a row in its own transaction. Without --organization the rows of all organizations are shown.",
  examples: ["formctl local log --limit 10", "formctl local log --operation publishLayout -o json"],
  args: {},
  options: {
    limit: option("--limit <number>", "Maximum number of rows (default 50)", wholeNumber(1, 10_000)),
    operation: option("--operation <name>", "Only writes of this operation, such as saveDraft", parseWrite),
  },
  async run(context, { limit = 50, operation }) {
    const { organization } = context;
    return (await context.local()).log({
      limit,
      ...(operation !== undefined && { operation }),
      ...(organization !== undefined && { organization }),
    });
  },
  view(entries: LogEntry[], terminal) {
    printTable(terminal, withOrganization(columns, entries), entries, "The log is empty.");
  },
  names: (entries) => entries.map(({ seq }) => String(seq)),
});

function parseWrite(text: string): OperationName {
  const writes = (Object.keys(operations) as OperationName[]).filter((name) => operationRow(name).method !== "GET");
  const found = writes.find((name) => name === text);
  if (found) return found;
  const near = nearest(text, writes);
  throw new FormctlError(
    "USAGE",
    `must be an operation that writes, not "${text}"`,
    near ? `Did you mean ${near}?` : `Valid operations: ${writes.join(", ")}`,
  );
}
