/**
 * The walk of a new user: installs the packed tarball with npm, outside of the checkout, and runs the documents line by
 * line in an empty folder.
 */

import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packPackage } from "../packed-package.ts";
import { type Registry, startRegistry } from "../package-registry.ts";
import { temporaryFolders } from "../temporary.ts";
import { type Ended, finished, ROOT } from "./program.ts";
import { rerunDocument } from "./rerun-document.ts";
import manifest from "../../package.json" with { type: "json" };

const newFolder = temporaryFolders("on disk");
let tarball: string;
let registry: Registry;
/** The home folder of the user, with the cache of npm. */
let home: string;
let prefix: string;
let installed: Ended;

beforeAll(async () => {
  tarball = packPackage(newFolder());
  registry = await startRegistry(newFolder());
  home = newFolder();
  prefix = join(home, "prefix");
  const folder = join(home, "downloads");
  mkdirSync(folder);
  copyFileSync(tarball, join(folder, `formctl-${manifest.version}.tgz`));
  installed = await npm(folder, "install", "--global", `./formctl-${manifest.version}.tgz`);
});
afterAll(() => registry.close());

/** Runs npm with its default settings, except for the registry and for what it prints about other things. */
function npm(cwd: string, ...words: string[]): Promise<Ended> {
  const line = `env -i PATH="$PATH" HOME="$HOME" npm --registry ${registry.url} --prefix ${words.includes("--global") ? prefix : cwd} \
--foreground-scripts --no-fund --no-audit --no-update-notifier ${words.join(" ")}`;
  return onPath(line, cwd);
}

/** Runs a line in a shell that finds the installed formctl, and the Node of this process. */
function onPath(line: string, cwd: string): Promise<Ended> {
  const env = { PATH: [join(prefix, "bin"), dirname(process.execPath), process.env["PATH"]].join(":") };
  return finished("bash", ["-c", line], { home, cwd, env });
}

it("is installed globally without a script and without a warning, with few packages", () => {
  expect(installed).toMatchObject({ code: 0, stderr: "" });
  const [, added] = /^\s*added (\d+) packages in \S+\s*$/.exec(installed.stdout) ?? [];
  expect({ added: Number(added) < 30, output: installed.stdout }).toMatchObject({ added: true });
});

it("starts the demo in an empty folder", async () => {
  const cwd = newFolder();
  expect((await onPath("command -v formctl", cwd)).stdout.trim()).toBe(join(prefix, "bin", "formctl"));
  const { code, stdout } = await onPath("FORMCTL_HOME=$PWD formctl init --demo", cwd);
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^Created the local store: .*\nAdded the organization northwind: /),
  });
});

describe("the documents show what the installed program prints in an empty folder", () => {
  const names = ["README.md", "docs/command-line.md", "docs/layouts-as-code.md", "docs/migrations.md"];

  it.each([...names, "examples/migrations/README.md"])("%s", async (name) => {
    const text = readFileSync(join(ROOT, name), "utf8");
    expect(await rerunDocument(text, { tier: "full", bin: join(prefix, "bin") })).toBe(text);
  });

  it("would be caught if they did not: the control", async () => {
    const document = "```console\n$ command -v formctl\n$ formctl validate examples/northwind/manifests\nvalid\n```\n";
    const shown = await rerunDocument(document, { tier: "full", bin: join(prefix, "bin") });
    expect(shown).toContain(`$ command -v formctl\n${join(prefix, "bin", "formctl")}\n`);
    expect(shown).toContain("examples/northwind/manifests:1:1  error  PATH_MISSING");
  });
});

it("is pinned by its hash in a repository that contains the tarball, and runs there after npm ci", async () => {
  const cwd = newFolder();
  const name = `formctl-${manifest.version}.tgz`;
  copyFileSync(tarball, join(cwd, name));
  writeFileSync(join(cwd, "package.json"), '{ "private": true }');
  expect(await npm(cwd, "install", "--save-dev", `./${name}`)).toMatchObject({ code: 0, stderr: "" });
  const { packages } = JSON.parse(readFileSync(join(cwd, "package-lock.json"), "utf8")) as {
    packages: Record<string, unknown>;
  };
  expect(packages["node_modules/formctl"]).toMatchObject({
    resolved: `file:${name}`,
    integrity: expect.stringMatching(/^sha512-/),
  });
  expect(await npm(cwd, "ci", "--ignore-scripts")).toMatchObject({ code: 0, stderr: "" });
  const version = await onPath("PATH=${PATH#*:} npx --no-install formctl --version", cwd);
  expect(version).toMatchObject({ code: 0, stdout: `${manifest.version}\n` });
});
