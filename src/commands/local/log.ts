/** `formctl local log` */

import { FormctlError } from "../../error.ts";
import type { LogEntry } from "../../local-service.ts";
import { nearest } from "../../schemas/nearest.ts";
import { type OperationName, operationRow, operations } from "../../schemas/operations.ts";
import { formatTime, printTable, type Column } from "../../terminal/table.ts";
import { defineCommand, option, wholeNumber } from "../command.ts";
import { withOrganization } from "./organization-column.ts";

const columns: Column<LogEntry>[] = [
  { title: "When", value: ({ at }) => formatTime(at) },
  { title: "Who", value: ({ tokenId, tokenName }) => tokenName ?? tokenId ?? "administrator" },
  { title: "Operation", value: ({ operation }) => operation },
  { title: "Target", value: ({ target }) => target, shrink: true },
  { title: "Request", value: ({ requestId }) => requestId },
];

export default defineCommand({
  about: "What was written, by whom and when; the newest first",
  details:
    "Each write leaves a row in the transaction of its effect. Without --organization all of the store are shown.",
  examples: ["formctl local log --limit 10", "formctl local log --operation publishLayout -o json"],
  args: {},
  options: {
    limit: option("--limit <number>", "How many rows (50)", wholeNumber(1, 10_000)),
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
    printTable(terminal, withOrganization(columns, entries), entries, "Nothing has been written yet.");
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
    `is not an operation that writes: "${text}"`,
    near ? `Did you mean ${near}?` : `There are: ${writes.join(", ")}`,
  );
}
