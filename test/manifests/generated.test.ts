/** The generated manifests are what they are meant to be: valid, every one of them, and of every kind. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readDocuments } from "../../src/documents/document.ts";
import { checkDraft } from "../../src/schemas/draft-checks.ts";
import type { KnownField } from "../../src/schemas/draft-known.ts";
import { type DraftContent, DraftFile } from "../../src/schemas/draft.ts";
import { canonicalJson } from "../../src/schemas/json.ts";
import type { Target } from "../../src/schemas/layout.ts";
import { FormManifest, LayoutManifest } from "../../src/schemas/manifest.ts";
import type { StagedPlan } from "../arbitraries/manifest-content.ts";
import { anyEdits, edited, following } from "../arbitraries/manifest-edits.ts";
import { anyFiling, filesOf } from "../arbitraries/manifest-files.ts";
import { manifestOrganization } from "../arbitraries/manifest-pages.ts";
import { type ManifestValue, manifestsOf } from "../arbitraries/manifest-values.ts";
import { anyState, type State } from "../arbitraries/manifests.ts";

const scripts = ["city_by_country", "rate_guard"];

/** The fields of an object, and those that publishing the states has made. */
function fieldsOf(address: string, applied: readonly State[]): KnownField[] {
  const [moduleKey, objectKey] = address.split("/");
  const object = manifestOrganization
    .modules!.find(({ key }) => key === moduleKey)!
    .objects!.find(({ key }) => key === objectKey)!;
  const own = object.fields!.map(({ key, name, type, required = false, default: standard, options = [] }) => {
    return {
      id: `fld_${key}`,
      key,
      name,
      type,
      isRequired: required,
      hasDefault: standard != null,
      valueCount: 0,
      options,
    };
  });
  const made = applied.flatMap(({ forms }) =>
    forms.flatMap(({ content, publish }) => (publish === false ? [] : (content?.staged ?? []))),
  );
  const landed = made.filter(({ action }) => action !== "delete").map(({ key }) => key);
  const extra = [...new Set(landed)].map((key) => ({
    id: `fld_${key}`,
    key,
    name: key,
    type: "TEXT",
    isRequired: false,
    hasDefault: false,
    valueCount: 0,
    options: [],
  }));
  return [...own, ...extra];
}

/** Every complaint about a manifest, in the words of the one who made it. */
function complaints(manifest: ManifestValue, applied: readonly State[]): unknown[] {
  const schema = manifest.kind === "Form" ? FormManifest : LayoutManifest;
  const shape = schema.safeParse(manifest);
  if (!shape.success) return shape.error.issues;
  if (!manifest.layout) return [];
  const content = DraftFile.parse(manifest.layout);
  const address = manifest.kind === "Form" ? manifest.object : objectOfTarget(manifest.target);
  const known = {
    surface: manifest.kind === "Form" ? ("DYNAMIC_OBJECT" as const) : manifest.surface,
    modes: manifest.kind === "Form" ? manifest.types : manifest.supportedModes,
    scripts,
    ...(address !== undefined && { fields: fieldsOf(address, applied) }),
  };
  return checkDraft(unstaged(content, applied), known).filter(({ severity }) => severity === "error");
}

/** What has been carried out is not staged again, and its blocks show the fields themselves. */
function unstaged(content: DraftContent, applied: readonly State[]): DraftContent {
  const done = new Set(
    applied.flatMap(({ forms }) =>
      forms.flatMap(({ content: own, publish }) =>
        publish === false ? [] : (own?.staged ?? []).map((staged: StagedPlan) => `d_${staged.key}`),
      ),
    ),
  );
  const text = JSON.stringify(content.blocks).replaceAll(
    /"source":"draft_custom_field","ref":\{"draftFieldDefinitionId":"d_(\w+)"\}/g,
    (all, key: string) => (done.has(`d_${key}`) ? `"source":"dynamic_field","ref":{"fieldKey":"${key}"}` : all),
  );
  return {
    ...content,
    blocks: JSON.parse(text) as DraftContent["blocks"],
    stagedFieldDefinitions: content.stagedFieldDefinitions.filter(({ draftId }) => !done.has(draftId)),
  };
}

function objectOfTarget(target: Target | undefined): string | undefined {
  return target?.moduleKey ? `${target.moduleKey}/${target.objectKey}` : undefined;
}

const wrongIn = (state: State, applied: readonly State[] = []) =>
  manifestsOf(state).flatMap((manifest) => complaints(manifest, applied));

const identity = (manifest: ManifestValue) =>
  manifest.kind === "Form"
    ? `${manifest.object}/${manifest.name}`
    : `${manifest.surface}${canonicalJson(manifest.target ?? {})}/${manifest.name}`;

describe("generated manifests", () => {
  it("have nothing wrong with them", () => {
    fc.assert(
      fc.property(anyState(), (state) => {
        expect(wrongIn(state)).toEqual([]);
        const names = manifestsOf(state).map(identity);
        expect(new Set(names).size).toBe(names.length);
      }),
      { numRuns: 400 },
    );
  });

  it("have nothing wrong with them after edits, and after edits of those", () => {
    fc.assert(
      fc.property(anyState(), anyEdits, anyEdits, (first, some, more) => {
        const second = edited(first, some, "e");
        expect(wrongIn(second, [first])).toEqual([]);
        expect(wrongIn(edited(second, more, "f"), [first, second])).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });

  it("have nothing wrong with them when they follow on a state that knows nothing of them", () => {
    fc.assert(
      fc.property(anyState("a"), anyState("b"), (a, b) => {
        expect(wrongIn(following(a, b), [a])).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it("are in their files as they are", () => {
    fc.assert(
      fc.property(anyState(), anyFiling, (state, filing) => {
        const files = filesOf(manifestsOf(state), filing);
        const found = Object.entries(files)
          .filter(([path]) => !path.includes(".layout."))
          .flatMap(([path, text]) =>
            readDocuments(text, path).map(({ value }) => {
              const manifest = value as { layout?: unknown };
              if (typeof manifest.layout !== "string") return manifest;
              const own = path.replace(/[^/]*$/, "") + manifest.layout.slice(2);
              return { ...manifest, layout: readDocuments(files[own]!, own)[0]!.value };
            }),
          );
        const byName = (a: unknown, b: unknown) =>
          JSON.stringify(identity(a as ManifestValue)) < JSON.stringify(identity(b as ManifestValue)) ? -1 : 1;
        expect(found.toSorted(byName)).toEqual(
          (JSON.parse(JSON.stringify(manifestsOf(state))) as unknown[]).toSorted(byName),
        );
      }),
      { numRuns: 200 },
    );
  });

  it("are of every kind: the control of the four above", () => {
    const states = fc.sample(anyState(), { numRuns: 300, seed: 7 });
    const later = fc
      .sample(fc.tuple(anyState(), anyEdits, anyEdits), { numRuns: 300, seed: 7 })
      .map(([state, some, more]) => edited(edited(state, some), more, "f"));
    const text = JSON.stringify([...states, ...later].flatMap(manifestsOf));
    const kinds = [
      '"kind":"Form"', '"kind":"Layout"', '"renamedFrom":', '"isActive":false', '"isPublic":true', '"config":null',
      '"config":{}', '"defaultFor":["', '"defaultFor":[]', '"access":{', '"roleId":', '"member":"ANA', '"publish":false',
      '"type":"tabs"', '"type":"tab"', '"type":"section"', '"type":"column"', '"type":"relation_table"',
      '"source":"draft_custom_field"', '"action":"update"', '"action":"delete"', '"confirmFieldChanges":["',
      '"organizationDefault":true', '"priority":', '"surface":"DASHBOARD"', '"surface":"DYNAMIC_OBJECT"', '"scopeId":',
      '"hook":', '"readOnly":true', '"metadata":null', "候補者", '"name":"A/B',
    ]; // prettier-ignore
    expect(kinds.filter((kind) => !text.includes(kind))).toEqual([]);
    const bare = manifestsOf(states[0]!).length;
    expect(bare).toBeGreaterThan(0);
    const broken = { ...states[0]!, forms: [{ ...states[0]!.forms[0]!, name: " " }] };
    expect(wrongIn(broken)).not.toEqual([]);
  });
});
