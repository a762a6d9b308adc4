/** Random drafts: invalid drafts with a valid structure, and valid drafts. */

import {
  BLOCK_SOURCES,
  BLOCK_TYPES,
  FIELD_TYPES,
  MODES,
  REGION_LAYOUTS,
  REQUIRED_POLICIES,
  STAGED_ACTIONS,
  SURFACES,
} from "../../src/schemas/words.ts";
import * as fc from "fast-check";
import type { LayoutCatalog, CatalogField } from "../../src/schemas/catalog.ts";
import type { Block, DraftContent, Region, ScriptBinding, StagedField } from "../../src/schemas/draft.ts";
import type { Mode } from "../../src/schemas/form.ts";

// There are only a few words, so that references often match and ids often collide.
const id = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("a", "b", "main", "side", "f_1", "d_1") },
  { weight: 1, arbitrary: fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,11}$/) },
);
const fieldKey = fc.constantFrom("full_name", "level", "notes", "owner", "items", "intro", "po_number", "a");
const text = fc.oneof(
  fieldKey,
  id,
  fc.string({ unit: "binary", maxLength: 20 }).map((wild) => wild.replaceAll("\0", "")),
  fc.constant("x".repeat(200)),
);
const modes = fc.subarray([...MODES]);
// `fc.jsonValue` is too general: a file must not contain some of the keys and numbers of JSON (see `findForbidden`).
const scalar = fc.oneof(fc.string({ maxLength: 8 }), fc.integer(), fc.boolean(), fc.constant(null));
const value = fc.oneof(scalar, fc.array(scalar, { maxLength: 2 }), fc.record({ value: scalar }));
const freeKey = fc.stringMatching(/^[a-z][a-z. ]{0,6}$/);
const gridNumber = fc.oneof(fc.integer({ min: -1, max: 14 }), fc.double({ min: -1e6, max: 1e6, noNaN: true }));
const order = fc.oneof(fc.integer({ min: -2, max: 4 }), fc.maxSafeInteger());

/** A record with any subset of `members`. */
function some<T>(members: { [K in keyof T]: fc.Arbitrary<T[K]> }) {
  return fc.record(members, { requiredKeys: [] });
}

const config = fc.oneof(
  some({ label: text, title: fc.oneof(text, fc.integer()), readOnly: fc.boolean() }),
  fc.dictionary(freeKey, value, { maxKeys: 3 }),
);

export const wildRegion: fc.Arbitrary<Region> = fc.record(
  {
    key: id,
    label: fc.option(text),
    layout: fc.constantFrom(...REGION_LAYOUTS),
    columns: fc.option(fc.integer({ min: 1, max: 24 })),
    displayOrder: order,
    config,
  },
  { requiredKeys: ["key", "layout"] },
);

const wildRef = some({
  fieldKey: fc.option(text),
  fieldId: fc.option(text),
  fieldDefinitionId: fc.option(text),
  draftFieldDefinitionId: fc.option(text),
  builtInFieldKey: fc.option(text),
  componentKey: fc.option(text),
  relationFieldKey: fc.option(text),
  widgetKey: fc.option(text),
  somethingElse: value,
});

export const wildBlock: fc.Arbitrary<Block> = fc.letrec<{ block: Block }>((tie) => ({
  block: fc.record(
    {
      id,
      type: fc.constantFrom(...BLOCK_TYPES),
      source: fc.constantFrom(...BLOCK_SOURCES),
      ref: wildRef,
      regionKey: text,
      displayOrder: order,
      grid: some({ colSpan: gridNumber, colStart: gridNumber, rowSpan: gridNumber, rowStart: gridNumber }),
      config,
      requiredPolicy: fc.constantFrom(...REQUIRED_POLICIES),
      supportedModes: modes,
      children: fc.array(tie("block"), { maxLength: 4, depthIdentifier: "block" }),
    },
    { requiredKeys: ["type", "source"] },
  ),
})).block;

const wildStaged: fc.Arbitrary<StagedField> = fc
  .record(
    {
      draftId: id,
      action: fc.constantFrom(...STAGED_ACTIONS),
      existingFieldDefinitionId: fc.option(text),
      name: fc.constantFrom("PO number", "Other"),
      key: fieldKey,
      type: fc.oneof(fc.constantFrom(...FIELD_TYPES), text),
      config: fc.option(
        some({
          required: fc.oneof(fc.boolean(), fc.string()),
          defaultValue: value,
          options: fc.oneof(fc.array(fc.oneof(text, fc.record({ value: text }), value)), text),
        }),
      ),
    },
    { requiredKeys: ["draftId", "action"] },
  )
  .map((staged) =>
    staged.action === "create" ? { name: "PO number", key: "po_number", type: "TEXT", ...staged } : staged,
  );

const wildBinding: fc.Arbitrary<ScriptBinding> = fc.record(
  {
    id,
    scriptId: fc.string({ minLength: 1, maxLength: 10 }),
    hook: fc.oneof(fc.constantFrom("onRender", "fieldChange"), fc.string({ minLength: 1, maxLength: 10 })),
    target: some({
      blockId: fc.option(text),
      fieldKey: fc.option(text),
      actionId: fc.option(text),
      regionKey: fc.option(text),
    }),
    enabled: fc.boolean(),
    priority: fc.integer(),
  },
  { requiredKeys: ["scriptId", "hook"] },
);

/** Any content with a valid structure. Most contents have many errors. */
export const wildDraft: fc.Arbitrary<DraftContent> = fc.record({
  schemaVersion: fc.constant(1),
  regions: fc.array(wildRegion, { maxLength: 4 }),
  blocks: fc.array(wildBlock, { maxLength: 8 }),
  stagedFieldDefinitions: fc.array(wildStaged, { maxLength: 4 }),
  scriptBindings: fc.array(wildBinding, { maxLength: 4 }),
  metadata: fc.option(fc.dictionary(freeKey, value, { maxKeys: 3 })),
});

const knownField: fc.Arbitrary<CatalogField> = fc.record({
  id,
  key: fieldKey,
  name: text,
  type: fc.oneof(fc.constantFrom<string>(...FIELD_TYPES), text),
  isRequired: fc.boolean(),
  hasDefault: fc.boolean(),
  valueCount: fc.nat(1000),
  options: fc.array(text, { maxLength: 3 }),
});

/** Any subset of the members of a catalog. */
export const anyKnown: fc.Arbitrary<LayoutCatalog> = fc.record(
  {
    surface: fc.constantFrom(...SURFACES),
    modes,
    fields: fc.uniqueArray(knownField, { maxLength: 6, selector: ({ key }) => key }),
    scripts: fc.array(text, { maxLength: 3 }),
  },
  { requiredKeys: [] },
);

export type SoundDraft = { draft: DraftContent; modes: Mode[]; fields: CatalogField[] };

/**
 * A draft that can be published. `fields` are the fields of its object, and `modes` are the modes of its layout.
 *
 * Blocks are in tabs, sections and columns. Many blocks have only some modes. The draft may have warnings. No field
 * changes are staged.
 */
export const soundDraft: fc.Arbitrary<SoundDraft> = fc
  .record({
    modes: fc.subarray([...MODES], { minLength: 1 }),
    fields: fc.array(
      fc.record({
        type: fc.constantFrom("TEXT", "NUMBER", "SELECT", "DATE", "REFERENCE", "SUBORDINATE_OBJECT_REFERENCE"),
        isRequired: fc.boolean(),
        hasDefault: fc.boolean(),
        place: fc.constantFrom("main", "side", "section", "column", "tabs", "strip"),
        supportedModes: modes,
        outerModes: modes,
        colSpan: fc.integer({ min: 1, max: 12 }),
      }),
      { maxLength: 12 },
    ),
  })
  .map(({ modes: layoutModes, fields: plans }) => {
    const fields: CatalogField[] = [];
    const blocks: Block[] = [];
    for (const [index, plan] of plans.entries()) {
      const key = `field_${index}`;
      const { type, isRequired, hasDefault } = plan;
      const options = type === "SELECT" ? ["one", "two"] : [];
      fields.push({ id: `fld_${index}`, key, name: key, type, isRequired, hasDefault, valueCount: index, options });
      // CREATE shows each required field: its block and the containers around the block have all modes.
      const own = isRequired ? [] : plan.supportedModes;
      const outer = isRequired ? [] : plan.outerModes;
      const isRelation = type === "SUBORDINATE_OBJECT_REFERENCE";
      const leaf: Block = {
        id: `f_${index}`,
        type: isRelation ? "relation_table" : "field",
        source: isRelation ? "dynamic_relation" : "dynamic_field",
        ref: isRelation ? { relationFieldKey: key } : { fieldKey: key },
        grid: { colSpan: plan.colSpan },
        requiredPolicy: isRequired ? "required" : "optional",
        supportedModes: own,
      };
      blocks.push(settle(leaf, plan.place, outer));
    }
    const keys = new Set(blocks.map((block) => block.regionKey));
    const regions: Region[] = [{ key: "main", label: "Main", layout: "grid", columns: 12 }];
    if (keys.has("side")) regions.push({ key: "side", label: "Side", layout: "sidebar", columns: 4 });
    if (keys.has("strip")) regions.push({ key: "strip", label: "Strip", layout: "tabs" });
    const draft = { schemaVersion: 1, regions, blocks, stagedFieldDefinitions: [], scriptBindings: [], metadata: null };
    return { draft, modes: layoutModes, fields };
  });

/** Puts a leaf into a region, inside the containers of `place`. The innermost container gets `supportedModes`. */
function settle(leaf: Block, place: string, supportedModes: Mode[]): Block {
  const wrap = (type: Block["type"], child: Block, more: Partial<Block> = {}): Block => ({
    type,
    source: "system",
    config: { label: `A ${type}` },
    children: [child],
    ...more,
  });
  switch (place) {
    case "section":
      return wrap("section", leaf, { regionKey: "main", supportedModes });
    case "column":
      return wrap("section", wrap("column", leaf, { supportedModes }), { regionKey: "main" });
    case "tabs":
      return wrap("tabs", wrap("tab", leaf, { supportedModes }), { regionKey: "main" });
    case "strip":
      return wrap("tab", leaf, { regionKey: "strip", supportedModes });
    default:
      return { ...leaf, regionKey: place };
  }
}
