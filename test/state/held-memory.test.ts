/**
 * Measures how much memory the results of a project hold. The results must not hold the texts of the manifests: a
 * project can have thousands of manifests.
 */

import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolders } from "../temporary.ts";

const newFolder = temporaryFolders();
const MANIFESTS = 600;
/** Each block shows another field of the object. */
const BLOCKS = 60;

function manifest(index: number): string {
  const block = (at: number) => ({
    id: `block_${at}`,
    type: "field",
    source: "dynamic_field",
    ref: { fieldKey: `field_${at}` },
    regionKey: "main",
    displayOrder: at,
    config: { label: `The label of the block number ${at}`, helpText: `The help text of the form number ${index}` },
  });
  const layout = {
    schemaVersion: 1,
    regions: [{ key: "main", label: "The main region", layout: "stack", displayOrder: 0, config: {} }],
    blocks: Array.from({ length: BLOCKS }, (_, at) => block(at)),
    metadata: { owner: "The owner of the form" },
  };
  const config = { title: `The title of the form number ${index}` };
  const members = { kind: "Form", object: "shop/order", name: `The form number ${index}`, types: ["VIEW"], config };
  return JSON.stringify({ ...members, layout });
}

function writeManifests(folder: string, count: number): number {
  mkdirSync(folder);
  for (let index = 0; index < count; index++) writeFileSync(join(folder, `${index}.json`), manifest(index));
  return manifest(0).length;
}

it("holds neither the texts nor the contents of manifests as objects", () => {
  const root = newFolder();
  writeManifests(join(root, "one"), 1);
  const bytes = writeManifests(join(root, "all"), MANIFESTS);
  const script = join(import.meta.dirname, "scripts", "held-memory.ts");
  const { stdout, stderr } = spawnSync(process.execPath, ["--expose-gc", script, root], { encoding: "utf8" });
  expect(stderr.replace(/^.*ExperimentalWarning.*\n.*\n/m, "")).toBe("");
  const held = JSON.parse(stdout) as { validate: number; plan: number };
  expect(bytes).toBeGreaterThan(13_000);
  expect(held.validate).toBeLessThan(3_000);
  // About 9,700. The text of a manifest would add `bytes`, and its content as objects more.
  expect(held.plan).toBeLessThan(12_000);
});
