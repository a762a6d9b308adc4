/** Checks the schemas for editors. They must accept every file that formctl reads, and refuse common mistakes. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { projectSchema } from "../../src/config/project-schema.ts";
import { readDocuments } from "../../src/documents/document.ts";
import { DraftFile } from "../../src/schemas/draft-schema.ts";
import { DOCS, EDITOR_KINDS, editorSchema } from "../../src/manifests/editor-schemas.ts";
import { migrationSchema } from "../../src/migrations/migration-docs.ts";
import type { JsonSchema, Schema } from "../../src/schemas/schema.ts";
import { isJsonObject } from "../../src/schemas/json.ts";
import { FormManifest, LayoutManifest } from "../../src/manifests/manifest-schema.ts";
import { readShape } from "../../src/schemas/shape.ts";
import { wildDraft } from "../arbitraries/draft.ts";
import { propertyRuns } from "../effort.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const ajvOf = () => new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });
const compile = (schema: object) => ajvOf().compile(schema);
const accepts = Object.fromEntries(EDITOR_KINDS.map((kind) => [kind, compile(editorSchema(kind))])) as Record<
  (typeof EDITOR_KINDS)[number],
  ValidateFunction
>;

/** Returns every document below a folder, with the kind of its file. */
function documents(folder: string) {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (name) => /\.(yaml|json)$/.test(name) && !name.includes(".hidden"),
  );
  return files.flatMap((name) =>
    readDocuments(readFileSync(join(folder, name)), name).map(({ value }) => ({
      name,
      value,
      kind: !isJsonObject(value)
        ? undefined
        : "kind" in value
          ? "Manifest"
          : "organizations" in value
            ? "Organization"
            : "Draft",
    })),
  );
}

/** `pointer` locates the field in the schema, such as `#/properties/name`. */
type Field = { path: string; field: JsonSchema; pointer: string };

/** Returns every field of a schema and of its definitions. */
function fieldsOf(root: JsonSchema): Field[] {
  const visit = (schema: unknown, path: string, pointer: string): Field[] => {
    if (!isJsonObject(schema)) return [];
    const {
      properties = {},
      items,
      anyOf = [],
      additionalProperties,
    } = schema as JsonSchema & {
      properties?: JsonSchema;
      anyOf?: unknown[];
    };
    return [
      ...Object.entries(properties).flatMap(([name, member]) => {
        const inner = path === "" ? name : `${path}.${name}`;
        const at = `${pointer}/properties/${name}`;
        return [{ path: inner, field: member as JsonSchema, pointer: at }, ...visit(member, inner, at)];
      }),
      ...visit(items, path, `${pointer}/items`),
      ...anyOf.flatMap((each, index) => visit(each, path, `${pointer}/anyOf/${index}`)),
      ...visit(additionalProperties, `${path}.<name>`, `${pointer}/additionalProperties`),
    ];
  };
  const types = Object.entries((root["$defs"] ?? {}) as JsonSchema);
  return [...visit(root, "", "#"), ...types.flatMap(([name, schema]) => visit(schema, name, `#/$defs/${name}`))];
}

function complaints(kind: keyof typeof accepts, value: unknown): unknown {
  return accepts[kind](value) ? [] : accepts[kind].errors;
}

describe("the schemas that editors get", () => {
  it.each(["examples/northwind/manifests", "test/fixtures/manifests/good"])("accept every file of %s", (folder) => {
    const all = documents(join(ROOT, folder));
    expect(all.length).toBeGreaterThan(4);
    for (const { name, value, kind } of all)
      expect({ name, wrong: complaints(kind as "Manifest", value) }).toEqual({ name, wrong: [] });
  });

  it("accept the organization of the example", () => {
    const [document] = readDocuments(readFileSync(join(ROOT, "examples/northwind/organization.yaml")), "");
    expect(complaints("Organization", document!.value)).toEqual([]);
  });

  const schemas: [kind: string, schema: JsonSchema][] = [
    ...EDITOR_KINDS.map((kind) => [kind, editorSchema(kind)] as [string, JsonSchema]),
    ["Project", projectSchema()],
    ["Migration", migrationSchema()],
  ];

  it.each(schemas)("describe each field of %s, with an example that is accepted", (kind, root) => {
    const ajv = ajvOf().addSchema(root, "file");
    const found = fieldsOf(root);
    expect(found.length).toBeGreaterThan(2);
    const wrong = found.filter(({ field, pointer }) => {
      const { description, examples } = field as { description?: string; examples?: unknown[] };
      if (!description || /\.$|undefined/.test(description) || examples?.length !== 1) return true;
      if (examples[0] === "" || (Array.isArray(examples[0]) && examples[0].length === 0)) return true;
      return !ajv.validate({ $ref: `file${pointer}` }, examples[0]);
    });
    expect(wrong.map(({ path }) => `${kind}.${path}`)).toEqual([]);
  });

  it("have the same example for roles of a layout alone and within its assignments", () => {
    const { LayoutManifest: layout, ManifestAssignments: assignments } = DOCS;
    expect(layout!["assignments"]!.example).toMatchObject({ roles: assignments!["roles"]!.example });
  });

  it("have the same numbers in the example of a field and of its parent", () => {
    const exampleOf = (field: JsonSchema) => (field["examples"] as unknown[] | undefined)?.[0];
    const wrong = schemas.flatMap(([kind, root]) => {
      const found = fieldsOf(root);
      return found.flatMap(({ path, field }) => {
        const at = path.lastIndexOf(".");
        const parents = found
          .filter((each) => each.path === path.slice(0, at))
          .flatMap((each) => exampleOf(each.field));
        const uses = parents.map((each) => (isJsonObject(each) ? each[path.slice(at + 1)] : undefined));
        return uses.some((use) => typeof use === "number" && use !== exampleOf(field)) ? [`${kind}.${path}`] : [];
      });
    });
    expect(wrong).toEqual([]);
  });

  it("are refused by that check if an example does not match (control)", () => {
    const ajv = ajvOf().addSchema(editorSchema("Draft"), "file");
    const { pointer } = fieldsOf(editorSchema("Draft")).find(({ path }) => path === "regions")!;
    expect(ajv.validate({ $ref: `file${pointer}` }, [{ layout: "grid" }])).toBe(false);
    expect(ajv.validate({ $ref: `file${pointer}` }, [{ key: "main", layout: "grid" }])).toBe(true);
  });

  it("use the documentation of every field", () => {
    const text = JSON.stringify(schemas);
    const unused = Object.entries(DOCS).flatMap(([type, docs]) =>
      Object.entries(docs).flatMap(([path, { about }]) =>
        text.includes(JSON.stringify(about)) ? [] : [`${type}.${path}`],
      ),
    );
    expect(unused).toEqual([]);
  });

  const form = { kind: "Form", object: "staffing/candidate", name: "Card", types: ["VIEW"] };
  const layout = { kind: "Layout", name: "Card", surface: "CONTRACTOR", supportedModes: ["VIEW"] };

  it.each<[string, unknown]>([
    ["no kind", { ...form, kind: undefined }],
    ["an unknown kind", { ...form, kind: "Fomr" }],
    ["a mistyped member", { ...form, typse: [] }],
    ["a missing member", { kind: "Form", object: "a/b", name: "Card" }],
    ["an unknown mode", { ...form, types: ["VEIW"] }],
    ["a truth value as text", { ...form, isActive: "yes" }],
    ["a member of the other kind", { ...layout, types: ["VIEW"] }],
    ["an unknown surface", { ...layout, surface: "INVOICE" }],
    ["half of an access matrix", { ...form, access: { roles: [] } }],
    ["a layout that is a number", { ...form, layout: 7 }],
    ["a region without a key", { ...form, layout: { schemaVersion: 1, regions: [{ layout: "stack" }], blocks: [] } }],
    [
      "a type of block that there is not, deep inside",
      {
        ...form,
        layout: {
          schemaVersion: 1,
          regions: [],
          blocks: [{ type: "tab", source: "system", children: [{ type: "feild", source: "system" }] }],
        },
      },
    ],
    ["no object at all", [form]],
  ])("refuse %s", (_what, value) => {
    expect(accepts.Manifest(JSON.parse(JSON.stringify(value)))).toBe(false);
    expect(accepts.Manifest(form) && accepts.Manifest(layout)).toBe(true);
  });

  it("accept an environment variable for a string, a number, a boolean or null", () => {
    const value = {
      ...form,
      object: "${MODULE}/candidate",
      types: ["${MODE}"],
      isActive: "${ACTIVE:-true}",
      config: "${CONFIG}",
      layout: {
        schemaVersion: "${VERSION}",
        regions: [{ key: "main", layout: "${LAYOUT}", columns: "${COLUMNS}" }],
        blocks: [{ id: "${ID}", type: "field", source: "system", grid: { colSpan: "${SPAN}" } }],
      },
    };
    expect(complaints("Manifest", value)).toEqual([]);
    expect(accepts.Manifest({ ...form, isActive: "$ACTIVE" })).toBe(false);
  });

  it("accept every value that formctl reads", () => {
    let read = 0;
    /** Returns the complaints of an editor about a value that formctl reads. */
    const refused = (kind: keyof typeof accepts, schema: Schema, value: unknown) => {
      if (!readShape(schema, value).ok) return [];
      read += 1;
      return complaints(kind, value);
    };
    const name = fc.oneof(
      fc.string({ unit: "binary", maxLength: 220 }),
      fc.constantFrom("Card", " Card ", "", " ".repeat(220)),
    );
    const modes = fc.array(fc.constantFrom<unknown>("VIEW", "EDIT", "CREATE", "view", 1), { maxLength: 4 });
    const layoutValue = fc.oneof(wildDraft as fc.Arbitrary<unknown>, fc.string(), fc.jsonValue({ maxDepth: 1 }));
    const formValue = fc.record(
      {
        kind: fc.constant("Form"),
        object: fc.constantFrom("staffing/candidate", "staffing"),
        name,
        types: modes,
        isActive: fc.oneof(fc.boolean(), fc.constant("true")),
        config: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 }), fc.constant(null)),
        defaultFor: modes,
        layout: layoutValue,
      },
      { requiredKeys: ["kind", "object", "name", "types"] },
    );
    const layoutManifest = fc.record(
      {
        kind: fc.constant("Layout"),
        name,
        surface: fc.constantFrom("CONTRACTOR", "DASHBOARD", "INVOICE"),
        supportedModes: modes,
        target: fc.constantFrom({}, { dashboardKey: "main" }, { scopeId: null }),
        metadata: fc.option(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2 })),
        layout: layoutValue,
      },
      { requiredKeys: ["kind", "name", "surface", "supportedModes"] },
    );
    const runs = propertyRuns(300);
    fc.assert(
      fc.property(formValue, layoutManifest, wildDraft, (oneForm, oneLayout, draft) => {
        expect(refused("Manifest", FormManifest, oneForm)).toEqual([]);
        expect(refused("Form", FormManifest, oneForm)).toEqual([]);
        expect(refused("Manifest", LayoutManifest, oneLayout)).toEqual([]);
        expect(refused("Layout", LayoutManifest, oneLayout)).toEqual([]);
        expect(refused("Draft", DraftFile, draft)).toEqual([]);
      }),
      { numRuns: runs },
    );
    expect(read).toBeGreaterThanOrEqual(runs);
  });

  it("accept valid project files, and refuse unknown members and wrong types", () => {
    const valid = compile(projectSchema());
    expect(
      valid({ profile: "prod", manifests: "forms", references: { prod: { roles: { Recruiter: "rol_1" } } } }),
    ).toBe(true);
    expect(valid({ baseUrl: "https://forms.example.com" })).toBe(false);
    expect(valid({ references: { prod: { roles: { Recruiter: 1 } } } })).toBe(false);
  });
});
