/** Which staged changes are done: the table of docs/decisions.md, "Layouts as code", a row after the other. */

import { describe, expect, it } from "vitest";
import { assumedNotes, changesText, findAppliedChanges } from "../../src/manifests/content/staged-changes.ts";
import { settledDigest, stagedDigest } from "../../src/manifests/content/compare.ts";
import type { LockedResource } from "../../src/manifests/lock.ts";
import type { ContentState, Stamp, VersionState } from "../../src/manifests/state.ts";
import type { Block, DraftContent, StagedField } from "../../src/schemas/draft.ts";
import type { SeedField } from "../../src/schemas/organization.ts";
import { content } from "./plan-scene.ts";

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

/** Published is what the manifest says, but for what it stages. */
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
type Verdict = "done" | "pending" | "taken as done";

function verdict(
  staged: StagedField,
  current: ContentState | undefined,
  { locked, fields }: Known = {},
  wanted: DraftContent = staging(staged),
): Verdict {
  const { has, assumed } = findAppliedChanges(wanted, "DYNAMIC_OBJECT", current, { locked, fields });
  if (assumed.includes(staged)) return "taken as done";
  return has(staged) ? "done" : "pending";
}

const every = (expected: Verdict) => Object.fromEntries(Object.keys(EACH).map((action) => [action, expected]));

function verdicts(current: ContentState | undefined, known?: Known): Record<string, Verdict> {
  return Object.fromEntries(Object.entries(EACH).map(([action, staged]) => [action, verdict(staged, current, known)]));
}

describe("a staged change is done", () => {
  it("where the published version shows the field, whatever else is known", () => {
    expect(verdict(create, there({ shows: ["grade"], stamp: stampOf() }), { fields: [] })).toBe("done");
    expect(verdict(create, there({ shows: ["grade"] }), { locked: lockOf([]) })).toBe("done");
    expect(verdict(create, there({ stamp: stampOf() }, { shows: ["grade"] }))).toBe("pending");
  });

  it("where the record lists it, and pending where it does not", () => {
    const all = Object.values(EACH);
    for (const [known, none] of [
      [() => verdicts(there({ stamp: stampOf(...all) })), () => verdicts(there({ stamp: stampOf() }))],
      [() => verdicts(there({}, { stamp: stampOf(...all) })), () => verdicts(there({}, { stamp: stampOf() }))],
      [() => verdicts(there(), { locked: lockOf(all) }), () => verdicts(there(), { locked: lockOf([]) })],
    ] as const) {
      expect(known()).toEqual(every("done"));
      expect(none()).toEqual(every("pending"));
    }
  });

  it("by its own digest: the list may say others, and another change of the same field is another one", () => {
    const locked = lockOf([create, remove]);
    expect(verdict(remove, there(), { locked })).toBe("done");
    expect(verdict({ ...update, name: "Town" }, there(), { locked: lockOf([update]) })).toBe("pending");
  });

  it("where a field is as it would be left, unless a record lists it already", () => {
    const as = [field("grade"), field("home_city", { name: "City" })];
    const not = [field("home_city"), field("notes"), field("phone")];
    for (const known of [{}, { locked: lockOf([]) }]) {
      expect(verdicts(there(), { ...known, fields: as })).toEqual(every("done"));
      const { unlink: _unlink, ...others } = verdicts(there(), { ...known, fields: not });
      expect(others).toEqual({ create: "pending", update: "pending", delete: "pending" });
    }
    expect(verdicts(there(), { locked: lockOf(Object.values(EACH)), fields: not })).toEqual(every("done"));
    expect(verdict(unlink, there(), { locked: lockOf([]), fields: not })).toBe("pending");
    expect(verdict(unlink, there(), { fields: not })).toBe("taken as done");
    // What a new form stages may be there already.
    expect(verdicts(undefined, { fields: as })).toEqual(every("done"));
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
  ])("as an update of %s, compared with the field", (_, change, now, isDone) => {
    const staged: StagedField = { draftId: "d", action: "update", key: "home_city", ...change };
    const fields = [field("home_city", now)];
    expect(verdict(staged, there(), { fields })).toBe(isDone ? "done" : "pending");
    const byId: StagedField = { ...staged, key: "other", existingFieldDefinitionId: "fld_1" };
    expect(verdict(byId, there(), { fields: [{ ...fields[0]!, id: "fld_1" }] })).toBe(isDone ? "done" : "pending");
  });

  it("as a creation only by a field of its type", () => {
    expect(verdict(create, there(), { fields: [field("grade", { type: "NUMBER" })] })).toBe("pending");
  });
});

describe("a change without a record", () => {
  it("is taken as done where all else is in place, and that is said", () => {
    expect(verdicts(there())).toEqual(every("taken as done"));
    const { assumed } = findAppliedChanges(staging(update), "DYNAMIC_OBJECT", there(), {
      locked: undefined,
      fields: undefined,
    });
    expect(assumedNotes({ assumed })).toEqual([expect.stringContaining("formctl layouts draft push --publish")]);
  });

  it("stays so in the lock, which has kept no more than that", () => {
    const kept = (of: DraftContent) => {
      const locked = lockOf([], { of, version: "ver_9" });
      return { locked: { ...locked, base: { ...locked.base, assumedChanges: stagedDigest(update) } } };
    };
    expect(verdict(update, there(), kept(content("email")))).toBe("taken as done");
    expect(verdict({ ...update, draftId: "d_again" }, there(), kept(content("email")))).toBe("pending");
    expect(verdict(update, there(), kept(content("email")), staging(update, "full_name"))).toBe("pending");
    expect(verdict(update, there(), { ...kept(content("email")), fields: [field("home_city")] })).toBe("pending");
  });

  it("is pending where anything else is to be published, or a block is to show the field", () => {
    for (const staged of Object.values(EACH)) {
      expect(verdict(staged, there(), {}, staging(staged, "full_name"))).toBe("pending");
    }
    expect(verdict(create, there(), {}, staging(create, showsDraft))).toBe("pending");
    expect(verdicts({ ...there(), published: null })).toEqual(every("pending"));
  });

  it("is done where an earlier version shows the field that it creates, if it is not known to be gone", () => {
    const current = there({}, { shows: ["grade"] });
    expect(verdict(create, current, {}, staging(create, "full_name"))).toBe("done");
    expect(verdict(create, current, { fields: [] })).toBe("pending");
  });
});

describe("the record", () => {
  const listed = (current: ContentState, locked: LockedResource) => verdict(update, current, { locked });

  it("is the stamp of what is published, though the lock says otherwise: somebody else has applied since", () => {
    expect(listed(there({ stamp: stampOf() }), lockOf([update]))).toBe("pending");
    expect(listed(there({ stamp: stampOf(update) }), lockOf([]))).toBe("done");
  });

  it("is the lock that knows what is published, though an older version has a stamp", () => {
    expect(listed(there({}, { stamp: stampOf() }), lockOf([update]))).toBe("done");
    expect(listed(there({}, { stamp: stampOf(update) }), lockOf([]))).toBe("pending");
  });

  it("is what stamp and lock both list, where somebody else has published since", () => {
    const before = { of: content("phone") };
    expect(listed(there({}, { stamp: stampOf(update) }), lockOf([update], before))).toBe("done");
    expect(listed(there({}, { stamp: stampOf() }), lockOf([update], before))).toBe("pending");
    expect(listed(there({}, { stamp: stampOf(update) }), lockOf([], before))).toBe("pending");
  });

  it.each([
    ["ver_9", "done", "pending"],
    ["ver_8", "done", "pending"],
    ["ver_7", "done", "done"],
    ["ver_6", "pending", "done"],
  ])("is of stamp and lock the later one, where the lock names a version: %s", (at, byLock, byStamp) => {
    const history = (stamp: Stamp) => there({}, {}, { stamp }, {});
    expect(listed(history(stampOf()), lockOf([update], { of: content("phone"), version: at }))).toBe(byLock);
    expect(listed(history(stampOf(update)), lockOf([], { version: at }))).toBe(byStamp);
  });

  it("has what waited in a draft once that is published, and not before", () => {
    const waiting = { waiting: [update], version: "ver_8" };
    expect(listed(there({}, {}), lockOf([], waiting))).toBe("done");
    expect(listed(there({}, {}), lockOf([], { ...waiting, of: content("phone") }))).toBe("pending");
    expect(listed(there({}, {}), lockOf([], { ...waiting, version: "ver_9" }))).toBe("pending");
  });

  it("is not the stamp of a version that was restored, nor the lock of another layout of the name", () => {
    const current = there({ stamp: stampOf(update), isCopy: true }, { stamp: stampOf() });
    expect(verdict(update, current)).toBe("pending");
    expect(listed(there(), lockOf([update], { layoutId: "lay_2" }))).toBe("taken as done");
  });

  it("is the lock alone where a server does not say what is published", () => {
    const untold: ContentState = { ...there(), published: null, isHidden: true };
    expect(listed(untold, lockOf([update]))).toBe("done");
    expect(listed(untold, lockOf([]))).toBe("pending");
  });
});
