/** What was exported, in the words of a manifest. */

import { toYaml } from "../../documents/write-yaml.ts";
import { isJsonObject, type JsonObject } from "../../schemas/json.ts";
import { withoutPlaceholders } from "../read/environment.ts";
import type { Exported } from "./export.ts";

/** The whole manifest, as text that reading gives back: a `${` that somebody typed there is no variable here. */
export function manifestOf({ members, layout }: Exported, layoutFile?: string): JsonObject {
  const { publish, ...others } = members;
  return {
    ...(literally(others) as JsonObject),
    ...(layout && { layout: layoutFile ?? literally(layout) }),
    ...(publish !== undefined && { publish }),
  };
}

/** The manifests as one stream of YAML, each with its layout in place. */
export function streamOf(exported: readonly Exported[]): string {
  return exported.map((each) => toYaml(manifestOf(each))).join("---\n");
}

/** The same for a script. */
export function documentsOf(exported: readonly Exported[]): JsonObject[] {
  return exported.map((each) => manifestOf(each));
}

/** Every text so that no variable is looked for in it. */
export function literally(value: unknown): unknown {
  if (typeof value === "string") return withoutPlaceholders(value);
  if (Array.isArray(value)) return value.map(literally);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, literally(member)]));
}
