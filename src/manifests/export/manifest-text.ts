/** Converts exported resources to the documents and the text of manifests. */

import { toYaml } from "../../documents/write-yaml.ts";
import { DraftFile } from "../../schemas/draft.ts";
import type { JsonObject } from "../../schemas/json.ts";
import type { Schema } from "../../schemas/schema.ts";
import { readShape } from "../../schemas/shape.ts";
import { FormDocument, LayoutDocument } from "../manifest.ts";
import { escapeTexts } from "../read/environment.ts";
import type { Exported } from "./exported.ts";

/**
 * Returns the whole manifest. Texts that contain `${` are escaped, so reading the manifest returns the exported values.
 */
export function manifestOf({ members, layout }: Exported, layoutFile?: string): JsonObject {
  const { publish, ...others } = members;
  return {
    ...(escapeTexts(others) as JsonObject),
    ...(layout && { layout: layoutFile ?? escapeTexts(layout) }),
    ...(publish !== undefined && { publish }),
  };
}

/** Returns the manifests as a YAML stream, each with its layout inside. */
export function streamOf(exported: readonly Exported[]): string {
  return exported.map((each) => toYaml(manifestOf(each))).join("---\n");
}

export function documentsOf(exported: readonly Exported[]): JsonObject[] {
  return exported.map((each) => manifestOf(each));
}

export type Supported = {
  supported: Exported[];
  /** The addresses of resources without a manifest, each with the reason. */
  omitted: ReadonlyMap<string, string>;
};

/**
 * Omits resources that manifests do not support, such as those with modes that only this server has, so that the
 * exported manifests are valid. If only the layout is not supported, the manifest is exported without it.
 */
export function omitUnsupported(exported: readonly Exported[]): Supported {
  const supported: Exported[] = [];
  const omitted = new Map<string, string>();
  for (const each of exported) {
    const reason = firstProblem(each.kind === "Form" ? FormDocument : LayoutDocument, each.members);
    if (reason === undefined) supported.push(withSupportedLayout(each));
    else omitted.set(each.address, `manifests do not support it, so it is omitted: ${reason}`);
  }
  return { supported, omitted };
}

function withSupportedLayout(each: Exported): Exported {
  const reason = each.layout && firstProblem(DraftFile, each.layout);
  if (reason === undefined) return each;
  const { publish: _ofLayout, ...members } = each.members;
  const note = `layout files do not support the layout, so it is omitted: ${reason}`;
  // Without `content` the layout is not merged into an existing file either.
  return { ...each, members, layout: undefined, content: undefined, notes: [...each.notes, note] };
}

function firstProblem(schema: Schema, value: unknown): string | undefined {
  const shape = readShape(schema, value);
  if (shape.ok) return undefined;
  const [first, ...others] = shape.problems.map(({ path, message }) => `${path} ${message}`);
  return others.length === 0 ? first : `${first} (and ${others.length} more)`;
}
