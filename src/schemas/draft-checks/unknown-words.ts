/**
 * Warns about unknown types, sources, policies, modes and schema versions. They are not errors, because a newer server
 * may support them.
 */

import type { DiagnosticCode } from "../diagnostic-codes.ts";
import type { Diagnostic } from "../diagnostic.ts";
import { isKnownSource, isKnownType } from "../draft-sources.ts";
import { buildTree, type BlockNode } from "../draft-tree.ts";
import type { DraftContent } from "../draft.ts";
import { nearest } from "../../base/nearest.ts";
import { BLOCK_SOURCES, BLOCK_TYPES, MODES, REQUIRED_POLICIES, SCHEMA_VERSION } from "../words.ts";
import { type BlockRule, createReport, quote, type Report } from "./report.ts";

/** Returns the warnings of {@link checkDraft} about unknown words. */
export function checkWords(draft: DraftContent): Diagnostic[] {
  const report = createReport(draft);
  checkSchemaVersion(draft, report);
  for (const node of buildTree(draft, MODES).nodes) {
    if (report.isFull()) break;
    checkBlock(report, node);
  }
  return report.diagnostics;
}

export function checkSchemaVersion({ schemaVersion }: DraftContent, report: Report): void {
  if (schemaVersion === SCHEMA_VERSION) return;
  const message = `formctl does not know the schema version ${schemaVersion}, only ${SCHEMA_VERSION}. The server decides`;
  report.at("SCHEMA_VERSION_UNKNOWN", ["schemaVersion"], message);
}

export const unknownWords: BlockRule =
  ({ report }) =>
  (node) =>
    checkBlock(report, node);

function checkBlock(report: Report, node: BlockNode): void {
  const { type, source, requiredPolicy, supportedModes = [] } = node.block;
  if (!isKnownType(type)) warn(report, node, "BLOCK_TYPE_UNKNOWN", "type", type, BLOCK_TYPES);
  if (!isKnownSource(source)) warn(report, node, "BLOCK_SOURCE_UNKNOWN", "source", source, BLOCK_SOURCES);
  for (const mode of supportedModes.filter((word) => !(MODES as readonly string[]).includes(word)))
    warn(report, node, "MODE_UNKNOWN", "supportedModes", mode, MODES);
  if (requiredPolicy === undefined || (REQUIRED_POLICIES as readonly string[]).includes(requiredPolicy)) return;
  warn(report, node, "REQUIRED_POLICY_UNKNOWN", "requiredPolicy", requiredPolicy, REQUIRED_POLICIES);
}

function warn(
  report: Report,
  node: BlockNode,
  code: DiagnosticCode,
  member: keyof typeof NAMES,
  word: string,
  known: readonly string[],
): void {
  const meant = nearest(word, known);
  const step = meant === undefined ? "The server decides" : `Did you mean ${quote(meant)}? The server decides`;
  const message = `formctl does not know the ${NAMES[member]} ${quote(word)}. ${step}`;
  report.block(code, node, [member], message);
}

const NAMES = {
  type: "block type",
  source: "block source",
  requiredPolicy: "required policy",
  supportedModes: "mode",
} as const;
