/** A mistyped address of a store, with a password: no command prints it as a path. */

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openLocal } from "../../src/composition/library.ts";
import { parseBaseUrl } from "../../src/schemas/base-url.ts";
import { allCommands } from "./all-commands.ts";
import { type Cli, openCli } from "./cli.ts";
import { wordsOf } from "./demo-cli.ts";

const PASSWORD = "canary-9f2";

const SPELLINGS = [
  `jdbc:postgresql://forms:${PASSWORD}@db.example/forms`,
  `host=db.example password=${PASSWORD} user=forms`,
  `server=db.example;pwd = ${PASSWORD}`,
  `PGPASSWORD=${PASSWORD} host=db.example`,
  `postgres%3A%2F%2Fforms%3A${PASSWORD}%40db.example`,
  `postgres//forms:${PASSWORD}@db.example/forms`,
  `postgres;//forms:${PASSWORD}@db.example/forms`,
  `//forms:${PASSWORD}@db.example/forms`,
  `mysql://forms:${PASSWORD}@db.example/forms`,
  `forms:${PASSWORD}@db.example`,
  `forms:pa/${PASSWORD}@db.example/forms.db`,
  `postgres:/forms:${PASSWORD}@127.0.0.1:1/forms`,
  `postgres://forms:pa/${PASSWORD}@127.0.0.1:1/forms`,
];

/** Runs a command line in each output format. Returns the formats that print the password. */
async function leaks(cli: Cli, words: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const format of ["table", "json"]) {
    const { stdout, stderr, code } = await cli.run(...words, ...(words.includes("-o") ? [] : ["-o", format]));
    if (`${stdout}${stderr}`.includes(PASSWORD)) found.push(`${words.join(" ")} (${format}, ${code})`);
  }
  return found;
}

const commands = (await allCommands()).map(({ name, command }) => ({ name, examples: command.examples }));

it("tests all commands", () => {
  expect(commands.length).toBeGreaterThan(70);
});

describe.each(SPELLINGS)("FORMCTL_STORE=%s", (spelling) => {
  it("is not printed by any command", async () => {
    const cli = await openCli(null);
    cli.env["FORMCTL_STORE"] = spelling;
    const found: string[] = [];
    const ended = new AbortController();
    ended.abort();
    for (const { name, examples } of commands) {
      // A server that starts ends at once.
      cli.ending = name === "serve" ? ended : new AbortController();
      const line = examples.find((example) => example.startsWith("formctl ") && !/[|<>&$]/.test(example));
      const words = line === undefined ? name.split(" ") : wordsOf(line);
      found.push(...(await leaks(cli, words)));
    }
    for (const words of ["local check", "doctor", "config list", "config get store", "local init --demo"]) {
      found.push(...(await leaks(cli, words.split(" "))));
    }
    expect(found).toEqual([]);
  });

  it("is not printed if an option, an argument or a settings file has it", async () => {
    const cli = await openCli();
    const lines = [
      ["forms", "list", "staffing/candidate", "--store", spelling],
      ["config", "list", "--store", spelling],
      ["profiles", "add", "db", "--store", spelling],
      ["config", "set", "store", spelling],
      ["config", "set", "profile", spelling],
      ["diff", "--from", spelling, "--to", "local.db"],
      ["promote", "--from", "local.db", "--to", `${spelling}#northwind`],
      ["local", "copy", spelling, "copy.db"],
      ["local", "copy", join(cli.home, "local.db"), spelling],
      ["local", "backup", spelling],
      ["local", "restore", spelling],
      ["init", "--base-url", spelling],
      ["config", "list"],
    ];
    const found: string[] = [];
    for (const words of lines) found.push(...(await leaks(cli, words)));
    for (const variable of ["FORMCTL_PROFILE", "FORMCTL_BASE_URL"]) {
      cli.env[variable] = spelling;
      for (const words of [["forms", "list"], ["doctor"], ["config", "list"]]) found.push(...(await leaks(cli, words)));
      delete cli.env[variable];
    }
    const user = join(cli.home, "config.yaml");
    const text = JSON.stringify(spelling);
    const files: [string, string][] = [
      [user, `store: ${text}\nunknown: 1\n`],
      [user, `profiles: { db: { store: ${text}, baseUrl: "https://forms.example" } }\n`],
      [user, `profiles: { db: { baseUrl: ${text} } }\n`],
      ["formctl.yaml", `store: ${text}\n`],
    ];
    for (const [file, content] of files) {
      cli.file(user, "{}\n");
      cli.file(file, content);
      for (const words of [
        ["forms", "list"],
        ["config", "list"],
      ])
        found.push(...(await leaks(cli, words)));
    }
    expect(found).toEqual([]);
  });

  it("does not become the path of a file in the library", async () => {
    const attempts = [
      async () => (await openLocal(spelling)).close(),
      async () => (await openLocal(spelling, { create: true })).close(),
      async () => parseBaseUrl(spelling),
    ];
    const failure = async (attempt: () => Promise<unknown>) =>
      attempt().then(
        () => "",
        (error: unknown) => String(error),
      );
    const messages = await Promise.all(attempts.map(failure));
    expect(messages.join("\n")).not.toContain(PASSWORD);
    expect(messages[1]).not.toBe("");
  });
});

it("accepts paths with a colon, an at sign or a drive", async () => {
  const cli = await openCli(null);
  for (const path of ["a:b.db", "dana@work.db", "C:\\dana@work.db"]) {
    const { code, stderr } = await cli.run("local", "init", "--store", path);
    expect([path, code, stderr]).toEqual([path, 0, expect.not.stringContaining("[address]")]);
  }
});
