/** Tests `formctl layouts publish` through command lines. */

import { beforeEach, describe, expect, it } from "vitest";
import type { Published } from "../../src/schemas/layout.ts";
import type { Cli } from "./cli.ts";
import { DESK, droppingPayRate, openScene, PROFILE, REVIEW } from "./layouts-scene.ts";

let cli: Cli;
beforeEach(async () => {
  cli = await openScene();
});

describe("layouts publish", () => {
  it("publishes the draft, and reports the usable modes of the form", async () => {
    await cli.run("layouts", "draft", "push", PROFILE, "a.yaml");
    const { code, stdout, stderr } = await cli.run("layouts", "publish", PROFILE);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Published version 1 of Candidate profile \(ver_\w+\)\.\n/);
    expect(stdout).toContain("The form Candidate profile can be used for: VIEW, EDIT.\n");
    expect(stderr).toContain(`Next: formctl forms get '${PROFILE}'`);
  });

  it("shows warnings and the fields that were made", async () => {
    await cli.run("layouts", "draft", "push", DESK, "b.yaml");
    const { code, stdout } = await cli.run("layouts", "publish", DESK);
    expect(code).toBe(0);
    expect(stdout).toContain("warning  LABEL_MISSING");
    expect(stdout).toMatch(/FIELD +DONE +STAGED AS +ID\npo_number +create +d_po +fld_\w+\n/);
  });

  it("prints the API's record as a document", async () => {
    await cli.run("layouts", "draft", "push", DESK, "b.yaml");
    const { code, json } = await cli.run("layouts", "publish", DESK, "--json");
    expect(code).toBe(0);
    const published = json() as Published;
    expect(published.publishedVersion).toMatchObject({ id: published.versionId, status: "PUBLISHED", version: 1 });
    expect(published.committedFieldDefinitions).toMatchObject([{ draftId: "d_po", key: "po_number" }]);
  });

  it("accepts a layout id", async () => {
    await cli.run("layouts", "draft", "push", PROFILE, "a.yaml");
    const { stdout } = await cli.run("layouts", "get", PROFILE, "-o", "name");
    const { code, stderr } = await cli.run("layouts", "publish", stdout.trim());
    expect(code).toBe(0);
    expect(stderr).toContain("formctl forms get");
  });

  it("prints the request with --dry-run", async () => {
    const { code, stdout } = await cli.run("layouts", "publish", PROFILE, "--dry-run");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^POST \/v1\/view-layouts\/lay_\w+\/publish\n/);
    expect((await cli.run("layouts", "versions", "get", PROFILE, "latest")).code).toBe(5);
  });
});

describe("a publish that is refused", () => {
  it("shows what is wrong with an invalid draft, and exits with 3", async () => {
    const { code, stdout, stderr } = await cli.run("layouts", "publish", REVIEW);
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toContain("blocks  error  REQUIRED_FIELD_MISSING");
    const { error } = await cli.run("layouts", "publish", REVIEW, "--json");
    expect(error()).toMatchObject({ code: "DRAFT_INVALID", exitCode: 3, api: { validation: { state: "invalid" } } });
  });

  it("is a conflict where there is no draft, or another one", async () => {
    await cli.run("layouts", "draft", "push", PROFILE, "a.yaml", "--publish");
    const missing = await cli.run("layouts", "publish", PROFILE, "--json");
    expect(missing.code).toBe(6);
    expect(missing.error()).toMatchObject({ code: "DRAFT_MISSING", exitCode: 6 });
    const stale = await cli.run("layouts", "publish", DESK, "--draft", "ver_other", "--json");
    expect(stale.code).toBe(6);
    expect(stale.error()).toMatchObject({ code: "DRAFT_STALE", exitCode: 6 });
  });

  it("is a usage error where an id can't be one", async () => {
    expect((await cli.run("layouts", "publish", PROFILE, "--draft", "../x")).code).toBe(64);
    expect((await cli.run("layouts", "publish")).code).toBe(64);
    expect((await cli.run("layouts", "publish", PROFILE, "--confirm")).code).toBe(64);
  });

  it("is not found where the layout is not there", async () => {
    expect((await cli.run("layouts", "publish", "lay_none")).code).toBe(5);
  });
});

describe("field changes that cost something", () => {
  beforeEach(async () => {
    await cli.run("layouts", "draft", "push", DESK, "b.yaml", "--publish");
    cli.file("b2.yaml", droppingPayRate());
    await cli.run("layouts", "draft", "push", DESK, "b2.yaml");
  });

  it("are refused with exit code 8, and with the flag that confirms each", async () => {
    const { code, stdout, stderr } = await cli.run("layouts", "publish", DESK);
    expect({ code, stdout }).toEqual({ code: 8, stdout: "" });
    expect(stderr).toContain(
      "error: delete pay_rate: 57 values would be cleared (FIELD_CHANGES_UNCONFIRMED)\n" +
        "  d_pay: delete pay_rate (VALUE_CLEAR; 57 values) needs confirmation of the cleared values: --confirm-field-change d_pay\n",
    );
    expect(stderr).toContain(
      `hint: To confirm and publish: formctl layouts publish '${DESK}' --confirm-field-change d_pay\n`,
    );
    const { error } = await cli.run("layouts", "publish", DESK, "--json");
    expect(error()).toMatchObject({
      code: "FIELD_CHANGES_UNCONFIRMED",
      exitCode: 8,
      api: { impacts: [{ draftId: "d_pay", valueCount: 57 }] },
    });
  });

  it("are made with that flag", async () => {
    const { code, stdout } = await cli.run("layouts", "publish", DESK, "--confirm-field-change", "d_pay");
    expect(code).toBe(0);
    expect(stdout).toMatch(/pay_rate +delete +d_pay/);
  });

  it("are not made by another flag", async () => {
    expect((await cli.run("layouts", "publish", DESK, "--yes")).code).toBe(8);
    const { code, stderr } = await cli.run("layouts", "publish", DESK, "--confirm-field-change", "d_other");
    expect(code).toBe(3);
    expect(stderr).toContain("is not the draftId of a staged field");
  });

  it("are confirmed at a terminal", async () => {
    const no = await cli.answering([false], "layouts", "publish", DESK);
    expect(no.code).toBe(8);
    expect(no.asked).toEqual(["delete pay_rate: 57 values would be cleared. Publish anyway?"]);
    expect((await cli.run("layouts", "draft", "show", DESK)).code).toBe(0);
    const yes = await cli.answering([true], "layouts", "publish", DESK);
    expect(yes.code).toBe(0);
    expect((await cli.run("layouts", "draft", "show", DESK)).code).toBe(5);
  });

  it("name the other layouts that use the field", async () => {
    await cli.run("forms", "create", "staffing/placement", "--name", "Rates", "--types", "VIEW");
    cli.file("rates.json", {
      schemaVersion: 1,
      regions: [{ key: "main", label: "Main", layout: "grid", columns: 12 }],
      blocks: [{ id: "f", type: "field", source: "dynamic_field", ref: { fieldKey: "pay_rate" }, regionKey: "main" }],
    });
    await cli.run("layouts", "draft", "push", "staffing/placement/Rates", "rates.json", "--publish");
    const { stderr } = await cli.run("layouts", "publish", DESK);
    expect(stderr).toMatch(/57 values would be cleared, other published layouts use it: lay_\w+ \(FIELD/);
  });
});
