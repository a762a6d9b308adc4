/** Reading and checking takes time in proportion to the files. `bench/manifests.ts` measures how much. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { toYaml } from "../../../src/documents/write-yaml.ts";
import { checkManifests } from "../../../src/manifests/read/check.ts";
import { readManifests } from "../../../src/manifests/read/read-manifests.ts";
import { cpuTime } from "../../cpu-time.ts";
import { temporaryFolders } from "../../temporary.ts";

const newFolder = temporaryFolders();

const block = (index: number) => ({
  id: `b_${index}`,
  type: "field",
  source: "dynamic_field",
  ref: { fieldKey: `field_${index}` },
  regionKey: "main",
  displayOrder: index,
  grid: { colSpan: 6, colStart: (index % 2) * 6 + 1 },
  config: { label: `Field number ${index}` },
});

/** A manifest of 22 KB. */
const manifest = (index: number) =>
  toYaml({
    kind: "Form",
    object: `staffing/object_${index >> 3}`,
    name: `Form ${index}`,
    types: ["VIEW", "EDIT"],
    defaultFor: index % 8 === 0 ? ["VIEW"] : [],
    layout: {
      schemaVersion: 1,
      regions: [{ key: "main", label: "Main", layout: "grid", columns: 12 }],
      blocks: Array.from({ length: 95 }, (_, each) => block(each)),
    },
  });

function folderOf(texts: readonly string[]): string {
  const root = newFolder();
  for (const [index, text] of texts.entries()) writeFileSync(join(root, `${index}.yaml`), text);
  return root;
}

async function readAndCheck(root: string): Promise<number> {
  const { manifests, problems } = await readManifests({ paths: ["."], cwd: root, root, env: {} });
  expect([...problems, ...checkManifests(manifests, { source: "" }).problems]).toEqual([]);
  return manifests.length;
}

it("takes time in proportion to the number of files", async () => {
  const texts = Array.from({ length: 500 }, (_, index) => manifest(index));
  const [few, many] = [folderOf(texts.slice(0, 50)), folderOf(texts)];
  const ofFew = await cpuTime(() => readAndCheck(few));
  const ofMany = await cpuTime(() => readAndCheck(many));
  // Ten times the files should take ten times the time. Quadratic work would take a hundred times the time.
  expect(ofMany).toBeLessThan(40 * ofFew);
});

it("takes time in proportion to the number of small invalid manifests", async () => {
  const wrong = (count: number) => {
    const text = "kind: Form\nobject: a/b\nname: Card\ntypes: [VIEW]\ndefaultFor: [EDIT]\nrenamedFrom: Card\n";
    const root = folderOf(Array.from({ length: count }, () => text));
    return async () => {
      const { manifests } = await readManifests({ paths: ["."], cwd: root, root, env: {} });
      expect(checkManifests(manifests, { source: "" }).problems.length).toBeGreaterThan(count * 2);
    };
  };
  const [ofFew, ofMany] = [await cpuTime(wrong(200)), await cpuTime(wrong(2_000))];
  expect(ofMany).toBeLessThan(40 * Math.max(ofFew, 10));
});
