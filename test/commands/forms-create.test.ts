/** Tests `formctl forms create` through command lines. */

import { describe, expect, it } from "vitest";
import type { Form } from "../../src/schemas/form.ts";
import { openCli } from "./cli.ts";
import { formNow, OBJECT } from "./forms-scene.ts";

const CREATE = ["forms", "create", OBJECT] as const;

describe("forms create", () => {
  it("creates a form with its layout, and suggests the next command", async () => {
    const cli = await openCli();
    const { code, stdout, stderr } = await cli.run(...CREATE, "--name", " Quick look ", "--types", "view,edit");
    const [form] = (await cli.run("forms", "list", OBJECT, "--json")).json() as Form[];
    expect(code).toBe(0);
    expect(form).toMatchObject({ name: "Quick look", types: ["VIEW", "EDIT"], isActive: true, isPublic: false });
    expect(form?.config).toBeNull();
    expect(stdout).toMatch(/Modes: +VIEW draft only\n +EDIT draft only\n/);
    expect(stderr).toContain("Written to the local store");
    expect(stderr).toContain(`Next: formctl layouts draft scaffold '${OBJECT}/Quick look' --out quick-look.yaml\n`);
    expect(stderr).toContain(`Next: formctl layouts draft push '${OBJECT}/Quick look' quick-look.yaml --publish\n`);
  });

  it("suggests commands that lead to a usable form", async () => {
    const cli = await openCli();
    const { stderr } = await cli.run(...CREATE, "--name", "Quick look", "--types", "VIEW");
    const lines = [...stderr.matchAll(/^Next: formctl (.*)$/gm)].map(([, line]) => line!);
    for (const line of lines) {
      const words = line.match(/'[^']*'|\S+/g)!.map((word) => word.replaceAll("'", ""));
      expect(await cli.run(...words)).toMatchObject({ code: 0 });
    }
    const { json } = await cli.run("forms", "get", `${OBJECT}/Quick look`, "--json");
    expect({ count: lines.length, form: json() }).toMatchObject({ count: 2, form: { usableTypes: ["VIEW"] } });
  });

  it("names the form by its id next, where its name can't be typed", async () => {
    const cli = await openCli();
    const { stderr } = await cli.run(...CREATE, "--name", "Quick\u202elook", "--types", "VIEW");
    expect(stderr).toMatch(
      /Next: formctl layouts draft push staffing\/candidate\/frm_\w+ quick-look\.yaml --publish\n/,
    );
  });

  it("suggests the next command with the options that selected the target", async () => {
    const cli = await openCli();
    const store = `${cli.home}/local.db`;
    const words = ["forms", "create", OBJECT, "--name", "Quick", "--types", "VIEW"];
    const { stderr } = await cli.run(...words, "--store", store, "--organization", "northwind");
    const target = `--store ${store} --organization northwind\n`;
    expect(stderr).toContain(`Next: formctl layouts draft scaffold ${OBJECT}/Quick --out quick.yaml ${target}`);
  });

  it("prints the record with -o json, and the id with -o name", async () => {
    const cli = await openCli();
    const form = (await cli.run(...CREATE, "--name", "A", "--types", "VIEW", "--json")).json() as Form;
    expect(await formNow(cli, form)).toEqual(form);
    const { stdout } = await cli.run(...CREATE, "--name", "B", "--types", "VIEW", "-o", "name");
    expect(stdout).toMatch(/^frm_\w+\n$/);
  });

  it("sends the value of every option", async () => {
    const cli = await openCli();
    const options = [
      "--title",
      "Join",
      "--success-message",
      "Thanks",
      "--description",
      "Soon",
      "--inactive",
      "--public",
    ];
    const modes = ["--types", "CREATE VIEW", "--types", "EDIT"];
    const form = (await cli.run(...CREATE, "--name", "All", ...modes, ...options, "--json")).json() as Form;
    expect(form).toMatchObject({
      types: ["CREATE", "VIEW", "EDIT"],
      isActive: false,
      isPublic: true,
      config: { title: "Join", successMessage: "Thanks", description: "Soon" },
    });
    expect(form.publicToken).not.toBeNull();
  });

  it("reads a form from a YAML or JSON file, or from standard input", async () => {
    const cli = await openCli();
    const yaml = cli.file(
      "intake.yaml",
      "name: Intake\ntypes: [CREATE]\nisPublic: true\nconfig: { title: Hi, theme: 3 }\n",
    );
    expect((await cli.run(...CREATE, "-f", yaml, "--json")).json()).toMatchObject({
      name: "Intake",
      isActive: true,
      isPublic: true,
      config: { title: "Hi", theme: 3 },
    });
    const json = cli.file("forms/desk.json", { name: "Desk", types: ["VIEW"], isActive: false, config: null });
    expect((await cli.run(...CREATE, "--file", json, "--json")).json()).toMatchObject({
      name: "Desk",
      isActive: false,
    });
    cli.stdin = "{name: Piped, types: [VIEW]}";
    expect((await cli.run(...CREATE, "-f", "-", "--json")).json()).toMatchObject({ name: "Piped" });
  });

  it("locates every problem of a file", async () => {
    const cli = await openCli();
    const file = cli.file("bad.yaml", "name: ''\ntypes:\n  - VIEW\n  - SEE\nconfig:\n  blocks: []\ncolour: red\n");
    const outcome = await cli.run(...CREATE, "-f", file);
    expect(outcome).toMatchObject({ code: 3, stdout: "" });
    expect(outcome.stderr).toContain("bad.yaml:1:7  error  BODY_INVALID  name must not be blank");
    expect(outcome.stderr).toContain("bad.yaml:4:5  error  BODY_INVALID  types[1] must be one of CREATE, VIEW, EDIT");
    expect(outcome.stderr).toContain("bad.yaml:6:3  error  BODY_INVALID  config.blocks is visual structure");
    expect(outcome.stderr).toContain("bad.yaml:7:9  error  BODY_INVALID  colour is not a known member");
    const { location, exitCode } = (await cli.run(...CREATE, "-f", file, "--json")).error();
    expect({ location, exitCode }).toEqual({ location: { file: "bad.yaml", line: 1, column: 7 }, exitCode: 3 });
  });

  it.each([
    ["a mistake in the syntax", "name: [", /bad\.yaml:\d+:\d+ .*YAML_SYNTAX/],
    ["no modes at all", "name: X", /bad\.yaml:1:1 .*types is required/],
    ["a mode twice", "name: X\ntypes: [VIEW, VIEW]", /bad\.yaml:2:15 .*types\[1\] "VIEW" is listed twice/],
    ["a list", "- name: X", /bad\.yaml:1:1 .*the file must be an object, not a list/],
    ["nothing", "", /bad\.yaml:1:1 .*FILE_EMPTY/],
  ])("refuses a file with %s", async (_what, content, message) => {
    const cli = await openCli();
    const outcome = await cli.run(...CREATE, "-f", cli.file("bad.yaml", content));
    expect(outcome.code).toBe(3);
    expect(outcome.stderr).toMatch(message);
  });

  it.each<[options: string[], code: number, message: string]>([
    [["--name", "X"], 64, "missing option --types"],
    [["--types", "VIEW"], 64, "missing option --name"],
    [["--name", "X", "--types", "VIEW,PRINT"], 64, 'unknown mode "PRINT"'],
    [["--name", "X", "--types", ""], 64, "no mode specified"],
    [["--name", "X", "--types", "VIEW,VIEW"], 64, "VIEW is specified twice"],
    [["--name", "  ", "--types", "VIEW"], 64, "--name: must not be blank"],
    [["--name", "x".repeat(201), "--types", "VIEW"], 64, "--name: must be at most 200 characters"],
    [["--name", "X", "--types", "VIEW", "--title", "x".repeat(17_000)], 3, "the config must be at most 16 KiB of JSON"],
    [["-f", "missing.yaml"], 3, "can't read missing.yaml: the file or its folder does not exist"],
    [["-f", "missing.yaml", "--name", "X"], 64, "can't be combined"],
    [["-f", "missing.yaml", "--public"], 64, "can't be combined"],
  ])("refuses %j and creates nothing", async (options, code, message) => {
    const cli = await openCli();
    const outcome = await cli.run(...CREATE, ...options, "--json");
    expect(outcome.code).toBe(code);
    expect(outcome.error().message).toContain(message);
    expect((await cli.run("forms", "list", OBJECT, "--json")).json()).toEqual([]);
  });

  it("prompts for missing options", async () => {
    const cli = await openCli();
    const outcome = await cli.answering(["Asked for", ["VIEW", "EDIT"]], ...CREATE, "--json");
    expect(outcome.asked).toEqual(["Name of the form:", "Modes:"]);
    expect(outcome.json()).toMatchObject({ name: "Asked for", types: ["VIEW", "EDIT"] });
  });

  it("does not prompt with --no-input", async () => {
    const cli = await openCli();
    const outcome = await cli.answering(["Asked for"], ...CREATE, "--types", "VIEW", "--no-input");
    expect(outcome).toMatchObject({ code: 64, asked: [] });
    expect(outcome.stderr).toContain("--name");
  });

  it("refuses an invalid answer to a prompt", async () => {
    const cli = await openCli();
    const outcome = await cli.answering(["x".repeat(201)], ...CREATE);
    expect(outcome.stderr).toContain("must be at most 200 characters");
  });

  it("prints the request with --dry-run, and sends nothing", async () => {
    const cli = await openCli();
    const dry = await cli.run(...CREATE, "--name", "Dry", "--types", "VIEW", "--dry-run", "--json");
    expect(dry.code).toBe(0);
    expect(dry.json()).toEqual({
      dryRun: true,
      requests: [
        {
          method: "POST",
          path: "/v1/custom-modules/staffing/objects/candidate/forms",
          body: { name: "Dry", types: ["VIEW"], isActive: true, isPublic: false },
        },
      ],
    });
    expect((await cli.run("forms", "list", OBJECT, "--json")).json()).toEqual([]);
  });

  it.each([
    ["staffing/placement_milestone", 6, "OBJECT_IS_SUBORDINATE"],
    ["staffing/nothing", 5, "NOT_FOUND"],
    ["care/visit", 5, "NOT_FOUND"],
  ])("is refused by the service on %s", async (object, exitCode, code) => {
    const cli = await openCli();
    const outcome = await cli.run("forms", "create", object, "--name", "X", "--types", "VIEW", "--json");
    expect(outcome.code).toBe(exitCode);
    expect(outcome.error()).toMatchObject({ code, exitCode });
  });
});
