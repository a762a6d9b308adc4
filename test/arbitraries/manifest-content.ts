/**
 * Plans of the contents of layouts. A plan is easy to generate, to shrink and to edit. `manifest-draft.ts` turns a plan
 * into a draft.
 */

import * as fc from "fast-check";
import type { Block } from "../../src/schemas/draft.ts";
import type { JsonObject } from "../../src/schemas/json.ts";
import { MODES, type Mode } from "../../src/schemas/words.ts";

/** What a block can show on a page, such as a field of the object or a built-in part. */
export type Slot = Pick<Block, "type" | "source" | "ref"> & {
  key: string;
  /** Whether CREATE requires the slot. */
  isNeeded?: true;
};

const PLACES = ["main", "side", "stack", "section", "column", "strip", "tabs"] as const;
export type Place = (typeof PLACES)[number];

export type SlotPlan = {
  /** The container of the block. `null` if the page does not show the slot. */
  place: Place | null;
  order: number;
  /** The modes of the block. `null` means all modes. */
  modes: Mode[] | null;
  /** Whether the slot has two blocks: one for VIEW, and one for CREATE and EDIT. */
  isSplit: boolean;
  colSpan: number | null;
  label: string | null;
  readOnly: boolean;
  /** Whether the block has an id in the file. Otherwise the server assigns the id. */
  hasId: boolean;
  /** Whether optional members are left out. */
  isBare: boolean;
  extra: JsonObject | null;
};

export type StagedPlan = {
  /** The identity of the field, and later its key. The caller sets this key. */
  key: string;
  type: "TEXT" | "NUMBER" | "DATE" | "SELECT";
  /** The staged action. Every action except `create` needs a published creation. */
  action: "create" | "rename" | "retype" | "delete";
  name: string;
  slot: SlotPlan;
};

export type BindingPlan = {
  hasId: boolean;
  script: string;
  hook: string;
  /** The index of the bound block among the blocks with ids, modulo their number. */
  at: number;
  isBare: boolean;
};

export type ContentPlan = {
  slots: SlotPlan[];
  staged: StagedPlan[];
  bindings: BindingPlan[];
  /** The modes of the containers. A container with a needed block has all modes. */
  around: Mode[] | null;
  columns: number | null | undefined;
  hasIds: boolean;
  isNumbered: boolean;
  metadata: JsonObject | null | undefined;
};

/** Texts that resemble YAML syntax or placeholders, and texts in other alphabets. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("Candidate profile", "A/B", "Überblick – Größe", "候補者", "🙂 board") },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "null",
      "12",
      "1e3",
      "true",
      "- a",
      "a: b # c",
      "'q'",
      '"q"',
      "~",
      "@x",
      "|",
      "costs ${X:-1} $${Y}",
    ),
  },
  {
    weight: 2,
    arbitrary: fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 12 })
      .map((text) => text.replaceAll("\0", "_").trim() || "_"),
  },
);

const scalar = fc.oneof(anyText, fc.integer(), fc.boolean(), fc.constant(null));
export const freeObject: fc.Arbitrary<JsonObject> = fc.dictionary(
  fc.stringMatching(/^[a-z][a-z.]{0,5}$/),
  fc.oneof(scalar, fc.array(scalar, { maxLength: 2 }), fc.record({ value: scalar })),
  { maxKeys: 3 },
);

export const anyModes: fc.Arbitrary<Mode[]> = fc.shuffledSubarray([...MODES], { minLength: 1 });
const ordinary = (weight: number) => fc.nat(weight).map((chance) => chance > 0);

export const anySlot: fc.Arbitrary<SlotPlan> = fc.record({
  place: fc.option(fc.constantFrom(...PLACES), { freq: 4 }),
  order: fc.nat(9),
  modes: fc.option(fc.subarray([...MODES])),
  isSplit: ordinary(4).map((plain) => !plain),
  colSpan: fc.option(fc.integer({ min: 1, max: 12 })),
  label: fc.option(anyText),
  readOnly: ordinary(5).map((plain) => !plain),
  hasId: ordinary(4),
  isBare: fc.boolean(),
  extra: fc.option(freeObject, { freq: 1 }),
});

export const anyStaged: fc.Arbitrary<StagedPlan> = fc.record({
  key: fc.constant(""),
  type: fc.constantFrom("TEXT", "NUMBER", "DATE", "SELECT"),
  action: fc.constant("create"),
  name: anyText,
  slot: anySlot,
});

export const anyBinding: fc.Arbitrary<BindingPlan> = fc.record({
  hasId: ordinary(3),
  script: fc.constantFrom("city_by_country", "rate_guard", "no such script"),
  hook: fc.constantFrom("onRender", "fieldChange", "optionFilter"),
  at: fc.nat(5),
  isBare: fc.boolean(),
});

export const anyContent: fc.Arbitrary<ContentPlan> = fc.record({
  slots: fc.array(anySlot, { maxLength: 9 }),
  staged: fc.oneof({ weight: 3, arbitrary: fc.constant<StagedPlan[]>([]) }, fc.array(anyStaged, { maxLength: 2 })),
  bindings: fc.array(anyBinding, { maxLength: 2 }),
  around: fc.option(anyModes),
  columns: fc.constantFrom(12, 12, null, undefined),
  hasIds: ordinary(4),
  isNumbered: fc.boolean(),
  metadata: fc.oneof(fc.constantFrom(null, undefined), freeObject),
});
