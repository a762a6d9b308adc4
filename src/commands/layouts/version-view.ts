/** Versions as a person reads them. */

import { diagnosticsOf, stateOf } from "../../lists/versions.ts";
import type { PublishedAnswer, VersionAnswer } from "../../schemas/answers.ts";
import { visible } from "../../terminal/escape.ts";
import { type CellValue, type Column, fields, formatTime } from "../../terminal/table.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { printDiagnostics } from "./validation-view.ts";

export const VERSION_COLUMNS: Column<VersionAnswer>[] = [
  { title: "Version", value: ({ version }) => version, align: "right" },
  { title: "Id", value: ({ id }) => id, whole: true },
  { title: "Status", value: ({ status }) => status },
  { title: "Modes", value: ({ supportedModes }) => supportedModes?.join(", "), shrink: true },
  { title: "Validation", value: ({ validation }) => stateOf(validation) },
  { title: "Saved", value: ({ createdAt }) => createdAt && formatTime(createdAt), yields: true },
  { title: "Published", value: publishedCell, yields: true },
  { title: "Restored from", value: ({ sourceVersionId }) => sourceVersionId, shrink: true, yields: true },
];

/** The facts of a version, and what is wrong with it; its content is printed beside them. */
export function printVersion(version: VersionAnswer, terminal: Terminal): void {
  const { validation } = version;
  const pairs = [
    ["Id", version.id],
    ["Version", version.version],
    ["Status", version.status],
    ["Modes", version.supportedModes?.join(", ")],
    ["Validation", stateOf(validation)],
    ["Saved", formatTime(version.createdAt)],
    ["Published", formatTime(version.publishedAt) || undefined],
    ["Restored from", version.sourceVersionId ?? undefined],
  ] as const;
  terminal.out(fields(pairs, terminal));
  printDiagnostics(diagnosticsOf(validation), terminal);
}

/** Of a draft it is known that it was never published. */
function publishedCell({ status, publishedAt }: VersionAnswer): CellValue {
  if (publishedAt === undefined) return status === "DRAFT" ? null : undefined;
  return publishedAt && formatTime(publishedAt);
}

/** `ver_1 (version 2)` */
export function draftWords(id: string, version: number | undefined): string {
  return version === undefined ? visible(id) : `${visible(id)} (version ${version})`;
}

/** `version 2`, or the id where the server does not report the number. */
export function publishedWords({ versionId, publishedVersion }: PublishedAnswer): string {
  return publishedVersion?.version === undefined ? visible(versionId) : `version ${publishedVersion.version}`;
}
