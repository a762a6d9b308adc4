#!/usr/bin/env node
// CommonJS, and words that any Node understands: an old one gets a clear answer and not a syntax error.
"use strict";

const NEEDED = [24, 15];
const [major, minor] = process.versions.node.split(".").map(Number);

if (major < NEEDED[0] || (major === NEEDED[0] && minor < NEEDED[1])) {
  runOnNewerNode();
} else {
  // A formctl that this one starts, such as in an editor, may need the newer Node too.
  delete process.env.FORMCTL_REEXEC;
  require("node:module").enableCompileCache();
  void require("../dist/main.cjs").start();
}

/** The package's own Node, where `npm ci` has brought one; else one line that says what is needed. */
function runOnNewerNode() {
  const { existsSync } = require("fs");
  const { join } = require("path");
  const { spawn } = require("child_process");
  const node = join(__dirname, "..", "node_modules", "node", "bin", "node");
  if (process.env.FORMCTL_REEXEC || !existsSync(node)) {
    process.stderr.write(
      `formctl needs Node ${NEEDED.join(".")} or newer; this is ${process.version}. Run it with: npx -p node@24 -- formctl\n`,
    );
    process.exitCode = 1;
    return;
  }
  const child = spawn(node, process.argv.slice(1), {
    stdio: "inherit",
    env: { ...process.env, FORMCTL_REEXEC: "1" },
  });
  // The child decides what a signal means; this process only waits for it.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? (signal === "SIGINT" ? 130 : signal === "SIGTERM" ? 143 : 1);
  });
}
