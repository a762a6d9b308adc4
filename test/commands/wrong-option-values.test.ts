/** A wrong value of an option is a wrong command line: exit code 64, in each option of each command. */

import { expect, it } from "vitest";
import { asText, type Option } from "../../src/commands/command.ts";
import { GLOBAL_OPTIONS } from "../../src/commands/global-flags.ts";
import { longFlag } from "../../src/commands/invocation.ts";
import { allCommands } from "./all-commands.ts";
import { openCli } from "./cli.ts";

const FORM = "staffing/candidate/Profile";

/** Placeholders of options that accept any text: names, addresses and paths are looked up, and texts are sent. */
const FREE = [
  "file",
  "folder",
  "text",
  "name",
  "role",
  "member",
  "email",
  "layout",
  "target",
  "address",
  "data",
  "host",
];

/** The arguments of commands that check an option after the arguments. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  "forms list": "staffing/candidate",
  apply: "forms",
  promote: "--from x.db#northwind --to y.db#northwind",
  init: "--into new",
};

/** Values that are wrong where `no such value!` is not. */
const WRONG: Readonly<Record<string, string>> = {
  "<name>": "",
  "<id>": "x".repeat(300),
  "<draft-id>": "",
  "<columns>": "",
};

const placeholderOf = (flags: string) => /<(.+)>/.exec(flags)?.[0] ?? "";
const isChecked = ({ flags, kind, parse }: Option<unknown>) =>
  kind !== "flag" && (parse !== asText || !FREE.includes(placeholderOf(flags).slice(1, -1)));

const commands = await allCommands();
const cases = commands.flatMap(({ name, command }) =>
  Object.values(command.options)
    .filter(isChecked)
    .map(({ flags }) => [name, longFlag(flags), WRONG[placeholderOf(flags)] ?? "no such value!"] as const),
);

it("finds the options of all commands", () => {
  expect(cases.length).toBeGreaterThan(80);
});

it.each(cases)("%s %s", async (name, flag, value) => {
  const cli = await openCli();
  cli.file("forms/form.yaml", "kind: Form\nobject: staffing/candidate\nname: Profile\ntypes: [VIEW]\n");
  const words = ARGUMENTS[name]?.split(" ") ?? [];
  const { code, stdout, stderr } = await cli.run(...name.split(" "), ...words, flag, value);
  // The message names the option, or in words what its value is.
  const named = new RegExp(flag.slice(2).replaceAll("-", "[- ]"), "i");
  expect({ code, stdout, stderr }).toEqual({ code: 64, stdout: "", stderr: expect.stringMatching(named) as string });
});

it.each(GLOBAL_OPTIONS.filter(([flags]) => /output|timeout|max-rps|query/.test(flags)))("%s", async (flags) => {
  const cli = await openCli();
  for (const command of [
    ["currencies", "list"],
    ["forms", "get", FORM],
    ["validate", "forms"],
  ])
    expect(await cli.run(...command, longFlag(flags), "no such value!")).toMatchObject({ code: 64, stdout: "" });
});
