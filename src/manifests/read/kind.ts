/** What a document says that it is: a manifest of a form or a layout, or something else. */

import { isJsonObject, type JsonObject } from "../../schemas/json.ts";
import { nearest } from "../../schemas/nearest.ts";

const KINDS = ["Form", "Layout"] as const;
export type Kind = (typeof KINDS)[number];

export function isKind(kind: unknown): kind is Kind {
  return KINDS.some((known) => known === kind);
}

/** `kind`, or what was meant to be it. */
export function kindMember(value: JsonObject): string | undefined {
  if (Object.hasOwn(value, "kind")) return "kind";
  return Object.keys(value).find((member) => member.length === 4 && nearest(member, ["kind"]) !== undefined);
}

/** Whether a kind is misspelled; anything else is somebody else's document. */
export function isMeantAsManifest(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { kind } = value;
  return typeof kind === "string" ? nearest(kind, KINDS) !== undefined : kindMember(value) !== undefined;
}

/** What a document is that says no kind, or one that there is not, and what to do about it. */
export function wrongKind(value: unknown): string {
  if (!isJsonObject(value)) return "a manifest is an object with a kind, which is Form or Layout";
  const { kind } = value;
  if (kind !== undefined) {
    const meant = typeof kind === "string" ? nearest(kind, KINDS) : undefined;
    const wayOut = meant === undefined ? "" : ` - did you mean "${meant}"?`;
    return `kind must be Form or Layout, not ${JSON.stringify(kind).slice(0, 60)}${wayOut}`;
  }
  const meant = kindMember(value);
  if (meant !== undefined) return `the manifest has no kind - did you mean "kind" by "${meant}"?`;
  if (looksLikePlan(value)) {
    return "this is a plan that formctl plan has written, and no manifest. Keep it elsewhere; formctl apply takes it by its name";
  }
  if (looksLikeLayout(value)) {
    return "this looks like a layout that no manifest names. Name it in one as layout, or let its file end in .layout.yaml";
  }
  return "the manifest has no kind. Begin it with kind: Form or kind: Layout";
}

function looksLikeLayout(value: JsonObject): boolean {
  return Object.hasOwn(value, "regions") || Object.hasOwn(value, "blocks");
}

function looksLikePlan(value: JsonObject): boolean {
  return ["version", "place", "plan", "sha256"].every((member) => Object.hasOwn(value, member));
}
