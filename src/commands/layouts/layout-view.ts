/** A layout as a person reads it. */

import type { Assignment, Layout, VersionSummary } from "../../schemas/layout.ts";
import { fields, formatTime } from "../../terminal/table.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { targetText } from "./target-text.ts";

export function printLayout(layout: Layout, terminal: Terminal): void {
  const { assignments, metadata } = layout;
  const pairs = [
    ["Id", layout.id],
    ["Name", layout.name],
    ["Surface", layout.surface],
    ["Modes", layout.supportedModes.join(", ")],
    ["Target", targetText(layout.target) || null],
    ["Status", layout.status],
    ["Published", versionText(layout.currentVersion)],
    ["Draft", versionText(layout.latestDraftVersion)],
    ["Assignments", assignments.map(assignmentText)],
    ["Metadata", metadata === null ? null : JSON.stringify(metadata)],
    ["Created", formatTime(layout.createdAt)],
    ["Updated", formatTime(layout.updatedAt)],
  ] as const;
  terminal.out(fields(pairs, terminal));
}

/** `version 2, valid (ver_…)` */
export function versionText(version: VersionSummary | null): string | null {
  return version && `version ${version.version}, ${version.validation.state} (${version.id})`;
}

function assignmentText({ isDefault, roleId, priority }: Assignment): string {
  return isDefault ? "organization default" : `role ${roleId ?? "-"}, priority ${priority}`;
}
