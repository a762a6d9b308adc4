/** The versions of a layout, as any server lists them: some say neither number nor status, or leave the content out. */

import { isInvalid, type ReportedMessage, type ReportedValidation } from "../schemas/error-body.ts";
import type { VersionAnswer } from "../schemas/answers.ts";
import type { Diagnostic, Severity } from "../schemas/diagnostic.ts";
import type { DraftContent } from "../schemas/draft.ts";
import { notShown, type Service } from "../service.ts";

/** The draft, of which a layout has one at most (docs/decisions.md, "Versions"). */
export function draftAmong(versions: readonly VersionAnswer[]): VersionAnswer | undefined {
  return versions.filter(({ status }) => status === "DRAFT").toSorted(newestFirst)[0];
}

/** The newest published version: no server promises an order of its list, or to archive the one before. */
export function latestAmong(versions: readonly VersionAnswer[]): VersionAnswer | undefined {
  return versions.filter(({ status }) => status === "PUBLISHED").toSorted(newestFirst)[0];
}

/** By number, else by time; versions that say neither keep their order. */
export function newestFirst(a: VersionAnswer, b: VersionAnswer): number {
  if (a.version !== undefined && b.version !== undefined) return b.version - a.version;
  return timeOf(b) - timeOf(a) || 0;
}

function timeOf({ publishedAt, createdAt }: VersionAnswer): number {
  return Date.parse(publishedAt ?? createdAt ?? "");
}

/** Whether the server says of any version which one it is. */
export function isStatusShown(versions: readonly VersionAnswer[]): boolean {
  return versions.length === 0 || versions.some(({ status }) => status !== undefined);
}

export function hasContent({ blocks, regions }: Pick<VersionAnswer, "blocks" | "regions">): boolean {
  return blocks !== undefined && regions !== undefined;
}

/** The version with its content: another server may list it without. What only the list says of it stays. */
export async function wholeVersion(
  service: Pick<Service, "getVersion">,
  layoutId: string,
  version: VersionAnswer,
): Promise<VersionAnswer> {
  if (hasContent(version)) return version;
  return { ...version, ...(await service.getVersion({ layoutId, versionId: version.id })) };
}

/**
 * The version with its content, for callers that need the content.
 *
 * @throws NOT_SHOWN where the server shows no content: an empty one, written back, would remove everything
 */
export async function shownContent(
  service: Pick<Service, "getVersion">,
  layoutId: string,
  version: VersionAnswer,
): Promise<VersionAnswer & DraftContent> {
  const whole = await wholeVersion(service, layoutId, version);
  if (!hasContent(whole)) throw notShown(`the content of the version ${version.id}`);
  return { ...whole, ...contentOf(whole) };
}

type ShownContent = { [K in keyof DraftContent]?: DraftContent[K] | undefined };

/** A content with the members that every content has. */
export function contentOf(version: ShownContent): DraftContent {
  const { schemaVersion, regions, blocks, stagedFieldDefinitions, scriptBindings, metadata } = version;
  return {
    schemaVersion: schemaVersion ?? 1,
    regions: regions ?? [],
    blocks: blocks ?? [],
    stagedFieldDefinitions: stagedFieldDefinitions ?? [],
    scriptBindings: scriptBindings ?? [],
    metadata: metadata ?? null,
  };
}

/** The state of a validation: what has errors is invalid, whether or not the server says so. Undefined: it is unknown. */
export function stateOf(validation: ReportedValidation | undefined): string | undefined {
  return validation?.state ?? (isInvalid(validation) ? "invalid" : undefined);
}

/** Errors first, then warnings, each in its order. */
export function diagnosticsOf(validation: ReportedValidation | undefined): Diagnostic[] {
  const ofList = (messages: readonly ReportedMessage[] = [], severity: Severity) =>
    messages.map(({ code = "", ...said }): Diagnostic => ({ ...said, code, severity }));
  return [...ofList(validation?.errors, "error"), ...ofList(validation?.warnings, "warning")];
}
