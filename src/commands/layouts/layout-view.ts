/** A layout as a person reads it. */

import type { AssignmentAnswer, LayoutAnswer, VersionAnswer } from "../../schemas/answers.ts";
import { fields, formatTime } from "../../terminal/table.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { targetText } from "./target-text.ts";

/** Only the id is sure to be there: a server may answer with fewer members than it keeps. */
export function printLayout(layout: Partial<LayoutAnswer> & Pick<LayoutAnswer, "id">, terminal: Terminal): void {
  const { assignments, metadata, target } = layout;
  const pairs = [
    ["Id", layout.id],
    ["Name", layout.name],
    ["Surface", layout.surface],
    ["Modes", layout.supportedModes?.join(", ")],
    ["Target", target && (targetText(target) || null)],
    ["Status", layout.status],
    ["Published", versionText(layout.currentVersion)],
    ["Draft", versionText(layout.latestDraftVersion)],
    ["Assignments", assignments?.map(assignmentText)],
    ["Metadata", metadata && JSON.stringify(metadata)],
    ["Created", layout.createdAt && formatTime(layout.createdAt)],
    ["Updated", layout.updatedAt && formatTime(layout.updatedAt)],
  ] as const;
  terminal.out(fields(pairs, terminal));
}

type AnyVersion = Partial<VersionAnswer> & Pick<VersionAnswer, "id">;

/** `version 2, valid (ver_…)` */
export function versionText(version: AnyVersion | null | undefined): string | null | undefined {
  if (!version) return version;
  const words = [version.version && `version ${version.version}`, version.validation?.state].filter(Boolean);
  return words.length === 0 ? version.id : `${words.join(", ")} (${version.id})`;
}

function assignmentText({ isDefault, roleId, priority }: AssignmentAnswer): string {
  return isDefault ? "organization default" : `role ${roleId ?? "-"}, priority ${priority}`;
}
