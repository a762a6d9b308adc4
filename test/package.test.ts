/**
 * The package as a user installs it: packed, unpacked elsewhere, imported, with types. `package.full.test.ts` tests the
 * rest.
 */

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "./e2e/program.ts";
import { type Consumer, installPackage, noticedPackages, run } from "./packed-package.ts";
import { temporaryFolders } from "./temporary.ts";
import { importsOf } from "./imports.ts";
import { noticeOf } from "../build/third-party-notices.ts";
import manifest from "../package.json" with { type: "json" };

const newFolder = temporaryFolders("on disk");
let consumer: Consumer;

beforeAll(() => {
  consumer = installPackage(newFolder());
});

const CONSUMER = `
import { createClient, FormctlError, type LocalService, openLocal } from "formctl";
import { fault, runTransform, startServer, testOrganization } from "formctl/testing";

const local: LocalService = await openLocal("store.db", { create: true });
await local.close();
console.log(typeof createClient);

{
  await using test = await testOrganization();
  await using server = await startServer({ local: test.local, faults: [fault("listLayouts", { status: 403 })] });
  const client = createClient(server);
  console.log(await client.listLayouts({}).catch(({ status }) => status));
  await client.close();
}
// The errors of both entries have the same classes.
const unfinished = { layout: () => undefined as never };
try {
  runTransform(unfinished, { schemaVersion: 1, regions: [], blocks: [] });
} catch (error) {
  console.log(error instanceof FormctlError && error.code);
}

// @ts-expect-error the path is required
void (() => openLocal());
`;

it("is imported from another folder, with types", () => {
  const { folder, typeCheck } = consumer;
  writeFileSync(join(folder, "consumer.ts"), CONSUMER);
  typeCheck(["consumer.ts"], { skipLibCheck: true });
  expect(run(process.execPath, ["consumer.ts"], folder)).toBe("function\n403\nMIGRATION_INVALID\n");
});

it("has no effect when it is imported: it changes no global and keeps nothing open", () => {
  const script = `
    const names = () => Reflect.ownKeys(globalThis).map(String);
    const before = { names: new Set(names()), env: { ...process.env }, listeners: process.eventNames() };
    await import("formctl");
    const added = names().filter((name) => !before.names.has(name));
    const open = process.getActiveResourcesInfo().filter((name) => name !== "PipeWrap" && name !== "TTYWrap");
    const isSame = JSON.stringify(before.env) === JSON.stringify(process.env);
    const listeners = process.eventNames().filter((name) => !before.listeners.includes(name));
    console.log(JSON.stringify({ added, open, isSame, listeners }));`;
  const said = run(process.execPath, ["--input-type=module", "-e", script], consumer.folder);
  expect(JSON.parse(said)).toEqual({ added: [], open: [], isSame: true, listeners: [] });
  expect(manifest.sideEffects).toBe(false);
});

it("has its commands, its types and no sources", () => {
  const { folder, installed } = consumer;
  expect(readdirSync(installed).sort()).toEqual([
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "bin",
    "dist",
    "docs",
    "examples",
    "man",
    "package.json",
  ]);
  expect(run(process.execPath, [join(installed, "bin/formctl.js"), "--version"], folder)).toMatch(/^\d+\.\d+\.\d+\n$/);
});

function filesBelow(folder: string, pattern: RegExp): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => pattern.test(file));
  return files.map((file) => join(folder, file));
}

/** Returns the packages that files import, without those of Node. */
function packagesOf(files: readonly string[]): string[] {
  expect(files.length).toBeGreaterThan(30);
  const imports = files.flatMap((file) => importsOf(file));
  const packages = imports.filter((name) => !/^(\.|node:)/.test(name) && !isBuiltin(name));
  return [...new Set(packages.map((name) => /^(@[^/]+\/)?[^/]+/.exec(name)![0]))].toSorted();
}

it("is installed with the packages that its code imports, and with no others", () => {
  const dist = join(consumer.installed, "dist");
  const ofCode = packagesOf(filesBelow(dist, /\.c?js$/));
  // test/library-api.test.ts shows that the types import none.
  expect(ofCode).toEqual(["@napi-rs/keyring", "pg"]);
  const installed = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
  expect(installed.toSorted()).toEqual(ofCode);
});

describe("the third-party notices", () => {
  const notices = () => readFileSync(join(consumer.installed, "dist/THIRD-PARTY-NOTICES.txt"), "utf8");
  const licence = (name: string) => readFileSync(join(ROOT, "node_modules", name, "LICENSE"), "utf8").trim();

  it("hold the licence of each package that the sources import and npm does not install", () => {
    // `@inquirer/prompts` only re-exports other packages. These packages have their own notices.
    const installed = ["pg", "@napi-rs/keyring", "@inquirer/prompts"];
    const bundled = packagesOf(filesBelow(join(ROOT, "src"), /\.ts$/)).filter((name) => !installed.includes(name));
    expect(bundled.length).toBeGreaterThan(15);
    const versions: Record<string, string> = { ...manifest.dependencies, ...manifest.devDependencies };
    const found = noticedPackages(notices());
    expect(bundled.filter((name) => !found.includes(`${name} ${versions[name]}`))).toEqual([]);
  });

  it("hold the whole text of a licence, also of a dependency of a dependency", () => {
    for (const name of ["undici", "hono", "@inquirer/core", "mute-stream"])
      expect(notices().includes(licence(name))).toBe(true);
  });

  it("hold nothing of a package that is not in the bundle", () => {
    expect(notices()).not.toMatch(/^(vitest|typescript|msw|pg|@napi-rs\/keyring) /m);
  });

  it("can't be written for a package without a licence", () => {
    const folder = newFolder();
    writeFileSync(join(folder, "package.json"), '{ "name": "unlicensed", "version": "1.0.0" }');
    expect(() => noticeOf(folder)).toThrow("unlicensed 1.0.0 (undefined) has no licence file");
  });
});
