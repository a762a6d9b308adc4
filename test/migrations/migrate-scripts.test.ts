/** `migrate run` and `down` with scripts, on a local store and on a server. */

import { describe, expect, it } from "vitest";
import { type MigrateScene, openMigrateScene, PLACES } from "./migrate-scene.ts";

const CREATE = `const form = await step("create the form", () =>
      service.createForm({ ...object, body: { name: "Intake", types: ["VIEW"] } }));`;
const RENAME = `await step("rename the form", () =>
      service.updateForm({ ...object, formId: form.id, body: { name: "Renamed" } }));`;
const FAIL = `await step("delete an unknown form", () => service.deleteForm({ ...object, formId: "frm_unknown" }));`;
const DELETE = `await step("delete the form", () =>
      service.deleteForm({ ...object, formId: answers["create the form"].id }));`;

const outcomes = ({ results }: Awaited<ReturnType<MigrateScene["migrate"]>>) =>
  results.migrations.map(({ name, outcome }) => `${name} ${outcome}`);

describe.each(PLACES)("migrate run on %s", (place) => {
  it("runs each script once, in the order of the names, and records it", async () => {
    const { script, migrate, entries, forms } = await openMigrateScene(place);
    script(
      "2-second",
      `await step("create another", () => service.createForm({ ...object, body: { name: "Second", types: ["VIEW"] } }));`,
    );
    script("1-first", `${CREATE}\n    ${RENAME}`);
    const ran = await migrate("run", "--yes");
    expect(ran.stderr).toContain("done: rename the form");
    expect([ran.code, ran.results.outcome, outcomes(ran)]).toEqual([0, "done", ["1-first done", "2-second done"]]);
    expect(await forms()).toEqual(["Renamed", "Second"]);
    expect((await entries()).map(({ name, state, steps }) => [name, state, steps.map((step) => step.name)])).toEqual([
      ["1-first", "done", ["create the form", "rename the form"]],
      ["2-second", "done", ["create another"]],
    ]);
    const again = await migrate("run", "--yes");
    expect([again.code, again.results.outcome, again.results.migrations]).toEqual([0, "nothing", []]);
    expect(await forms()).toEqual(["Renamed", "Second"]);
  });

  it("stops at a failed step with exit code 9, and continues after it when it runs again", async () => {
    const { script, migrate, entries, forms } = await openMigrateScene(place);
    script("1-first", `${CREATE}\n    ${FAIL}`);
    script("2-second", "");
    const failed = await migrate("run", "--yes");
    expect([failed.code, outcomes(failed)]).toEqual([9, ["1-first partial", "2-second skipped"]]);
    expect(failed.results.migrations[0]!.error).toMatchObject({
      exitCode: 5,
      location: { file: "migrations/1-first.ts", line: 7 },
    });
    const [entry] = await entries();
    expect(entry).toMatchObject({ state: "running", steps: [{ name: "create the form" }] });
    expect(entry).not.toHaveProperty("heldUntil");

    script("1-first", `${CREATE}\n    ${RENAME}`);
    const refused = await migrate("run", "--yes");
    expect(refused.code).toBe(6);
    expect(refused.error()).toMatchObject({
      code: "MIGRATIONS_OUT_OF_STEP",
      message: "the migrations do not match the record of the target: 1-first was edited after it began",
    });
    const continued = await migrate("run", "--yes", "--allow-changed");
    expect([continued.code, outcomes(continued)]).toEqual([0, ["1-first done", "2-second done"]]);
    expect(await forms()).toEqual(["Renamed"]);
  });

  it("leaves no entry of a migration in which nothing was done, and exits with the code of the refusal", async () => {
    const { script, migrate, entries } = await openMigrateScene(place);
    script("1-first", FAIL);
    const failed = await migrate("run", "--yes");
    expect([failed.code, failed.results.outcome, outcomes(failed)]).toEqual([5, "failed", ["1-first failed"]]);
    expect(await entries()).toEqual([]);
  });

  it.each([
    ["that the script throws", `throw new Error("no role has this name");`, 1],
    ["of a step", FAIL, 5],
  ])("exits with the code of an error %s after steps that only read, and runs them again", async (_, fail, code) => {
    const { cli, script, migrate, entries } = await openMigrateScene(place);
    script("1-first", `await step("read the forms", () => service.listForms(object));\n    ${fail}`);
    const failed = await migrate("run", "--yes");
    expect([failed.code, failed.results.outcome, failed.results.migrations[0]!.steps]).toEqual([code, "failed", []]);
    expect(await entries()).toEqual([]);
    const again = await cli.run("migrate", "run", "--yes");
    expect(again.stderr).toContain("done: read the forms");
    expect(again.stdout).toContain("failed      1-first\n");
  });

  it("exits with code 9 if a migration is done and the next fails before a write", async () => {
    const { script, migrate } = await openMigrateScene(place);
    script("1-first", `await step("read the forms", () => service.listForms(object));`);
    script("2-second", FAIL);
    const failed = await migrate("run", "--yes");
    expect([failed.code, outcomes(failed)]).toEqual([9, ["1-first done", "2-second failed"]]);
    expect((await migrate("run", "--yes")).code).toBe(5);
  });

  it("reports an error of a script with its line", async () => {
    const { script, migrate } = await openMigrateScene(place);
    script("1-first", `${CREATE}\n    throw new Error("no role has this name");`);
    const failed = await migrate("run", "--yes");
    expect(failed.results.migrations[0]!.error).toMatchObject({
      code: "MIGRATION_FAILED",
      message: expect.stringContaining("no role has this name"),
      location: { file: "migrations/1-first.ts", line: 7 },
    });
  });

  it("changes nothing without --yes, and in a dry run", async () => {
    const { script, migrate, entries, forms } = await openMigrateScene(place);
    script("1-first", CREATE);
    const refused = await migrate("run");
    expect([refused.code, refused.error().code]).toEqual([8, "CONSENT_MISSING"]);
    const dry = await migrate("run", "--dry-run");
    expect([dry.code, dry.results.outcome, outcomes(dry)]).toEqual([0, "planned", ["1-first planned"]]);
    expect([await entries(), await forms()]).toEqual([[], []]);
  });

  it("refuses edited, missing and late migrations, each with its flag, and runs with all of them", async () => {
    const { cli, script, migrate, forms } = await openMigrateScene(place);
    script("2-second", "");
    script("3-third", "");
    expect((await migrate("run", "--yes")).code).toBe(0);
    script("1-late", CREATE);
    script("2-second", "// edited");
    cli.file("migrations/4-fourth.yaml.off", "");
    await import("node:fs/promises").then(({ rm }) => rm(`${cli.cwd}/migrations/3-third.ts`));
    const refused = await migrate("run", "--yes");
    expect(refused.code).toBe(6);
    const { message, hint } = refused.error();
    expect(message).toContain(
      "1-late comes before a migration that ran; 2-second was edited after it ran; 3-third ran, and its file is missing",
    );
    expect(hint).toContain("--allow-out-of-order and --allow-changed and --allow-missing");
    const ran = await migrate("run", "--yes", "--allow-out-of-order", "--allow-changed", "--allow-missing");
    expect([ran.code, outcomes(ran)]).toEqual([0, ["1-late done"]]);
    expect(await forms()).toEqual(["Intake"]);
  });

  it("runs up to the migration that --to names", async () => {
    const { script, migrate, entries } = await openMigrateScene(place);
    for (const name of ["1-a", "2-b", "3-c"]) script(name, "");
    expect((await migrate("run", "--yes", "--to", "2-b")).code).toBe(0);
    expect((await entries()).map(({ name }) => name)).toEqual(["1-a", "2-b"]);
    const unknown = await migrate("run", "--yes", "--to", "3-d");
    expect([unknown.code, unknown.error().hint]).toEqual([5, "Did you mean 3-c?"]);
  });
});

describe.each(PLACES)("migrate down on %s", (place) => {
  it("runs the function down of the newest script and removes its entry, so that it runs again", async () => {
    const { script, migrate, entries, forms } = await openMigrateScene(place);
    script("1-first", "");
    script("2-second", CREATE, DELETE);
    await migrate("run", "--yes");
    const down = await migrate("down", "--yes");
    expect([down.code, outcomes(down)]).toEqual([0, ["2-second done"]]);
    expect([(await entries()).map(({ name }) => name), await forms()]).toEqual([["1-first"], []]);
    expect((await migrate("run", "--yes")).code).toBe(0);
    expect(await forms()).toEqual(["Intake"]);
    expect((await migrate("down", "2", "--yes")).code).toBe(0);
    expect([await entries(), await forms()]).toEqual([[], []]);
  });

  it("refuses a script without a function down, with the next step", async () => {
    const { script, migrate, entries } = await openMigrateScene(place);
    script("1-first", CREATE);
    await migrate("run", "--yes");
    const refused = await migrate("down", "--yes");
    expect([refused.code, refused.error()]).toMatchObject([
      6,
      {
        code: "MIGRATIONS_OUT_OF_STEP",
        message: "the migration 1-first can't be reverted: it is a script without a function down",
      },
    ]);
    expect((await entries())[0]!.state).toBe("done");
  });

  it("stays recorded as reverting after a failure in the middle; run refuses until down has ended", async () => {
    const { script, migrate, entries } = await openMigrateScene(place);
    script("1-first", CREATE, `${DELETE}\n    ${FAIL}`);
    await migrate("run", "--yes");
    const failed = await migrate("down", "--yes");
    expect([failed.code, outcomes(failed)]).toEqual([9, ["1-first partial"]]);
    expect(await entries()).toMatchObject([{ state: "reverting", downSteps: [{ name: "delete the form" }] }]);
    const run = await migrate("run", "--yes");
    expect([run.code, run.error().hint]).toEqual([6, "To revert the rest: formctl migrate down"]);
    script("1-first", CREATE, DELETE);
    expect((await migrate("down", "--yes")).error().hint).toContain("--allow-changed");
    expect((await migrate("down", "--yes", "--allow-changed")).code).toBe(0);
    expect(await entries()).toEqual([]);
  });
});
