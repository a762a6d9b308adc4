/** Completion: the scripts, and the candidates for the last word of a command line. */

import { describe, expect, it, onTestFinished } from "vitest";
import type { Command } from "../../src/commands/command.ts";
import { readTypedLine } from "../../src/commands/completion/typed-line.ts";
import { valuesOf } from "../../src/commands/completion/values.ts";
import { GLOBAL_OPTIONS } from "../../src/commands/global-flags.ts";
import { type Group, isGroup, tree } from "../../src/commands/tree.ts";
import { newCanary } from "../canary.ts";
import { startServer } from "../client/table-server.ts";
import { type Cli, openCli } from "./cli.ts";
import { aForm, aUsableProfile, OBJECT, PROFILE } from "./forms-scene.ts";
import { DESK, openScene } from "./layouts-scene.ts";
import { openRemoteScene } from "./remote-scene.ts";

/** Returns the candidates. The last element is the directive. */
async function candidates(cli: Cli, ...words: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await cli.run("complete", "--", ...words);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => line.split("\t")[0]!);
}

describe("formctl completion", () => {
  it.each(["bash", "zsh", "fish", "powershell"])("prints the script of %s", async (shell) => {
    const cli = await openCli(null);
    const { code, stdout } = await cli.run("completion", shell);
    expect(code).toBe(0);
    await expect(stdout).toMatchFileSnapshot(`completion-scripts/formctl.${shell}`);
  });

  it("refuses another shell, and accepts the name of the program of PowerShell", async () => {
    const cli = await openCli(null);
    expect(await cli.run("completion", "tcsh")).toMatchObject({
      code: 64,
      stderr: 'error: SHELL must be one of bash, zsh, fish, powershell, not "tcsh"\n',
    });
    expect((await cli.run("completion", "pwsh")).stdout).toContain("Register-ArgumentCompleter");
  });
});

describe("the candidates", () => {
  it.each([
    [["f"], ["forms", ":4"]],
    [
      ["layouts", "draft", ""],
      ["push", "show", "scaffold", ":4"],
    ],
    [
      ["forms", "ls", "--pag"],
      ["--page", ":4"],
    ],
    [
      ["-o", "j"],
      ["json", "jsonl", ":4"],
    ],
    [
      ["forms", "list", "--output=j"],
      ["--output=json", "--output=jsonl", ":4"],
    ],
    [
      ["forms", "list", "--format", "y"],
      ["yaml", ":4"],
    ],
    [
      ["export", "--al"],
      ["--all", "--all-layouts", ":4"],
    ],
    [
      ["validate", "--format", "s"],
      ["sarif", ":4"],
    ],
    [
      ["forms", "create", OBJECT, "--types", "view,"],
      ["view,CREATE", "view,EDIT", ":4"],
    ],
    [
      ["layouts", "list", "--surface", "D"],
      ["DYNAMIC_OBJECT", "DASHBOARD", ":4"],
    ],
    [
      ["config", "unset", "o"],
      ["organization", "object", "output", ":4"],
    ],
    [
      ["config", "set", "output", "j"],
      ["json", "jsonl", ":4"],
    ],
    [
      ["forms", "list", OBJECT, "--sort", "-n"],
      ["-name", ":4"],
    ],
    [
      ["forms", "list", OBJECT, "--filter", "types=V"],
      ["types=VIEW", ":4"],
    ],
    [
      ["forms", "list", OBJECT, "--filter", "name~"],
      ["name~", ":6"],
    ],
    [
      ["explain", "formp"],
      ["formpatch", ":4"],
    ],
    [
      ["help", "exi"],
      ["exit-codes", ":4"],
    ],
    [
      ["help", "layouts", "vers"],
      ["versions", ":4"],
    ],
    [["ver"], ["version", ":4"]],
    [["apply", ""], [":0"]],
    [["layouts", "draft", "push", PROFILE, ""], [":0"]],
    [["forms", "create", OBJECT, "--file", ""], [":0"]],
    [["api", "GET", ""], [":4"]],
    [["xyzzy", ""], [":4"]],
    [["currencies", "list", ""], [":4"]],
    [["forms", "get", PROFILE, "--", "--"], [":4"]],
  ])("of %j are %j, without a store", async (words, expected) => {
    expect(await candidates(await openCli(null), ...words)).toEqual(expected);
  });

  it("of a word after a space are requested with --next", async () => {
    const cli = await openCli(null);
    expect((await cli.run("complete", "--next", "--", "currencies")).stdout).toMatch(/^list\t.*\nget\t.*\n:4\n$/);
  });

  it("are the records of the local store", async () => {
    const cli = await openCli();
    await aUsableProfile(cli);
    await aForm(cli, "Profile", ["VIEW"]);
    await cli.run("profiles", "add", "mine", "--store", "mine.db");
    await cli.run("layouts", "create", "--surface", "ORGANIZATION", "--modes", "VIEW", "--name", "Board");
    const rows: [words: string[], expected: unknown][] = [
      [
        ["forms", "get", `${OBJECT}/`],
        [PROFILE, `${OBJECT}/Profile`, ":4"],
      ],
      // Only one object matches, so its forms are suggested.
      [
        ["forms", "get", "staffing/cand"],
        [PROFILE, `${OBJECT}/Profile`, ":4"],
      ],
      [
        ["forms", "list", "staffing/cand"],
        [OBJECT, ":4"],
      ],
      [["forms", "get", "staff"], expect.arrayContaining([`${OBJECT}/`, ":6"])],
      [
        ["layouts", "get", "ORG"],
        ["ORGANIZATION/Board", ":4"],
      ],
      [
        ["layouts", "versions", "get", PROFILE, ""],
        ["latest", "1", ":4"],
      ],
      [
        ["forms", "defaults", "set", OBJECT, "V"],
        ["VIEW=", ":6"],
      ],
      [
        ["forms", "defaults", "set", OBJECT, "VIEW=C"],
        ["VIEW=Candidate profile", ":4"],
      ],
      [
        ["forms", "access", "grant", PROFILE, "--role", "rec"],
        ["recruiter", ":4"],
      ],
      [
        ["forms", "access", "grant", PROFILE, "--member", "ana"],
        ["ana@northwind.example", ":4"],
      ],
      [
        ["layouts", "assignments", "set", "lay_1", "--role", "rec"],
        ["recruiter=", ":6"],
      ],
      [
        ["currencies", "get", "EU"],
        ["EUR", ":4"],
      ],
      [
        ["--profile", "m"],
        ["mine", ":4"],
      ],
      [
        ["profiles", "use", ""],
        ["mine", ":4"],
      ],
      [
        ["--organization", "north"],
        ["northwind", ":4"],
      ],
      [
        ["config", "set", "object", "staffing/cand"],
        [OBJECT, ":4"],
      ],
    ];
    for (const [words, expected] of rows)
      expect({ words, found: await candidates(cli, ...words) }).toEqual({ words, found: expected });
  });

  it("are the staged changes of the draft for --confirm-field-change", async () => {
    const cli = await openScene();
    await cli.run("layouts", "draft", "push", DESK, "b.yaml");
    for (const option of ["--confirm-field-change", "--confirm-type-change", "--confirm-value-clear"])
      expect(await candidates(cli, "layouts", "publish", DESK, option, "")).toEqual(["d_po", ":4"]);
  });

  it("are ids for forms whose names are ambiguous or have invisible characters", async () => {
    const cli = await openCli();
    const forms = [];
    for (const name of ["Twin", "Twin", "Bad\u001B[31m"]) forms.push(await aForm(cli, name, ["VIEW"]));
    const found = await candidates(cli, "forms", "get", `${OBJECT}/`);
    expect(found.toSorted()).toEqual([":4", ...forms.map(({ id }) => `${OBJECT}/${id}`).toSorted()]);
  });

  it("are the records of a server", async () => {
    const { cli } = await openRemoteScene();
    await cli.run("forms", "create", OBJECT, "--name", "Candidate profile", "--types", "VIEW");
    // On a busy machine, the server may take longer than the second that a completion waits.
    await expect.poll(() => candidates(cli, "forms", "get", `${OBJECT}/`)).toEqual([PROFILE, ":4"]);
    await expect.poll(() => candidates(cli, "forms", "list", "staff")).toEqual([OBJECT, ":4"]);
  });
});

describe("a completion that fails prints nothing and exits with 0", () => {
  const isSilent = { code: 0, stdout: "", stderr: "" };

  it("without a store", async () => {
    const cli = await openCli(null);
    expect(await cli.run("complete", "--", "forms", "get", "")).toMatchObject(isSilent);
  });

  it("with an invalid settings file, an unknown profile, or a token without a server", async () => {
    const cli = await openCli();
    expect(await cli.run("complete", "--", "--profile", "nope", "forms", "list", "")).toMatchObject(isSilent);
    cli.env["FORMCTL_TOKEN"] = newCanary();
    expect(await cli.run("complete", "--", "forms", "list", "")).toMatchObject(isSilent);
    delete cli.env["FORMCTL_TOKEN"];
    cli.file("formctl.yaml", "surprise: 1\n");
    expect(await cli.run("complete", "--", "forms", "list", "")).toMatchObject(isSilent);
  });

  it("with a server that does not answer within a second", async () => {
    const server = await startServer(() => new Promise(() => undefined));
    onTestFinished(() => server.close());
    const cli = await openCli();
    cli.env["FORMCTL_BASE_URL"] = server.url;
    cli.env["FORMCTL_TOKEN"] = newCanary();
    const start = performance.now();
    expect(await cli.run("complete", "--", "forms", "list", "")).toMatchObject(isSilent);
    expect(server.received.length).toBeGreaterThan(0);
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  it("with a server that limits the rate, without waiting", async () => {
    const refused = {
      status: 429,
      headers: { "retry-after": "1" },
      body: { success: false, error: { code: "RATE_LIMITED", message: "too many requests" } },
    };
    const server = await startServer(() => refused);
    onTestFinished(() => server.close());
    const cli = await openCli();
    const waits: number[] = [];
    cli.sleep = async (milliseconds) => void waits.push(milliseconds);
    cli.env["FORMCTL_BASE_URL"] = server.url;
    cli.env["FORMCTL_TOKEN"] = newCanary();
    expect(await cli.run("complete", "--", "forms", "list", "")).toMatchObject(isSilent);
    expect({ waits, requests: server.received.length }).toEqual({ waits: [], requests: 1 });
    // Another command waits, and sends the request again.
    await cli.run("forms", "list", OBJECT);
    expect(waits.length).toBeGreaterThan(0);
  });
});

describe("a bash line", () => {
  it.each([
    // Bash replaces only the text after the last word break or after the open quote.
    ["formctl forms get staffing/candidate/C", `'${PROFILE}'`],
    ["formctl forms get 'staffing/candidate/C", PROFILE],
    ['formctl forms get "staffing/candidate/C', PROFILE],
    ["formctl forms get staffing/candidate/Candidate\\ p", `'${PROFILE}'`],
    ["FORMCTL_TIMEOUT=9 formctl forms get staffing/candidate/C", `'${PROFILE}'`],
    [`formctl forms defaults set ${OBJECT} VIEW=C`, "'Candidate profile'"],
    [`formctl forms defaults set ${OBJECT} 'VIEW=C`, "VIEW=Candidate profile"],
    ["formctl forms list --output=y", "yaml"],
    ["formctl forms get --verb", "--verbose"],
  ])("%s is completed with %s", async (line, reply) => {
    const cli = await openCli();
    await aUsableProfile(cli);
    const { stdout } = await cli.run("complete", "bash", line, " \t\n\"'@><=;|&(:");
    expect(stdout.split("\n").map((each) => each.split("\t")[0])).toEqual([reply, ":4", ""]);
  });
});

/** Placeholders of arguments and options that take any text. */
const ANY_TEXT = new Set([
  "<address>",
  "<address@time>",
  "<columns>",
  "<data>",
  "<duration>",
  "<expression>",
  "<filter>",
  "<id>",
  "<key=value>",
  "<name>",
  "<number>",
  "<seconds>",
  "<text>",
  "<url>",
  "ARGS",
  "N",
  "NAME",
  "PATH",
]);

async function commandsOf(group: Group, path: readonly string[] = []): Promise<[string[], Command][]> {
  const found: [string[], Command][] = [];
  for (const [name, node] of Object.entries(group.commands)) {
    const own = [...path, name];
    if (isGroup(node)) found.push(...(await commandsOf(node, own)));
    else found.push([own, (await node.load()).default]);
  }
  return found;
}

it("knows the values of every argument and option, or that they take any text", async () => {
  const unknown: string[] = [];
  for (const [path, { args, options }] of await commandsOf(tree)) {
    const line = await readTypedLine([...path, ""]);
    const global = GLOBAL_OPTIONS.map(([name]) => ({ name, choose: "text" as const }));
    const own = Object.values(options).map(({ flags, choose }) => ({ name: flags, choose }));
    for (const taken of [...Object.values(args), ...own, ...global]) {
      const placeholder = taken.name.startsWith("-") ? /<.*>/.exec(taken.name)?.[0] : taken.name;
      if (placeholder === undefined || ANY_TEXT.has(placeholder)) continue;
      // The valid values of VALUE depend on the setting.
      const typed = placeholder === "VALUE" ? { ...line, args: ["output"] } : line;
      if (!valuesOf(taken, typed, "")) unknown.push(`${path.join(" ")} ${taken.name}`);
    }
  }
  expect(unknown).toEqual([]);
});
