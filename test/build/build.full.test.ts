/** Builds of a checkout, while other processes use its program. */

import { spawn } from "node:child_process";
import { appendFileSync, cpSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { beforeAll, expect, it } from "vitest";
import { emptyHome, type Ended, ending, finished, ROOT } from "../e2e/program.ts";
import { temporaryFolders } from "../temporary.ts";

const newFolder = temporaryFolders("on disk");
const FILES = ["bin", "build", "src", "examples", "package.json", "package-lock.json"];
let checkout: string;

beforeAll(() => {
  checkout = newFolder();
  const configs = readdirSync(ROOT).filter((name) => /^(tsconfig.*\.json|\.npmrc)$/.test(name));
  for (const name of [...FILES, ...configs]) cpSync(join(ROOT, name), join(checkout, name), { recursive: true });
});

const node = (...words: string[]) => finished(process.execPath, words, { cwd: checkout });
const build = () => node("build/build.ts");
const built: Partial<Ended> = { code: 0, stdout: "", stderr: "" };

/** Runs `npx formctl --version` with the npm cache of a home folder. */
const npx = (home: string) => finished("npx", ["--offline", "formctl", "--version"], { cwd: checkout, home });

it("npx formctl prints the next step before npm ci, and runs the program afterwards", async () => {
  const home = emptyHome();
  for (let run = 0; run < 2; run++) {
    const { code, stderr } = await npx(home);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /^error: formctl is not built in .*: the dependencies are not installed\. Run: npm ci\n$/,
      ),
    });
  }
  symlinkSync(join(ROOT, "node_modules"), join(checkout, "node_modules"));
  expect(await node("build/setup.cjs", "--build")).toMatchObject(built);
  expect(await npx(home)).toMatchObject({ code: 0, stdout: "0.1.0\n", stderr: "" });
});

/** Changes a source, and thereby the names of chunks that the entry loads. */
const change = (text: string) =>
  appendFileSync(
    join(checkout, "src", "composition", "execute.ts"),
    `process.env["FORMCTL_CHANGE"] = ${JSON.stringify(text)};\n`,
  );
const filesOf = () => readdirSync(join(checkout, "dist"), { recursive: true, encoding: "utf8" }).toSorted();

it("programs and readers find each file while two processes build at once", async () => {
  const before = filesOf();
  change("first");
  const state = { isBuilding: true };
  const builds = Promise.all([build(), build()]).finally(() => (state.isBuilding = false));
  const ends: Ended[] = [];
  while (state.isBuilding) ends.push(await node("bin/formctl.js", "--version"));
  expect(await builds).toMatchObject([built, built]);
  expect(ends.length).toBeGreaterThan(2);
  for (const ended of ends) expect(ended).toMatchObject({ code: 0, stdout: "0.1.0\n", stderr: "" });
  expect(filesOf()).toHaveLength(before.length);
  expect(filesOf()).not.toEqual(before);
});

it("a killed build changes nothing, and the next one is complete", async () => {
  change("second");
  const before = filesOf();
  const killed = spawn(process.execPath, ["build/build.ts"], { cwd: checkout, stdio: "pipe", detached: true });
  const end = ending(killed);
  await setTimeout(500);
  process.kill(-killed.pid!, "SIGKILL");
  expect(await end).toMatchObject({ signal: "SIGKILL" });
  expect(filesOf()).toEqual(before);
  expect(await build()).toMatchObject(built);
  expect(filesOf()).not.toEqual(before);
});

it("a failed build prints the cause and leaves the program in place", async () => {
  const source = join(checkout, "src", "base", "exit-codes.ts");
  const correct = readFileSync(source, "utf8");
  appendFileSync(source, "const {");
  const { code, stderr } = await build();
  expect(code).toBe(1);
  expect(stderr).toMatch(/^error: the build failed:\n/);
  expect(stderr).toContain("src/base/exit-codes.ts");
  expect(await node("bin/formctl.js", "--version")).toMatchObject({ code: 0, stdout: "0.1.0\n" });
  cpSync(join(ROOT, "src", "base", "exit-codes.ts"), source);
  expect(readFileSync(source, "utf8")).toBe(correct);
  expect(await build()).toMatchObject(built);
});

it("builds again after a source is deleted", async () => {
  rmSync(join(checkout, "src", "index.ts"));
  // The program and the library are bundled at once. Whichever fails first names the file.
  const stderr = expect.stringMatching(/^error: the build failed:[^]*\bresolve [^\n]*index\.ts/);
  expect(await build()).toMatchObject({ code: 1, stderr });
});
