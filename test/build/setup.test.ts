/** What the scripts of a checkout print before the first `npm ci`, and after an installation that lacks something. */

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { buildProgram } from "../built-program.ts";
import { temporaryFolders } from "../temporary.ts";
import lock from "../../package-lock.json" with { type: "json" };
import manifest from "../../package.json" with { type: "json" };

const ROOT = join(import.meta.dirname, "..", "..");
const newFolder = temporaryFolders();

/** A checkout with some installed packages, without their files. */
function checkout({ packages, engine }: { packages?: string[]; engine?: string } = {}): string {
  const folder = newFolder();
  for (const name of ["bin", "build/setup.cjs"]) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  const node = engine ?? manifest.engines.node;
  writeFileSync(join(folder, "package.json"), JSON.stringify({ ...manifest, engines: { node } }));
  for (const name of packages ?? []) mkdirSync(join(folder, "node_modules", name), { recursive: true });
  return folder;
}

function run(folder: string, script: string, ...words: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, script), ...words], {
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

const BUNDLER = ["rolldown", "@rolldown/binding-linux-x64-gnu"];
const CASES: [name: string, installed: Parameters<typeof checkout>[0], cause: RegExp, command: string][] = [
  ["nothing", {}, /the dependencies are not installed/, "npm ci"],
  ["no development dependencies", { packages: ["yaml"] }, /--omit=dev or NODE_ENV=production/, "npm ci --include=dev"],
  [
    "no packages for the platform",
    { packages: ["rolldown", "@rolldown/pluginutils"] },
    /They require Node 20\.19, or 22\.12 or newer/,
    "npm ci --include=optional",
  ],
  [
    "no newer Node",
    { packages: BUNDLER, engine: "^20.99.0 || ^24.99.0 || >=99.1.0" },
    /Node v[\d.]+ can't run the scripts.* --ignore-scripts/,
    "npm ci --ignore-scripts=false",
  ],
];

describe.each(CASES)("with %s installed", (_name, installed, cause, command) => {
  it.each(["build/setup.cjs", "bin/formctl.js"])(
    "%s prints the cause and the command to run, on one line",
    (script) => {
      const { status, stdout, stderr } = run(checkout(installed), script);
      expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
      expect(stderr).toMatch(cause);
      expect(stderr.startsWith("error: ") && stderr.endsWith(` ${command}\n`)).toBe(true);
      expect(stderr.trimEnd()).not.toContain("\n");
    },
  );
});

it("prints nothing if all is installed", () => {
  const complete = { status: 0, stdout: "", stderr: "" };
  expect(run(ROOT, "build/setup.cjs")).toEqual(complete);
  for (const engine of [">=1.0.0", `^${process.versions.node}`, `^99.0.0 || >=${process.versions.node}`])
    expect(run(checkout({ packages: BUNDLER, engine }), "build/setup.cjs")).toEqual(complete);
});

describe("after npm ci", () => {
  it("an installation without development dependencies succeeds without a build", () => {
    expect(run(checkout({ packages: ["yaml"] }), "build/setup.cjs", "--build")).toEqual({
      status: 0,
      stdout: "",
      stderr: "",
    });
  });

  it("an installation that can't build fails with the cause", () => {
    const ended = run(checkout({ packages: ["rolldown", "@rolldown/pluginutils"] }), "build/setup.cjs", "--build");
    expect(ended).toMatchObject({ status: 1, stderr: expect.stringMatching(/^error: the packages .*\n$/) });
  });

  it("the build does nothing if dist/ is current", () => {
    buildProgram();
    const entry = () => {
      const { ino, mtimeMs } = statSync(join(ROOT, "dist", "main.cjs"));
      return { ino, mtimeMs };
    };
    const before = entry();
    expect(run(ROOT, "build/setup.cjs", "--build")).toEqual({ status: 0, stdout: "", stderr: "" });
    expect(entry()).toEqual(before);
  });
});

describe("the documented version of Node", () => {
  it("is the one that the packages for the platforms require", () => {
    const required = Object.entries(lock.packages).flatMap(([path, entry]) =>
      path.startsWith("node_modules/@rolldown/binding-linux-x64") && "engines" in entry ? [entry.engines] : [],
    );
    expect(required.length).toBeGreaterThan(0);
    for (const engines of required) expect(engines).toEqual({ node: "^20.19.0 || >=22.12.0" });
    for (const file of ["README.md", "CONTRIBUTING.md", "build/setup.cjs"])
      expect(readFileSync(join(ROOT, file), "utf8")).toContain("20.19, or 22.12 or newer");
  });

  it("is that of package.json for the package", () => {
    expect(manifest.engines.node).toBe("^24.16.0 || >=26.1.0");
    expect(lock.packages[""].engines).toEqual(manifest.engines);
    for (const file of ["README.md", "bin/formctl.js"])
      expect(readFileSync(join(ROOT, file), "utf8")).toContain("24.16, or 26.1 or newer");
  });
});

it("does not declare a script that npm runs where the package is installed", () => {
  // npm warns of such a script in a global installation, and `npx --no-install formctl` in a checkout would run `prepare`.
  const scripts = ["preinstall", "install", "postinstall", "prepare"];
  expect(Object.keys(manifest.scripts).filter((name) => scripts.includes(name))).toEqual([]);
});
