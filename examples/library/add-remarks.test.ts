// Tests the migration of add-remarks.ts: node --test add-remarks.test.ts
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Block, Region } from "formctl";
import { runTransform } from "formctl/testing";
import migration from "./add-remarks.ts";

const regions: Region[] = [{ key: "main", label: "Main", layout: "grid", columns: 12 }];
const notes: Block = { type: "field", source: "dynamic_field", regionKey: "main", ref: { fieldKey: "notes" } };
const content = { schemaVersion: 1, regions, blocks: [notes] };

test("adds a section", () => {
  const changed = runTransform(migration, content);
  assert.deepEqual(
    changed?.blocks.map(({ type }) => type),
    ["field", "section"],
  );
});

test("changes nothing the second time", () => {
  const changed = runTransform(migration, content);
  assert.ok(changed);
  assert.equal(runTransform(migration, changed), undefined);
});

test("leaves the layouts of other objects as they are", () => {
  const company = { object: { moduleKey: "crm", objectKey: "company" } };
  assert.equal(runTransform(migration, content, company), undefined);
});
