/** A content as a layout file holds it: what a person would write, and nothing that a server or this tool adds. */

import { draftBody } from "../../schemas/draft-body.ts";
import type { Block, DraftContent } from "../../schemas/draft.ts";
import type { JsonObject } from "../../schemas/json.ts";
import { withoutStamp } from "../content/stamp.ts";
import { ASSIGNED } from "../content/normal.ts";

/** A content as a file holds it: without our stamp, without what some servers compute, and without lists that are empty. */
export function contentForFile(content: DraftContent): JsonObject {
  const { stagedFieldDefinitions, scriptBindings, metadata, ...rest } = draftBody(withoutStamp(content));
  return {
    ...rest,
    blocks: rest.blocks.map(withoutComputed),
    ...(stagedFieldDefinitions.length > 0 && { stagedFieldDefinitions }),
    ...(scriptBindings.length > 0 && { scriptBindings }),
    ...(metadata !== null && { metadata }),
  };
}

function withoutComputed(block: Block): Block {
  const computed = new Set(ASSIGNED.computed(block, ""));
  const { children, ...members } = block;
  return {
    ...(Object.fromEntries(Object.entries(members).filter(([member]) => !computed.has(member))) as Block),
    ...(children && { children: children.map(withoutComputed) }),
  };
}
