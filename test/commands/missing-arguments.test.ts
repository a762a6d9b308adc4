/**
 * Tests missing arguments and options. Without a terminal, every command names the missing argument or option. On a
 * terminal, the command asks for it.
 */

import { describe, expect, it } from "vitest";
import type { Command } from "../../src/commands/command.ts";
import { type Group, isGroup, tree } from "../../src/commands/tree.ts";
import { Interrupted } from "../../src/terminal/interrupted.ts";
import type { ScriptedAnswer } from "../../src/terminal/prompter.ts";
import type { Cli } from "./cli.ts";
import { openDemo, wordsOf } from "./demo-cli.ts";
import { SHAPES } from "../proxy/manners.ts";
import { insertProxy } from "../proxy/proxy.ts";
import { openRemoteScene } from "./remote-scene.ts";

type Row = { path: string[]; command: Command };

async function commandsOf(group: Group, path: string[] = []): Promise<Row[]> {
  const rows = await Promise.all(
    Object.entries(group.commands).map(async ([name, node]) =>
      isGroup(node)
        ? commandsOf(node, [...path, name])
        : [{ path: [...path, name], command: (await node.load()).default }],
    ),
  );
  return rows.flat();
}

/** Returns the names that the error must contain: one per required argument, option and group. */
function requiredNames({ args, options, atLeastOneOf = [] }: Command): string[] {
  const flagOf = (flags: string) => /--[\w-]+/.exec(flags)![0];
  const nameOf = (member: string) => args[member]?.name ?? flagOf(options[member]!.flags);
  return [
    ...Object.values(args).flatMap(({ name, optional }) => (optional ? [] : [name])),
    ...Object.values(options).flatMap(({ flags, required }) => (required ? [flagOf(flags)] : [])),
    ...atLeastOneOf.map(([first]) => nameOf(first!)),
  ];
}

/** The word for each argument that can precede a missing argument. */
const WORDS: Record<string, string> = {
  FROM: "forms.db",
  OBJECT: "staffing/candidate",
  FORM: "staffing/candidate/Candidate profile",
  SHOWN: "staffing/candidate/Candidate profile",
  LAYOUT: "staffing/candidate/Candidate profile",
  METHOD: "GET",
  KEY: "output",
  NAME: "sandbox",
};

const rows = (await commandsOf(tree)).filter(
  // `help` needs no topic: it prints the start page.
  ({ path, command }) => path[0] !== "help" && requiredNames(command).some((name) => !hasDefault(command, name)),
);

/** Whether an argument has a default value without settings, like the versions of `layouts versions diff`. */
function hasDefault({ args }: Command, name: string): boolean {
  const fallback = Object.values(args).find((argument) => argument.name === name)?.fallback;
  return fallback?.({ get: () => undefined, manifests: undefined } as never) !== undefined;
}

describe("every command with a required argument or option", () => {
  it("is in the table", () => {
    expect(rows.length).toBeGreaterThan(40);
  });

  it.each(rows.map((row) => [row.path.join(" "), row] as const))("%s", async (_name, { path, command }) => {
    const cli = await openDemo();
    expect((await cli.run("profiles", "add", "sandbox", "--store", "sandbox.db")).code).toBe(0);
    expect((await cli.run("local", "tokens", "create", "--name", "ci", "-o", "name")).code).toBe(0);
    expect((await cli.run("migrate", "new", "first")).code).toBe(0);
    const before = await logOf(cli);
    const names = requiredNames(command).filter((name) => !hasDefault(command, name));
    const bare = await cli.run(...path);
    expect(bare).toMatchObject({ code: 64, stdout: "" });
    const [message = "", ...hints] = bare.stderr.split("\n");
    for (const name of names) expect(message).toContain(name);
    expect(hints.join("\n")).toContain("Example: formctl ");
    expect((await cli.run(...path, "--json")).error()).toMatchObject({ code: "USAGE", exitCode: 64 });

    const asked = await cli.answering([new Interrupted()], ...path);
    expect(asked).toMatchObject({ code: 130, stdout: "" });
    expect(asked.asked).toHaveLength(1);
    expect(asked.stderr).not.toContain("Same as");
    expect((await cli.answering([new Interrupted()], ...path, "--no-input")).code).toBe(64);

    const args = Object.values(command.args).map(({ name }) => name);
    for (const [index, name] of args.entries()) {
      if (index === 0 || !names.includes(name)) continue;
      const words = args.slice(0, index).map((each) => WORDS[each]!);
      const rest = await cli.run(...path, ...words);
      expect(rest.code).toBe(64);
      expect(rest.stderr.split("\n")[0]).toMatch(new RegExp(`(missing|specify).*${name}`));
      expect(rest.stderr.split("\n")[0]).not.toContain(args[0]);
    }
    expect(await logOf(cli)).toEqual(before);
  });
});

async function logOf(cli: Cli): Promise<unknown> {
  return (await cli.run("local", "log", "--json")).json();
}

const OBJECT = "staffing/candidate";
const PROFILE = `${OBJECT}/Candidate profile`;

type Case = [argv: string[], answers: ScriptedAnswer[], asked: string[], line: string[]];

describe("the answers to prompts", () => {
  it.each<Case>([
    [
      ["forms", "get"],
      [OBJECT, PROFILE],
      ["Object:", "Form:"],
      ["forms", "get", PROFILE],
    ],
    [["forms", "list", "-o", "name"], [OBJECT], ["Object:"], ["forms", "list", "-o", "name", OBJECT]],
    [["layouts", "get"], ["CONTRACTOR/Contractor card"], ["Layout:"], ["layouts", "get", "CONTRACTOR/Contractor card"]],
    [
      ["layouts", "versions", "get"],
      [PROFILE, "latest"],
      ["Layout:", "Version:"],
      ["layouts", "versions", "get", PROFILE, "latest"],
    ],
    [
      ["layouts", "versions", "restore", PROFILE, "--dry-run", "--client-mutation-id", "x"],
      ["1"],
      ["Version:"],
      ["layouts", "versions", "restore", PROFILE, "--dry-run", "--client-mutation-id", "x", "1"],
    ],
    [
      ["forms", "defaults", "set", OBJECT, "--dry-run"],
      ["VIEW", PROFILE],
      ["Mode:", "Form:"],
      ["forms", "defaults", "set", OBJECT, "--dry-run", "VIEW=Candidate profile"],
    ],
    [
      ["forms", "defaults", "set", OBJECT, "--dry-run"],
      ["VIEW", "-"],
      ["Mode:", "Form:"],
      ["forms", "defaults", "set", OBJECT, "--dry-run", "VIEW=-"],
    ],
    [
      ["forms", "defaults", "clear", "--dry-run"],
      [OBJECT, ["VIEW", "EDIT"]],
      ["Object:", "Modes:"],
      ["forms", "defaults", "clear", "--dry-run", OBJECT, "VIEW,EDIT"],
    ],
    [
      ["forms", "access", "grant", "--dry-run"],
      [OBJECT, PROFILE, ["VIEW"], "--role", "account_manager"],
      ["Object:", "Form:", "Modes:", "Specify:", "Role:"],
      ["forms", "access", "grant", "--dry-run", PROFILE, "--types", "VIEW", "--role", "account_manager"],
    ],
    [
      ["forms", "access", "revoke", PROFILE, "--dry-run"],
      ["--member", "dana@northwind.example"],
      ["Specify:", "Member:"],
      ["forms", "access", "revoke", PROFILE, "--dry-run", "--member", "dana@northwind.example"],
    ],
    [
      ["forms", "create", OBJECT, "--dry-run"],
      ["It's $(new)", ["CREATE"]],
      ["Name of the form:", "Modes:"],
      ["forms", "create", OBJECT, "--dry-run", "--name", "It's $(new)", "--types", "CREATE"],
    ],
    [
      ["forms", "update", PROFILE, "--dry-run"],
      ["--title", "Hello"],
      ["Specify:", "Title that the form shows:"],
      ["forms", "update", PROFILE, "--dry-run", "--title", "Hello"],
    ],
    [
      ["forms", "update", PROFILE, "--dry-run"],
      ["--inactive"],
      ["Specify:"],
      ["forms", "update", PROFILE, "--dry-run", "--inactive"],
    ],
    [
      ["layouts", "create", "--dry-run", "--client-mutation-id", "x"],
      ["DASHBOARD", ["VIEW"], "Board", "main"],
      ["Surface:", "Modes:", "Name of the layout:", "Target dashboardKey:"],
      ["layouts", "create", "--dry-run", "--client-mutation-id", "x", "--surface", "DASHBOARD"].concat([
        "--modes",
        "VIEW",
        "--name",
        "Board",
        "--target",
        "dashboardKey=main",
      ]),
    ],
    [
      ["layouts", "resolve", "--mode", "VIEW", "--member", "chidi@northwind.example"],
      ["DASHBOARD", "main"],
      ["Surface:", "Target dashboardKey:"],
      ["layouts", "resolve", "--mode", "VIEW", "--member", "chidi@northwind.example"].concat([
        "--surface",
        "DASHBOARD",
        "--target",
        "dashboardKey=main",
      ]),
    ],
    [
      ["layouts", "resolve"],
      ["CONTRACTOR", "VIEW", "chidi@northwind.example"],
      ["Surface:", "Mode:", "Member:"],
      ["layouts", "resolve", "--surface", "CONTRACTOR", "--mode", "VIEW", "--member", "chidi@northwind.example"],
    ],
    [["currencies", "get"], ["EUR"], ["Code:"], ["currencies", "get", "EUR"]],
    [["config", "get"], ["output"], ["Key:"], ["config", "get", "output"]],
    [
      ["config", "set", "object"],
      ["VALUE", OBJECT],
      ["Specify:", "New value:"],
      ["config", "set", "object", OBJECT],
    ],
    [
      ["api"],
      ["GET", "/v1/currencies"],
      ["Method:", "Path and query, such as /v1/currencies:"],
      ["api", "GET", "/v1/currencies"],
    ],
    [["export"], ["NAME", OBJECT], ["Specify:", "Name:"], ["export", OBJECT]],
    [["layouts", "preview", "--ascii"], [PROFILE], ["Layout or file:"], ["layouts", "preview", "--ascii", PROFILE]],
    [["validate"], ["org.yaml"], ["Path:"], ["validate", "org.yaml"]],
  ])("%j", async (argv, answers, asked, line) => {
    const cli = await openDemo();
    cli.file("org.yaml", "kind: Form\n");
    const outcome = await cli.answering(answers, ...argv);
    expect(outcome.asked).toEqual(asked);
    const [, printed] = /^Same as: (.*)$/m.exec(outcome.stderr) ?? [];
    expect(wordsOf(printed!)).toEqual(line);
    const again = await cli.run(...wordsOf(printed!));
    expect({ code: again.code, stdout: again.stdout }).toEqual({ code: outcome.code, stdout: outcome.stdout });
  });

  it("are asked for no object if the settings name one", async () => {
    const cli = await openDemo();
    cli.env["FORMCTL_OBJECT"] = OBJECT;
    expect((await cli.answering([PROFILE], "forms", "get")).asked).toEqual(["Form:"]);
    expect((await cli.answering([], "forms", "list")).asked).toEqual([]);
  });

  it("are asked for nothing, and no line is printed, if nothing is missing", async () => {
    const cli = await openDemo();
    const { asked, stderr } = await cli.answering([], "forms", "get", "--", PROFILE);
    expect({ asked, stderr }).toEqual({ asked: [], stderr: "" });
  });

  it("leave the document on stdout alone", async () => {
    const cli = await openDemo();
    const outcome = await cli.answering([OBJECT, PROFILE], "forms", "get", "-o", "json");
    expect(outcome.json()).toMatchObject({ name: "Candidate profile" });
  });

  it("print no line with --quiet", async () => {
    const cli = await openDemo();
    expect((await cli.answering(["EUR"], "currencies", "get", "-q")).stderr).toBe("");
  });

  it.each([
    [["profiles", "use"], "nothing to choose: there are no profiles", "formctl profiles add"],
    [["local", "tokens", "revoke"], "nothing to choose: there are no tokens", "formctl local tokens create"],
    [["forms", "get"], "nothing to choose: compliance/document_check has no forms", "formctl forms create"],
  ])("are not asked for if nothing can be chosen: %j", async (argv, message, hint) => {
    const cli = await openDemo();
    cli.env["FORMCTL_OBJECT"] = "compliance/document_check";
    const all = ["forms", "delete", "compliance/document_check/Document review", "--clear-defaults", "--allow-delete"];
    expect((await cli.run(...all)).code).toBe(0);
    const outcome = await cli.answering([], ...argv);
    expect(outcome).toMatchObject({ code: 64, asked: [] });
    expect(outcome.stderr).toContain(message);
    expect(outcome.stderr).toContain(hint);
  });

  it("change nothing if the user presses Ctrl-C at a later prompt", async () => {
    const cli = await openDemo();
    const before = await logOf(cli);
    const outcome = await cli.answering([OBJECT, "New", new Interrupted()], "forms", "create");
    expect(outcome).toMatchObject({ code: 130, stdout: "", stderr: "error: interrupted\n" });
    expect(await logOf(cli)).toEqual(before);
  });
});

describe("the values in the error", () => {
  it.each<[argv: string[], values: string[]]>([
    [
      ["forms", "list"],
      ["OBJECT: compliance/document_check, staffing/candidate, staffing/placement", "config set object"],
    ],
    [["forms", "get"], [`${OBJECT}/Candidate intake, ${PROFILE}`]],
    [["layouts", "versions", "get", PROFILE], ["VERSION: latest, 2, 1"]],
    [["layouts", "get"], ["CONTRACTOR/Contractor card"]],
    [
      ["forms", "access", "grant", PROFILE],
      ["--role: account_manager", "--member: ana@northwind.example"],
    ],
    [
      ["currencies", "get"],
      ["CODE: AED, AFN", "and 168 more"],
    ],
    [["plan"], ["manifests: FOLDER"]],
    [["config", "get"], ["KEY: profile, baseUrl"]],
  ])("%j", async (argv, values) => {
    const cli = await openDemo();
    const { stderr } = await cli.run(...argv);
    for (const value of values) expect(stderr).toContain(value);
  });

  it("are the first forms if there are many", async () => {
    const cli = await openDemo();
    cli.env["FORMCTL_OBJECT"] = OBJECT;
    await cli.behind(async (service) => {
      const address = { moduleKey: "staffing", objectKey: "candidate" };
      for (let index = 0; index < 12; index += 1)
        await service.createForm({ ...address, body: { name: `Form ${index}`, types: ["VIEW"] } });
    });
    const { stderr } = await cli.run("forms", "get");
    const [, listed = ""] = /^hint: FORM: (.*)$/m.exec(stderr) ?? [];
    expect(listed.split(", ")).toHaveLength(11);
    expect(listed).toMatch(/, and more$/);
  });

  it("are those of the object in the settings", async () => {
    const cli = await openDemo();
    cli.env["FORMCTL_OBJECT"] = "compliance/document_check";
    expect((await cli.run("forms", "get")).stderr).toContain("FORM: compliance/document_check/Document review\n");
  });
});

describe("on a server", () => {
  it("the objects are those of the layouts, and another one can be typed", async () => {
    const { cli } = await openRemoteScene();
    const form = ["--name", "Candidate profile", "--types", "VIEW"];
    expect((await cli.run("forms", "create", OBJECT, ...form)).code).toBe(0);
    const chosen = await cli.answering([OBJECT, PROFILE], "forms", "get", "-o", "json");
    expect(chosen.asked).toEqual(["Object:", "Form:"]);
    expect(chosen.json()).toMatchObject({ name: "Candidate profile" });
    const typed = await cli.answering(["staffing/placement", "Missing"], "forms", "get");
    expect(typed.asked).toEqual(["Object:", "Form of staffing/placement (name or id):"]);
    expect(typed).toMatchObject({ code: 5 });
    expect(typed.stderr).toContain("Same as: formctl forms get staffing/placement/Missing\n");
  });

  it("the id of a role is typed, because a server does not list roles", async () => {
    const { cli } = await openRemoteScene();
    const form = ["--name", "Candidate profile", "--types", "VIEW"];
    expect((await cli.run("forms", "create", OBJECT, ...form)).code).toBe(0);
    const outcome = await cli.answering(["--role", "rol_1"], "forms", "access", "revoke", PROFILE, "--dry-run");
    expect(outcome.asked).toEqual(["Specify:", "--role (Role by id; in a local store also by key or name):"]);
    expect(outcome.code).toBe(0);
  });

  it("an object is typed if the server lists no layouts", async () => {
    const { cli } = await openRemoteScene();
    await insertProxy(cli, SHAPES.documented());
    const form = ["--name", "Candidate profile", "--types", "VIEW"];
    expect((await cli.run("forms", "create", OBJECT, ...form)).code).toBe(0);
    const outcome = await cli.answering([OBJECT, PROFILE], "forms", "get");
    expect(outcome.asked).toEqual(["Object (MODULE/OBJECT):", "Form:"]);
    expect(outcome.code).toBe(0);
    const page = await cli.run("layouts", "get", "CONTRACTOR/Contractor card");
    expect([page.code, page.stderr]).toEqual([5, expect.stringContaining("this server does not list layouts")]);
  });

  it("no request is sent for an error without a terminal", async () => {
    const { cli } = await openRemoteScene();
    const { received } = await insertProxy(cli, SHAPES.documented());
    for (const path of ["forms get", "layouts get", "currencies get", "forms list", "forms access grant a/b/c"])
      expect((await cli.run(...path.split(" "))).code).toBe(64);
    expect(received).toEqual([]);
    await cli.run("currencies", "list");
    expect(received).toMatchObject([{ method: "GET", path: "/v1/currencies" }]);
  });
});
