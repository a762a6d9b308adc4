/**
 * Finds and completes versions in the list of a layout. Servers may omit the numbers, statuses and contents of
 * versions.
 */

import { isInvalid, type ReportedMessage, type ReportedValidation } from "../schemas/error-body.ts";
import type { VersionAnswer } from "../schemas/answers.ts";
import type { Diagnostic, Severity } from "../schemas/diagnostic.ts";
import type { DraftContent } from "../schemas/draft.ts";
import { notShown, readLayout, type Service, unlessForbidden } from "../service.ts";

/** Returns the draft, if there is one. A layout has at most one draft (docs/decisions.md, "Versions"). */
export function draftAmong(versions: readonly VersionAnswer[]): VersionAnswer | undefined {
  return versions.filter(({ status }) => status === "DRAFT").toSorted(newestFirst)[0];
}

/**
 * Returns the newest published version. The order of the list is not documented, and earlier versions may still be
 * PUBLISHED.
 */
export function latestAmong(versions: readonly VersionAnswer[]): VersionAnswer | undefined {
  return versions.filter(({ status }) => status === "PUBLISHED").toSorted(newestFirst)[0];
}

/**
 * Returns the draft or the newest published version of a layout. If the list does not show it, reads the layout's
 * record: a server may list versions without statuses, or only published ones. Undefined if the record does not name it
 * either, or can't be read.
 *
 * @param versions the list of the versions of the layout
 */
export async function currentVersion(
  service: Pick<Service, "getLayout">,
  layoutId: string,
  wanted: "draft" | "latest",
  versions: readonly VersionAnswer[],
): Promise<VersionAnswer | undefined> {
  const listed = wanted === "draft" ? draftAmong(versions) : latestAmong(versions);
  if (listed) return listed;
  const layout = await unlessForbidden(() => readLayout(service, layoutId));
  const id = wanted === "draft" ? layout?.latestDraftVersionId : layout?.currentVersionId;
  if (id == null) return undefined;
  const named = versions.find((version) => version.id === id);
  // A record may still name a draft that the list shows as published.
  return named?.status === undefined ? (named ?? { id }) : undefined;
}

/**
 * Compares two versions by number. If a number is missing, compares by time. If a time is missing too, the versions
 * keep their order.
 */
export function newestFirst(a: VersionAnswer, b: VersionAnswer): number {
  if (a.version !== undefined && b.version !== undefined) return b.version - a.version;
  return timeOf(b) - timeOf(a) || 0;
}

function timeOf({ publishedAt, createdAt }: VersionAnswer): number {
  return Date.parse(publishedAt ?? createdAt ?? "");
}

export function isStatusShown(versions: readonly VersionAnswer[]): boolean {
  return versions.length === 0 || versions.some(({ status }) => status !== undefined);
}

export function hasContent({ blocks, regions }: Pick<VersionAnswer, "blocks" | "regions">): boolean {
  return blocks !== undefined && regions !== undefined;
}

/** Returns the version with its content. Reads the content if the item of the list lacks it. */
export async function wholeVersion(
  service: Pick<Service, "getVersion">,
  layoutId: string,
  version: VersionAnswer,
): Promise<VersionAnswer> {
  if (hasContent(version)) return version;
  return { ...version, ...(await service.getVersion({ layoutId, versionId: version.id })) };
}

/**
 * Like `wholeVersion`, but never returns a version without its content. Callers write the content back, and an empty
 * content would delete everything.
 *
 * @throws NOT_SHOWN if the server does not show the content
 */
export async function shownContent(
  service: Pick<Service, "getVersion">,
  layoutId: string,
  version: VersionAnswer,
): Promise<VersionAnswer & DraftContent> {
  const whole = await wholeVersion(service, layoutId, version);
  requireContent(whole);
  return { ...whole, ...contentOf(whole) };
}

function requireContent(version: VersionAnswer): void {
  if (!hasContent(version)) throw notShown(`the content of the version ${version.id}`);
}

/** Returns the content of a version, to be saved as a draft. See `contentOf` of the library. @throws NOT_SHOWN */
export function contentToSave(version: VersionAnswer): DraftContent {
  requireContent(version);
  const content = contentOf(version);
  return version.status === undefined || version.status === "DRAFT"
    ? content
    : { ...content, stagedFieldDefinitions: [] };
}

type ShownContent = { [K in keyof DraftContent]?: DraftContent[K] | undefined };

/** Returns the content with all members. Missing members get default values. */
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

/**
 * Returns the reported state of a validation. Without a reported state, a validation with errors is `invalid`.
 * Otherwise the state is undefined.
 */
export function stateOf(validation: ReportedValidation | undefined): string | undefined {
  return validation?.state ?? (isInvalid(validation) ? "invalid" : undefined);
}

/** Returns the messages of a validation as diagnostics: errors first, then warnings. */
export function diagnosticsOf(validation: ReportedValidation | undefined): Diagnostic[] {
  const ofList = (messages: readonly ReportedMessage[] = [], severity: Severity) =>
    messages.map(({ code = "", ...members }): Diagnostic => ({ ...members, code, severity }));
  return [...ofList(validation?.errors, "error"), ...ofList(validation?.warnings, "warning")];
}
