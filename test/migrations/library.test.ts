/** Migrations through the library. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { FormctlError, openLocal, openMigrations, storeTarget } from "../../src/index.ts";
import { contractOrganizations } from "../contract/organizations.ts";
import { temporaryFolder } from "../temporary.ts";

const OBJECT = { moduleKey: "staffing", objectKey: "candidate" };

it("plans, runs, reports and reverts migrations, which import the same library", async () => {
  const folder = temporaryFolder();
  const store = join(folder.path, "store.db");
  const local = await openLocal(store, { create: true });
  onTestFinished(async () => {
    await local.close();
    folder.remove();
  });
  await local.seed(contractOrganizations);
  mkdirSync(join(folder.path, "changes"));
  writeFileSync(
    join(folder.path, "changes", "1-intake.js"),
    `import { defineMigration, FormctlError } from "formctl";
const object = ${JSON.stringify(OBJECT)};
export default defineMigration({
  async run(service, step) {
    await step("create the form", () => service.createForm({ ...object, body: { name: "Intake", types: ["VIEW"] } }));
    if (globalThis.failsOnce) throw new FormctlError("NOT_FOUND", "no form has this name");
  },
  async down(service, step, { "create the form": form }) {
    await step("delete the form", () => service.deleteForm({ ...object, formId: form.id }));
  },
});
`,
  );
  const steps: string[] = [];
  const migrations = openMigrations({
    root: folder.path,
    folder: "changes",
    target: storeTarget({ local, store, organization: "northwind" }),
    onProgress: (progress) => void (progress.stage === "step" && steps.push(progress.step)),
  });
  const names = async () => (await (await local.service("northwind")).listForms(OBJECT)).data.map(({ name }) => name);
  const states = async () => (await migrations.status()).map(({ state }) => state);

  expect((await migrations.plan()).migrations).toMatchObject([{ name: "1-intake", kind: "script", continues: false }]);
  expect([await states(), await names()]).toEqual([["pending"], []]);

  Object.assign(globalThis, { failsOnce: true });
  const failed = await migrations.run();
  expect(failed).toMatchObject({
    outcome: "partial",
    migrations: [{ outcome: "partial", steps: ["create the form"] }],
  });
  expect(failed.migrations[0]!.error).toBeInstanceOf(FormctlError);
  expect([await states(), await names()]).toEqual([["interrupted"], ["Intake"]]);

  Object.assign(globalThis, { failsOnce: false });
  expect(await migrations.run()).toMatchObject({ outcome: "done" });
  expect([await states(), await names(), steps]).toEqual([["done"], ["Intake"], ["create the form"]]);

  expect(await migrations.down()).toMatchObject({ outcome: "done" });
  expect([await states(), await names()]).toEqual([["pending"], []]);
  expect((await migrations.baseline({ name: "1-intake" })).declared).toEqual(["1-intake"]);
  expect(await states()).toEqual(["baseline"]);
  expect((await migrations.run()).outcome).toBe("nothing");
});
