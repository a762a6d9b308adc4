#!/usr/bin/env node
// Runs on any Node that knows ES modules, so that an old one gets a clear answer and not a syntax error.
const NEEDED = [24, 15];
const [major, minor] = process.versions.node.split(".").map(Number);

if (major < NEEDED[0] || (major === NEEDED[0] && minor < NEEDED[1])) {
  await runOnNewerNode();
} else {
  const { enableCompileCache } = process.getBuiltinModule("node:module");
  enableCompileCache();
  const { start } = await import("../dist/main.js");
  await start();
}

/** The package's own Node, where `npm ci` has brought one; else one line that says what is needed. */
async function runOnNewerNode() {
  const { existsSync } = await import("node:fs");
  const { fileURLToPath } = await import("node:url");
  const { spawn } = await import("node:child_process");
  const node = fileURLToPath(new URL("../node_modules/node/bin/node", import.meta.url));
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
