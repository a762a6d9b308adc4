/** Prints a layout. */

import type { AssignmentAnswer, LayoutAnswer, VersionAnswer } from "../../schemas/answers.ts";
import { fields } from "../../terminal/table.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { recordTime } from "../../terminal/time.ts";

/** Prints the known members of a layout. A server may omit any member except the id. */
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
    ["Created", layout.createdAt && recordTime(layout.createdAt, terminal)],
    ["Updated", layout.updatedAt && recordTime(layout.updatedAt, terminal)],
  ] as const;
  terminal.out(fields(pairs, terminal));
}

type AnyVersion = Partial<VersionAnswer> & Pick<VersionAnswer, "id">;

/** Returns a version as text, such as `version 2, valid (ver_…)`. Returns null and undefined unchanged. */
export function versionText(version: AnyVersion | null | undefined): string | null | undefined {
  if (!version) return version;
  const words = [version.version && `version ${version.version}`, version.validation?.state].filter(Boolean);
  return words.length === 0 ? version.id : `${words.join(", ")} (${version.id})`;
}

function assignmentText({ isDefault, roleId, priority }: AssignmentAnswer): string {
  return isDefault ? "organization default" : `role ${roleId ?? "-"}, priority ${priority}`;
}

/** Returns a target in the syntax of the command line: `moduleKey=staffing objectKey=candidate`. */
export function targetText(target: Readonly<Record<string, unknown>>): string {
  const members = Object.entries(target).filter(([, value]) => value !== null && value !== undefined);
  return members.map(([member, value]) => `${member}=${String(value)}`).join(" ");
}
