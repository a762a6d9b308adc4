import { MODES } from "../../src/schemas/words.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DIAGNOSTIC_CODES, type DiagnosticCode } from "../../src/schemas/diagnostic-codes.ts";
import { toValidation } from "../../src/schemas/diagnostic.ts";
import { checkDraft } from "../../src/schemas/draft-checks.ts";
import type { LayoutCatalog } from "../../src/schemas/catalog.ts";
import { contentOfMode, workingModes } from "../../src/schemas/draft-modes.ts";
import type { Block, DraftContent as Content } from "../../src/schemas/draft.ts";
import { DraftContent } from "../../src/schemas/draft-schema.ts";
import type { Mode } from "../../src/schemas/form.ts";
import { formatPath, parsePath } from "../../src/schemas/path.ts";
import { readShape } from "../../src/schemas/shape.ts";
import { anyKnown, type SoundDraft, soundDraft, wildDraft } from "../arbitraries/draft.ts";
import { propertyRuns } from "../effort.ts";
import { aBlock, aDraft, aRegion } from "./example-drafts.ts";

const RUNS = { numRuns: propertyRuns(200) };

function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const inner of Object.values(value)) freeze(inner);
  return Object.freeze(value);
}

/** Whether the path or its parent exists. */
function resolves(document: unknown, path: string): boolean {
  const steps = parsePath(path);
  if (formatPath(steps) !== path) return false;
  let at = document;
  for (const step of steps.slice(0, -1)) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, step)) return false;
    at = (at as Record<string, unknown>)[step];
  }
  const last = steps.at(-1)!;
  return typeof at === "object" && at !== null && (typeof last === "string" || Object.hasOwn(at, last));
}

const anyEdit = fc.record({
  kind: fc.constantFrom("modes", "again", "order", "place", "field gone", "field required"),
  at: fc.nat(20),
  modes: fc.subarray([...MODES]),
});
type Edit = typeof anyEdit extends fc.Arbitrary<infer E> ? E : never;

/** Returns a valid draft after random changes to the draft or to its object. */
function edited({ draft, fields }: SoundDraft, edits: readonly Edit[]): Pick<SoundDraft, "draft" | "fields"> {
  const copy = structuredClone(draft);
  let left = fields;
  for (const { kind, at, modes } of edits) {
    const blocks: Block[] = [];
    const stack = [...copy.blocks];
    for (let block = stack.pop(); block; block = stack.pop()) {
      blocks.push(block);
      stack.push(...(block.children ?? []));
    }
    const block = blocks[at % blocks.length];
    if (!block) continue;
    if (kind === "modes") block.supportedModes = modes;
    if (kind === "again") copy.blocks.push({ ...structuredClone(block), regionKey: "main", supportedModes: modes });
    if (kind === "order") block.displayOrder = at % 2;
    if (kind === "place") block.grid = { colSpan: 6, colStart: (at % 12) + 1 };
    if (kind === "field gone") left = left.filter((_field, index) => index !== at % left.length);
    if (kind === "field required")
      left = left.map((field, index) => (index === at % left.length ? { ...field, isRequired: true } : field));
  }
  return { draft: copy, fields: left };
}

describe("a draft of the right shape", () => {
  it("is what the arbitraries generate", () => {
    fc.assert(
      fc.property(wildDraft, (draft) => {
        expect(readShape(DraftContent, JSON.parse(JSON.stringify(draft)))).toMatchObject({ ok: true });
      }),
      RUNS,
    );
  });

  it("is checked without an exception and without a change, twice with the same result", () => {
    fc.assert(
      fc.property(wildDraft, anyKnown, (draft, known) => {
        const first = checkDraft(freeze(draft), freeze(known));
        expect(checkDraft(draft, known)).toEqual(first);
        expect(checkDraft(structuredClone(draft), known)).toEqual(first);
      }),
      RUNS,
    );
  });

  it("gets diagnostics with known codes, on one line, with existing paths", () => {
    fc.assert(
      fc.property(wildDraft, anyKnown, (draft, known) => {
        const bad = checkDraft(draft, known).filter(
          ({ code, severity, message, path }) =>
            DIAGNOSTIC_CODES[code as DiagnosticCode].severity !== severity ||
            !/^[^\p{Cc}\u2028\u2029]+$/u.test(message) ||
            !(path === undefined ? code === "TOO_MANY_DIAGNOSTICS" : resolves(draft, path)),
        );
        expect(bad).toEqual([]);
      }),
      RUNS,
    );
  });

  const needs: [member: keyof LayoutCatalog, codes: DiagnosticCode[]][] = [
    ["surface", ["SOURCE_NOT_ALLOWED"]],
    ["modes", ["MODE_EMPTY", "MODE_NO_EDITABLE_FIELD", "REQUIRED_FIELD_MISSING", "BLOCK_MODE_UNSUPPORTED"]],
    ["fields", ["FIELD_UNKNOWN", "STAGED_KEY_TAKEN", "STAGED_NEEDS_CONFIRMATION"]],
    ["scripts", ["BINDING_SCRIPT_UNKNOWN"]],
  ];

  it("gets no diagnostic that needs unknown facts", () => {
    fc.assert(
      fc.property(wildDraft, anyKnown, fc.constantFrom(...needs), (draft, all, [member, codes]) => {
        const known: LayoutCatalog = Object.fromEntries(Object.entries(all).filter(([name]) => name !== member));
        const found = checkDraft(draft, known).map(({ code }) => code as DiagnosticCode);
        expect(found.filter((code) => codes.includes(code))).toEqual([]);
      }),
      RUNS,
    );
  });
});

describe("a sound draft", () => {
  it("can be published", () => {
    fc.assert(
      fc.property(soundDraft, ({ draft, modes, fields }) => {
        const { errors } = toValidation(checkDraft(draft, { surface: "DYNAMIC_OBJECT", modes, fields, scripts: [] }));
        expect(errors).toEqual([]);
      }),
      RUNS,
    );
  });

  it("has no errors when each mode is checked separately", () => {
    fc.assert(
      fc.property(soundDraft, ({ draft, modes, fields }) => {
        for (const mode of modes) {
          const content = contentOfMode(freeze(draft), mode, modes);
          const known = { surface: "DYNAMIC_OBJECT", modes: [mode], fields } as const;
          expect(toValidation(checkDraft(content, known)).errors).toEqual([]);
          // The blocks of other modes must not decide whether a mode works.
          expect(workingModes(content, [mode], fields)).toEqual(
            workingModes(draft, modes, fields).filter((one) => one === mode),
          );
        }
      }),
      RUNS,
    );
  });

  it("has no error in a single mode if the whole draft has none, after any edits", () => {
    let sound = 0;
    let unsound = 0;
    fc.assert(
      fc.property(
        soundDraft,
        fc.array(anyEdit, { maxLength: 5 }),
        fc.subarray([...MODES], { minLength: 1 }),
        (drawn, edits, modes) => {
          const { draft, fields } = edited(drawn, edits);
          const errorsOf = (content: Content, some: Mode[]) =>
            toValidation(checkDraft(content, { surface: "DYNAMIC_OBJECT", fields, modes: some })).errors;
          const isSound = errorsOf(draft, modes).length === 0;
          if (isSound) sound++;
          else unsound++;
          const inModes = modes.flatMap((mode) => errorsOf(contentOfMode(draft, mode, [mode]), [mode]));
          expect(isSound ? inModes : []).toEqual([]);
        },
      ),
      RUNS,
    );
    expect(Math.min(sound, unsound)).toBeGreaterThan(RUNS.numRuns / 10);
  });

  it("works in exactly the modes without a warning", () => {
    fc.assert(
      fc.property(soundDraft, ({ draft, modes, fields }) => {
        const idle = checkDraft(draft, { modes, fields }).filter(({ code }) => code.startsWith("MODE_"));
        const working = workingModes(draft, modes, fields);
        expect([...working, ...idle.map(({ mode }) => mode!)].toSorted()).toEqual(modes.toSorted());
      }),
      RUNS,
    );
  });
});

describe("overlaps", () => {
  const box = fc.record({
    colStart: fc.integer({ min: 1, max: 6 }),
    colSpan: fc.integer({ min: 1, max: 4 }),
    rowStart: fc.integer({ min: 1, max: 6 }),
    rowSpan: fc.integer({ min: 1, max: 4 }),
  });
  const tile = fc.record({ grid: box, supportedModes: fc.subarray([...MODES], { minLength: 1 }) });

  type Box = { colStart: number; colSpan: number; rowStart: number; rowSpan: number };

  function lieOnEachOther(a: Block, b: Block): boolean {
    const [one, two] = [a.grid as Box, b.grid as Box];
    return (
      a.supportedModes!.some((mode) => b.supportedModes!.includes(mode)) &&
      one.colStart < two.colStart + two.colSpan &&
      two.colStart < one.colStart + one.colSpan &&
      one.rowStart < two.rowStart + two.rowSpan &&
      two.rowStart < one.rowStart + one.rowSpan
    );
  }

  it("are found if there are any, and only then", () => {
    fc.assert(
      fc.property(fc.array(tile, { maxLength: 8 }), (tiles) => {
        const blocks = tiles.map((one, index) => aBlock("custom_html", { id: `t${index}`, regionKey: "main", ...one }));
        const draft = aDraft({ regions: [aRegion({ layout: "dashboard_grid" })], blocks });
        const found = checkDraft(draft, {}).filter(({ code }) => code === "GRID_OVERLAP");
        const hit = blocks.filter((block, index) =>
          blocks.slice(0, index).some((other) => lieOnEachOther(block, other)),
        );
        expect(found.length > 0).toBe(hit.length > 0);
        for (const { blockId } of found) expect(hit.map((block) => block.id)).toContain(blockId);
      }),
      { numRuns: propertyRuns(2000) },
    );
  });
});
