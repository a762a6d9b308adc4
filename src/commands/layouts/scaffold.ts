/** A draft to begin with: every field in a block, in the first region of the surface. */

import type { SurfaceAnswer } from "../../schemas/answers.ts";
import type { Block, DraftContent } from "../../schemas/draft.ts";
import { isJsonObject, type JsonObject } from "../../schemas/json.ts";
import type { ModeWord } from "../../schemas/words.ts";
import type { SeedField } from "../../schemas/organization.ts";

const FULL_WIDTH = 12;
const MAX_LABEL = 80;
/** What needs the whole width to be read. */
const WIDE = new Set(["TEXTAREA", "CUSTOM_HTML", "HTML_SECTION", "FILES", "SUBORDINATE_OBJECT_REFERENCE"]);

export type ScaffoldOptions = {
  definition: SurfaceAnswer;
  modes: readonly ModeWord[];
  /** In the order in which they are to be placed. */
  fields: readonly SeedField[];
};

/** Other regions would stay empty, which is complained about, so that they are left out. */
export function scaffoldDraft({ definition, modes, fields }: ScaffoldOptions): DraftContent {
  const region = definition.regions?.find(({ layout }) => layout !== "sidebar");
  const columns = region?.columns ?? FULL_WIDTH;
  const isObject = definition.surface === "DYNAMIC_OBJECT";
  const blocks = [
    ...(definition.builtInBlocks ?? []).map((one) => builtInBlock(one)),
    ...fields.map((field) => fieldBlock(field, isObject, modes)),
  ];
  return {
    schemaVersion: 1,
    regions: region ? [region] : [],
    blocks: blocks.map(({ isWide, label, config, ...block }, displayOrder) => ({
      ...block,
      regionKey: region?.key ?? "main",
      displayOrder,
      grid: { colSpan: isWide ? columns : Math.ceil(columns / 2) },
      config: { label: Array.from(label).slice(0, MAX_LABEL).join(""), ...config },
      supportedModes: [...modes],
      children: [],
    })),
    stagedFieldDefinitions: [],
    scriptBindings: [],
    metadata: null,
  };
}

type Planned = Pick<Block, "type" | "source" | "ref" | "config"> & {
  id: string;
  requiredPolicy: string;
  isWide: boolean;
  label: string;
};

function fieldBlock({ key, name, type, required }: SeedField, isObject: boolean, modes: readonly ModeWord[]): Planned {
  const isRelation = type === "SUBORDINATE_OBJECT_REFERENCE";
  // Nothing is filled in where a record is only viewed, nor in a text of the page.
  const isAsked = required && type !== "HTML_SECTION" && modes.some((mode) => mode !== "VIEW");
  return {
    id: `f_${key}`,
    type: isRelation ? "relation_table" : "field",
    source: isRelation ? "dynamic_relation" : isObject ? "dynamic_field" : "custom_field",
    ref: isRelation ? { relationFieldKey: key } : { fieldKey: key },
    isWide: WIDE.has(type),
    label: name,
    requiredPolicy: isAsked ? "required" : "optional",
  };
}

/** The blocks that a surface brings, such as the details of a contractor. What the definition says of a block stays. */
function builtInBlock({ type, source, ref, config, label, ...definition }: JsonObject): Planned {
  const own = isJsonObject(ref) ? ref : {};
  const names = [own["componentKey"], definition["componentKey"], definition["key"], ...Object.values(own), type];
  const key = names.find(isText) ?? "block";
  const componentKey = [definition["componentKey"], definition["key"]].find(isText);
  return {
    id: `b_${key.replaceAll(/[^A-Za-z0-9_-]/g, "_")}`,
    type: isText(type) ? type : "builtin",
    source: isText(source) ? source : "built_in",
    // A ref of its own names what is shown by whichever member its source has.
    ref: Object.keys(own).length > 0 || componentKey === undefined ? own : { componentKey },
    ...(isJsonObject(config) && { config }),
    isWide: true,
    label: isText(label) ? label : key,
    requiredPolicy: "optional",
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
