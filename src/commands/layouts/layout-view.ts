/** A layout as a person reads it. */

import type { Assignment, Layout, VersionSummary } from "../../schemas/layout.ts";
import { fields, formatTime } from "../../terminal/table.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { targetText } from "./layout-text.ts";

export function printLayout(layout: Layout, terminal: Terminal): void {
  const { assignments, metadata } = layout;
  const pairs = [
    ["id", layout.id],
    ["name", layout.name],
    ["surface", layout.surface],
    ["modes", layout.supportedModes.join(", ")],
    ["target", targetText(layout.target)],
    ["status", layout.status],
    ["published", versionText(layout.currentVersion)],
    ["draft", versionText(layout.latestDraftVersion)],
    ["assignments", assignments.map(assignmentText)],
    ["metadata", metadata === null ? null : JSON.stringify(metadata)],
    ["created", formatTime(layout.createdAt)],
    ["updated", formatTime(layout.updatedAt)],
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
