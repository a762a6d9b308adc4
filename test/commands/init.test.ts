/** Tests `formctl init`: the demo store, or a server with its profile, token and project file. */

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { PERMISSIONS } from "../../src/schemas/words.ts";
import { newCanary } from "../canary.ts";
import { startServer } from "../client/table-server.ts";
import { contractOrganizations } from "../contract/organizations.ts";
import { type Cli, openCli } from "./cli.ts";
import { wordsOf } from "./demo-cli.ts";
import { openRemoteScene } from "./remote-scene.ts";

const nextOf = (stderr: string) => stderr.split("\n").flatMap((line) => /^Next: (.*)/.exec(line)?.[1] ?? []);

const at = (cli: Cli, name: string) => join(cli.home, name);

/** Returns the names of existing files that the command could have written. */
function saved(cli: Cli): string[] {
  const inHome = readdirSync(cli.home).filter((name) => name.endsWith(".yaml"));
  return [...inHome, ...readdirSync(cli.cwd).filter((name) => name.startsWith("formctl"))].toSorted();
}

/** Opens a program without a store. */
async function openEmpty(): Promise<Cli> {
  const cli = await openCli(null);
  delete cli.env["FORMCTL_ORGANIZATION"];
  return cli;
}

describe("init --demo", () => {
  it("creates the store with the example organization, and prints three commands that work", async () => {
    const cli = await openEmpty();
    const { code, stdout, stderr } = await cli.run("init", "--demo");
    expect(code).toBe(0);
    expect(stdout).toBe(
      `Created the local store: ${at(cli, "local.db")}\nAdded the organization northwind: 5 forms, 5 layouts.\n`,
    );
    const next = nextOf(stderr);
    expect(next).toHaveLength(3);
    for (const line of next) expect(await cli.run(...wordsOf(line))).toMatchObject({ code: 0 });
  });

  it("changes nothing the second time", async () => {
    const cli = await openEmpty();
    await cli.run("init", "--demo");
    const { code, json, stderr } = await cli.run("init", "--demo", "--json");
    expect(code).toBe(0);
    expect(json()).toEqual({
      kind: "demo",
      store: at(cli, "local.db"),
      created: false,
      demo: { organization: null, forms: 0, layouts: 0 },
    });
    expect(stderr).toBe("");
    expect((await cli.run("local", "show", "-o", "json", "--query", "length(organizations)")).stdout).toBe("1\n");
  });

  it("writes the example files into the folder of --into, and changes no existing file", async () => {
    const cli = await openEmpty();
    const { code, stdout } = await cli.run("init", "--demo", "--into", "examples");
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("\nWrote the example files into examples.\n"),
    });
    const namesIn = (folder: string) => readdirSync(join(cli.cwd, "examples", folder)).toSorted();
    expect(namesIn(".")).toEqual(["ci", "contract", "failures", "library", "migrations", "northwind"]);
    expect(namesIn("northwind")).toContain("organization.yaml");
    expect(namesIn("northwind").filter((name) => name.endsWith(".ts"))).toEqual([]);
    expect(await cli.run("validate", "examples/northwind/manifests")).toMatchObject({ code: 0 });

    const kept = join(cli.cwd, "examples", "northwind", "organization.yaml");
    writeFileSync(kept, "changed");
    rmSync(join(cli.cwd, "examples", "northwind", "contoso.yaml"));
    const { json } = await cli.run("local", "init", "--demo", "--into", "examples", "--json");
    expect(json()).toMatchObject({ examples: { folder: "examples", written: 1, existing: expect.any(Number) } });
    expect(readFileSync(kept, "utf8")).toBe("changed");
    expect(namesIn("northwind")).toContain("contoso.yaml");
  });

  it.each([
    [["init"], "--into requires --demo"],
    [["local", "init"], "--into requires --demo"],
    [["init", "--base-url", "https://forms.example.com"], "--into and --base-url can't be combined"],
  ])("refuses --into without the demo: %j", async (words, message) => {
    const cli = await openEmpty();
    const { code, stderr } = await cli.run(...words, "--into", "examples");
    expect({ code, stderr }).toMatchObject({ code: 64, stderr: expect.stringContaining(`error: ${message}\n`) });
    expect([...readdirSync(cli.cwd), ...saved(cli)]).toEqual([]);
  });

  it("creates no store if the folder of --into can't be written", async () => {
    const cli = await openEmpty();
    writeFileSync(join(cli.cwd, "examples"), "a file");
    const { stderr } = await cli.run("init", "--demo", "--into", "examples");
    expect(stderr).toContain("error: can't write ");
    expect(existsSync(at(cli, "local.db"))).toBe(false);
  });

  it("uses the store of --store, and prints commands for it", async () => {
    const cli = await openEmpty();
    const { code, stderr } = await cli.run("init", "--demo", "--store", "try out.db");
    expect(code).toBe(0);
    expect(existsSync(join(cli.cwd, "try out.db"))).toBe(true);
    expect(existsSync(at(cli, "local.db"))).toBe(false);
    for (const line of nextOf(stderr)) expect(await cli.run(...wordsOf(line))).toMatchObject({ code: 0 });
  });

  it("prints commands for the local store while a profile names a server", async () => {
    const cli = await openEmpty();
    await cli.run("profiles", "add", "prod", "--base-url", "https://forms.example.com");
    await cli.run("profiles", "use", "prod");
    const { stderr } = await cli.run("init", "--demo");
    expect(nextOf(stderr).filter((line) => line.endsWith(" --local"))).toHaveLength(3);
    for (const line of nextOf(stderr)) expect(await cli.run(...wordsOf(line))).toMatchObject({ code: 0 });
  });

  it("adds the demo to a store with other organizations only after confirmation", async () => {
    const cli = await openCli({
      ...contractOrganizations,
      organizations: contractOrganizations.organizations.filter(({ key }) => key !== "northwind"),
    });
    delete cli.env["FORMCTL_ORGANIZATION"];
    const refused = await cli.run("init", "--demo", "--json");
    expect(refused.code).toBe(8);
    expect(refused.error().hint).toBe("To confirm, add --yes.");
    const organizations = async () =>
      (await cli.run("local", "show", "-o", "json", "--query", "organizations[].key")).json() as string[];
    expect(await organizations()).not.toContain("northwind");
    const { code, stderr } = await cli.run("init", "--demo", "--yes");
    expect(code).toBe(0);
    expect(await organizations()).toContain("northwind");
    for (const line of nextOf(stderr)) {
      expect(line).toContain(" --organization northwind");
      expect(await cli.run(...wordsOf(line))).toMatchObject({ code: 0 });
    }
  });

  it("refuses the URL of an unsupported database", async () => {
    const cli = await openEmpty();
    const { code, error } = await cli.run("init", "--demo", "--store", "mysql://db.example/forms", "--json");
    expect(code).toBe(64);
    expect(error().message).toContain("a store is a SQLite file or a PostgreSQL database");
  });
});

/** Opens a server, and a program without settings. A file contains the token of the server. */
async function openServerScene() {
  const scene = await openRemoteScene();
  const { cli, url, token } = scene;
  delete cli.env["FORMCTL_BASE_URL"];
  delete cli.env["FORMCTL_TOKEN"];
  cli.clock.now = new Date();
  cli.file("token.txt", `${token}\n`);
  const words = ["init", "--base-url", url, "--profile", "prod", "--token-file", "token.txt"];
  return { ...scene, words };
}

describe("init with a server, without a terminal", () => {
  it("saves the profile as the default, and the token, and prints commands that work", async () => {
    const { cli, url, token, words } = await openServerScene();
    const { code, stdout, stderr } = await cli.run(...words);
    expect(code).toBe(0);
    expect(stdout).toBe(
      `Saved the profile prod for ${url}.\nCommands use the profile prod by default.\n` +
        `The token is stored in ${at(cli, "credentials.yaml")}, which only you can read.\n`,
    );
    expect(saved(cli)).toEqual(["config.yaml", "credentials.yaml"]);
    expect((await cli.run("auth", "status")).stdout).toContain(`…${token.slice(-4)} (from file)`);
    expect((await cli.run("doctor")).code).toBe(0);
    const next = nextOf(stderr).map((line) => line.replace("MODULE/OBJECT", "staffing/candidate"));
    expect(next).toHaveLength(3);
    for (const line of next) expect(await cli.run(...wordsOf(line))).toMatchObject({ code: 0 });
  });

  it("prints the checks and what was saved as a document, without the token", async () => {
    const { cli, url, token, words } = await openServerScene();
    const { json, stdout } = await cli.run(...words, "--json");
    expect(json()).toMatchObject({
      kind: "server",
      profile: "prod",
      baseUrl: url,
      isDefault: true,
      token: { storedIn: "file", last4: token.slice(-4) },
      project: null,
    });
    const { checks } = json() as { checks: { check: string; state: string }[] };
    expect(checks.map(({ check }) => check)).toContain("reachability");
    expect(stdout).not.toContain(token);
    expect(json()).not.toHaveProperty("next");
  });

  it("changes nothing the second time", async () => {
    const { cli, words } = await openServerScene();
    await cli.run(...words, "--project");
    const content = () =>
      saved(cli).map((name) => readFileSync(existsSync(at(cli, name)) ? at(cli, name) : join(cli.cwd, name), "utf8"));
    const before = content();
    expect(before).toHaveLength(3);
    const { code, stderr } = await cli.run(...words, "--project");
    expect(code).toBe(0);
    expect(stderr).toContain("formctl.yaml exists and is not changed.\n");
    expect(content()).toEqual(before);
  });

  it("keeps the default profile, and prints commands with the new one", async () => {
    const { cli, words } = await openServerScene();
    await cli.run("profiles", "add", "own", "--store", at(cli, "local.db"));
    await cli.run("profiles", "use", "own");
    const { code, stdout, stderr } = await cli.run(...words);
    expect(code).toBe(0);
    expect(stdout).not.toContain("by default");
    expect((await cli.run("config", "get", "profile")).stdout).toBe("own\n");
    expect(nextOf(stderr).filter((line) => line.endsWith(" --profile prod"))).toHaveLength(3);
  });

  it("writes the project file with its options, and no other file of the project", async () => {
    const { cli, words } = await openServerScene();
    const options = ["--object", "staffing/candidate", "--manifests", "layouts/live"];
    const { code, stdout, stderr } = await cli.run(...words, "--project", ...options);
    expect(code).toBe(0);
    const path = join(cli.cwd, "formctl.yaml");
    expect(stdout).toContain(`Wrote ${path}.\n`);
    expect(readFileSync(path, "utf8")).toBe("profile: prod\nobject: staffing/candidate\nmanifests: layouts/live\n");
    expect(readdirSync(cli.cwd).toSorted()).toEqual(["formctl.yaml", "token.txt"]);
    for (const line of nextOf(stderr)) expect(await cli.run(...wordsOf(line))).toMatchObject({ code: 0 });
    expect((await cli.run("forms", "list", "--json")).code).toBe(0);
  });

  it.each(["formctl.yaml", "formctl.yml", "formctl.json"])("does not change an existing %s", async (name) => {
    const { cli, words } = await openServerScene();
    cli.file(name, '{"object": "staffing/candidate"}');
    const { code, stderr, stdout } = await cli.run(...words, "--project");
    expect(code).toBe(0);
    expect(stderr).toContain(
      `${name} exists and is not changed. To use the profile in this folder, set there: profile: prod\n`,
    );
    expect(stdout).not.toContain("Wrote");
    expect(readdirSync(cli.cwd).filter((each) => each.startsWith("formctl"))).toEqual([name]);
    expect(readFileSync(join(cli.cwd, name), "utf8")).toBe('{"object": "staffing/candidate"}');
  });

  it("writes a project file below another one", async () => {
    const { cli, words } = await openServerScene();
    cli.file(".git/HEAD", "");
    cli.file("formctl.yaml", "profile: other\n");
    cli.file("part/token.txt", readFileSync(join(cli.cwd, "token.txt"), "utf8"));
    cli.cwd = join(cli.cwd, "part");
    expect(await cli.run(...words, "--project")).toMatchObject({ code: 0 });
    expect((await cli.run("config", "get", "profile")).stdout).toBe("prod\n");
  });

  it.each<[options: string[], message: string]>([
    [[], "missing option --demo or --base-url"],
    [["--base-url", "https://forms.example.com"], "missing options: --profile, --token-file"],
    [["--base-url", "https://forms.example.com", "--profile", "prod"], "missing option --token-file"],
    [["--profile", "prod", "--token-file", "token.txt"], "missing option --base-url"],
    [["--project"], "missing options: --base-url, --profile, --token-file"],
    [["--demo", "--base-url", "https://forms.example.com"], "--demo and --base-url can't be combined"],
    [["--demo", "--profile", "prod"], "--demo and --profile can't be combined"],
    [["--demo", "--project"], "--demo and --project can't be combined"],
    [["--store", "a.db", "--base-url", "https://forms.example.com"], "--store and --base-url can't be combined"],
    [["--object", "candidate"], "must be MODULE/OBJECT"],
  ])("refuses %j with exit code 64, and writes nothing", async (options, message) => {
    const { cli } = await openServerScene();
    const { code, error } = await cli.run("init", ...options, "--json");
    expect(code).toBe(64);
    expect(error().message).toContain(message);
    expect(saved(cli)).toEqual([]);
  });

  it.each<[what: string, options: string[], code: number]>([
    ["a base URL without https", ["--base-url", "http://forms.example.com"], 64],
    ["an invalid name of the profile", ["--profile", "a b"], 64],
    ["a folder of manifests outside the project", ["--manifests", "../forms"], 64],
    ["a missing token file", ["--token-file", "none.txt"], 3],
    ["a malformed token", ["--token-file", "malformed.txt"], 4],
    ["a server that does not answer", ["--base-url", "http://127.0.0.1:1"], 7],
  ])("refuses %s, and writes nothing", async (_what, options, code) => {
    const { cli, words } = await openServerScene();
    cli.file("malformed.txt", "two words");
    const argv = words.map((word, index) => (words[index - 1] === options[0] ? options[1]! : word));
    const all = argv.includes(options[0]!) ? argv : [...argv, ...options];
    expect((await cli.run(...all, "--json")).error().exitCode).toBe(code);
    expect(saved(cli)).toEqual([]);
  });

  it("names the failed check and its next step", async () => {
    const { cli, words, token } = await openServerScene();
    cli.file("token.txt", newCanary());
    const { code, error } = await cli.run(...words, "--json");
    expect(code).toBe(4);
    expect(error().message).toMatch(/^the check of the token failed: refused: /);
    expect(error().hint).toMatch(/^Nothing was saved\. /);
    cli.file("token.txt", token);
    const other = await cli.run("init", "--base-url", `${words[2]}/v2`, ...words.slice(3), "--json");
    expect(other.error()).toMatchObject({ code: "NOT_FOUND", exitCode: 5 });
    expect(saved(cli)).toEqual([]);
  });

  it("warns about a missing permission, and saves the profile", async () => {
    const { cli, words, newToken } = await openServerScene();
    cli.file("token.txt", await newToken(PERMISSIONS.filter((each) => each !== "api.view_layouts.read")));
    const { code, stderr } = await cli.run(...words);
    expect(code).toBe(0);
    expect(stderr).toContain("warning: api.view_layouts.read: missing.");
    expect(saved(cli)).toEqual(["config.yaml", "credentials.yaml"]);
  });

  it("replaces a profile with another target, and another token, only with --yes", async () => {
    const { cli, url, words, newToken } = await openServerScene();
    await cli.run("profiles", "add", "prod", "--base-url", "https://forms.example.com");
    const moved = await cli.run(...words, "--json");
    expect(moved.error()).toMatchObject({ exitCode: 8, message: expect.stringContaining("already exists") as unknown });
    expect((await cli.run("profiles", "list")).stdout).toContain("https://forms.example.com");
    expect((await cli.run(...words, "--yes")).code).toBe(0);
    expect((await cli.run("profiles", "list")).stdout).toContain(url);
    cli.file("token.txt", await newToken(PERMISSIONS));
    const before = readFileSync(at(cli, "credentials.yaml"), "utf8");
    const other = await cli.run(...words, "--json");
    expect(other.error()).toMatchObject({ exitCode: 8, message: expect.stringContaining("stored token") as unknown });
    expect(readFileSync(at(cli, "credentials.yaml"), "utf8")).toBe(before);
    expect((await cli.run(...words, "--yes")).code).toBe(0);
    expect(readFileSync(at(cli, "credentials.yaml"), "utf8")).not.toBe(before);
  });

  it("saves nothing after a signal during the checks", async () => {
    const { cli, words, token } = await openServerScene();
    const server = await startServer(({ headers }) => {
      cli.ending.abort(new Error("ended"));
      expect(headers["authorization"]).toBe(`Bearer ${token}`);
      return { status: 200, body: { data: [] } };
    });
    onTestFinished(() => server.close());
    const argv = words.map((word, index) => (words[index - 1] === "--base-url" ? server.url : word));
    expect((await cli.run(...argv)).code).not.toBe(0);
    expect(saved(cli)).toEqual([]);
  });

  it("warns that FORMCTL_TOKEN is used instead of the stored token", async () => {
    const { cli, words, token } = await openServerScene();
    cli.env["FORMCTL_TOKEN"] = token;
    expect((await cli.run(...words)).stderr).toContain("FORMCTL_TOKEN is set and is used instead of this token.");
  });
});

describe("init with a server, at prompts", () => {
  it("asks for everything, and prints the command line that needs no questions", async () => {
    const { cli, url, token } = await openServerScene();
    const answers = ["server", url, "prod", token, true, "staffing/candidate", ""];
    const { code, asked, stderr } = await cli.answering(answers, "init");
    expect(code).toBe(0);
    expect(asked).toEqual([
      "How do you want to start?",
      "Base URL of the server, without /v1:",
      "Name of the profile:",
      `Token for ${url}:`,
      "Write the project file formctl.yaml into this folder?",
      "Default object (MODULE/OBJECT, empty for none):",
      "Folder of the manifests:",
    ]);
    expect(stderr).toContain("ok    reachability: ");
    expect(stderr).toContain(
      `Same as: formctl init --base-url ${url} --profile prod --token-file FILE --project --object staffing/candidate\n`,
    );
    expect(saved(cli)).toEqual(["config.yaml", "credentials.yaml", "formctl.yaml"]);
    expect(readFileSync(join(cli.cwd, "formctl.yaml"), "utf8")).toBe(
      "profile: prod\nobject: staffing/candidate\nmanifests: forms\n",
    );
    expect(stderr).not.toContain(token);
  });

  it("creates the demo", async () => {
    const cli = await openEmpty();
    const { code, stderr } = await cli.answering(["demo"], "init");
    expect(code).toBe(0);
    expect(stderr).toContain("Same as: formctl init --demo\n");
    expect(existsSync(at(cli, "local.db"))).toBe(true);
  });

  it("asks only for what the options leave open", async () => {
    const { cli, words, token } = await openServerScene();
    const all = await cli.answering([], ...words);
    expect(all).toMatchObject({ code: 0, asked: [] });
    await cli.run("auth", "logout");
    const { code, asked } = await cli.answering([token, false], ...words.slice(0, 5));
    expect(code).toBe(0);
    expect(asked.map((question) => question.split(" ")[0])).toEqual(["Token", "Write"]);
  });

  it("asks again for a token or a base URL that does not work", async () => {
    const { cli, url, token } = await openServerScene();
    const answers = ["server", "http://127.0.0.1:1", "prod", token, "server", url, newCanary(), "token", token, false];
    const { code, stderr } = await cli.answering(answers, "init");
    expect(code).toBe(0);
    expect(stderr).toContain("fail  reachability: ");
    expect(stderr).toContain("fail  token: refused: ");
    expect((await cli.run("auth", "status")).stdout).toContain(`…${token.slice(-4)}`);
    expect((await cli.run("profiles", "list")).stdout).toContain(url);
  });

  it("saves nothing if the user stops after a failed check", async () => {
    const { cli, url } = await openServerScene();
    const { code } = await cli.answering(["server", url, "prod", newCanary(), "stop"], "init");
    expect(code).toBe(4);
    expect(saved(cli)).toEqual([]);
  });

  it("keeps a stored token unless the user replaces it", async () => {
    const { cli, words, token, newToken } = await openServerScene();
    await cli.run(...words);
    const kept = await cli.answering([false, false], ...words.slice(0, 5));
    expect(kept.asked[0]).toMatch(/^Replace the stored token for /);
    expect((await cli.run("auth", "status")).stdout).toContain(`…${token.slice(-4)}`);
    const other = await newToken(PERMISSIONS);
    expect((await cli.answering([true, other, false], ...words.slice(0, 5))).code).toBe(0);
    expect((await cli.run("auth", "status")).stdout).toContain(`…${other.slice(-4)}`);
  });

  it("replaces the target of a profile only after confirmation", async () => {
    const { cli, url } = await openServerScene();
    await cli.run("profiles", "add", "prod", "--base-url", "https://forms.example.com");
    const { code, asked } = await cli.answering(["server", url, "prod", false], "init");
    expect(code).toBe(8);
    expect(asked.at(-1)).toBe(`Change the target of the profile prod from https://forms.example.com to ${url}?`);
    expect((await cli.run("profiles", "list")).stdout).toContain("https://forms.example.com");
  });
});
