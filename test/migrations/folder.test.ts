/** The list of migration files. */

import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { checksumOf, readMigrationFolder } from "../../src/migrations/folder.ts";
import { temporaryFolders } from "../temporary.ts";

const newFolder = temporaryFolders();

let root: string;
let folder: string;
beforeEach(() => {
  root = newFolder();
  folder = join(root, "migrations");
  mkdirSync(folder);
});

function write(name: string, text: string | Uint8Array = ""): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

async function names(): Promise<string[]> {
  return (await readMigrationFolder({ root, folder })).map(({ name }) => name);
}

describe("readMigrationFolder", () => {
  it("returns the files sorted by code units, with absolute paths", async () => {
    for (const name of ["2-b.js", "10-a.ts", "2-C.mjs", "2-_.yaml", "2-a.yml", "2.ts"]) write(name);
    expect(await names()).toEqual(["10-a", "2", "2-C", "2-_", "2-a", "2-b"]);
    expect((await readMigrationFolder({ root, folder }))[0]?.path).toBe(join(folder, "10-a.ts"));
  });

  it("ignores a missing folder, folders, hidden files and other extensions", async () => {
    expect(await readMigrationFolder({ root, folder: join(root, "none") })).toEqual([]);
    for (const name of [".record.json", ".1-hidden.ts", "README.md", "tsconfig.json", "1-data.json"]) write(name);
    mkdirSync(join(folder, "shared.ts"));
    expect(await names()).toEqual([]);
  });

  it("refuses all unsuitable names at once", async () => {
    for (const name of ["helpers.ts", "1 b.yaml", "1-types.d.ts", "1-ok.ts"]) write(name);
    await expect(names()).rejects.toMatchObject({
      code: "MIGRATION_INVALID",
      message: expect.stringMatching(/helpers\.ts/) as unknown,
      hint: expect.stringContaining("move a file that migrations import into a folder") as unknown,
    });
    const message = await names().catch((error: Error) => error.message);
    for (const name of ["1 b.yaml", "1-types.d.ts"]) expect(message).toContain(name);
    expect(message).not.toContain("1-ok.ts");
  });

  it.each([
    ["1-a.ts", "1-a.yaml"],
    ["1-a.ts", "1-A.js"],
  ])("refuses two files with one name: %s and %s", async (...files) => {
    for (const name of files) write(name);
    await expect(names()).rejects.toMatchObject({ code: "MIGRATION_INVALID" });
  });

  it("follows a link inside the project, and refuses one that leads outside", async () => {
    writeFileSync(join(root, "elsewhere.ts"), "export default {};\n");
    symlinkSync(join(root, "elsewhere.ts"), join(folder, "1-linked.ts"));
    expect(await names()).toEqual(["1-linked"]);
    const outside = join(newFolder(), "secret.ts");
    writeFileSync(outside, "");
    symlinkSync(outside, join(folder, "2-outside.ts"));
    await expect(names()).rejects.toMatchObject({ code: "FILE_UNFIT" });
  });

  it("refuses a folder that is a link to a folder outside the project, or a file", async () => {
    const outside = newFolder();
    const linked = join(root, "linked");
    symlinkSync(outside, linked);
    await expect(readMigrationFolder({ root, folder: linked })).rejects.toMatchObject({ code: "FILE_UNFIT" });
    const file = write("1-a.ts");
    await expect(readMigrationFolder({ root, folder: file })).rejects.toMatchObject({ code: "FILE_UNFIT" });
  });

  it("refuses a named pipe without reading it", async () => {
    execFileSync("sh", ["-c", 'mkfifo "$0"', join(folder, "1-pipe.ts")]);
    await expect(names()).rejects.toMatchObject({ code: "FILE_UNFIT" });
  });

  it("reads no more than the bytes: a file that would change the process when it runs has no effect", async () => {
    write("1-effect.ts", "globalThis.hasRun = true;\n");
    write("2-effect.mjs", "throw new Error('ran');\n");
    expect(await names()).toEqual(["1-effect", "2-effect"]);
    expect(globalThis).not.toHaveProperty("hasRun");
  });
});

describe("checksumOf", () => {
  it("is the SHA-256 of the bytes, as sha256sum computes it", () => {
    for (const bytes of [Buffer.from("Zoë\n"), Buffer.from([0, 255, 10, 13]), Buffer.alloc(10_000, "é")]) {
      const path = write("1-bytes.ts", bytes);
      const [expected] = execFileSync("sh", ["-c", 'sha256sum "$0"', path], { encoding: "utf8" }).split(" ");
      expect(checksumOf(bytes)).toBe(expected);
    }
  });

  it("is the same with other line ends, and differs with every other change", () => {
    const text = "a\nb\n";
    const same = checksumOf(Buffer.from(text));
    expect(checksumOf(Buffer.from(text.replaceAll("\n", "\r\n")))).toBe(same);
    for (const other of ["a\nb", "a\rb\n", "a\n\nb\n", "a \nb\n"])
      expect(checksumOf(Buffer.from(other))).not.toBe(same);
  });
});
