/** Names a version in a message, without the parts that the server does not return. */

import type { PublishedAnswer, VersionAnswer } from "../schemas/answers.ts";
import { visible } from "../terminal/escape.ts";

/** Returns `2 (published)`. The id replaces an unknown number. */
export function numberAndStatus({ id, version, status }: VersionAnswer): string {
  return withStatus(String(version ?? id), status);
}

/** Returns `version 2 (published)`. The id replaces an unknown number. */
export function versionAndStatus({ id, version, status }: VersionAnswer): string {
  return withStatus(version === undefined ? id : `version ${version}`, status);
}

function withStatus(text: string, status: VersionAnswer["status"]): string {
  return status === undefined ? text : `${text} (${status.toLowerCase()})`;
}

/**
 * Returns `ver_1 (version 2)`, or `ver_1` if the number is unknown. The text is escaped, because it is printed
 * directly.
 */
export function idAndNumber(id: string, version: number | undefined): string {
  return version === undefined ? visible(id) : `${visible(id)} (version ${version})`;
}

/** Returns `version 2`, or the id if the number is unknown. The text is escaped, because it is printed directly. */
export function publishedNumber({ versionId, publishedVersion }: PublishedAnswer): string {
  return publishedVersion?.version === undefined ? visible(versionId) : `version ${publishedVersion.version}`;
}
