// Checks that the project's scripts can run, and prints what is missing with the next step. Without this check, a script
// would fail with a stack trace, far from the cause. With `--build`, as npm runs it after an installation, it then builds
// `dist/`, so that `bin/formctl.js` works. npm prints the output only if it fails.
//
// CommonJS and old syntax, because an old Node runs this file too.
"use strict";

const { spawnSync } = require("child_process");
const { existsSync, readdirSync } = require("fs");
const { join } = require("path");

const MODULES = join(__dirname, "..", "node_modules");
const lacksDevelopment = () => !existsSync(join(MODULES, "rolldown"));

/** Returns why the scripts can't run and the next step, on one line. Returns undefined if they can run. */
exports.problem = () => {
  if (!existsSync(MODULES)) return "the dependencies are not installed. Run: npm ci";
  if (lacksDevelopment())
    return "npm did not install the development dependencies (--omit=dev or NODE_ENV=production). Run: npm ci --include=dev";
  if (!readdirSync(join(MODULES, "@rolldown")).some((name) => name.startsWith("binding-")))
    return `the packages for ${process.platform}-${process.arch} are not installed. They require Node 20.19, or 22.12 or newer. Run, on such a Node: npm ci --include=optional`;
  if (!require("../package.json").engines.node.split(" || ").some(includesThisNode))
    return `Node ${process.version} can't run the scripts. npm installs a Node that can, but not with --ignore-scripts. Run: npm ci --ignore-scripts=false`;
  return undefined;
};

/** @param range such as `^24.16.0` or `>=26.1.0` */
function includesThisNode(range) {
  const [neededMajor, neededMinor] = /\d+\.\d+/.exec(range)[0].split(".").map(Number);
  const [major, minor] = process.versions.node.split(".").map(Number);
  return (major === neededMajor && minor >= neededMinor) || (major > neededMajor && range.startsWith(">="));
}

const isBuild = process.argv[2] === "--build";
// An installation without development dependencies is complete, but has no `dist/`.
if (require.main === module && !(isBuild && lacksDevelopment())) {
  const problem = exports.problem();
  if (problem !== undefined) process.stderr.write(`error: ${problem}\n`);
  const build = join(__dirname, "build.ts");
  process.exitCode = problem ? 1 : isBuild ? spawnSync(process.execPath, [build], { stdio: "inherit" }).status : 0;
}
