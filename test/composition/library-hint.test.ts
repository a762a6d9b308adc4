import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { operations } from "../../src/schemas/operations.ts";
import { describe, expect, it, onTestFinished } from "vitest";
import { CALLS, libraryHint } from "../../src/composition/library-hint.ts";
import { readErrorMessages } from "../prose.ts";
import * as library from "../../src/index.ts";
import {
  describeError,
  FormctlError,
  openLocal,
  openMigrations,
  openProject,
  ServiceError,
  storeTarget,
} from "../../src/index.ts";

const ROOT = join(import.meta.dirname, "../..");

/** Sources that the library does not use, or that describe options of the command line or of a server's operator. */
const OF_COMMANDS = /^src\/(commands\/|config\/target|composition\/(command-target|recording|serve)\.ts)/;
const COMMAND_OR_OPTION = /(^|[^\w-])--[a-z]|\bformctl [a-z]/;
const COMMANDS = globSync("man/formctl-*.1", { cwd: ROOT }).map((file) => /-([a-z]+)\.1$/.exec(file)![1]!);
/** An option of formctl, or one of its commands: not "formctl does not know the mode". */
const OWN_COMMAND = new RegExp(`(?<!\\bgit .*)(^|[^\\w-])--[a-z]|\\bformctl (${COMMANDS.join("|")})\\b`);

const commandsIn = (file: string, source: string) =>
  readErrorMessages(file, source).filter((message) => OWN_COMMAND.test(message));

describe("the message of an error", () => {
  it("names no command and no option: its hint does", () => {
    const files = globSync("src/**/*.ts", { cwd: ROOT }).filter((file) => !OF_COMMANDS.test(file));
    expect(files.flatMap((file) => commandsIn(file, readFileSync(join(ROOT, file), "utf8")))).toEqual([]);
  });

  it.each([
    'new FormctlError("USAGE", "no target: add --local", "Add it.")',
    "throw localRefusal(404, code, `no form ${name}. Run formctl forms list`)",
    'const problem = { message: isOne ? "one" : "none: see formctl plan" }',
    'const message = "publish with --strict"; report(message)',
  ])("is found in %j", (source) => {
    expect(commandsIn("a.ts", source)).toHaveLength(1);
  });

  it("is not the hint", () => {
    expect(commandsIn("a.ts", 'new FormctlError("USAGE", "no target", "Add one: --local")')).toEqual([]);
  });
});

describe("a hint for the author of a program", () => {
  it.each([
    ["Increase the timeout with --timeout SECONDS.", "Increase the timeout with { timeout: MILLISECONDS }."],
    [
      "To confirm, add --allow-delete and --allow-replace.",
      "To confirm, add { allowDelete: true } and { allowReplace: true }.",
    ],
    ["Specify one: --organization acme", 'Specify one: { organization: "acme" }'],
    ["Add one: formctl local init --demo, or formctl local seed FILE", "Add one: local.seed()"],
    [
      "Restore a backup: formctl local restore FILE. To list all damage: formctl local check",
      "Restore a backup: restoreStore(). To list all damage: local.check()",
    ],
    ["Specify a file that formctl local backup created.", "Specify a file that backupStore() created."],
    ["Specify the target with --profile, --store or --organization.", "Specify the target."],
    ["Check the base URL, and that the server is running: formctl doctor", undefined],
    ["Nothing was copied. Log in again: formctl auth login", "Nothing was copied."],
    ["Create a new plan and review it: formctl plan --out FILE", "Create a new plan and review it: project.plan()"],
    [
      "Save a draft first: formctl layouts edit LAYOUT, or formctl layouts draft push LAYOUT FILE. Or use --draft ID",
      "Save a draft first: service.saveDraft().",
    ],
    ["Add the ids to formctl.yaml.\nreferences:\n  prod: {}", "Add the ids to formctl.yaml.\nreferences:\n  prod: {}"],
    ["Try again.", "Try again."],
  ])("replaces commands and options in %j", (hint, expected) => {
    expect(libraryHint("USAGE", hint)).toBe(expected);
  });

  it("names no option of a command, and no command, for every message of the program", () => {
    const messages = readFileSync(join(ROOT, "test/messages.txt"), "utf8").match(/^ {2}.*$/gm)!;
    expect(messages.length).toBeGreaterThan(3_000);
    const hints = messages.map((message) => libraryHint("USAGE", message.trim()) ?? "");
    expect(hints.filter((hint) => COMMAND_OR_OPTION.test(hint))).toEqual([]);
  });
});

it("names only functions that exist", async () => {
  const local = await openLocal(":memory:");
  onTestFinished(() => local.close());
  const target = storeTarget({ local, store: ":memory:" });
  const owners: Record<string, object> = {
    local,
    project: openProject({ root: ".", target }),
    migrations: openMigrations({ root: ".", target }),
    service: operations,
  };
  const calls = Object.values(CALLS).map((call) => /^(?:(\w+)\.)?(\w+)\(/.exec(call!)!);
  const missing = calls.filter(
    ([, owner, name]) => !Reflect.has(owner === undefined ? library : owners[owner]!, name!),
  );
  expect(missing.map(([text]) => text)).toEqual([]);
});

describe("describeError for a library", () => {
  const audience = "library";

  it("describes a refusal whose hint depends on its code", () => {
    const refusal = (code: string) => describeError(new ServiceError(409, { code, message: "refused" }), { audience });
    expect(refusal("ASSIGNMENT_DEFAULT_TAKEN").hint).toContain("service.replaceAssignments()");
    expect(refusal("DRAFT_STALE").hint).toBe("The draft changed. See: service.listVersions()");
  });

  it("leaves out a hint that only names commands, and keeps the rest of the description", () => {
    const error = new FormctlError("NO_TOKEN", "no token for https://forms.example.com", "Log in: formctl auth login");
    expect(describeError(error, { audience })).toEqual({
      code: "NO_TOKEN",
      message: "no token for https://forms.example.com",
      exitCode: 4,
    });
    expect(describeError(error).hint).toBe("Log in: formctl auth login");
  });
});
