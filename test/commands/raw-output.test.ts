/** Tests `--query … --raw`, and the refusal of a token in quotes. The quotes come from a JSON document. */

import { describe, expect, it } from "vitest";
import { openCli } from "./cli.ts";
import { aForm, OBJECT } from "./forms-scene.ts";
import { openRemoteScene } from "./remote-scene.ts";

describe("--raw", () => {
  it.each([
    ["[0].name", "One\n"],
    ["length(@)", "2\n"],
    ["[0].isActive", "true\n"],
    ["[0].config", "\n"],
    ["[].name", "One\nTwo\n"],
    ["[?name=='None'].name", ""],
  ])("prints %s without quotes", async (query, stdout) => {
    const cli = await openCli();
    await aForm(cli, "One", ["VIEW"]);
    await aForm(cli, "Two", ["VIEW"]);
    const outcome = await cli.run("forms", "list", OBJECT, "--query", query, "--raw");
    expect(outcome).toMatchObject({ code: 0, stdout, stderr: "" });
    expect(await cli.run("forms", "list", OBJECT, "-o", "json", "--query", query, "--raw")).toMatchObject({ stdout });
  });

  it.each([
    [["--query", "[0]", "--raw"], "can't print an object"],
    [["--query", "@", "--raw"], "can't print a list of objects"],
    [["--raw"], "--raw requires --query"],
    [["--raw", "--query", "[0].name", "-o", "yaml"], "can't be combined"],
    [["--raw", "--query", "[0].name", "-o", "name"], "can't be combined"],
  ])("refuses %j", async (words, message) => {
    const cli = await openCli();
    await aForm(cli, "One", ["VIEW"]);
    const { code, stdout, stderr } = await cli.run("forms", "list", OBJECT, ...words);
    expect({ code, stdout }).toEqual({ code: 64, stdout: "" });
    expect(stderr).toContain(message);
  });

  it("prints the whole document of a write if it can't print the selection", async () => {
    const cli = await openCli();
    const create = ["forms", "create", OBJECT, "--name", "New", "--types", "VIEW"];
    const { code, json, stderr } = await cli.run(...create, "--query", "@", "--raw");
    expect(code).toBe(64);
    expect(json()).toMatchObject({ name: "New" });
    expect(stderr).toContain("stdout has the whole document");
  });
});

describe("a token in quotes", () => {
  it("is refused with the way to print it without them", async () => {
    const { cli, token } = await openRemoteScene();
    for (const quote of ['"', "'"]) {
      cli.env["FORMCTL_TOKEN"] = `${quote}${token}${quote}`;
      const { code, stderr } = await cli.run("forms", "list", OBJECT);
      expect(code).toBe(4);
      expect(stderr).toContain("FORMCTL_TOKEN contains a token in quotes\nhint: Remove the quotes.");
      expect(stderr).toContain("--query token --raw");
    }
    cli.file("token.txt", `"${token}"\n`);
    const { stderr } = await cli.run("forms", "list", OBJECT, "--token-file", "token.txt");
    expect(stderr).toContain("the token file contains a token in quotes");
  });

  it("is not needed: tokens create prints it raw", async () => {
    const cli = await openCli();
    const create = ["local", "tokens", "create", "--name", "ci", "--query", "token", "--raw"];
    const { code, stdout, stderr } = await cli.run(...create);
    // The assertion compares `isRaw` instead of stdout: its failure message would print the token.
    expect({ code, isRaw: /^fctl_[\w-]+\n$/.test(stdout), stderr }).toEqual({ code: 0, isRaw: true, stderr: "" });
    expect((await cli.run("local", "tokens", "create", "--help")).stdout).toContain("--query token --raw");
  });
});
