/** What a version shows, as an outline: regions, the blocks in them, staged fields and scripts. */

import type { Block, DraftContent } from "../../schemas/draft.ts";
import { namedBy } from "../../schemas/draft-sources.ts";
import { type Column, table } from "../../terminal/table.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** A line of the outline: a region, or a block as deep as it is nested. */
type Line = { place: string; type: string; shows: string; label: string; width: string; policy: string; modes: string };

const COLUMNS: Column<Line>[] = [
  { title: "Region / block", value: ({ place }) => place },
  { title: "Type", value: ({ type }) => type },
  { title: "Shows", value: ({ shows }) => shows },
  { title: "Label", value: ({ label }) => label, shrink: true },
  { title: "Width", value: ({ width }) => width, align: "right" },
  { title: "Policy", value: ({ policy }) => policy },
  { title: "Modes", value: ({ modes }) => modes, shrink: true },
];

export function printContent(content: DraftContent, terminal: Terminal): void {
  const lines = outline(content);
  if (lines.length > 0) terminal.out(table(COLUMNS, lines, terminal));
  const { stagedFieldDefinitions: staged, scriptBindings: bindings } = content;
  if (staged.length > 0) {
    const columns: Column<(typeof staged)[number]>[] = [
      { title: "Staged field", value: ({ draftId }) => draftId },
      { title: "Action", value: ({ action }) => action },
      { title: "Key", value: ({ key, existingFieldDefinitionId }) => key ?? existingFieldDefinitionId },
      { title: "Type", value: ({ type }) => type },
      { title: "Name", value: ({ name }) => name, shrink: true },
    ];
    terminal.out(`\n${table(columns, staged, terminal)}`);
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
    terminal.out(`\n${table(columns, bindings, terminal)}`);
  }
}

function outline({ regions, blocks }: DraftContent): Line[] {
  const lines: Line[] = [];
  const keys = new Set(regions.map(({ key }) => key));
  for (const [index, region] of regions.entries()) {
    const columns = region.columns == null ? "" : String(region.columns);
    const label = region.label ?? "";
    lines.push({ place: region.key, type: region.layout, shows: "", label, width: columns, policy: "", modes: "" });
    const isFirst = regions.findIndex(({ key }) => key === region.key) === index;
    if (isFirst)
      addBlocks(
        blocks.filter(({ regionKey }) => regionKey === region.key),
        1,
        lines,
      );
  }
  // A block whose region does not exist would be lost here, and is what the person has to see.
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
      place: "  ".repeat(depth) + (block.id ?? "(no id)"),
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
