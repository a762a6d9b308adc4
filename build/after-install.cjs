// Runs after `npm ci`, as the script `dependencies`: builds `dist/`, so that `bin/formctl.js` works. npm prints the output
// of this script only if it fails. An installation without development dependencies is complete, but has no `dist/`.
//
// CommonJS and old syntax, because an old Node runs this file too.
"use strict";

const { spawnSync } = require("child_process");
const { join } = require("path");
const { lacksDevelopment } = require("./setup.cjs");

if (!lacksDevelopment()) {
  const run = (file) => spawnSync(process.execPath, [join(__dirname, file)], { stdio: "inherit" }).status;
  process.exitCode = run("setup.cjs") || run("build.ts");
}
