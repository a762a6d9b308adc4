/** Contents of layouts as plans, which are easily generated, shrunk and edited. `manifest-draft.ts` makes drafts of them. */

import * as fc from "fast-check";
import type { Block } from "../../src/schemas/draft.ts";
import type { JsonObject } from "../../src/schemas/json.ts";
import { MODES, type Mode } from "../../src/schemas/words.ts";

/** What a block can show on a page: a field of the object, a part that is built in. */
export type Slot = Pick<Block, "type" | "source" | "ref"> & {
  key: string;
  /** CREATE can't do without it. */
  isNeeded?: true;
};

const PLACES = ["main", "side", "stack", "section", "column", "strip", "tabs"] as const;
export type Place = (typeof PLACES)[number];

export type SlotPlan = {
  /** Null: the page does not show it. */
  place: Place | null;
  order: number;
  /** Null: all. */
  modes: Mode[] | null;
  /** Two blocks, one to look at and one to write in. */
  isSplit: boolean;
  colSpan: number | null;
  label: string | null;
  readOnly: boolean;
  /** False: the server gives it an id. */
  hasId: boolean;
  /** Members that may be left out are left out. */
  isBare: boolean;
  extra: JsonObject | null;
};

export type StagedPlan = {
  /** The identity: it becomes the key of the field. The caller sets it. */
  key: string;
  type: "TEXT" | "NUMBER" | "DATE" | "SELECT";
  /** What is staged now. A change or an end follows a creation that has been published. */
  action: "create" | "rename" | "retype" | "delete";
  name: string;
  slot: SlotPlan;
};

export type BindingPlan = {
  hasId: boolean;
  script: string;
  hook: string;
  /** The block with an id that it is for, counted round and round. */
  at: number;
  isBare: boolean;
};

export type ContentPlan = {
  slots: SlotPlan[];
  staged: StagedPlan[];
  bindings: BindingPlan[];
  /** The modes of the containers, where nothing in them is needed everywhere. */
  around: Mode[] | null;
  columns: number | null | undefined;
  hasIds: boolean;
  isNumbered: boolean;
  metadata: JsonObject | null | undefined;
};

/** Text that YAML or a placeholder could take for something else, and text of other alphabets. */
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
