/** Standard input that is slow, and a pipe that another process has made non-blocking. */

import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { ending, FORMCTL, start } from "./program.ts";

const ORGANIZATION = ["organizations:\n", "  - { key: acme, name: Acme }\n"];
const SEED = [FORMCTL, "local", "seed", "-"];

/** Node makes its standard input non-blocking while formctl starts. Both processes share this input. */
const SHARING = `
  const { spawn } = require("node:child_process");
  const child = spawn(process.execPath, ${JSON.stringify(SEED)}, { stdio: "inherit" });
  process.stdin.pause();
  child.on("exit", (code) => process.exit(code));`;

it.each([
  ["waited for while it comes slowly", SEED],
  ["waited for where reading it does not block", ["-e", SHARING]],
])("standard input is %s", async (_what, words) => {
  const child = start(process.execPath, words);
  const ended = ending(child);
  for (const line of ORGANIZATION) {
    await setTimeout(400);
    child.stdin.write(line);
  }
  child.stdin.end();
  expect(await ended).toMatchObject({ code: 0, stdout: expect.stringContaining("acme") as string });
});

it("is empty if it is closed immediately", async () => {
  const child = start(process.execPath, SEED);
  child.stdin.end();
  const { code, stderr } = await ending(child);
  expect(code).toBe(3);
  expect(stderr).toContain("FILE_EMPTY");
});
