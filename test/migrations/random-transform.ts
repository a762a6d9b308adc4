/** Random forms and layouts of a candidate, and random transforms of these forms and layouts. */

import * as fc from "fast-check";
import type { FormMembers, Transform } from "../../src/migrations/definition.ts";
import {
  addRegion,
  addSection,
  findBlocks,
  moveBlocks,
  removeBlocks,
  renameField,
  replaceBlocks,
} from "../../src/migrations/edits.ts";
import type { Block, DraftContent } from "../../src/schemas/draft.ts";
import { content } from "./transform-scene.ts";

const FIELDS = [
  "full_name",
  "email",
  "phone",
  "home_city",
  "seniority",
  "skills",
  "day_rate",
  "available_from",
  "notes",
];
const anyField = fc.constantFrom(...FIELDS);
const anyLabel = fc.constantFrom("Name", "Label", "Other", "1", "Ä");

const leaf = (fieldKey: string, label: string): Block => {
  const { regionKey: _region, ...block } = content({ [fieldKey]: label }).blocks[0]!;
  return block;
};

/** A content that a form for VIEW can publish. The fields are in one or two regions, some of them in a section. */
export const anyContent: fc.Arbitrary<DraftContent> = fc
  .record({
    fields: fc.uniqueArray(anyField, { minLength: 1, maxLength: 6 }),
    label: anyLabel,
    inSection: fc.nat({ max: 4 }),
    hasSide: fc.boolean(),
    hasBinding: fc.boolean(),
    metadata: fc.option(fc.record({ owner: anyLabel })),
    isNumbered: fc.boolean(),
  })
  .map(({ fields, label, inSection, hasSide, hasBinding, metadata, isNumbered }) => {
    const [first, ...others] = fields as [string, ...string[]];
    const inside = others.slice(0, inSection).map((field) => leaf(field, label));
    const blocks: Block[] = [
      { ...leaf(first, label), regionKey: "main" },
      ...(inside.length > 0
        ? [{ id: "sec", type: "section", source: "system", regionKey: "main", config: { label }, children: inside }]
        : []),
      ...others.slice(inSection).map((field) => ({ ...leaf(field, label), regionKey: hasSide ? "side" : "main" })),
    ];
    if (isNumbered) blocks.forEach((block, index) => (block.displayOrder = index));
    const side = { key: "side", label: "Side", layout: "stack" } as const;
    return {
      ...content({}),
      regions: [...content({}).regions, ...(hasSide ? [side] : [])],
      blocks,
      scriptBindings: hasBinding
        ? [{ id: "bind", scriptId: "rate_guard", hook: "fieldChange", target: { fieldKey: first } }]
        : [],
      metadata,
    };
  });

/** @param key the key of a field that no other layout creates */
type Edit = (content: DraftContent, key: string) => DraftContent;

const shows = (layout: DraftContent, field: string) => findBlocks(layout, { field }).length > 0;
const isBound = (layout: DraftContent, field: string) =>
  layout.scriptBindings.some(({ target }) => target?.fieldKey === field);

/** An edit that leaves the layout valid. */
const anyEdit: fc.Arbitrary<Edit> = fc.oneof(
  fc.tuple(anyField, anyLabel).map(
    ([field, label]): Edit =>
      (layout) =>
        replaceBlocks(layout, { field }, (block) => ({ ...block, config: { ...block.config, label } })),
  ),
  fc.tuple(anyField, anyField).map(
    ([from, to]): Edit =>
      (layout) =>
        shows(layout, to) ? layout : renameField(layout, from, to),
  ),
  anyField.map(
    (field): Edit =>
      (layout) =>
        isBound(layout, field) ? layout : removeBlocks(layout, { field }),
  ),
  anyField.map((field): Edit => (layout) => {
    const text = { type: "custom_html", source: "system", config: { label: "Text" } };
    return isBound(layout, field) ? layout : replaceBlocks(layout, { field }, text);
  }),
  fc.tuple(fc.uniqueArray(anyField, { maxLength: 3 }), anyLabel).map(([fields, label]): Edit => (layout) => {
    const absent = fields.filter((field) => !shows(layout, field)).map((field) => leaf(field, label));
    const blocks = absent.map((block) => ({ ...block, id: `new_${block.ref!.fieldKey!}` }));
    return addSection(layout, { id: "added", label, region: "main", blocks });
  }),
  anyField.map(
    (field): Edit =>
      (layout) =>
        moveBlocks(addRegion(layout, { key: "end", label: "End", layout: "stack" }), { field }, { region: "end" }),
  ),
  anyLabel.map((label): Edit => (layout) => ({ ...layout, metadata: { ...layout.metadata, label } })),
  fc.constant<Edit>((layout) => ({ ...layout, blocks: layout.blocks.toReversed() })),
  fc.constant<Edit>((layout, key) => {
    if (layout.stagedFieldDefinitions.length > 0) return layout;
    const block = {
      type: "field",
      source: "draft_custom_field",
      ref: { draftFieldDefinitionId: "d_1" },
      regionKey: "main",
    };
    return {
      ...layout,
      blocks: [...layout.blocks, block],
      stagedFieldDefinitions: [{ draftId: "d_1", action: "create", name: "Created", key, type: "TEXT" }],
    };
  }),
);

const anyFormChange: fc.Arbitrary<(form: FormMembers, role: string) => Partial<FormMembers>> = fc.constantFrom(
  () => ({}),
  ({ name }: FormMembers) => ({ name: `${name} renamed` }),
  () => ({ types: ["VIEW", "EDIT"] as FormMembers["types"] }),
  () => ({ config: { description: "Changed" } }),
  () => ({ isActive: false }),
  () => ({ isPublic: true }),
  ({ name }: FormMembers) => (name.startsWith("Form 0") ? { defaultFor: ["VIEW"] } : {}),
  (_form: FormMembers, role: string) => ({ access: { users: [], roles: [{ role, types: ["VIEW"] }] } }),
);

export type RandomCase = {
  forms: { published: DraftContent | undefined; draft: DraftContent | undefined }[];
  layouts: string[];
  transform: (round: string) => Transform;
};

/** One to three forms, at most one layout, and a transform of one to three edits that selects all or some of them. */
export const anyCase: fc.Arbitrary<RandomCase> = fc
  .record({
    forms: fc.array(
      fc.oneof(
        { weight: 3, arbitrary: anyContent.map((published) => ({ published, draft: undefined })) },
        { weight: 2, arbitrary: anyContent.map((draft) => ({ published: undefined, draft })) },
        { weight: 1, arbitrary: anyContent.map((both) => ({ published: both, draft: both })) },
        { weight: 1, arbitrary: fc.record({ published: anyContent, draft: anyContent }) },
      ),
      { minLength: 1, maxLength: 3 },
    ),
    layouts: fc.array(anyLabel, { maxLength: 1 }),
    edits: fc.array(anyEdit, { minLength: 1, maxLength: 3 }),
    formChange: fc.option(anyFormChange, { freq: 3, nil: undefined }),
    showsField: fc.option(anyField, { freq: 4, nil: undefined }),
  })
  .map(({ edits, formChange, showsField, ...resources }) => ({
    ...resources,
    transform: (round) => ({
      match: { surfaces: ["DYNAMIC_OBJECT", "CONTRACTOR"], ...(showsField !== undefined && { showsField }) },
      layout: (layout, { name }) => {
        // A layout without fields of a candidate gets another text.
        if (!layout.blocks.some(({ type }) => type === "field" || type === "section")) {
          return replaceBlocks(layout, { type: "custom_html" }, (block) => ({
            ...block,
            config: { label: `Text ${round}` },
          }));
        }
        return edits.reduce((before, edit) => edit(before, `created_${round}_${/\d/.exec(name)?.[0] ?? ""}`), layout);
      },
      ...(formChange && { form: (form: FormMembers) => ({ ...form, ...formChange(form, "recruiter") }) }),
    }),
  }));
