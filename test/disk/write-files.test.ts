import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type WholeFile, writeWholeFiles } from "../../src/disk/write-files.ts";
import { FormctlError } from "../../src/base/error.ts";
import { temporaryFolders } from "../temporary.ts";

const newFolder = temporaryFolders("on disk");

const file = (path: string, more: Partial<WholeFile> = {}): WholeFile => ({
  path,
  content: () => `content of ${path}\n`,
  mode: 0o644,
  check: async () => undefined,
  ...more,
});

describe("writeWholeFiles", () => {
  it("writes all files, creates their folders, and leaves no drafts", async () => {
    const folder = newFolder();
    const paths = Array.from({ length: 50 }, (_path, index) => join(folder, `f-${index % 3}`, "deep", `${index}.yaml`));
    await writeWholeFiles(paths.map((path) => file(path)));
    for (const path of paths) expect(readFileSync(path, "utf8")).toBe(`content of ${path}\n`);
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
    expect(names.filter((name) => name.includes("formctl"))).toEqual([]);
  });

  it("replaces a file, and sets the mode", async () => {
    const path = join(newFolder(), "a.yaml");
    writeFileSync(path, "old", { mode: 0o644 });
    await writeWholeFiles([file(path, { content: () => "new", mode: 0o600 })]);
    expect(readFileSync(path, "utf8")).toBe("new");
    // Windows has no modes of files.
    expect(statSync(path).mode & 0o777).toBe(process.platform === "win32" ? 0o666 : 0o600);
  });

  it("leaves a file whose check fails, starts no other file, and removes the drafts", async () => {
    const folder = newFolder();
    const refuse = async () => {
      throw new FormctlError("FILE_UNFIT", "changed");
    };
    const paths = Array.from({ length: 100 }, (_path, index) => join(folder, `${index}.yaml`));
    writeFileSync(paths[0]!, "old");
    const files = paths.map((path, index) => file(path, index === 0 ? { check: refuse } : {}));
    await expect(writeWholeFiles(files)).rejects.toMatchObject({ code: "FILE_UNFIT" });
    expect(readFileSync(paths[0]!, "utf8")).toBe("old");
    expect(existsSync(paths[99]!)).toBe(false);
    const written = readdirSync(folder);
    expect(written.filter((name) => !name.endsWith(".yaml"))).toEqual([]);
    for (const name of written.filter((each) => each !== "0.yaml")) {
      expect(readFileSync(join(folder, name), "utf8")).toBe(`content of ${join(folder, name)}\n`);
    }
  });

  it("reports a file that can't be replaced", async () => {
    const path = join(newFolder(), "a.yaml");
    mkdirSync(path);
    const refused = { code: "FILE_UNWRITABLE", message: expect.stringContaining(path) as string };
    await expect(writeWholeFiles([file(path)])).rejects.toMatchObject(refused);
  });
});
