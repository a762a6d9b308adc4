// Checks that the project's scripts can run: `node build/setup.cjs` prints what is missing, with the next step. Without
// this check, a script would fail with a stack trace, far from the cause.
//
// CommonJS and old syntax, because an old Node runs this file too.
"use strict";

const { existsSync, readdirSync } = require("fs");
const { join } = require("path");

const MODULES = join(__dirname, "..", "node_modules");

/** The versions of Node on which npm installs all packages. The optional packages of the bundler and linter name them. */
const STARTS_ON = "20.19, or 22.12 or newer";

exports.lacksDevelopment = () => !existsSync(join(MODULES, "rolldown"));

/** Returns why the scripts can't run and the next step, on one line. Returns undefined if they can run. */
exports.problem = () => {
  if (!existsSync(MODULES)) return "the dependencies are not installed. Run: npm ci";
  if (exports.lacksDevelopment())
    return "npm did not install the development dependencies (--omit=dev or NODE_ENV=production). Run: npm ci --include=dev";
  if (!readdirSync(join(MODULES, "@rolldown")).some((name) => name.startsWith("binding-")))
    return `the packages for ${process.platform}-${process.arch} are not installed. They require Node ${STARTS_ON}${npmsNode()}. Run, on such a Node: npm ci --include=optional`;
  if (!require("../package.json").engines.node.split(" || ").some(includesThisNode))
    return `Node ${process.version} can't run the scripts. npm installs a Node that can, but not with --ignore-scripts. Run: npm ci --ignore-scripts=false`;
  return undefined;
};

/** Returns the Node that runs npm. The project's scripts may run on another one. */
function npmsNode() {
  const found = / node\/v(\S+)/.exec(process.env.npm_config_user_agent || "");
  return found ? `; npm runs on Node ${found[1]}` : "";
}

/** @param range such as `^24.16.0` or `>=26.1.0` */
function includesThisNode(range) {
  const [neededMajor, neededMinor] = /\d+\.\d+/.exec(range)[0].split(".").map(Number);
  const [major, minor] = process.versions.node.split(".").map(Number);
  return (major === neededMajor && minor >= neededMinor) || (major > neededMajor && range.startsWith(">="));
}

if (require.main === module) {
  const problem = exports.problem();
  if (problem !== undefined) {
    process.stderr.write(`error: ${problem}\n`);
    process.exitCode = 1;
  }
}
