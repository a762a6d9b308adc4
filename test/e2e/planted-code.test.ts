/**
 * The folder of compiled code, and compiled code that another user of the machine plants. Node checks such code by the
 * length and a CRC of the source, which every user can compute.
 */

import {
  chmodSync,
  chownSync,
  cpSync,
  globSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { describe, expect, it } from "vitest";
import { NOBODY } from "../ordinary-user.ts";
import { emptyHome, finished, ROOT } from "./program.ts";

const EVIL = 'process.stdout.write("planted code\\n"); process.exit();';
const isRoot = process.getuid?.() === 0;

/** An installed program. */
function installed(): string {
  const folder = emptyHome();
  for (const name of ["bin", "dist"]) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  return folder;
}

async function run(folder: string, env: Record<string, string>, options: string[] = []) {
  const words = [...options, join(folder, "bin", "formctl.js"), "layouts", "surfaces", "-o", "name"];
  return finished(process.execPath, words, { env });
}

const isUsual = { code: 0, stdout: expect.stringMatching(/^DYNAMIC_OBJECT\n/), stderr: "" };
const isPlanted = { code: 0, stdout: "planted code\n" };

/**
 * Plants compiled code for the first chunk that a command of the installation loads with Node's compile cache.
 *
 * @param fill runs the installation, which compiles the chunk
 * @param cache the folder of the compiled code
 */
async function plant(folder: string, cache: string, fill: () => Promise<unknown>): Promise<void> {
  const [chunk] = globSync("dist/chunks/run-*.cjs", { cwd: folder })
    .map((file) => join(folder, file))
    .toSorted((a, b) => lstatSync(b).size - lstatSync(a).size);
  const source = readFileSync(chunk!);
  const { length } = source.toString("utf8");
  // V8 compares only the lengths of the sources, in UTF-16 units.
  writeFileSync(chunk!, EVIL.padEnd(length));
  await fill();
  writeFileSync(chunk!, source);
  for (const { parentPath, name } of readdirSync(cache, { recursive: true, withFileTypes: true })) {
    const file = join(parentPath, name);
    const code = lstatSync(file).isFile() ? readFileSync(file) : Buffer.alloc(0);
    // The header: magic number, bytes of the source, length of the code, CRC of the source, CRC of the code.
    if (code.length < 20 || code.readUInt32LE(4) !== length) continue;
    code.writeUInt32LE(source.length, 4);
    code.writeUInt32LE(crc32(source), 12);
    writeFileSync(file, code);
  }
}

/** An installation with planted code in the cache folder of its user. */
async function plantedCache(): Promise<{ folder: string; cache: string; own: string; env: Record<string, string> }> {
  const [folder, cache] = [installed(), emptyHome()];
  const env = { XDG_CACHE_HOME: cache };
  await plant(folder, cache, () => run(folder, env));
  const [own] = globSync("formctl/*", { cwd: cache }).map((name) => join(cache, name));
  return { folder, cache, own: own!, env };
}

describe("compiled code", () => {
  it("control: is run if it is in a folder that only the user can write", async () => {
    const { folder, own, env } = await plantedCache();
    expect(lstatSync(own).mode & 0o777).toBe(0o700);
    expect(await run(folder, env)).toMatchObject(isPlanted);
  });

  it.each(["777", "1777"])("is not run if others can write to its folder: mode %s", async (mode) => {
    const { folder, own, env } = await plantedCache();
    chmodSync(own, mode);
    expect(await run(folder, env)).toMatchObject(isUsual);
  });

  it.each(["777", "775"])("is not run if others can write to a folder above: mode %s", async (mode) => {
    const { folder, own, env } = await plantedCache();
    chmodSync(join(own, ".."), mode);
    expect(await run(folder, env)).toMatchObject(isUsual);
  });

  it.runIf(isRoot)("is not run if its folder belongs to another user", async () => {
    const { folder, own, env } = await plantedCache();
    chownSync(own, NOBODY, NOBODY);
    expect(await run(folder, env)).toMatchObject(isUsual);
  });

  it.runIf(isRoot)("is not run if a folder above belongs to another user", async () => {
    const { folder, cache, env } = await plantedCache();
    chownSync(cache, NOBODY, NOBODY);
    expect(await run(folder, env)).toMatchObject(isUsual);
  });

  it("is not run if the path of the cache folder is relative to a project", async () => {
    const { folder, cache } = await plantedCache();
    const words = [join(folder, "bin", "formctl.js"), "layouts", "surfaces", "-o", "name"];
    const ended = await finished(process.execPath, words, { cwd: cache, env: { XDG_CACHE_HOME: "." } });
    expect(ended).toMatchObject(isUsual);
  });
});

describe("the shared folder for temporary files", () => {
  const ENABLED = 'require("node:module").enableCompileCache();';

  /** Runs an installation with planted code in that folder. */
  async function runPlanted(options: string[] = []) {
    const [folder, temporary] = [installed(), emptyHome()];
    chmodSync(temporary, 0o1777);
    const preload = join(folder, "preload.cjs");
    writeFileSync(preload, ENABLED);
    const env = { TMPDIR: temporary, XDG_CACHE_HOME: "/dev/null" };
    await plant(folder, temporary, () => run(folder, env, ["--require", preload]));
    if (isRoot)
      for (const file of readdirSync(temporary, { recursive: true, encoding: "utf8" }))
        chownSync(join(temporary, file), NOBODY, NOBODY);
    return run(folder, env, options.length > 0 ? [...options, preload] : []);
  }

  it("runs no compiled code from the folder for temporary files", async () => {
    expect(await runPlanted()).toMatchObject(isUsual);
  });

  it("control: with Node's compile cache in that folder, the planted code runs", async () => {
    expect(await runPlanted(["--require"])).toMatchObject(isPlanted);
  });
});

describe("the folder of compiled code", () => {
  it("has the code of an earlier run", async () => {
    const env = { XDG_CACHE_HOME: emptyHome(), NODE_DEBUG_NATIVE: "COMPILE_CACHE" };
    const accepted = async () => (await run(ROOT, env)).stderr.match(/V8 code cache for .*run-.* was accepted/g);
    expect(await accepted()).toBeNull();
    expect(await accepted()).not.toBeNull();
  });

  it("loses the code of other versions after 30 days, when another one is added", async () => {
    const cache = emptyHome();
    const ages = { old: 31, recent: 29 };
    for (const [name, days] of Object.entries(ages)) {
      const folder = join(cache, "formctl", name);
      mkdirSync(join(folder, "code"), { recursive: true });
      const time = Date.now() / 1000 - days * 24 * 60 * 60;
      utimesSync(folder, time, time);
    }
    for (let time = 0; time < 2; time++) expect(await run(ROOT, { XDG_CACHE_HOME: cache })).toMatchObject(isUsual);
    const kept = readdirSync(join(cache, "formctl"));
    expect(kept.filter((name) => name !== "recent")).toEqual([expect.stringMatching(/^\d+\.\d+\.\d+-\w+-node-v/)]);
    expect(kept).toHaveLength(2);
  });

  it.each([
    ["NODE_DISABLE_COMPILE_CACHE is set", { NODE_DISABLE_COMPILE_CACHE: "1" }],
    ["the user has chosen another one for Node", { NODE_COMPILE_CACHE: "chosen" }],
  ])("is not created if %s", async (_, variables) => {
    const cache = emptyHome();
    const chosen = { ...variables, ...("NODE_COMPILE_CACHE" in variables && { NODE_COMPILE_CACHE: emptyHome() }) };
    expect(await run(ROOT, { XDG_CACHE_HOME: cache, ...chosen })).toMatchObject(isUsual);
    expect(readdirSync(cache)).toEqual([]);
  });

  it.runIf(isRoot)("is not created in the home folder of another user", async () => {
    const home = emptyHome();
    chownSync(home, NOBODY, NOBODY);
    expect(await run(ROOT, { HOME: home, XDG_CACHE_HOME: "" })).toMatchObject(isUsual);
    expect(readdirSync(home)).toEqual([]);
  });

  it("is not needed", async () => {
    expect(await run(ROOT, { XDG_CACHE_HOME: "/dev/null" })).toMatchObject(isUsual);
  });
});
