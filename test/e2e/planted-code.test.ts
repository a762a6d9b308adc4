/**
 * Compiled code that another user of the machine plants in the shared folder for temporary files. Node checks such code
 * by the length and a CRC of the source, which every user can compute.
 */

import { chmodSync, chownSync, cpSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { expect, it } from "vitest";
import { NOBODY } from "../ordinary-user.ts";
import { emptyHome, finished, ROOT } from "./program.ts";

const EVIL = 'process.stdout.write("planted code\\n");';
/** Enables the cache as an earlier version did. */
const ENABLED = 'require("node:module").enableCompileCache();';

/** An installed program with one more line of JavaScript at its start. */
function installed(line = ""): string {
  const folder = emptyHome();
  for (const name of ["bin", "dist"]) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  const bin = join(folder, "bin", "formctl.js");
  writeFileSync(bin, readFileSync(bin, "utf8").replace('"use strict";', `"use strict"; ${line}`));
  return folder;
}

/** A shared folder for temporary files with compiled code that Node takes for the entry of this installation. */
async function planted(folder: string): Promise<string> {
  const entry = join(folder, "dist", "main.cjs");
  const source = readFileSync(entry);
  const temporary = emptyHome();
  chmodSync(temporary, 0o1777);
  // V8 compares only the lengths of the sources.
  writeFileSync(entry, EVIL.padEnd(source.length));
  const script = `${ENABLED} require(${JSON.stringify(entry)});`;
  await finished(process.execPath, ["-e", script], { env: { TMPDIR: temporary } });
  writeFileSync(entry, source);
  const files = globSync("node-compile-cache/*/*", { cwd: temporary }).map((file) => join(temporary, file));
  for (const file of files) {
    const code = readFileSync(file);
    // The header: magic number, length of the source, length of the code, CRC of the source, CRC of the code.
    if (code.readUInt32LE(4) !== source.length) continue;
    code.writeUInt32LE(crc32(source), 12);
    writeFileSync(file, code);
  }
  if (process.getuid?.() === 0)
    for (const path of [...files.map((file) => join(file, "..")), ...files]) chownSync(path, NOBODY, NOBODY);
  return temporary;
}

async function versionWith(line?: string): Promise<string> {
  const folder = installed(line);
  const env = { TMPDIR: await planted(folder) };
  return (await finished(process.execPath, [join(folder, "bin", "formctl.js"), "--version"], { env })).stdout;
}

it("runs no compiled code from the folder for temporary files", async () => {
  expect(await versionWith()).toMatch(/^\d+\.\d+\.\d+\n$/);
});

it("control: with Node's compile cache in that folder, the planted code runs", async () => {
  expect(await versionWith(ENABLED)).toBe("planted code\n");
});
