/**
 * Tests that a repository can't misuse the search for the project file. Each trap works on cosmiconfig with default
 * options.
 */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { findProjectFile } from "../../src/config/project-file.ts";
import { finished, formctl, ROOT } from "../e2e/program.ts";
import { temporaryFolders } from "../temporary.ts";

const folder = temporaryFolders();

/** Creates a folder with these files. */
function project(files: Readonly<Record<string, string>>): string {
  const root = folder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
}

type Found = { path: string; text: string } | { error: string } | "nothing";

/** Runs a module in a process in `cwd`, because cosmiconfig searches the working directory of the process. */
async function runIn(cwd: string, code: string, env: Record<string, string> = {}): Promise<Found> {
  const {
    code: exitCode,
    stdout,
    stderr,
  } = await finished(process.execPath, ["--input-type=module", "-e", code], { cwd, env });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  return JSON.parse(stdout) as Found;
}

const PROJECT_FILE = JSON.stringify(pathToFileURL(join(ROOT, "src/config/project-file.ts")));
const COSMICONFIG = JSON.stringify(pathToFileURL(join(ROOT, "node_modules/cosmiconfig/dist/index.js")));

const find = (cwd: string, env?: Record<string, string>) =>
  runIn(
    cwd,
    `import { findProjectFile } from ${PROJECT_FILE};
     const found = await findProjectFile(process.cwd());
     const text = found && Buffer.from(found.bytes ?? []).toString();
     console.log(JSON.stringify(found ? { path: found.path, text } : "nothing"));`,
    env,
  );

/** Returns the result of an explorer with the defaults of cosmiconfig. */
const findUnsafely = (cwd: string, options: object = {}, env?: Record<string, string>) =>
  runIn(
    cwd,
    `import { cosmiconfig } from ${COSMICONFIG};
     try {
       const found = await cosmiconfig("formctl", ${JSON.stringify(options)}).search();
       await new Promise((resolve) => setTimeout(resolve, 200));
       console.log(JSON.stringify(found ? { path: found.filepath, text: JSON.stringify(found.config) } : "nothing"));
     } catch (error) {
       console.log(JSON.stringify({ error: String(error) }));
     }`,
    env,
  );

const OWN = { "formctl.yaml": "output: json\n" };
const SEARCH_PLACES = { searchPlaces: ["formctl.yaml"] };

describe("a configuration module", () => {
  it.each(["js", "cjs", "mjs", "ts"])(".config/config.%s is not executed", async (extension) => {
    const write = `writeFileSync("executed", "")`;
    const text =
      extension === "cjs"
        ? `require("node:fs").${write}; module.exports = {};`
        : `import { writeFileSync } from "node:fs"; ${write}; export default {};`;
    const files = { ...OWN, "package.json": '{ "type": "module" }', [`.config/config.${extension}`]: text };
    const cwd = project(files);
    expect(await find(cwd)).toEqual({ path: join(cwd, "formctl.yaml"), text: OWN["formctl.yaml"] });
    const { code } = await formctl(["config", "path"], { cwd });
    expect({ code, executed: existsSync(join(cwd, "executed")) }).toEqual({ code: 0, executed: false });

    const control = project(files);
    await findUnsafely(control, SEARCH_PLACES);
    expect(existsSync(join(control, "executed"))).toBe(true);
  });
});

describe("a configuration of cosmiconfig itself", () => {
  const files = {
    ...OWN,
    "other.yaml": "output: name\n",
    ".config/config.yaml": "cosmiconfig:\n  searchPlaces: [other.yaml]\n  mergeSearchPlaces: false\n",
  };

  it("does not redirect the search", async () => {
    const cwd = project(files);
    expect(await find(cwd)).toMatchObject({ path: join(cwd, "formctl.yaml") });
    const { stdout } = await formctl(["config", "get", "output", "--json"], { cwd });
    expect(stdout).not.toContain("other.yaml");
    expect(await findUnsafely(cwd, SEARCH_PLACES)).toMatchObject({ path: join(cwd, "other.yaml") });
  });

  it("may be in a broken package.json", async () => {
    const broken = project({ ...OWN, "package.json": "{" });
    expect(await find(broken)).toMatchObject({ path: join(broken, "formctl.yaml") });
    expect(await findUnsafely(broken, SEARCH_PLACES)).toMatchObject({
      error: expect.stringContaining("JSON Error") as string,
    });
  });
});

it("the configuration of the user is not taken for the file of the project", async () => {
  const user = project({ "formctl/config.yaml": "output: name\n" });
  const env = { XDG_CONFIG_HOME: user };
  const cwd = project({ "keep.txt": "" });
  expect(await find(cwd, env)).toBe("nothing");
  expect(await findUnsafely(cwd, { ...SEARCH_PLACES, stopDir: cwd }, env)).toMatchObject({
    path: join(user, "formctl/config.yaml"),
  });
});

it("$import reads no other file", async () => {
  const cwd = project({ "formctl.yaml": "$import: secret.yaml\n", "secret.yaml": "output: name\n" });
  expect(await find(cwd)).toMatchObject({ text: "$import: secret.yaml\n" });
  const { code, stderr } = await formctl(["config", "list"], { cwd });
  expect({ code, stderr }).toMatchObject({ code: 3, stderr: expect.stringContaining("$import") as string });
  expect(await findUnsafely(cwd, SEARCH_PLACES)).toMatchObject({ text: '{"output":"name"}' });
});

it("a FIFO is not read", async () => {
  const cwd = project({ "formctl.yml": "output: json\n" });
  execFileSync("sh", ["-c", "mkfifo formctl.yaml"], { cwd });
  expect(await find(cwd)).toMatchObject({ path: join(cwd, "formctl.yml") });
  const unsafe = findUnsafely(cwd, SEARCH_PLACES);
  // The control waits until a process writes to the pipe.
  execFileSync("sh", ["-c", 'printf "a: 1" > formctl.yaml'], { cwd, timeout: 120_000 });
  expect(await unsafe).toMatchObject({ text: '{"a":1}' });
});

describe("the search", () => {
  it("ends at the repository", () => {
    const root = project({ "formctl.yaml": "a: 1\n", "repository/.git/HEAD": "", "repository/deep/x": "" });
    expect(findProjectFile(join(root, "repository", "deep"))).toBeUndefined();
    const found = findProjectFile(root);
    expect(found).toMatchObject({ path: join(root, "formctl.yaml"), twin: undefined });
  });

  it("finds a blank file and a second file next to it", () => {
    const root = project({ "formctl.yaml": " \n", "formctl.json": "{}" });
    const [path, twin] = [join(root, "formctl.yaml"), join(root, "formctl.json")];
    expect(findProjectFile(root)).toEqual({ path, twin, bytes: Buffer.from(" \n") });
  });

  it("returns the bytes of a file that is not UTF-8", () => {
    const root = project({});
    writeFileSync(join(root, "formctl.yaml"), Buffer.from([0xff, 0xfe, 0x61, 0x00]));
    const { bytes } = findProjectFile(root)!;
    expect(bytes).toEqual(readFileSync(join(root, "formctl.yaml")));
  });
});
