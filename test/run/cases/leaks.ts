/**
 * Tests that leak a token in every way that the canary must find, and a test with tokens only where they are permitted.
 * Each test passes by itself.
 */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newCanary } from "../../canary.ts";
import { openCli } from "../../commands/cli.ts";
import { openRemoteScene } from "../../commands/remote-scene.ts";
import { demoHome, emptyHome, formctl } from "../../e2e/program.ts";
import { formatToken } from "../../../src/base/secret.ts";

const CREATE = ["forms", "create", "staffing/candidate", "--types", "VIEW", "--name"];

it("a command in this process", async () => {
  const cli = await openCli();
  expect((await cli.run(...CREATE, `inside ${newCanary()}`)).code).toBe(0);
});

it("a command as a process", async () => {
  const { code } = await formctl([...CREATE, `outside ${newCanary().slice(0, 40)}`], { home: await demoHome() });
  expect(code).toBe(0);
});

it("a file", () => {
  // A token of the program itself, without the mark of a canary.
  const log = `\0${formatToken(new Uint8Array(32).fill(1))}\0`;
  writeFileSync(join(emptyHome(), "planted.log"), log);
  expect(log).toContain("fctl_AQEB");
});

it("what is in order", async () => {
  const { cli, token } = await openRemoteScene();
  cli.file("token.txt", token);
  expect((await cli.run("auth", "login", "--token-file", "token.txt")).code).toBe(0);
  expect(
    (await cli.run("local", "tokens", "create", "--local", "--name", "ci", "--organization", "northwind")).stdout,
  ).toContain("fctl_");
});
