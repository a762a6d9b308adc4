#!/usr/bin/env node
// CommonJS and old syntax, so that an old Node runs this file and prints a clear message instead of a syntax error.
"use strict";

const { existsSync } = require("fs");
const { join } = require("path");

const ROOT = join(__dirname, "..");
const PROGRAM = join(ROOT, "dist", "main.cjs");
const NEEDED = "24.16, or 26.1 or newer";
const [major, minor] = process.versions.node.split(".").map(Number);
// The other versions lack functions of `node:sqlite`.
const isUnsuitable = major < 24 || (major === 24 && minor < 16) || major === 25 || (major === 26 && minor < 1);
/** A file that a checkout has, and the package does not have. */
const SETUP = join(ROOT, "build", "setup.cjs");

if (!existsSync(PROGRAM) && existsSync(SETUP)) {
  const problem = require(SETUP).problem() || "dist/ is missing. Run: npm run build";
  process.stderr.write(`error: formctl is not built in ${ROOT}: ${problem}\n`);
  process.exitCode = 1;
} else if (isUnsuitable) {
  runOnNewerNode();
} else {
  // A formctl that this process starts, for example from an editor, may have to start the newer Node too.
  delete process.env.FORMCTL_REEXEC;
  void require(PROGRAM).start();
}

/** Runs formctl on the Node that `npm ci` installed. If there is none, prints which Node is required. */
function runOnNewerNode() {
  const { spawn } = require("child_process");
  const node = join(ROOT, "node_modules", "node", "bin", "node");
  if (process.env.FORMCTL_REEXEC || !existsSync(node)) {
    process.stderr.write(
      `formctl needs Node ${NEEDED}; this is ${process.version}. Run it with: npx -p node@24 -- formctl\n`,
    );
    process.exitCode = 1;
    return;
  }
  const child = spawn(node, process.argv.slice(1), {
    stdio: "inherit",
    env: { ...process.env, FORMCTL_REEXEC: "1" },
  });
  // Signals are passed to the child, which handles them. This process ends when the child ends.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? (signal === "SIGINT" ? 130 : signal === "SIGTERM" ? 143 : 1);
  });
}
