/** Checks which staged changes are applied: one test for each rule of staged-changes.ts. */

import { describe, expect, it } from "vitest";
import { assumedNotes, changesText, findAppliedChanges } from "../../src/state/staged-changes.ts";
import { settledDigest, stagedDigest } from "../../src/contents/compare.ts";
import type { LockedResource } from "../../src/state/lock.ts";
import type { ContentState, Stamp, VersionState } from "../../src/state/state.ts";
import type { Block, DraftContent, StagedField } from "../../src/schemas/draft.ts";
import type { SeedField } from "../../src/schemas/organization.ts";
import { content } from "../plan/plan-scene.ts";

const create: StagedField = { draftId: "d_grade", action: "create", key: "grade", name: "Grade", type: "TEXT" };
const update: StagedField = { draftId: "d_city", action: "update", key: "home_city", name: "City" };
const remove: StagedField = { draftId: "d_notes", action: "delete", key: "notes" };
const unlink: StagedField = { draftId: "d_phone", action: "unlink", key: "phone" };
const EACH = { create, update, delete: remove, unlink };

const showsDraft: Block = {
  type: "field",
  source: "draft_custom_field",
  ref: { draftFieldDefinitionId: "d_grade" },
  regionKey: "main",
};

const staging = (staged: StagedField, ...blocks: (string | Block)[]): DraftContent => ({
  ...content("email", ...blocks),
  stagedFieldDefinitions: [staged],
});

type There = { shows?: string[]; stamp?: Stamp | undefined; isCopy?: boolean };

function version(id: string, what: DraftContent, { shows = [], stamp, isCopy = false }: There = {}): VersionState {
  return { id, number: 1, content: what, shows, stamp, isCopy, state: undefined, modes: ["VIEW"], committed: [] };
}

/**
 * Returns a state whose published content is the content of the manifest, without the staged changes of the manifest.
 */
function there(published: There = {}, ...earlier: There[]): ContentState {
  return {
    layoutId: "lay_1",
    published: version("ver_9", content("email"), published),
    draft: null,
    earlier: earlier.map((each, index) => version(`ver_${8 - index}`, content(), each)),
  };
}

const stampOf = (...changes: StagedField[]): Stamp => ({
  sha256: "0".repeat(64),
  ...(changes.length > 0 && { fieldChanges: changes.map(stagedDigest) }),
});

type Kept = { of?: DraftContent; layoutId?: string; version?: string; waiting?: StagedField[] };

function lockOf(
  changes: StagedField[],
  { of = content("email"), layoutId = "lay_1", version: at, waiting = [] }: Kept = {},
) {
  const base: Record<string, string> = { content: settledDigest(of, "DYNAMIC_OBJECT") };
  if (changes.length > 0) base["fieldChanges"] = changesText(changes.map(stagedDigest));
  if (waiting.length > 0) base["waitingChanges"] = changesText(waiting.map(stagedDigest));
  if (at !== undefined) base["version"] = at;
  return { layoutId, base } satisfies LockedResource;
}

const field = (key: string, more: Partial<SeedField> = {}): SeedField => ({
  key,
  name: key,
  type: "TEXT",
  required: false,
  options: [],
  default: null,
  config: {},
  ...more,
});

type Known = { locked?: LockedResource; fields?: readonly SeedField[] };
type Verdict = "applied" | "pending" | "assumed";

function verdict(
  staged: StagedField,
  current: ContentState | undefined,
  { locked, fields }: Known = {},
  wanted: DraftContent = staging(staged),
): Verdict {
  const { has, assumed } = findAppliedChanges(wanted, "DYNAMIC_OBJECT", current, { locked, fields });
  if (assumed.includes(staged)) return "assumed";
  return has(staged) ? "applied" : "pending";
}

const every = (expected: Verdict) => Object.fromEntries(Object.keys(EACH).map((action) => [action, expected]));

function verdicts(current: ContentState | undefined, known?: Known): Record<string, Verdict> {
  return Object.fromEntries(Object.entries(EACH).map(([action, staged]) => [action, verdict(staged, current, known)]));
}

describe("a staged change is applied", () => {
  it("if the published version shows the field, regardless of other facts", () => {
    expect(verdict(create, there({ shows: ["grade"], stamp: stampOf() }), { fields: [] })).toBe("applied");
    expect(verdict(create, there({ shows: ["grade"] }), { locked: lockOf([]) })).toBe("applied");
    expect(verdict(create, there({ stamp: stampOf() }, { shows: ["grade"] }))).toBe("pending");
  });

  it("if the record lists it, and pending if not", () => {
    const all = Object.values(EACH);
    for (const [known, none] of [
      [() => verdicts(there({ stamp: stampOf(...all) })), () => verdicts(there({ stamp: stampOf() }))],
      [() => verdicts(there({}, { stamp: stampOf(...all) })), () => verdicts(there({}, { stamp: stampOf() }))],
      [() => verdicts(there(), { locked: lockOf(all) }), () => verdicts(there(), { locked: lockOf([]) })],
    ] as const) {
      expect(known()).toEqual(every("applied"));
      expect(none()).toEqual(every("pending"));
    }
  });

  it("only if its own digest is listed: another change of the same field is a different change", () => {
    const locked = lockOf([create, remove]);
    expect(verdict(remove, there(), { locked })).toBe("applied");
    expect(verdict({ ...update, name: "Town" }, there(), { locked: lockOf([update]) })).toBe("pending");
  });

  it("if the field is as the change leaves it, unless a record lists it", () => {
    const as = [field("grade"), field("home_city", { name: "City" })];
    const not = [field("home_city"), field("notes"), field("phone")];
    for (const known of [{}, { locked: lockOf([]) }]) {
      expect(verdicts(there(), { ...known, fields: as })).toEqual(every("applied"));
      const { unlink: _unlink, ...others } = verdicts(there(), { ...known, fields: not });
      expect(others).toEqual({ create: "pending", update: "pending", delete: "pending" });
    }
    expect(verdicts(there(), { locked: lockOf(Object.values(EACH)), fields: not })).toEqual(every("applied"));
    expect(verdict(unlink, there(), { locked: lockOf([]), fields: not })).toBe("pending");
    expect(verdict(unlink, there(), { fields: not })).toBe("assumed");
    // The fields of a new form's staged changes may already exist.
    expect(verdicts(undefined, { fields: as })).toEqual(every("applied"));
    expect(verdicts(undefined)).toEqual(every("pending"));
  });

  it.each<[string, Partial<StagedField>, Partial<SeedField>, boolean]>([
    ["its name", { name: "City" }, { name: "Town" }, false],
    ["its type", { type: "NUMBER" }, { type: "TEXT" }, false],
    ["that it is required", { config: { required: true } }, { required: false }, false],
    ["its default", { config: { defaultValue: "x" } }, { default: null }, false],
    ["no default", { config: { defaultValue: null } }, { default: null }, true],
    ["its choices", { config: { options: ["a", { value: "b" }] } }, { options: ["a", "b"] }, true],
    ["fewer choices", { config: { options: ["a"] } }, { options: ["a", "b"] }, false],
    ["another setting", { config: { hint: "x" } }, { config: { hint: "y" } }, false],
    ["a setting that it has", { config: { hint: "x" } }, { config: { hint: "x", more: 1 } }, true],
    ["how it is shown", { presentation: { tone: "calm" } }, { config: { presentation: { tone: "calm" } } }, true],
    ["nothing", {}, { name: "Anything" }, true],
  ])("as an update of %s, compared with the field", (_, change, now, isApplied) => {
    const staged: StagedField = { draftId: "d", action: "update", key: "home_city", ...change };
    const fields = [field("home_city", now)];
    expect(verdict(staged, there(), { fields })).toBe(isApplied ? "applied" : "pending");
    const byId: StagedField = { ...staged, key: "other", existingFieldDefinitionId: "fld_1" };
    expect(verdict(byId, there(), { fields: [{ ...fields[0]!, id: "fld_1" }] })).toBe(
      isApplied ? "applied" : "pending",
    );
  });

  it("as a creation only if the field has its type", () => {
    expect(verdict(create, there(), { fields: [field("grade", { type: "NUMBER" })] })).toBe("pending");
  });
});

describe("a change without a record", () => {
  it("is assumed to be applied if everything else is in place, and reported", () => {
    expect(verdicts(there())).toEqual(every("assumed"));
    const { assumed } = findAppliedChanges(staging(update), "DYNAMIC_OBJECT", there(), {
      locked: undefined,
      fields: undefined,
    });
    expect(assumedNotes({ assumed })).toEqual([expect.stringContaining("formctl layouts draft push --publish")]);
  });

  it("stays assumed in the lock", () => {
    const kept = (of: DraftContent) => {
      const locked = lockOf([], { of, version: "ver_9" });
      return { locked: { ...locked, base: { ...locked.base, assumedChanges: stagedDigest(update) } } };
    };
    expect(verdict(update, there(), kept(content("email")))).toBe("assumed");
    expect(verdict({ ...update, draftId: "d_again" }, there(), kept(content("email")))).toBe("pending");
    expect(verdict(update, there(), kept(content("email")), staging(update, "full_name"))).toBe("pending");
    expect(verdict(update, there(), { ...kept(content("email")), fields: [field("home_city")] })).toBe("pending");
  });

  it("is pending if anything else is published, or a block shows the field", () => {
    for (const staged of Object.values(EACH)) {
      expect(verdict(staged, there(), {}, staging(staged, "full_name"))).toBe("pending");
    }
    expect(verdict(create, there(), {}, staging(create, showsDraft))).toBe("pending");
    expect(verdicts({ ...there(), published: null })).toEqual(every("pending"));
  });

  it("is applied if an earlier version shows the created field, unless the field is known to be missing", () => {
    const current = there({}, { shows: ["grade"] });
    expect(verdict(create, current, {}, staging(create, "full_name"))).toBe("applied");
    expect(verdict(create, current, { fields: [] })).toBe("pending");
  });
});

describe("the record", () => {
  const listed = (current: ContentState, locked: LockedResource) => verdict(update, current, { locked });

  it("is the stamp of the published version, if another user has applied since the lock was written", () => {
    expect(listed(there({ stamp: stampOf() }), lockOf([update]))).toBe("pending");
    expect(listed(there({ stamp: stampOf(update) }), lockOf([]))).toBe("applied");
  });

  it("is the lock that has the published content, if only an older version has a stamp", () => {
    expect(listed(there({}, { stamp: stampOf() }), lockOf([update]))).toBe("applied");
    expect(listed(there({}, { stamp: stampOf(update) }), lockOf([]))).toBe("pending");
  });

  it("is what both stamp and lock list, if another user has published since", () => {
    const before = { of: content("phone") };
    expect(listed(there({}, { stamp: stampOf(update) }), lockOf([update], before))).toBe("applied");
    expect(listed(there({}, { stamp: stampOf() }), lockOf([update], before))).toBe("pending");
    expect(listed(there({}, { stamp: stampOf(update) }), lockOf([], before))).toBe("pending");
  });

  it.each([
    ["ver_9", "applied", "pending"],
    ["ver_8", "applied", "pending"],
    ["ver_7", "applied", "applied"],
    ["ver_6", "pending", "applied"],
  ])("is the later one of stamp and lock, if the lock names a version: %s", (at, byLock, byStamp) => {
    const history = (stamp: Stamp) => there({}, {}, { stamp }, {});
    expect(listed(history(stampOf()), lockOf([update], { of: content("phone"), version: at }))).toBe(byLock);
    expect(listed(history(stampOf(update)), lockOf([], { version: at }))).toBe(byStamp);
  });

  it("includes the changes of a draft after the draft is published", () => {
    const waiting = { waiting: [update], version: "ver_8" };
    expect(listed(there({}, {}), lockOf([], waiting))).toBe("applied");
    expect(listed(there({}, {}), lockOf([], { ...waiting, of: content("phone") }))).toBe("pending");
    expect(listed(there({}, {}), lockOf([], { ...waiting, version: "ver_9" }))).toBe("pending");
  });

  it("is not the stamp of a restored version, nor the lock of another layout of the same name", () => {
    const current = there({ stamp: stampOf(update), isCopy: true }, { stamp: stampOf() });
    expect(verdict(update, current)).toBe("pending");
    expect(listed(there(), lockOf([update], { layoutId: "lay_2" }))).toBe("assumed");
  });

  it("is the lock alone if the server does not show what is published", () => {
    const untold: ContentState = { ...there(), published: null, isHidden: true };
    expect(listed(untold, lockOf([update]))).toBe("applied");
    expect(listed(untold, lockOf([]))).toBe("pending");
  });
});
