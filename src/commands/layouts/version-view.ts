/** Prints versions: the properties, the validation, and the content as an outline. */

import { diagnosticsOf, stateOf } from "../../lists/versions.ts";
import type { VersionAnswer } from "../../schemas/answers.ts";
import { visible } from "../../terminal/escape.ts";
import { type CellValue, type Column, fields, printTable } from "../../terminal/table.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { recordTime } from "../../terminal/time.ts";
import { printDiagnostics } from "./validation.ts";
import type { Block, DraftContent } from "../../schemas/draft.ts";
import { namedBy } from "../../schemas/draft-sources.ts";
import { SCHEMA_VERSION } from "../../schemas/words.ts";

export const VERSION_COLUMNS: Column<VersionAnswer>[] = [
  { title: "Version", value: ({ version }) => version, align: "right" },
  { title: "Id", value: ({ id }) => id, id: true, yields: true },
  { title: "Status", value: ({ status }) => status },
  { title: "Modes", value: ({ supportedModes }) => supportedModes?.join(", "), shrink: true },
  { title: "Validation", value: ({ validation }) => stateOf(validation) },
  { title: "Saved", value: ({ createdAt }) => createdAt, time: true, yields: true },
  { title: "Published", value: publishedCell, time: true, yields: true },
  { title: "Restored from", value: ({ sourceVersionId }) => sourceVersionId, id: true, yields: true },
];

/** Prints the properties and the validation of a version. `printContent` prints its content. */
export function printVersion(version: VersionAnswer, terminal: Terminal): void {
  const { validation } = version;
  const pairs = [
    ["Id", version.id],
    ["Version", version.version],
    ["Status", version.status],
    ["Modes", version.supportedModes?.join(", ")],
    ["Validation", stateOf(validation)],
    ["Saved", recordTime(version.createdAt, terminal)],
    ["Published", recordTime(version.publishedAt, terminal) || undefined],
    ["Restored from", version.sourceVersionId ?? undefined],
  ] as const;
  terminal.out(fields(pairs, terminal));
  printDiagnostics(diagnosticsOf(validation), terminal);
}

/** Returns the time of the publication. Null for a draft. Undefined if the server does not report the time. */
function publishedCell({ status, publishedAt }: VersionAnswer): CellValue {
  if (publishedAt === undefined) return status === "DRAFT" ? null : undefined;
  return publishedAt;
}

/** A line of the outline: a region, or a block indented by its depth. */
type Line = { name: string; type: string; shows: string; label: string; width: string; policy: string; modes: string };

const COLUMNS: Column<Line>[] = [
  { title: "Region / block", value: ({ name }) => name },
  { title: "Type", value: ({ type }) => type },
  { title: "Shows", value: ({ shows }) => shows },
  { title: "Label", value: ({ label }) => label, shrink: true },
  { title: "Width", value: ({ width }) => width, align: "right" },
  { title: "Policy", value: ({ policy }) => policy },
  { title: "Modes", value: ({ modes }) => modes, shrink: true },
];

export function printContent(content: DraftContent, terminal: Terminal): void {
  const lines = outline(content);
  if (lines.length > 0) printTable(terminal, COLUMNS, lines, "");
  const { stagedFieldDefinitions: staged, scriptBindings: bindings } = content;
  if (staged.length > 0) {
    const columns: Column<(typeof staged)[number]>[] = [
      { title: "Staged field", value: ({ draftId }) => draftId },
      { title: "Action", value: ({ action }) => action },
      { title: "Key", value: ({ key, existingFieldDefinitionId }) => key ?? existingFieldDefinitionId },
      { title: "Type", value: ({ type }) => type ?? null },
      { title: "Name", value: ({ name }) => name ?? null, shrink: true },
    ];
    terminal.out("\n");
    printTable(terminal, columns, staged, "");
  }
  if (bindings.length > 0) {
    const columns: Column<(typeof bindings)[number]>[] = [
      { title: "Script", value: ({ scriptId }) => scriptId },
      { title: "Hook", value: ({ hook }) => hook },
      {
        title: "Target",
        value: ({ target }) =>
          Object.values(target ?? {})
            .filter(Boolean)
            .join(" "),
        shrink: true,
      },
      { title: "Enabled", value: ({ enabled }) => enabled ?? true },
    ];
    terminal.out("\n");
    printTable(terminal, columns, bindings, "");
  }
}

function outline({ regions, blocks }: DraftContent): Line[] {
  const lines: Line[] = [];
  const keys = new Set(regions.map(({ key }) => key));
  for (const [index, region] of regions.entries()) {
    const columns = region.columns == null ? "" : String(region.columns);
    const label = region.label ?? "";
    lines.push({ name: region.key, type: region.layout, shows: "", label, width: columns, policy: "", modes: "" });
    const isFirst = regions.findIndex(({ key }) => key === region.key) === index;
    if (isFirst)
      addBlocks(
        blocks.filter(({ regionKey }) => regionKey === region.key),
        1,
        lines,
      );
  }
  // Blocks in unknown regions come last, apart from the regions. The user then sees which blocks to correct.
  addBlocks(
    blocks.filter(({ regionKey }) => regionKey === undefined || !keys.has(regionKey)),
    0,
    lines,
  );
  return lines;
}

function addBlocks(blocks: readonly Block[], depth: number, lines: Line[]): void {
  for (const block of blocks) {
    lines.push({
      name: "  ".repeat(depth) + (block.id ?? "(no id)"),
      type: block.type,
      shows: namedBy(block)?.text ?? "",
      label: textOf(block.config?.["label"] ?? block.config?.["title"]),
      width: block.grid?.colSpan === undefined ? "" : String(block.grid.colSpan),
      policy: block.requiredPolicy ?? "",
      modes: block.supportedModes?.join(" ") ?? "",
    });
    addBlocks(block.children ?? [], depth + 1, lines);
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Warns about a schema version that formctl does not support. formctl may show only a part of such content. */
export function warnOfSchemaVersion(
  terminal: Terminal,
  { id, schemaVersion }: { id: string; schemaVersion?: number | undefined },
): void {
  if (schemaVersion === undefined || schemaVersion === SCHEMA_VERSION) return;
  const fact = `The version ${id} has schema version ${schemaVersion}; formctl supports ${SCHEMA_VERSION}`;
  terminal.warn(visible(`${fact}. Its content is not changed.`));
}
