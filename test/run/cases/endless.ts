/** A test that starts processes, prints the folders of the run, and never ends. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { demoHome, FORMCTL, start } from "../../e2e/program.ts";
import { temporaryFolder } from "../../temporary.ts";

it("starts processes that don't end with this one", async () => {
  const server = start(process.execPath, [FORMCTL, "serve", "--port", "0"], { home: await demoHome() });
  await once(server.stderr, "data");
  // Only the environment or only the working directory connects these processes with the run.
  for (const options of [{ env: { HOME: process.env["HOME"] } }, { cwd: temporaryFolder().path, env: {} }])
    spawn("/bin/sh", ["-c", "sleep 600 & sleep 600"], { ...options, detached: true, stdio: "ignore" });
  const folders = [process.env["TMPDIR"], process.env["TEST_MEMORY_FOLDER"]];
  process.stdout.write(`folders: ${JSON.stringify(folders)}\n`);
  await setTimeout(600_000);
  expect.unreachable();
});
