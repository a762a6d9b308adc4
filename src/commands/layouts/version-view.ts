/** Versions as a person reads them. */

import type { Diagnostic } from "../../schemas/diagnostic.ts";
import type { VersionSummary } from "../../schemas/layout.ts";
import { type Column, fields, formatTime } from "../../terminal/table.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { printDiagnostics } from "./validation-view.ts";

export const VERSION_COLUMNS: Column<VersionSummary>[] = [
  { title: "Version", value: ({ version }) => version, align: "right" },
  { title: "Id", value: ({ id }) => id, whole: true },
  { title: "Status", value: ({ status }) => status },
  { title: "Modes", value: ({ supportedModes }) => supportedModes.join(", "), shrink: true },
  { title: "Validation", value: ({ validation }) => validation.state },
  { title: "Saved", value: ({ createdAt }) => formatTime(createdAt), yields: true },
  { title: "Published", value: ({ publishedAt }) => formatTime(publishedAt) || null, yields: true },
  { title: "Restored from", value: ({ sourceVersionId }) => sourceVersionId, shrink: true, yields: true },
];

/** The facts of a version, and what is wrong with it; its content is printed beside them. */
export function printVersion(version: VersionSummary, terminal: Terminal): void {
  const { validation } = version;
  const pairs = [
    ["Id", version.id],
    ["Version", version.version],
    ["Status", version.status],
    ["Modes", version.supportedModes.join(", ")],
    ["Validation", validation.state],
    ["Saved", formatTime(version.createdAt)],
    ["Published", formatTime(version.publishedAt) || undefined],
    ["Restored from", version.sourceVersionId ?? undefined],
  ] as const;
  terminal.out(fields(pairs, terminal));
  printDiagnostics([...validation.errors, ...validation.warnings] as Diagnostic[], terminal);
}
