import { readFileSync } from "node:fs";
import { load } from "js-yaml";
import { describe, expect, it } from "vitest";
import { DIAGNOSTIC_CODES, type DiagnosticCode } from "../../src/schemas/diagnostic-codes.ts";
import { toValidation } from "../../src/schemas/diagnostic.ts";
import { checkDraft, checksNotRun } from "../../src/schemas/draft-checks.ts";
import type { LayoutCatalog } from "../../src/schemas/catalog.ts";
import type { Block, DraftContent as Content } from "../../src/schemas/draft.ts";
import { DraftContent, DraftFile, OpenDraftFile } from "../../src/schemas/draft-schema.ts";
import { readShape } from "../../src/schemas/shape.ts";
import { DIAGNOSTIC_CASES } from "./diagnostic-cases.ts";
import {
  aBinding,
  aBlock,
  aDraft,
  aField,
  aKnownField,
  aRegion,
  aStaged,
  aStagedBlock,
  FIELDS,
  KNOWN,
  NAME,
  withBlocks,
  withStaged,
} from "./example-drafts.ts";

const codesOf = (draft: Content, known: LayoutCatalog = KNOWN) => checkDraft(draft, known).map(({ code }) => code);
const messagesOf = (draft: Content, known: LayoutCatalog = KNOWN) =>
  checkDraft(draft, known).map(({ message }) => message);

/** The codes of diagnostics about words that our engine refuses. */
const OF_OTHER_SERVERS = new Set<DiagnosticCode>([
  "SCHEMA_VERSION_UNKNOWN",
  "BLOCK_TYPE_UNKNOWN",
  "BLOCK_SOURCE_UNKNOWN",
  "REQUIRED_POLICY_UNKNOWN",
  "MODE_UNKNOWN",
]);

describe("each diagnostic", () => {
  const cases = Object.entries(DIAGNOSTIC_CASES) as [DiagnosticCode, (typeof DIAGNOSTIC_CASES)[DiagnosticCode]][];

  it("has a case", () => {
    expect(cases.map(([code]) => code).toSorted()).toEqual(Object.keys(DIAGNOSTIC_CODES).toSorted());
  });

  it.each(cases)("%s is reported for a draft with the problem", (code, { wrong, known, codes, path }) => {
    const diagnostics = checkDraft(wrong, known ?? KNOWN);
    expect(diagnostics.map((diagnostic) => diagnostic.code)).toEqual(codes ?? [code]);
    const diagnostic = diagnostics.find((one) => one.code === code)!;
    expect(diagnostic.severity).toBe(DIAGNOSTIC_CODES[code].severity);
    expect(diagnostic.path).toBe(path);
    expect(diagnostic.message).toMatch(/^.+\. .+$/);
  });

  it.each(cases)("%s is not reported for a similar valid draft", (_code, { right, known, rightKnown, rightCodes }) => {
    expect(codesOf(right, rightKnown ?? known ?? KNOWN)).toEqual(rightCodes ?? []);
  });

  it.each(cases)("%s has drafts of the right shape", (code, { wrong, right }) => {
    const schema = OF_OTHER_SERVERS.has(code) ? OpenDraftFile : DraftContent;
    expect(readShape(schema, JSON.parse(JSON.stringify(wrong)))).toMatchObject({ ok: true });
    expect(readShape(DraftContent, JSON.parse(JSON.stringify(right)))).toMatchObject({ ok: true });
  });
});

it("reports a relation_table that shows an unknown field", () => {
  const table = aBlock("relation_table", { source: "dynamic_relation", ref: { relationFieldKey: "ownr" } });
  expect(messagesOf(withBlocks(table))).toEqual([expect.stringMatching(/^unknown field "ownr"\. .*owner/)]);
});

describe("the drafts of the worked example", () => {
  const read = (name: string): Content => {
    const text = readFileSync(new URL(`../fixtures/drafts/${name}.yaml`, import.meta.url), "utf8");
    const shape = readShape(DraftFile, load(text));
    if (!shape.ok) throw new Error(JSON.stringify(shape.problems));
    const { clientMutationId: _, ...content } = shape.value;
    return content;
  };
  const required = { isRequired: true };

  it("finds the candidate profile valid", () => {
    const fields = [
      aKnownField("full_name", "TEXT", required),
      aKnownField("email", "EMAIL", required),
      aKnownField("phone", "PHONE"),
      aKnownField("home_city", "TEXT"),
      aKnownField("seniority", "SELECT", { ...required, hasDefault: true, options: ["junior", "mid", "senior"] }),
      aKnownField("skills", "MULTI_SELECT", { options: ["java", "sap"], valueCount: 380 }),
      aKnownField("day_rate", "CURRENCY"),
      aKnownField("available_from", "DATE"),
      aKnownField("notes", "TEXTAREA", { valueCount: 412 }),
    ];
    const known: LayoutCatalog = {
      surface: "DYNAMIC_OBJECT",
      modes: ["VIEW", "EDIT"],
      fields,
      scripts: ["rate_guard"],
    };
    expect(toValidation(checkDraft(read("candidate-profile"), known))).toEqual({
      state: "valid",
      errors: [],
      warnings: [],
    });
  });

  it("finds one missing label in the placement desk", () => {
    const fields = [
      aKnownField("title", "TEXT", required),
      aKnownField("candidate_id", "REFERENCE", required),
      aKnownField("client_name", "TEXT", required),
      aKnownField("start_date", "DATE", required),
      aKnownField("end_date", "DATE"),
      aKnownField("bill_rate", "CURRENCY", required),
      aKnownField("pay_rate", "CURRENCY", { valueCount: 57 }),
      aKnownField("status", "SELECT", { ...required, hasDefault: true, options: ["draft", "active", "ended"] }),
      aKnownField("milestones", "SUBORDINATE_OBJECT_REFERENCE"),
    ];
    const known: LayoutCatalog = { surface: "DYNAMIC_OBJECT", modes: ["CREATE", "VIEW", "EDIT"], fields, scripts: [] };
    const draft = read("placement-desk");
    const validation = toValidation(checkDraft(draft, known));
    expect(validation.state).toBe("valid_with_warnings");
    expect(validation.errors).toEqual([]);
    expect(validation.warnings).toEqual([
      {
        severity: "warning",
        code: "LABEL_MISSING",
        message: "the section has no label. Set config.label",
        path: "blocks[1].config.label",
        blockId: "sec_money",
      },
    ]);
    // Without known records, the same problem is found, and no other problem.
    expect(codesOf(draft, {})).toEqual(["LABEL_MISSING"]);
  });
});

describe("a message", () => {
  it("suggests a similar region", () => {
    expect(checkDraft(withBlocks(aField("notes", { regionKey: "mian" })), KNOWN)).toEqual([
      {
        severity: "error",
        code: "REGION_UNKNOWN",
        message: 'unknown region "mian". Did you mean "main"?',
        path: "blocks[1].regionKey",
        blockId: "f_notes",
      },
    ]);
  });

  it("lists the regions when none is close, and when regionKey is missing", () => {
    expect(messagesOf(withBlocks(aField("notes", { regionKey: "somewhere" })))).toEqual([
      'unknown region "somewhere". Regions: "main"',
    ]);
    expect(messagesOf(aDraft({ blocks: [NAME, aField("notes")] }))).toEqual(['regionKey is required. Regions: "main"']);
  });

  it("names the mode", () => {
    const { wrong } = DIAGNOSTIC_CASES.FIELD_DUPLICATE;
    expect(checkDraft(wrong, KNOWN)[0]).toMatchObject({
      mode: "EDIT",
      blockId: "again",
      message: 'EDIT has two inputs for "notes": this block and "f_notes". Keep one, or set different supportedModes',
    });
    expect(checkDraft(DIAGNOSTIC_CASES.REQUIRED_FIELD_MISSING.wrong, KNOWN)[0]).toMatchObject({
      mode: "CREATE",
      meta: { fieldKey: "full_name" },
    });
  });

  it("stays short and on one line for any document", () => {
    const evil = `a\nb\u001b[2J\u2028c\u0085${"x".repeat(10_000)}`;
    const draft = withBlocks(aField("notes", { regionKey: evil }), aField(evil, { id: "evil" }));
    draft.scriptBindings = [aBinding({ scriptId: evil, hook: evil, target: { blockId: evil } })];
    draft.stagedFieldDefinitions = [aStaged({ type: evil })];
    const messages = messagesOf(draft);
    expect(messages.length).toBeGreaterThan(5);
    for (const message of messages) {
      expect(message).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
      expect(message.length).toBeLessThan(500);
    }
  });

  it("names a block without an id by its place", () => {
    const bare = aField("notes", { id: undefined });
    expect(messagesOf(withBlocks(bare, bare))[0]).toContain("this block and the field at blocks[1]");
  });
});

describe("the order of complaints", () => {
  it("is regions, blocks depth first, staged fields, bindings, modes", () => {
    const draft = aDraft({
      regions: [aRegion({ label: null })],
      blocks: [
        aBlock("section", { regionKey: "main", config: {}, children: [aBlock("column")] }),
        aField("nobody", { regionKey: "main" }),
      ],
      stagedFieldDefinitions: [aStaged()],
      scriptBindings: [aBinding({ hook: "never", target: { regionKey: "main" } })],
    });
    expect(codesOf(draft)).toEqual([
      "LABEL_MISSING",
      "LABEL_MISSING",
      "CONTAINER_EMPTY",
      "FIELD_UNKNOWN",
      "STAGED_NOT_PLACED",
      "BINDING_HOOK_UNKNOWN",
      "REQUIRED_FIELD_MISSING",
    ]);
  });
});

describe("unknown facts", () => {
  const nothing = aDraft({
    regions: [aRegion()],
    blocks: [
      aField("nobody", { regionKey: "main" }),
      aBlock("comments", { regionKey: "main", source: "built_in" }),
      aField("ghost", { regionKey: "main", ref: { fieldDefinitionId: "fld_1" }, source: "custom_field" }),
    ],
    scriptBindings: [aBinding({ scriptId: "nobody", target: { fieldKey: "perhaps_the_ghost" } })],
    stagedFieldDefinitions: [aStaged({ action: "delete", key: "gone" })],
  });

  it("is not complained about", () => {
    expect(codesOf(nothing, {})).toEqual([]);
    expect(codesOf(nothing, KNOWN)).toEqual([
      "FIELD_UNKNOWN",
      "SOURCE_NOT_ALLOWED",
      "SOURCE_NOT_ALLOWED",
      "STAGED_TARGET_UNKNOWN",
      "BINDING_SCRIPT_UNKNOWN",
      "BINDING_TARGET_UNKNOWN",
      "REQUIRED_FIELD_MISSING",
    ]);
  });

  it("are listed as text", () => {
    expect(checksNotRun(KNOWN)).toEqual([]);
    expect(checksNotRun({})).toHaveLength(4);
    expect(checksNotRun({ surface: "USER", modes: ["VIEW"], scripts: [] })).toEqual([
      "whether the fields exist, are required or have values: the fields of the object are unknown",
    ]);
  });

  it("does not keep a draft from being compared with itself", () => {
    const twice = withBlocks(aField("anything"), aField("anything", { id: "again" }));
    expect(codesOf(twice, {})).toEqual(["FIELD_DUPLICATE"]);
    const gone = {
      ...withBlocks(aField("gone")),
      stagedFieldDefinitions: [aStaged({ action: "delete", key: "gone" })],
    };
    expect(codesOf(gone, {})).toEqual(["STAGED_STILL_PLACED"]);
  });
});

describe("one field under several names", () => {
  const contractor: LayoutCatalog = { surface: "CONTRACTOR", modes: ["VIEW", "EDIT"], fields: FIELDS };
  const custom = (ref: Block["ref"], more: Partial<Block> = {}): Block =>
    aBlock("field", { source: "custom_field", regionKey: "main", ...(ref && { ref }), ...more });

  it.each([
    ["its key and its id", custom({ fieldKey: "phone" }), custom({ fieldId: "fld_phone" })],
    ["two kinds of id", custom({ fieldId: "fld_phone" }), custom({ fieldDefinitionId: "fld_phone" })],
    ["its key and a staged change", custom({ fieldKey: "phone" }), aStagedBlock("d_po", { regionKey: "main" })],
  ])("is one input: %s", (_names, one, other) => {
    const staged = [aStaged({ action: "update", key: "phone" })];
    const draft = aDraft({ blocks: [one, other], stagedFieldDefinitions: staged });
    expect(codesOf(draft, contractor)).toEqual(["FIELD_DUPLICATE"]);
  });

  it("keeps a built-in field apart from a custom one with the same key", () => {
    const builtIn = aBlock("field", { source: "built_in", ref: { builtInFieldKey: "phone" }, regionKey: "main" });
    expect(codesOf(aDraft({ blocks: [builtIn, custom({ fieldKey: "phone" })] }), contractor)).toEqual([]);
    expect(codesOf(aDraft({ blocks: [builtIn, builtIn] }), contractor)).toEqual(["FIELD_DUPLICATE"]);
  });

  it("reports an unknown id, too", () => {
    expect(checkDraft(aDraft({ blocks: [custom({ fieldDefinitionId: "fld_9" })] }), contractor)).toMatchObject([
      { code: "FIELD_UNKNOWN", path: "blocks[0].ref.fieldDefinitionId" },
    ]);
  });
});

describe("staged changes", () => {
  it("are seen by the checks of blocks as publishing would leave the fields", () => {
    const required = aStaged({ action: "update", key: "notes", config: { required: true } });
    expect(codesOf({ ...withBlocks(), stagedFieldDefinitions: [required] })).toEqual([
      "STAGED_REQUIRED_NEW",
      "REQUIRED_FIELD_MISSING",
    ]);
    const relaxed = aStaged({ action: "update", key: "full_name", config: { required: false } });
    expect(
      codesOf(aDraft({ blocks: [aField("notes", { regionKey: "main" })], stagedFieldDefinitions: [relaxed] })),
    ).toEqual([]);
    const gone = aStaged({ action: "delete", key: "full_name" });
    expect(
      codesOf(aDraft({ blocks: [aField("notes", { regionKey: "main" })], stagedFieldDefinitions: [gone] })),
    ).toEqual([]);
    const unlinked = aStaged({ action: "unlink", key: "full_name" });
    expect(
      codesOf(aDraft({ blocks: [aField("notes", { regionKey: "main" })], stagedFieldDefinitions: [unlinked] })),
    ).toEqual(["REQUIRED_FIELD_MISSING"]);
  });

  it("need a field that they are about", () => {
    const nameless = aStaged({ action: "update", key: undefined });
    expect(checkDraft(withStaged(nameless), {})).toMatchObject([
      { code: "STAGED_TARGET_UNKNOWN", path: "stagedFieldDefinitions[0].key" },
    ]);
  });

  it("go by the id before the key", () => {
    const item = aStaged({ action: "delete", key: "notes", existingFieldDefinitionId: "fld_unheard_of" });
    expect(checkDraft(withStaged(item), KNOWN)).toMatchObject([
      { code: "STAGED_TARGET_UNKNOWN", path: "stagedFieldDefinitions[0].existingFieldDefinitionId" },
    ]);
  });

  it("are one for each field", () => {
    const update = aStaged({ draftId: "d_1", action: "update", key: "phone", name: "Telephone" });
    const remove = aStaged({ draftId: "d_2", action: "delete", existingFieldDefinitionId: "fld_phone" });
    expect(codesOf(withStaged(update, remove))).toEqual(["STAGED_KEY_DUPLICATE"]);
    expect(
      codesOf(
        withStaged(
          aStaged({ draftId: "d_1", action: "update", key: "phone" }),
          aStaged({ draftId: "d_2", action: "update", key: "phone" }),
        ),
        {},
      ),
    ).toEqual(["STAGED_KEY_DUPLICATE"]);
  });

  it("keep the choices that they do not name", () => {
    const update = aStaged({ action: "update", key: "level", type: "MULTI_SELECT" });
    expect(codesOf(withStaged(update))).toEqual(["STAGED_NEEDS_CONFIRMATION"]);
    expect(codesOf(withStaged(update), {})).toEqual([]);
    expect(codesOf(withStaged({ ...update, config: { options: [] } }), {})).toEqual(["STAGED_OPTIONS_MISSING"]);
  });

  it("report their effects", () => {
    expect(checkDraft(withStaged(aStaged({ action: "delete", key: "notes" })), KNOWN)).toMatchObject([
      {
        code: "STAGED_NEEDS_CONFIRMATION",
        message: '412 values of "notes" may be lost. To confirm "d_po", name it in confirmFieldChanges',
        meta: { reasons: ["VALUE_CLEAR"], requires: ["confirmValueClear"], valueCount: 412 },
      },
    ]);
  });
});

describe("nesting", () => {
  const inside: [outer: Block["type"], inner: Block["type"], isRight: boolean][] = [
    ["tabs", "tab", true],
    ["tabs", "section", true],
    ["tabs", "column", false],
    ["tabs", "field", false],
    ["tab", "section", true],
    ["tab", "field", true],
    ["tab", "column", false],
    ["tab", "tabs", false],
    ["section", "column", true],
    ["section", "button", true],
    ["section", "section", false],
    ["column", "comments", true],
    ["column", "section", false],
    ["column", "column", false],
    ["button", "button", false],
  ];

  it.each(inside)("%s > %s: %s", (outer, inner, isRight) => {
    const block = aBlock(outer, { regionKey: "main", children: [aBlock(inner)] });
    const complaints = checkDraft(aDraft({ blocks: [NAME, block] }), {}).filter(
      ({ code, path }) => code === "NESTING_NOT_ALLOWED" && path === "blocks[1].children[0]",
    );
    expect(complaints).toHaveLength(isRight ? 0 : 1);
  });

  const roots: [layout: "grid" | "tabs", type: Block["type"], code: string | undefined][] = [
    ["grid", "section", undefined],
    ["grid", "tabs", undefined],
    ["grid", "field", undefined],
    ["grid", "tab", "NESTING_NOT_ALLOWED"],
    ["grid", "column", "NESTING_NOT_ALLOWED"],
    ["tabs", "tab", undefined],
    ["tabs", "section", undefined],
    ["tabs", "tabs", "NESTING_NOT_ALLOWED"],
    ["tabs", "column", "NESTING_NOT_ALLOWED"],
    ["tabs", "button", "TABS_REGION_LEAF"],
  ];

  it.each(roots)("%s region > %s: %s", (layout, type, code) => {
    const draft = aDraft({ regions: [aRegion({ layout })], blocks: [aBlock(type, { regionKey: "main" })] });
    const found = checkDraft(draft, {}).filter(
      (one) => one.code.startsWith("NESTING") || one.code === "TABS_REGION_LEAF",
    );
    expect(found.map((one) => one.code)).toEqual(code ? [code] : []);
  });

  it("of any depth is walked", () => {
    let block: Block = aBlock("section");
    for (let level = 0; level < 50_000; level += 1) block = aBlock("section", { children: [block] });
    const codes = codesOf(aDraft({ blocks: [NAME, { ...block, regionKey: "main" }] }), {});
    expect(codes.filter((code) => code === "NESTING_TOO_DEEP")).toHaveLength(1);
  });
});

describe("the grid", () => {
  it.each([
    ["sidebar", 4, 12, []],
    ["sidebar", 4, 13, ["COLSPAN_EXCEEDS_COLUMNS"]],
    ["sidebar", 16, 16, []],
    ["stack", null, 12, []],
    ["grid", 4, 5, ["COLSPAN_EXCEEDS_COLUMNS"]],
    ["dashboard_grid", 24, 24, []],
  ] as const)("of a %s region with %s columns takes colSpan %s: %j", (layout, columns, colSpan, expected) => {
    const draft = aDraft({ regions: [aRegion({ layout, columns })], blocks: [{ ...NAME, grid: { colSpan } }] });
    expect(codesOf(draft, {}).filter((code) => code.startsWith("COL"))).toEqual(expected);
  });

  it("is full width without colSpan", () => {
    expect(messagesOf(withBlocks(aField("notes", { grid: { colStart: 3 } })))).toEqual([
      "colStart 3 with the full width of 12 exceeds the 12 columns of the grid. Use at most colSpan 10",
    ]);
    expect(messagesOf(withBlocks(aField("notes", { grid: { colStart: 13, colSpan: 6 } })))).toEqual([
      "colStart 13 with colSpan 6 exceeds the 12 columns of the grid. Use at most colStart 7",
    ]);
  });

  it.each(["colSpan", "colStart", "rowSpan", "rowStart"])("has only whole numbers from 1: %s", (member) => {
    for (const value of [0, -1, 2.5]) {
      expect(checkDraft(withBlocks(aField("notes", { grid: { [member]: value } })), KNOWN)).toMatchObject([
        { code: "COLSPAN_INVALID", path: `blocks[1].grid.${member}` },
      ]);
    }
  });
});
