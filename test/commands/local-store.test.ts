/** Tests the commands of `formctl local` for the store as a file, through command lines. */

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { CommandContext } from "../../src/commands/command.ts";
import { buildDemo } from "../../src/commands/local/demo.ts";
import { randomId } from "../../src/engine/ids.ts";
import { openLocalService } from "../../src/engine/local.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import { uploadFiles } from "../../src/store/uploads.ts";
import { openCli } from "./cli.ts";

describe("local init", () => {
  it("creates a store in an empty file, and keeps an existing one", async () => {
    const cli = await openCli(null);
    delete cli.env["FORMCTL_ORGANIZATION"];
    writeFileSync(join(cli.cwd, "new.db"), "");
    const first = await cli.run("--store", "new.db", "local", "init");
    expect(first).toMatchObject({ code: 0, stdout: `Created the local store: ${join(cli.cwd, "new.db")}\n` });
    const second = await cli.run("--store", "new.db", "local", "init");
    expect(second).toMatchObject({ code: 0, stdout: `The local store already exists: ${join(cli.cwd, "new.db")}\n` });
    expect((await cli.run("--store", "new.db", "local", "check")).stdout).toBe("No problems found.\n");
  });
});

it("adds the whole demo, or nothing if an error interrupts it", async () => {
  const path = join((await openCli(null)).home, "demo.db");
  const store = openSqlite(path, { create: true });
  const local = openLocalService({ store, now: () => new Date(), newId: randomId, files: uploadFiles(path) });
  let readable = 9;
  let mutations = 0;
  const context: Pick<CommandContext, "readFile" | "newMutationId"> = {
    readFile: async (file) => {
      if (readable-- === 0) throw new Error("the disk failed");
      return readFileSync(file);
    },
    newMutationId: () => `mutation-${++mutations}`,
  };
  await expect(buildDemo(context as CommandContext, local)).rejects.toThrow("the disk failed");
  expect((await local.show()).organizations).toEqual([]);
  expect(readdirSync(`${path}.uploads`)).toEqual([]);
  readable = Infinity;
  expect(await buildDemo(context as CommandContext, local)).toMatchObject({ organization: "northwind", forms: 5 });
  expect(readdirSync(`${path}.uploads`)).toHaveLength(2);
  await local.close();
});

describe("local show", () => {
  it("prints an organization file, also after a publication stored options that a new file may not have", async () => {
    const cli = await openCli();
    const config = "{ options: [A, A, ''], defaultValue: B }";
    const staged = `{ draftId: d, action: create, key: level, name: Level, type: SELECT, config: ${config} }`;
    cli.file(
      "forms/level.yaml",
      `kind: Form
object: staffing/candidate
name: Level
types: [VIEW]
layout:
  schemaVersion: 1
  regions: [{ key: main, label: Main, layout: grid, columns: 12 }]
  blocks: [{ type: field, source: draft_custom_field, ref: { draftFieldDefinitionId: d }, regionKey: main }]
  stagedFieldDefinitions: [${staged}]
`,
    );
    expect((await cli.run("apply", "forms", "--yes")).code).toBe(0);
    const shown = await cli.run("local", "show", "-o", "yaml");
    expect(shown.stdout).toContain("default: B");
    cli.file("organization.yaml", shown.stdout);
    const { code, stderr } = await cli.run("validate", "forms", "--organization-file", "organization.yaml");
    expect([code, stderr]).toEqual([0, ""]);
    expect(await cli.run("local", "seed", "organization.yaml")).toMatchObject({ code: 0 });
  });

  it("shows all organizations, or the one that was named", async () => {
    const cli = await openCli();
    const shown = async (...words: string[]) => (await cli.run("local", "show", "-o", "name", ...words)).stdout;
    expect(await shown("--organization", "contoso")).toBe("contoso\n");
    expect(await shown()).toBe("northwind\n");
    delete cli.env["FORMCTL_ORGANIZATION"];
    expect(await shown()).toBe("contoso\nnorthwind\n");
    const unknown = await cli.run("local", "show", "--organization", "northwing");
    expect(unknown).toMatchObject({ code: 64, stdout: "" });
    expect(unknown.stderr).toContain("--organization northwind");
  });
});

it("counts one field as one", async () => {
  const cli = await openCli();
  const object = (key: string, fields: number) => ({
    key,
    name: key,
    fields: Array.from({ length: fields }, (_, index) => ({ key: `f${index}`, name: "F", type: "TEXT" })),
  });
  const modules = [{ key: "m", name: "M", objects: [object("one", 1), object("two", 2)] }];
  cli.file("o.yaml", JSON.stringify({ organizations: [{ key: "small", name: "Small", modules }] }));
  await cli.run("local", "seed", "o.yaml");
  const { stdout } = await cli.run("local", "show", "--organization", "small");
  expect(stdout).toMatch(/m\/one {2}1 field\n.*m\/two {2}2 fields\n/);
});

describe("a list with rows of several organizations", () => {
  it("shows the organization of each row", async () => {
    const cli = await openCli();
    const token = ["local", "tokens", "create", "--name", "ci", "--organization"];
    await cli.run(...token, "northwind");
    const heads = async (...words: string[]) => (await cli.run("local", ...words)).stdout.split("\n", 1)[0]!;
    delete cli.env["FORMCTL_ORGANIZATION"];
    expect(await heads("tokens", "list")).toMatch(/^NAME /);
    await cli.run(...token, "contoso");
    expect(await heads("tokens", "list")).toMatch(/^ORGANIZATION +NAME /);
    expect(await heads("tokens", "list", "--organization", "contoso")).toMatch(/^NAME /);
    const layout = ["layouts", "create", "--surface", "USER", "--modes", "VIEW", "--name", "L", "--organization"];
    await cli.run(...layout, "northwind");
    expect(await heads("log")).toMatch(/^WHEN /);
    await cli.run(...layout, "contoso");
    expect(await heads("log")).toMatch(/^ORGANIZATION +WHEN /);
  });
});

describe("local backup", () => {
  it("creates no folder for a mistyped path", async () => {
    const cli = await openCli();
    const { code, stderr } = await cli.run("local", "backup", join(cli.home, "nope", "x.db"));
    expect(code).toBe(3);
    expect(stderr).toContain(`the folder ${join(cli.home, "nope")} does not exist`);
    expect(existsSync(join(cli.home, "nope"))).toBe(false);
  });

  it("refuses a file without a name before it copies anything", async () => {
    const cli = await openCli();
    const before = readdirSync(cli.cwd);
    const { code, stderr } = await cli.run("local", "backup", "");
    expect({ code, files: readdirSync(cli.cwd) }).toEqual({ code: 64, files: before });
    expect(stderr).toContain("formctl local backup before-upgrade.db");
  });
});

describe("local restore", () => {
  it("asks for confirmation only if the backup is usable", async () => {
    const cli = await openCli();
    const store = join(cli.home, "local.db");
    const text = join(cli.home, "notes.txt");
    writeFileSync(text, "a file that is no store, and not a short one either\n".repeat(100));
    const restore = (file: string) => cli.answering([false], "local", "restore", file);
    expect(await restore(join(cli.home, "nope"))).toMatchObject({ code: 5, asked: [] });
    expect(await restore(text)).toMatchObject({ code: 1, asked: [] });
    expect(await restore(store)).toMatchObject({ code: 1, asked: [] });
    const copy = join(cli.home, "copy.db");
    await cli.run("local", "backup", copy);
    expect(await restore(copy)).toMatchObject({
      code: 8,
      asked: [`Replace the store ${store} with ${copy} (2 organizations, 0 forms, 0 layouts, 0 versions)?`],
    });
    expect((await cli.run("local", "restore", copy, "--yes")).code).toBe(0);
  });
});

describe("layouts resolve", () => {
  it("lists the organizations of members with that address", async () => {
    const cli = await openCli();
    const words = ["--surface", "CONTRACTOR", "--mode", "VIEW", "--member", "no@northwind.example"];
    const { code, stderr } = await cli.run("layouts", "resolve", ...words);
    expect(code).toBe(5);
    expect(stderr).toContain("hint: List the objects of a local store: formctl local show");
  });
});
