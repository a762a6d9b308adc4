/** Writes the manifests for the benchmarks. A manifest has one form in a file of about 24 KB. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { toYaml } from "../src/documents/write-yaml.ts";
import { createStore, openLocal } from "../src/composition/local-store.ts";

const OBJECT_COUNT = 10;
const FIELDS = 40;
const MODES = ["VIEW", "EDIT"];

const objectKey = (index: number) => `object_${index % OBJECT_COUNT}`;
const fieldKey = (index: number) => `field_${index}`;

/** The addresses of the objects. */
export const OBJECTS = Array.from({ length: OBJECT_COUNT }, (_object, index) => `bench/${objectKey(index)}`);

/** An organization with a role and ten objects. Each object has forty fields. */
export const benchOrganization = {
  organizations: [
    {
      key: "bench",
      name: "Bench",
      roles: [{ key: "clerk", name: "Clerk", id: "rol_clerk" }],
      modules: [
        {
          key: "bench",
          name: "Bench",
          objects: Array.from({ length: OBJECT_COUNT }, (_object, index) => ({
            key: objectKey(index),
            name: `Object ${index}`,
            fields: Array.from({ length: FIELDS }, (_field, field) => ({
              key: fieldKey(field),
              name: `Field ${field}`,
              type: "TEXT" as const,
              required: field < 5,
              valueCount: 100,
            })),
          })),
        },
      ],
    },
  ],
};

/** Returns a draft with `count` fields in one region. */
export function benchDraft(count: number) {
  const block = (index: number) => ({
    id: `block_${index}`,
    type: "field" as const,
    source: "dynamic_field" as const,
    ref: { fieldKey: fieldKey(index) },
    regionKey: "main",
    displayOrder: index,
    grid: { colSpan: 6, colStart: (index % 2) * 6 + 1 },
    config: {
      label: `What people call field number ${index}`,
      helpText: `Ask for it when the person is there, and never by telephone. Kept for ${index + 1} years.`,
      placeholder: null,
      visibleWhen: { field: fieldKey((index + 1) % FIELDS), operator: "is not", value: null },
    },
    requiredPolicy: index < 5 ? ("required" as const) : ("optional" as const),
    supportedModes: ["VIEW" as const, "EDIT" as const],
    children: [],
  });
  return {
    schemaVersion: 1 as const,
    regions: [{ key: "main", label: "Main", layout: "grid" as const, columns: 12, displayOrder: 0, config: {} }],
    blocks: Array.from({ length: count }, (_block, index) => block(index)),
    stagedFieldDefinitions: [],
    scriptBindings: [],
    metadata: { owner: "bench" },
  };
}

/** Writes `count` manifests. @returns the size of one file in bytes */
export function writeManifests(folder: string, count: number): number {
  mkdirSync(folder, { recursive: true });
  const layout = benchDraft(FIELDS);
  let bytes = 0;
  for (let index = 0; index < count; index++) {
    const text = toYaml({
      kind: "Form",
      object: `bench/${objectKey(index)}`,
      name: `Form ${String(index).padStart(5, "0")}`,
      types: MODES,
      isActive: true,
      isPublic: false,
      config: { title: `Form ${index}` },
      access: { users: [], roles: [{ role: "Clerk", types: MODES }] },
      layout,
    });
    bytes = text.length;
    writeFileSync(join(folder, `form-${String(index).padStart(5, "0")}.yaml`), text);
  }
  return bytes;
}

/** Creates a home folder with a store. The store has the objects, but no forms. @returns the path of the folder */
export async function createHome(home: string): Promise<string> {
  mkdirSync(home);
  await createStore(join(home, "local.db"));
  const local = openLocal(join(home, "local.db"), () => new Date());
  await local.seed(benchOrganization);
  await local.close();
  return home;
}
