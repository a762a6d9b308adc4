/** Checks that the generators create only valid manifests, and manifests of every kind. */

import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import * as fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Manifest } from "../../src/manifests/manifest.ts";
import { readManifests } from "../../src/manifests/read/read-manifests.ts";
import { checkDraft } from "../../src/schemas/draft-checks.ts";
import type { CatalogField } from "../../src/schemas/catalog.ts";
import type { DraftContent } from "../../src/schemas/draft.ts";
import { DraftFile } from "../../src/schemas/draft-schema.ts";
import { editorSchema } from "../../src/manifests/editor-schemas.ts";
import { canonicalJson } from "../../src/schemas/json.ts";
import type { Target } from "../../src/schemas/layout.ts";
import { FormManifest, LayoutManifest } from "../../src/manifests/manifest-schema.ts";
import type { StagedPlan } from "../arbitraries/manifest-content.ts";
import { anyEdits, edited, following } from "../arbitraries/manifest-edits.ts";
import { anyFiling, filesOf, writeFiles } from "../arbitraries/manifest-files.ts";
import { manifestOrganization } from "../arbitraries/manifest-pages.ts";
import { type ManifestValue, manifestsOf } from "../arbitraries/manifest-values.ts";
import { anyState, type State } from "../arbitraries/manifests.ts";
import { propertyRuns } from "../effort.ts";
import { temporaryFolder } from "../temporary.ts";

const scripts = ["city_by_country", "rate_guard"];

/**
 * Returns the fields of an object. They include the fields that the publication of the `applied` states has created.
 */
function fieldsOf(address: string, applied: readonly State[]): CatalogField[] {
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

/** Returns every problem that the schemas and the draft checks report for a manifest. */
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

/**
 * Removes the staged changes that were already applied. The blocks of these changes then show the fields themselves.
 */
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

const sorted = (values: readonly object[]) => values.map((value) => canonicalJson(value)).toSorted();

describe("generated manifests", () => {
  it("are valid", () => {
    fc.assert(
      fc.property(anyState(), (state) => {
        expect(wrongIn(state)).toEqual([]);
        const names = manifestsOf(state).map(identity);
        expect(new Set(names).size).toBe(names.length);
      }),
      { numRuns: propertyRuns(400) },
    );
  });

  it("are valid after edits, and after edits of those", () => {
    fc.assert(
      fc.property(anyState(), anyEdits, anyEdits, (first, some, more) => {
        const second = edited(first, some, "e");
        expect(wrongIn(second, [first])).toEqual([]);
        expect(wrongIn(edited(second, more, "f"), [first, second])).toEqual([]);
      }),
      { numRuns: propertyRuns(400) },
    );
  });

  it("are valid if they follow an unrelated state", () => {
    fc.assert(
      fc.property(anyState("a"), anyState("b"), (a, b) => {
        expect(wrongIn(following(a, b), [a])).toEqual([]);
      }),
      { numRuns: propertyRuns(200) },
    );
  });

  it("match the schema for editors", () => {
    const accepts = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(editorSchema("Manifest"));
    fc.assert(
      fc.property(anyState(), (state) => {
        for (const manifest of manifestsOf(state)) expect(accepts(manifest) ? null : accepts.errors).toBeNull();
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  it("are read unchanged from their files", async () => {
    const { path: root, remove } = temporaryFolder();
    onTestFinished(remove);
    let run = 0;
    await fc.assert(
      fc.asyncProperty(anyState(), anyFiling, async (state, filing) => {
        const cwd = join(root, String(++run));
        const manifests = manifestsOf(state);
        writeFiles(cwd, filesOf(manifests, filing));
        const { manifests: found, problems } = await readManifests({ paths: ["."], cwd, root: cwd, env: { X: "no" } });
        expect(problems).toEqual([]);
        const asRead = ({ name, kind, content }: Manifest) => ({ name, kind, content });
        const asMade = ({ name, kind, layout }: ManifestValue) => ({
          name,
          kind,
          content: layout && DraftFile.parse(layout),
        });
        expect(sorted(found.map(asRead))).toEqual(sorted(manifests.map(asMade)));
      }),
      { numRuns: propertyRuns(150) },
    );
  });

  it("include every kind (control)", () => {
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
