/** Tests `formctl layouts draft push` through command lines. */

import { describe, expect, it } from "vitest";
import { timed } from "../cpu-time.ts";
import type { SavedDraft } from "../../src/schemas/layout.ts";
import { DESK, droppingPayRate, fixture, openScene, PROFILE, REVIEW, withoutMutationId } from "./layouts-scene.ts";

type Pushed = Pick<SavedDraft, "draftVersionId" | "validation"> & {
  layoutId: string;
  version: number;
  problems: { file: string; line: number; column: number; code: string; path: string }[];
  published?: unknown;
};

/** Has two problems: the required "kind" is missing in CREATE, and the field "expirs_on" does not exist. */
const INVALID = `schemaVersion: 1
regions:
  - {key: main, label: Main, layout: grid, columns: 12}
blocks:
  - {id: f_candidate, type: field, source: dynamic_field, ref: {fieldKey: candidate_id}, regionKey: mian, requiredPolicy: required}
  - id: f_expiry
    type: field
    source: dynamic_field
    ref:
      fieldKey: expirs_on
    regionKey: main
`;

describe("layouts draft push", () => {
  it("saves a valid draft", async () => {
    const cli = await openScene();
    const { code, stdout, stderr } = await cli.run("layouts", "draft", "push", PROFILE, "a.yaml");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Saved draft ver_\w+ \(version 1\): valid\.\n$/);
    expect(stderr).toContain(`Next: formctl layouts publish '${PROFILE}'`);
  });

  it("saves a draft with warnings, and shows each at its line", async () => {
    const cli = await openScene();
    const { code, stdout } = await cli.run("layouts", "draft", "push", DESK, "b.yaml");
    expect(code).toBe(0);
    expect(stdout).toContain("b.yaml:52:5  warning  LABEL_MISSING  the section has no label");
    expect(stdout).toContain("   52 |     config: {}\n      |     ^\n1 warning\n");
    expect(stdout).toMatch(/Saved draft ver_\w+ \(version 1\): valid, with warnings\.\n$/);
  });

  it("prints the answer and the places of its messages as a document", async () => {
    const cli = await openScene();
    const { code, json } = await cli.run("layouts", "draft", "push", DESK, "b.yaml", "--json");
    const pushed = json() as Pushed;
    expect(code).toBe(0);
    // The members of the server's response come first, followed by the members that formctl adds.
    const said = ["draftVersionId", "draftVersion", "validation", "layout", "stagedFieldDefinitions"];
    expect(Object.keys(pushed)).toEqual([...said, "layoutId", "version", "problems"]);
    expect(pushed.validation.state).toBe("valid_with_warnings");
    expect(pushed.problems).toEqual([{ ...pushed.validation.warnings[0], file: "b.yaml", line: 52, column: 5 }]);
  });

  it("prints with -o name the draft id that publish accepts", async () => {
    const cli = await openScene();
    const { stdout } = await cli.run("layouts", "draft", "push", PROFILE, "a.yaml", "-o", "name");
    const { code } = await cli.run("layouts", "publish", PROFILE, "--draft", stdout.trim());
    expect(code).toBe(0);
  });

  it("saves an invalid draft, shows what is wrong with it, and exits with 3", async () => {
    const cli = await openScene();
    cli.file("invalid.yaml", INVALID);
    const { code, stdout } = await cli.run("layouts", "draft", "push", REVIEW, "invalid.yaml");
    expect(code).toBe(3);
    expect(stdout.replace(/ver_\w+/, "ver_ID")).toMatchInlineSnapshot(`
      "invalid.yaml:4:1  error  REQUIRED_FIELD_MISSING  "kind" is required and has no default value, but CREATE does not show it. Add a field block
          4 | blocks:
            | ^
      invalid.yaml:5:101  error  REGION_UNKNOWN  unknown region "mian". Did you mean "main"?
          5 | …field, ref: {fieldKey: candidate_id}, regionKey: mian, requiredPolicy: required}
            |                                                   ^
      invalid.yaml:10:17  error  FIELD_UNKNOWN  unknown field "expirs_on". Did you mean "expires_on"?
         10 |       fieldKey: expirs_on
            |                 ^
      3 errors
      Saved draft ver_ID (version 1): invalid, so it can't be published.
      "
    `);
    const { stdout: draft } = await cli.run("layouts", "draft", "show", REVIEW, "--json");
    expect(draft).toContain("expirs_on");
  });

  it("reports an invalid draft in JSON too", async () => {
    const cli = await openScene();
    cli.file("invalid.yaml", INVALID);
    const { code, json } = await cli.run("layouts", "draft", "push", REVIEW, "invalid.yaml", "--json");
    expect(code).toBe(3);
    expect((json() as Pushed).validation.state).toBe("invalid");
    expect((json() as Pushed).problems.map(({ code: problem, line }) => [problem, line])).toEqual([
      ["REGION_UNKNOWN", 5],
      ["FIELD_UNKNOWN", 10],
      ["REQUIRED_FIELD_MISSING", 4],
    ]);
  });

  it("reads standard input, and calls it so", async () => {
    const cli = await openScene();
    cli.stdin = INVALID;
    const { code, stdout } = await cli.run("layouts", "draft", "push", REVIEW, "-");
    expect(code).toBe(3);
    expect(stdout).toContain("<stdin>:10:17  error  FIELD_UNKNOWN");
  });

  it("reads JSON as well as YAML, and finds the place in it", async () => {
    const cli = await openScene();
    cli.file("draft.json", {
      schemaVersion: 1,
      regions: [{ key: "main", label: "Main", layout: "grid", columns: 12 }],
      blocks: [{ id: "f", type: "field", source: "dynamic_field", ref: { fieldKey: "emial" }, regionKey: "main" }],
    });
    const { code, stdout } = await cli.run("layouts", "draft", "push", PROFILE, "draft.json");
    expect(code).toBe(3);
    expect(stdout).toContain('draft.json:17:21  error  FIELD_UNKNOWN  unknown field "emial". Did you mean "email"?');
  });
});

describe("a file of the wrong shape", () => {
  const BAD = `schemaVersion: 1
regions:
  - {key: main, layout: gird}
  - {label: Side, layout: sidebar}
blcoks: []
metadata: none
`;

  it("is not sent, and every problem has a location and a suggestion", async () => {
    const cli = await openScene();
    cli.file("bad.yaml", BAD);
    const { code, stdout, stderr } = await cli.run("layouts", "draft", "push", PROFILE, "bad.yaml");
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toMatchInlineSnapshot(`
      "bad.yaml:1:1  error  BODY_INVALID  blocks is required
          1 | schemaVersion: 1
            | ^
      bad.yaml:3:25  error  BODY_INVALID  regions[0].layout must be one of grid, tabs, stack, sidebar, dashboard_grid, not "gird". Did you mean "grid"?
          3 |   - {key: main, layout: gird}
            |                         ^
      bad.yaml:4:5  error  BODY_INVALID  regions[1].key is required
          4 |   - {label: Side, layout: sidebar}
            |     ^
      bad.yaml:5:1  error  BODY_INVALID  blcoks is not a known member. Did you mean "blocks"?
          5 | blcoks: []
            | ^
      bad.yaml:6:11  error  BODY_INVALID  metadata must be an object, not "none"
          6 | metadata: none
            |           ^
      5 errors
      "
    `);
  });

  it("is one JSON document on stderr, whose exit code is that of the program", async () => {
    const cli = await openScene();
    cli.file("bad.yaml", BAD);
    const { code, error } = await cli.run("layouts", "draft", "push", PROFILE, "bad.yaml", "--json");
    expect(code).toBe(3);
    expect(error()).toMatchObject({
      code: "INVALID_FILE",
      exitCode: 3,
      location: { file: "bad.yaml", line: 3, column: 25 },
    });
    expect((error() as unknown as { problems: unknown[] }).problems).toHaveLength(5);
  });

  it("is refused before the layout or the store is read", async () => {
    const cli = await openScene();
    cli.env["FORMCTL_STORE"] = "/nowhere/local.db";
    cli.file("bad.yaml", BAD);
    const { code, stderr } = await cli.run("layouts", "draft", "push", "no/such/form", "bad.yaml");
    expect(code).toBe(3);
    expect(stderr).toContain("bad.yaml:5:1");
  });

  it("can be a file that is no YAML, is empty, or is not there", async () => {
    const cli = await openScene();
    cli.file("broken.yaml", "regions: [\n");
    cli.file("empty.yaml", "");
    for (const file of ["broken.yaml", "empty.yaml", "nowhere.yaml"]) {
      const { code, stderr } = await cli.run("layouts", "draft", "push", PROFILE, file);
      expect(code).toBe(3);
      expect(stderr).toContain(file);
    }
  });

  it("reports thousands of located problems in time", async () => {
    const cli = await openScene();
    const block = { id: "f", type: "feild", source: "dynamic", displayOrder: 1.5 };
    cli.file("many.json", { schemaVersion: 1, regions: [], blocks: Array.from({ length: 2_000 }, () => block) });
    const { result, busy } = await timed(() => cli.run("layouts", "draft", "push", PROFILE, "many.json"));
    const { code, stderr } = result;
    expect(busy).toBeLessThan(3_000);
    expect(code).toBe(3);
    expect(stderr).toContain("6000 errors");
  });
});

describe("what the service refuses", () => {
  it("is placed in the file by its path", async () => {
    const cli = await openScene();
    cli.file(
      "scoped.yaml",
      withoutMutationId(fixture("placement-desk.yaml")).replace("scopeId: null", "scopeId: elsewhere"),
    );
    const { code, stderr } = await cli.run("layouts", "draft", "push", DESK, "scoped.yaml");
    expect(code).toBe(3);
    expect(stderr).toMatch(
      /^scoped\.yaml:59:\d+ {2}error {2}VALIDATION_FAILED {2}stagedFieldDefinitions\[0\]\.scopeId/,
    );
  });

  it("is a conflict where the draft is not the expected one any more", async () => {
    const cli = await openScene();
    const first = await cli.run("layouts", "draft", "push", PROFILE, "a.yaml", "-o", "name");
    const id = first.stdout.trim();
    cli.file("a2.yaml", withoutMutationId(fixture("candidate-profile.yaml")));
    const expecting = ["layouts", "draft", "push", PROFILE, "a2.yaml", "--expect-draft", id];
    expect((await cli.run(...expecting)).code).toBe(0);
    const { code, stderr } = await cli.run(...expecting);
    expect(code).toBe(6);
    expect(stderr).toContain("hint: The current draft is ver_");
    expect((await cli.run(...expecting, "--json")).error()).toMatchObject({ code: "DRAFT_STALE", exitCode: 6 });
  });

  it("is a conflict where a mutation id of the file was used for other content", async () => {
    const cli = await openScene();
    await cli.run("layouts", "draft", "push", PROFILE, "a.yaml");
    cli.file("other.yaml", fixture("candidate-profile.yaml").replace("label: Notes}", "label: Remarks}"));
    const { code, error } = await cli.run("layouts", "draft", "push", PROFILE, "other.yaml", "--json");
    expect(code).toBe(6);
    expect(error().code).toBe("IDEMPOTENCY_CONFLICT");
  });

  it("is a layout or a form that does not exist", async () => {
    const cli = await openScene();
    expect((await cli.run("layouts", "draft", "push", "lay_none", "a.yaml")).code).toBe(5);
    const { code, stderr } = await cli.run("layouts", "draft", "push", "staffing/candidate/Candidat profile", "a.yaml");
    expect(code).toBe(5);
    expect(stderr).toContain(`Did you mean '${PROFILE}'?`);
  });
});

describe("layouts draft push --publish", () => {
  it("publishes the very draft that it saved", async () => {
    const cli = await openScene();
    const { code, json } = await cli.run("layouts", "draft", "push", PROFILE, "a.yaml", "--publish", "--json");
    const pushed = json() as Pushed;
    expect(code).toBe(0);
    expect(pushed.published).toMatchObject({ versionId: pushed.draftVersionId });
    const again = await cli.run("layouts", "draft", "push", DESK, "b.yaml", "--publish");
    expect(again.stdout).toContain("Published it as version 1.\n");
  });

  it("publishes nothing that is invalid", async () => {
    const cli = await openScene();
    cli.file("invalid.yaml", INVALID);
    const { code, json } = await cli.run("layouts", "draft", "push", REVIEW, "invalid.yaml", "--publish", "--json");
    expect(code).toBe(3);
    expect((json() as Pushed).published).toBeNull();
    const { stdout } = await cli.run("layouts", "draft", "push", REVIEW, "invalid.yaml", "--publish");
    expect(stdout).toContain("Not published: the draft is invalid.\n");
  });

  it("reports that the draft is saved when field changes require confirmation", async () => {
    const cli = await openScene();
    await cli.run("layouts", "draft", "push", DESK, "b.yaml", "--publish");
    cli.file("b2.yaml", droppingPayRate());
    const { code, error } = await cli.run("layouts", "draft", "push", DESK, "b2.yaml", "--publish", "--json");
    expect(code).toBe(8);
    expect(error().message).toMatch(
      /^the draft is saved as ver_\w+, but not published: delete pay_rate: 57 values would be cleared$/,
    );
    expect(error().hint).toContain(`formctl layouts publish '${DESK}' --confirm-field-change d_pay`);
  });
});

describe("layouts draft push --dry-run", () => {
  it("prints the request and sends nothing", async () => {
    const cli = await openScene();
    const { code, json, stderr } = await cli.run("layouts", "draft", "push", DESK, "b.yaml", "--dry-run", "--json");
    const { requests } = json() as { requests: { method: string; path: string; body: { clientMutationId: string } }[] };
    expect(code).toBe(0);
    expect(requests).toMatchObject([{ method: "PUT", body: { clientMutationId: "northwind-placement-desk-1" } }]);
    expect(requests[0]?.path).toMatch(/^\/v1\/view-layouts\/lay_\w+\/draft$/);
    expect(stderr).toContain("b.yaml:52:5  warning  LABEL_MISSING");
    expect((await cli.run("layouts", "draft", "show", DESK, "--json", "--query", "blocks")).json()).toEqual([]);
  });

  it("finds in local mode what the service would find", async () => {
    const cli = await openScene();
    cli.file("invalid.yaml", INVALID);
    const { code, stdout, stderr } = await cli.run("layouts", "draft", "push", REVIEW, "invalid.yaml", "--dry-run");
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toContain('Did you mean "expires_on"?');
    expect(stderr).toContain("3 errors");
  });
});
