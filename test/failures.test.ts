/** A failure on stderr, as text and as a document. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { describeFailure, sourcesOf } from "../src/composition/exit.ts";
import { printFailure } from "../src/commands/print-failure.ts";
import type { ErrorBody } from "../src/schemas/error-body.ts";
import { ServiceError } from "../src/service.ts";
import { testTerminal } from "./terminal/test-terminal.ts";
import { openCli } from "./commands/cli.ts";
import { openScene, PROFILE } from "./commands/layouts-scene.ts";

const unconfirmed: ErrorBody = {
  code: "FIELD_CHANGES_UNCONFIRMED",
  message: "these field changes must be confirmed",
  impacts: [
    {
      draftId: "d_pay",
      fieldKey: "pay_rate",
      action: "update",
      reasons: ["TYPE_CHANGE", "VALUE_CLEAR"],
      valueCount: 57,
      referencedByLayouts: ["lay_desk", "lay_card"],
      requires: ["confirmTypeChange", "confirmValueClear"],
    },
  ],
};

async function printed(error: unknown, json = false): Promise<string> {
  const terminal = testTerminal();
  printFailure(describeFailure(error), { json, terminal, sources: sourcesOf(error) });
  return terminal.stderr;
}

describe("a refusal of unconfirmed field changes", () => {
  it("lists the losses, the layouts with the field, the required confirmations and the option", async () => {
    expect(await printed(new ServiceError(409, unconfirmed))).toBe(
      "error: these field changes must be confirmed (FIELD_CHANGES_UNCONFIRMED)\n" +
        "  d_pay: update pay_rate (TYPE_CHANGE, VALUE_CLEAR; 57 values; shown by lay_desk, lay_card)" +
        " needs confirmation of the type change and the cleared values: --confirm-field-change d_pay\n",
    );
  });

  it("omits members that the server does not report", async () => {
    const impacts = [{ draftId: "d_1", fieldKey: "notes", action: "delete" }];
    const body = { code: "FIELD_CHANGES_UNCONFIRMED", message: "no", impacts };
    expect(await printed(new ServiceError(409, body))).toContain("  d_1: delete notes: --confirm-field-change d_1\n");
  });
});

describe("a backup to an existing file", () => {
  it("fails as a conflict, and overwrites nothing", async () => {
    const cli = await openCli();
    const { code, error } = await cli.run("local", "backup", join(cli.cwd, cli.file("old.db", "mine")), "--json");
    expect(code).toBe(6);
    expect(error()).toMatchObject({
      code: "STORE_EXISTS",
      exitCode: 6,
      hint: "Existing files are not overwritten. Specify another file.",
    });
    expect(readFileSync(join(cli.cwd, "old.db"), "utf8")).toBe("mine");
  });
});

describe("a refusal of values in a file", () => {
  const organization = {
    organizations: [{ key: "acme", name: "Acme", members: [{ email: "a@b.example", name: "A", roles: ["x"] }] }],
  };

  it("is printed once, with its location in the file", async () => {
    const cli = await openCli(null);
    const { code, stderr } = await cli.run("local", "seed", cli.file("acme.json", organization));
    expect(code).toBe(3);
    expect(stderr).toMatch(/^acme\.json:\d+:\d+ +error/);
    expect(stderr.match(/roles\[0\]/g)).toHaveLength(1);
  });

  it("has the complete error of the service in the document", async () => {
    const cli = await openCli(null);
    const { error } = await cli.run("local", "seed", cli.file("acme.json", organization), "--json");
    expect(error()).toMatchObject({
      code: "INVALID_FILE",
      location: { file: "acme.json" },
      api: {
        status: 400,
        code: "VALIDATION_FAILED",
        fieldErrors: { "organizations[0].members[0].roles[0]": [expect.any(String)] },
      },
    });
  });
});

describe("a refusal of a command with an address", () => {
  it("suggests the next command with that address", async () => {
    const cli = await openScene();
    const { code, stderr } = await cli.run("layouts", "publish", PROFILE, "--draft", "ver_old");
    expect(code).toBe(6);
    expect(stderr).toContain(`formctl layouts draft show '${PROFILE}'\n`);
    const restored = await cli.run("layouts", "versions", "restore", PROFILE, "draft");
    expect(restored.stderr).toContain(`hint: To publish the draft unchanged: formctl layouts publish '${PROFILE}'\n`);
  });

  it("suggests the nearest object, and a command to list objects", async () => {
    const cli = await openCli();
    const { code, stderr } = await cli.run("forms", "list", "staffing/candidat");
    expect(code).toBe(5);
    expect(stderr).toBe(
      'error: the object staffing/candidat does not exist. Did you mean "staffing/candidate"? (NOT_FOUND)\n' +
        "hint: List the objects of a local store: formctl local show. For a server, check the target: formctl doctor\n",
    );
  });

  it("suggests the command that lists layouts", async () => {
    const cli = await openCli();
    const { stderr } = await cli.run("layouts", "get", "lay_nope");
    expect(stderr).toBe(
      "error: the layout does not exist: lay_nope (NOT_FOUND)\nhint: List the layouts: formctl layouts list\n",
    );
  });
});

describe("an unknown command", () => {
  it.each([
    ["plam forms", 'unknown command "plam"', "Did you mean: formctl plan"],
    ["forms lst", 'unknown command "lst" for "formctl forms"', "Did you mean: formctl forms list"],
    ["forms xyzzy", 'unknown command "xyzzy" for "formctl forms"', "See: formctl forms --help"],
  ])("is reported with a suggestion, or the help of its group: %s", async (line, message, hint) => {
    const cli = await openCli(null);
    const { code, error } = await cli.run(...line.split(" "), "-o", "json");
    expect(code).toBe(64);
    expect(error()).toMatchObject({ message, hint });
  });
});

describe("an error in the command line", () => {
  it.each([
    ["forms lst json", false],
    ["json", false],
    ["forms lst -- -o json", false],
    ["forms lst --name --output json.yaml", false],
    ["forms lst -o json", true],
    ["forms lst -ojson", true],
    ["forms lst --output=jsonl", true],
    ["forms lst --format json", true],
    ["forms lst --json", true],
  ])("is JSON only if the format is requested: %s", async (line, isJson) => {
    const cli = await openCli(null);
    const { code, stderr } = await cli.run(...line.split(" "));
    expect({ code, isJson: stderr.startsWith("{") }).toEqual({ code: 64, isJson });
  });
});

describe("a group without a command", () => {
  it.each(["", "forms", "layouts versions", "local tokens -o json"])(
    "prints its commands: formctl %s",
    async (line) => {
      const cli = await openCli(null);
      const { code, stdout, stderr } = await cli.run(...line.split(" ").filter(Boolean));
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toMatch(/^Usage: formctl/);
      expect(stdout).toContain("Help for a command: formctl ");
    },
  );

  it("lists no aliases: the help of a command shows its alias", async () => {
    const cli = await openCli(null);
    expect((await cli.run("forms")).stdout).not.toMatch(/^ {2}(ls|rm) /m);
    expect((await cli.run("forms", "list", "--help")).stdout).toContain("Alias: formctl forms ls\n");
    expect((await cli.run("forms", "rm", "--help")).stdout).toContain("Alias: formctl forms rm\n");
  });
});

describe("aliases", () => {
  it("are the commands and options that they abbreviate", async () => {
    const cli = await openCli();
    expect(await cli.run("version")).toMatchObject({ code: 0, stdout: "0.0.0-test\n" });
    const list = await cli.run("currencies", "list", "-o", "name");
    expect(await cli.run("currencies", "ls", "--format", "name")).toMatchObject({ code: 0, stdout: list.stdout });
    expect(await cli.run("currencies", "ls", "--format", "name", "-o", "json")).toMatchObject({ code: 64 });
    await cli.run("profiles", "add", "one", "--store", "one.db");
    expect(await cli.run("profiles", "rm", "one")).toMatchObject({ code: 0 });
    await cli.run("config", "set", "output", "json");
    expect(await cli.run("config", "unset", "output", "-o", "name")).toMatchObject({ code: 0, stdout: "output\n" });
    expect((await cli.run("config", "get", "output")).stdout).toBe("table\n");
  });
});
