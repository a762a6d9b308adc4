/** Tests profiles: their sources, precedence, and invalid values. */

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newCanary } from "../canary.ts";
import { openCli } from "./cli.ts";

it("adds, lists, uses and removes profiles", async () => {
  const cli = await openCli();
  expect((await cli.run("profiles", "list")).stdout).toBe("");
  const added = await cli.run("profiles", "add", "prod", "--base-url", "https://forms.example.com/");
  expect(added).toMatchObject({ code: 0, stdout: "Added the profile prod for https://forms.example.com.\n" });
  expect(added.stderr).toContain("formctl auth login --profile prod");
  const sandbox = await cli.run("profiles", "add", "sandbox", "--store", "sandbox.db", "--organization", "contoso");
  expect(sandbox.stderr).toBe("Next: formctl profiles use sandbox\n");
  await cli.run("profiles", "use", "sandbox");
  expect((await cli.run("profiles", "list", "--json")).json()).toEqual([
    {
      name: "prod",
      kind: "server",
      baseUrl: "https://forms.example.com",
      maxRequestsPerSecond: null,
      store: null,
      organization: null,
      isUsed: false,
    },
    {
      name: "sandbox",
      kind: "local store",
      baseUrl: null,
      maxRequestsPerSecond: null,
      store: join(cli.cwd, "sandbox.db"),
      organization: "contoso",
      isUsed: true,
    },
  ]);
  expect((await cli.run("config", "list", "--json")).json()).toContainEqual({
    key: "profile",
    value: "sandbox",
    source: join(cli.home, "config.yaml"),
  });
  await cli.run("profiles", "remove", "sandbox");
  expect((await cli.run("profiles", "list", "-o", "name")).stdout).toBe("prod\n");
  expect((await cli.run("config", "get", "profile")).stdout).toBe("\n");
});

it("keeps profiles when another setting is changed, and settings when a profile is", async () => {
  const cli = await openCli();
  await cli.run("config", "set", "output", "json");
  await cli.run("profiles", "add", "prod", "--base-url", "https://forms.example.com");
  await cli.run("config", "set", "timeout", "12");
  const { stdout } = await cli.run("profiles", "list", "-o", "name");
  expect(stdout).toBe("prod\n");
  expect((await cli.run("config", "get", "timeout", "-o", "table")).stdout).toBe("12\n");
});

it("asks before it changes the target of a profile", async () => {
  const cli = await openCli();
  await cli.run("profiles", "add", "prod", "--base-url", "https://forms.example.com");
  const again = await cli.run("profiles", "add", "prod", "--base-url", "https://other.example.com", "--json");
  expect(again).toMatchObject({ code: 8 });
  expect(again.error().message).toBe("the profile prod already exists, for https://forms.example.com");
  expect((await cli.run("profiles", "add", "prod", "--base-url", "https://other.example.com", "--yes")).code).toBe(0);
});

it.each([
  "http://forms.example.com",
  "http://127.0.0.1.evil.example",
  "http://localhost.evil.example",
  "https://forms.example.com@evil.example",
  "https://user:pass@forms.example.com",
  "https://forms.example.com?x=1",
  "https://forms.example.com/#/",
  "ftp://forms.example.com",
  "//forms.example.com",
  "forms.example.com",
  "file:///etc/passwd",
])("refuses %o as a base URL", async (url) => {
  const cli = await openCli(null);
  expect((await cli.run("profiles", "add", "x", "--base-url", url)).code).toBe(64);
  cli.env["FORMCTL_BASE_URL"] = url;
  expect((await cli.run("currencies", "list")).code).toBe(64);
});

it.each(["http://localhost:4000", "http://127.0.0.1:4000/api/", "http://[::1]:4000", "https://forms.example.com"])(
  "takes %o for a base URL",
  async (url) => {
    const cli = await openCli(null);
    expect((await cli.run("profiles", "add", "x", "--base-url", url)).code).toBe(0);
  },
);

it.each([
  [{ baseUrl: "https://evil.example" }, "belongs in a profile"],
  [{ profiles: { evil: { baseUrl: "https://evil.example" } } }, "can't be set in a project file"],
  [{ token: "x" }, "unknown setting"],
  [{ proxy: "http://evil.example" }, "unknown setting"],
  [{ ca: "/tmp/ca.pem" }, "unknown setting"],
  [{ store: "/tmp/x.db" }, "can't be set in a project file"],
  [{ timeout: "1" }, "can't be set in a project file"],
])("refuses a target in the project file: %o", async (file, complaint) => {
  const cli = await openCli();
  cli.file("formctl.json", file);
  const { code, stderr } = await cli.run("currencies", "list");
  expect(code).toBe(3);
  expect(stderr).toContain(complaint);
});

it("uses the target of the level with the highest precedence", async () => {
  const cli = await openCli();
  await cli.run("profiles", "add", "one", "--base-url", "https://one.example");
  await cli.run("profiles", "add", "two", "--base-url", "https://two.example");
  await cli.run("profiles", "add", "own", "--store", join(cli.home, "local.db"));
  const origin = async (...flags: string[]) => {
    const { stdout, stderr } = await cli.run("auth", "status", "--json", ...flags);
    return stdout === "" ? stderr : (JSON.parse(stdout) as { origin: string }).origin;
  };
  await cli.run("profiles", "use", "one");
  expect(await origin()).toBe("https://one.example");
  cli.file("formctl.yaml", "profile: two\n");
  expect(await origin()).toBe("https://two.example");
  cli.env["FORMCTL_PROFILE"] = "one";
  expect(await origin()).toBe("https://one.example");
  expect(await origin("--profile", "two")).toBe("https://two.example");
  expect((await cli.run("forms", "list", "staffing/candidate", "--local")).code).toBe(0);
  expect((await cli.run("forms", "list", "staffing/candidate", "--profile", "own")).code).toBe(0);
  delete cli.env["FORMCTL_PROFILE"];
  cli.env["FORMCTL_BASE_URL"] = "https://three.example";
  expect(await origin()).toBe("https://three.example");
  delete cli.env["FORMCTL_BASE_URL"];
  cli.env["FORMCTL_STORE"] = join(cli.home, "local.db");
  expect((await cli.run("forms", "list", "staffing/candidate")).code).toBe(0);
});

it.each([
  [["--profile", "one", "--local"], {}, "--profile and --local can't be combined"],
  [["--profile", "one", "--store", "x.db"], {}, "--profile and --store can't be combined"],
  [["--profile", "on"], {}, 'the profile "on" does not exist'],
  [["--profile", "one", "--organization", "northwind"], {}, "the token determines the organization"],
  [["--profile", "one", "--timeout", "0"], {}, "must be a number of seconds up to 3600"],
  [[], { FORMCTL_PROFILE: "one", FORMCTL_BASE_URL: "https://two.example" }, "can't be combined"],
])("refuses two targets, and missing targets: %o %o", async (flags, env, message) => {
  const cli = await openCli();
  await cli.run("profiles", "add", "one", "--base-url", "https://one.example");
  Object.assign(cli.env, env);
  const outcome = await cli.run("forms", "list", "staffing/candidate", "--json", ...flags);
  expect(outcome.code).toBe(64);
  expect(outcome.error().message).toContain(message);
});

it.each([
  ["of an unsupported database", "mysql://forms@db.example/forms", "a store is a SQLite file or a PostgreSQL database"],
  ["with a password", "postgres://forms:canary@db.example/forms", "the URL of the store contains a password"],
])("refuses the URL %s", async (_title, address, message) => {
  const cli = await openCli();
  const lines = [
    ["forms", "list", "staffing/candidate", "--store", address],
    ["local", "init", "--store", address],
    ["profiles", "add", "db", "--store", address],
    ["config", "set", "store", address],
  ];
  for (const line of lines) {
    const { code, error } = await cli.run(...line, "--json");
    expect([code, error().message]).toEqual([64, expect.stringContaining(message)]);
    expect(error().message).not.toContain("forms@db");
    expect(error().message).not.toContain("canary");
  }
});

it("prints the URL of a store without its password", async () => {
  const cli = await openCli();
  cli.env["FORMCTL_STORE"] = "postgres://forms:canary@127.0.0.1:1/forms?sslmode=disable";
  const { code, stderr } = await cli.run("forms", "list", "staffing/candidate");
  expect(code).toBe(7);
  expect(stderr).toContain("can't connect to postgres://forms@127.0.0.1:1/forms");
  expect(stderr).not.toContain("canary");
  const { stdout } = await cli.run("config", "list", "--json");
  expect(stdout).toContain("postgres://forms@127.0.0.1:1/forms");
  expect(stdout).not.toContain("canary");
});

it("refuses a password in a settings file without printing it", async () => {
  const cli = await openCli();
  for (const text of [
    "store: postgres://forms:canary@db.example/forms\nunknown: 1\n",
    "profiles: { db: { store: 'postgres://forms:canary@db.example/forms' } }\n",
  ]) {
    cli.file(join(cli.home, "config.yaml"), text);
    const { code, stderr } = await cli.run("forms", "list", "staffing/candidate");
    expect([code, stderr]).toEqual([64, expect.stringContaining("the URL of the store contains a password")]);
    expect(stderr).not.toContain("canary");
  }
});

it("lets a wrong profile be mended", async () => {
  const cli = await openCli();
  cli.file(join(cli.home, "config.yaml"), "profile: gone\n");
  expect((await cli.run("currencies", "list")).code).toBe(64);
  expect((await cli.run("config", "list")).code).toBe(0);
  expect((await cli.run("config", "set", "profile", "--unset")).code).toBe(0);
  expect((await cli.run("currencies", "list")).code).toBe(0);
});

it("refuses commands of the local store where the target is a server", async () => {
  const cli = await openCli();
  await cli.run("profiles", "add", "one", "--base-url", "https://one.example");
  await cli.run("profiles", "use", "one");
  for (const line of [
    "local show",
    "local init",
    "serve",
    "layouts resolve --surface DASHBOARD --mode VIEW --member a@b.c",
  ]) {
    const { code, stderr } = await cli.run(...line.split(" "));
    expect({ line, code, stderr }).toEqual({
      line,
      code: 64,
      stderr:
        "error: this command needs the local store, and the target is https://one.example, profile one\n" +
        "hint: To use the local store, add --local. To see the source of the target: formctl config list\n",
    });
  }
  expect((await cli.run("local", "show", "--local")).code).toBe(0);
});

describe("a token without a server", () => {
  const refusal = (source: string) =>
    `error: ${source} is specified, but no server\n` +
    "hint: Set FORMCTL_BASE_URL, or add --profile NAME. To use the local store, add --local.\n";

  it("is refused instead of using the local store", async () => {
    const cli = await openCli();
    cli.env["FORMCTL_TOKEN"] = newCanary();
    expect(await cli.run("currencies", "list")).toMatchObject({ code: 64, stderr: refusal("FORMCTL_TOKEN") });
    expect(await cli.run("currencies", "list", "--token-file", "-")).toMatchObject({
      code: 64,
      stderr: refusal("--token-file"),
    });
  });

  it("is not used where the command line, the environment or a profile specifies a local store", async () => {
    const cli = await openCli();
    cli.env["FORMCTL_TOKEN"] = newCanary();
    expect((await cli.run("currencies", "list", "--local")).code).toBe(0);
    expect((await cli.run("local", "show")).code).toBe(0);
    expect((await cli.run("config", "list")).code).toBe(0);
    await cli.run("profiles", "add", "mine", "--store", join(cli.home, "local.db"));
    expect((await cli.run("currencies", "list", "--profile", "mine")).code).toBe(0);
    cli.env["FORMCTL_STORE"] = join(cli.home, "local.db");
    expect((await cli.run("currencies", "list")).code).toBe(0);
  });
});
