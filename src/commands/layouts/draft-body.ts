/** What a version shows, as the body of the draft endpoint: the form in which `layouts draft push` takes it. */

import type { DraftContent } from "../../schemas/draft.ts";

/** The content of a version, without what makes it this version: its id, number, status and dates. */
export function draftBody(version: DraftContent): DraftContent {
  const { schemaVersion, regions, blocks, stagedFieldDefinitions, scriptBindings, metadata } = version;
  return { schemaVersion, regions, blocks, stagedFieldDefinitions, scriptBindings, metadata };
}
