/** Checks to which file a base of the lock belongs, and which commands update the base. */

import { chmodSync, existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { type LockedResource, openLock } from "../../src/state/lock.ts";
import { type Cli, openCli } from "../commands/cli.ts";
import { reasonAsRoot } from "../skip.ts";
import { temporaryFolders } from "../temporary.ts";
import { turns } from "./turns.ts";
import type { State } from "../../src/plan/planned.ts";

const OBJECT = "staffing/candidate";
const ADDRESS = `${OBJECT}/Card`;
const block = (label: string) =>
  `    - { id: phone, type: field, source: dynamic_field, ref: { fieldKey: phone }, regionKey: main, config: { label: ${label} } }\n`;
const CARD =
  `kind: Form\nobject: ${OBJECT}\nname: Card\ntypes: [VIEW]\nisPublic: false\nconfig: { title: One }\n` +
  `layout:\n  schemaVersion: 1\n  regions:\n    - { key: main, label: Main, layout: grid, columns: 12 }\n  blocks:\n${block("Phone")}`;

type Moved = { state: State; drift: Record<string, string> };

async function moved(cli: Cli, folder: string): Promise<Moved> {
  const outcome = await cli.run("status", folder, "-o", "json");
  expect(outcome.code).toBe(0);
  const [row] = (outcome.json() as { resources: Moved[] }).resources;
  const drift = Object.fromEntries(Object.entries(row!.drift).filter(([, move]) => move !== "same"));
  return { state: row!.state, drift };
}

async function done(cli: Cli, ...argv: string[]): Promise<void> {
  const { code, stdout, stderr } = await cli.run(...argv);
  expect({ code, told: code === 0 ? "" : stdout + stderr }).toEqual({ code: 0, told: "" });
}

const retitle = (cli: Cli, title: string) => done(cli, "forms", "update", ADDRESS, "--title", title);
const lockOf = (cli: Cli) => join(cli.cwd, ".formctl/runs/lock.json");

describe("a layout that was applied only as a draft", () => {
  it.each([["--no-publish"], ["publish: false"]])(
    "has changed in the files and not on the target (%s)",
    async (how) => {
      const cli = await openCli();
      cli.file("forms/card.yaml", CARD);
      await done(cli, "apply", "forms", "--yes");
      const edited = CARD.replace("label: Phone", "label: Mobile");
      if (how === "--no-publish") {
        cli.file("forms/card.yaml", edited);
        await done(cli, "apply", "forms", "--yes", how);
      } else {
        cli.file("forms/card.yaml", edited.replace("kind: Form", `kind: Form\n${how}`));
        await done(cli, "apply", "forms", "--yes");
        cli.file("forms/card.yaml", edited);
      }
      expect(await moved(cli, "forms")).toEqual({ state: "changed in files", drift: { content: "files" } });
      expect((await cli.run("plan", "forms")).stdout).not.toContain("was changed on the target");
      await done(cli, "export", OBJECT, "--into", "forms");
      expect(readFileSync(join(cli.cwd, "forms/card.yaml"), "utf8")).toBe(edited);
      await done(cli, "apply", "forms", "--yes");
      expect(await moved(cli, "forms")).toEqual({ state: "in sync", drift: {} });
    },
  );
});

describe("two folders with a manifest of the same form", () => {
  async function twoFolders(): Promise<Cli> {
    const cli = await openCli();
    cli.file("forms/card.yaml", CARD);
    await done(cli, "apply", "forms", "--yes");
    await retitle(cli, "There");
    await done(cli, "export", OBJECT, "--into", "scratch");
    return cli;
  }
  const card = (cli: Cli) => readFileSync(join(cli.cwd, "forms/card.yaml"), "utf8");

  it("have independent bases: an export into one does not hide drift from the other", async () => {
    const cli = await twoFolders();
    expect(await moved(cli, "scratch")).toEqual({ state: "in sync", drift: {} });
    await done(cli, "plan", "scratch");
    await done(cli, "apply", "scratch", "--yes");
    expect(await moved(cli, "forms")).toEqual({ state: "changed on target", drift: { config: "target" } });
    expect((await cli.run("plan", "forms")).stdout).toContain("config was changed on the target since the last apply");
    await done(cli, "export", OBJECT, "--into", "forms");
    expect(card(cli)).toBe(CARD.replace("One", "There"));
  });

  it("report drift as unknown in the folder without a base", async () => {
    const cli = await twoFolders();
    const copy = "scratch/staffing/candidate/card.yaml";
    cli.file(copy, readFileSync(join(cli.cwd, copy), "utf8").replace("title: There", "title: Here"));
    expect(await moved(cli, "scratch")).toEqual({ state: "differs", drift: { config: "differs" } });
    expect(await cli.run("export", OBJECT, "--into", "scratch")).toMatchObject({ code: 6 });
  });

  it("share a base again after the other folder is deleted, moved or applied", async () => {
    const gone = await twoFolders();
    rmSync(join(gone.cwd, "forms"), { recursive: true });
    rmSync(join(gone.cwd, "scratch"), { recursive: true });
    await done(gone, "export", OBJECT, "--into", "scratch");
    await retitle(gone, "Later");
    expect(await moved(gone, "scratch")).toEqual({ state: "changed on target", drift: { config: "target" } });

    const renamed = await twoFolders();
    renameSync(join(renamed.cwd, "forms/card.yaml"), join(renamed.cwd, "forms/other.yaml"));
    renamed.file("forms/card.yaml", CARD.replace("name: Card", "name: Another"));
    expect(await moved(renamed, "forms/other.yaml")).toMatchObject({ state: "differs" });
    const { stdout } = await renamed.run("status", "forms");
    expect(stdout).toContain("changed on target  staffing/candidate/Card");

    const applied = await twoFolders();
    const copy = "scratch/staffing/candidate/card.yaml";
    applied.file(copy, readFileSync(join(applied.cwd, copy), "utf8").replace("title: There", "title: Here"));
    await done(applied, "apply", "scratch", "--yes");
    await retitle(applied, "Later");
    expect(await moved(applied, "scratch")).toEqual({ state: "changed on target", drift: { config: "target" } });
    expect(await moved(applied, "forms")).toEqual({ state: "differs", drift: { config: "differs" } });
  });

  it("keep a base without a file: a new manifest does not take it over", async () => {
    const cli = await openCli();
    cli.file("forms/card.yaml", CARD);
    await done(cli, "apply", "forms", "--yes");
    cli.file(".formctl/runs/lock.json", readFileSync(lockOf(cli), "utf8").replace(/ *"file": .*\n/, ""));
    await retitle(cli, "There");
    await done(cli, "export", OBJECT, "--into", "scratch");
    expect(await moved(cli, "forms")).toEqual({ state: "changed on target", drift: { config: "target" } });
  });
});

describe("an outdated base", () => {
  /** Applies a change and restores the older lock. This simulates an apply by another user. */
  async function appliedElsewhere(): Promise<Cli> {
    const cli = await openCli();
    cli.file("forms/card.yaml", CARD);
    await done(cli, "apply", "forms", "--yes");
    const old = readFileSync(lockOf(cli), "utf8");
    cli.file("forms/card.yaml", CARD.replace("One", "Two").replace("label: Phone", "label: Telephone"));
    await done(cli, "apply", "forms", "--yes");
    cli.file(".formctl/runs/lock.json", old);
    return cli;
  }

  it.each([
    ["apply", "--yes"],
    ["export", OBJECT, "--into"],
  ])("is updated by %s", async (...argv) => {
    const cli = await appliedElsewhere();
    await done(cli, ...argv, "forms");
    await retitle(cli, "There");
    expect(await moved(cli, "forms")).toEqual({ state: "changed on target", drift: { config: "target" } });
    await done(cli, "export", OBJECT, "--into", "forms");
    expect(await moved(cli, "forms")).toEqual({ state: "in sync", drift: {} });
  });

  it("does not count if our last stamp matches the manifest", async () => {
    const cli = await appliedElsewhere();
    await byHand(cli, "By hand");
    expect(await moved(cli, "forms")).toEqual({ state: "changed on target", drift: { content: "target" } });
    await done(cli, "export", OBJECT, "--into", "forms");
    expect(readFileSync(join(cli.cwd, "forms/card.yaml"), "utf8")).toContain("By hand");
  });

  it("does not report a restored version as a change in the files", async () => {
    const cli = await appliedElsewhere();
    await done(cli, "layouts", "versions", "restore", ADDRESS, "1", "--publish");
    expect(await moved(cli, "forms")).toMatchObject({ state: "changed on target" });
    await done(cli, "export", OBJECT, "--into", "forms");
    expect(readFileSync(join(cli.cwd, "forms/card.yaml"), "utf8")).toContain("label: Phone");
  });

  it("stays if manifest and form differ, and if only drafts were compared", async () => {
    const cli = await appliedElsewhere();
    await retitle(cli, "There");
    const before = readFileSync(lockOf(cli), "utf8");
    await done(cli, "status", "forms", "--no-publish");
    expect(readFileSync(lockOf(cli), "utf8")).toBe(before);
    expect(await moved(cli, "forms")).toEqual({ state: "conflict", drift: { config: "both" } });
  });
});

describe("a lock and files that are older than our last publish", () => {
  const TWO = CARD.replace("One", "Two").replace("label: Phone", "label: Mobile");

  /**
   * Applies `later`, then restores the older lock and files. This simulates a reverted commit, or a later apply that
   * was not pulled.
   */
  async function setBack(later = TWO): Promise<Cli> {
    const cli = await openCli();
    cli.file("forms/card.yaml", CARD);
    await done(cli, "apply", "forms", "--yes");
    const old = readFileSync(lockOf(cli), "utf8");
    cli.file("forms/card.yaml", later);
    await done(cli, "apply", "forms", "--yes");
    cli.file("forms/card.yaml", CARD);
    cli.file(".formctl/runs/lock.json", old);
    return cli;
  }

  it("reports unknown drift, and the plan explains it", async () => {
    const cli = await setBack();
    expect(await moved(cli, "forms")).toEqual({ state: "differs", drift: { config: "differs", content: "differs" } });
    const { stdout } = await cli.run("plan", "forms");
    expect(stdout).toContain("i the lock is outdated: an apply that it does not know published version 2. ");
    expect(stdout).not.toContain("was changed on the target");
    expect((await cli.run("status", "forms")).stderr).not.toContain("formctl export");
  });

  it("reports the same if drafts are compared and none exists", async () => {
    const cli = await setBack();
    const { stdout, stderr } = await cli.run("status", "forms", "--no-publish");
    expect(stdout).toMatch(/^differs .*content: differs$/m);
    expect(stderr).not.toContain("formctl export");
    expect((await cli.run("plan", "forms", "--no-publish")).stdout).toMatch(
      /i the lock is outdated: .* with the lock: this apply leaves it published\n/,
    );
  });

  it("reports no change on the target if the later apply only saved a draft", async () => {
    const cli = await openCli();
    cli.file("forms/card.yaml", CARD);
    await done(cli, "apply", "forms", "--yes");
    cli.file("forms/card.yaml", CARD.replace("label: Phone", "label: Mobile"));
    await done(cli, "apply", "forms", "--yes", "--no-publish");
    cli.file("forms/card.yaml", CARD);
    const { stdout, stderr } = await cli.run("status", "forms", "--no-publish");
    expect(stdout).toMatch(/^changed in files .*content: changed in files$/m);
    expect(stderr).not.toContain("formctl layouts draft show");
  });

  it("keeps the revert in an export without --overwrite", async () => {
    const cli = await setBack();
    expect(await cli.run("export", OBJECT, "--into", "forms")).toMatchObject({ code: 6 });
    expect(readFileSync(join(cli.cwd, "forms/card.yaml"), "utf8")).toBe(CARD);
    expect(await moved(cli, "forms")).toMatchObject({ state: "differs" });
    await done(cli, "export", OBJECT, "--into", "forms", "--overwrite");
    expect(readFileSync(join(cli.cwd, "forms/card.yaml"), "utf8")).toBe(TWO);
    expect(await moved(cli, "forms")).toEqual({ state: "in sync", drift: {} });
  });

  it("is updated by the apply of the revert", async () => {
    const cli = await setBack();
    await done(cli, "apply", "forms", "--yes");
    expect(await moved(cli, "forms")).toEqual({ state: "in sync", drift: {} });
    await retitle(cli, "There");
    expect(await moved(cli, "forms")).toEqual({ state: "changed on target", drift: { config: "target" } });
  });

  it.each([
    ["was published by hand since", async (cli: Cli) => byHand(cli, "By hand")],
    [
      "was restored by hand since",
      async (cli: Cli) => done(cli, "layouts", "versions", "restore", ADDRESS, "2", "--publish"),
    ],
  ])("reports a change on the target if a version %s", async (_, change) => {
    const cli = await setBack();
    await change(cli);
    expect(await moved(cli, "forms")).toEqual({
      state: "changed on target",
      drift: { config: "target", content: "target" },
    });
  });

  it("can't be detected without a version", async () => {
    const cli = await setBack(CARD.replace("One", "Two"));
    expect(await moved(cli, "forms")).toEqual({ state: "changed on target", drift: { config: "target" } });
  });
});

/** Publishes content with this label, without a manifest. */
async function byHand(cli: Cli, label: string): Promise<void> {
  const head = "schemaVersion: 1\nregions: [{ key: main, layout: grid, columns: 12 }]\nblocks:\n";
  cli.file("draft.yaml", `${head}${block(label).slice(2)}`);
  await done(cli, "layouts", "draft", "push", ADDRESS, "draft.yaml", "--publish");
}

it("is written by the first apply, also without changes, and not again. Status and plan do not write it", async () => {
  const cli = await openCli();
  cli.file("forms/card.yaml", CARD);
  await done(cli, "apply", "forms", "--yes", "--dry-run");
  expect(existsSync(lockOf(cli))).toBe(false);
  await done(cli, "apply", "forms", "--yes");
  const full = readFileSync(lockOf(cli), "utf8");
  rmSync(lockOf(cli));
  await done(cli, "status", "forms");
  await done(cli, "plan", "forms");
  expect(existsSync(lockOf(cli))).toBe(false);
  await done(cli, "apply", "forms", "--yes");
  expect(readFileSync(lockOf(cli), "utf8")).toBe(full);
  const { ino } = statSync(lockOf(cli));
  await done(cli, "apply", "forms", "--yes");
  expect(statSync(lockOf(cli)).ino).toBe(ino);
});

it("is not needed for status: a read-only folder works", async ({ skip }) => {
  skip(reasonAsRoot !== undefined, reasonAsRoot);
  const cli = await openCli();
  cli.file("forms/card.yaml", CARD);
  await done(cli, "apply", "forms", "--yes");
  rmSync(lockOf(cli));
  chmodSync(join(cli.cwd, ".formctl"), 0o500);
  expect(await moved(cli, "forms")).toEqual({ state: "in sync", drift: {} });
  chmodSync(join(cli.cwd, ".formctl"), 0o700);
});

describe("the lock for the files of manifests", () => {
  const newFolder = temporaryFolders();

  async function openOver(
    resource: LockedResource | undefined,
    {
      cwd = ".",
      file = "mine.yaml",
      existing = "theirs.yaml",
    }: { cwd?: string; file?: string; existing?: string } = {},
  ) {
    const root = newFolder();
    const path = join(root, ".formctl", "lock.json");
    writeFileSync(join(root, existing), "");
    const saved = await openLock(dirname(path), "place", turns);
    if (resource) saved.set("a", resource);
    await saved.save();
    const lock = await openLock(dirname(path), "place", turns, {
      root,
      cwd: join(root, cwd),
      files: [],
      manifests: [{ address: "a", file }],
    });
    const written = async () => {
      await lock.save();
      return (await openLock(dirname(path), "place", turns)).get("a");
    };
    return { lock, written };
  }

  it("has the base of another file if that file no longer exists", async () => {
    const { lock } = await openOver({ layoutId: "lay_1", file: "deleted.yaml", base: { name: "1" } });
    expect(lock.get("a")?.base).toEqual({ name: "1" });
  });

  it("has ids for any file of the base, and writes them for that file", async () => {
    const { lock, written } = await openOver({ layoutId: "lay_1", file: "theirs.yaml", base: { name: "1" } });
    expect(lock.get("a")).toMatchObject({ layoutId: "lay_1", base: {} });
    lock.set("a", { formId: "frm_1", layoutId: "lay_2", base: { name: "2" } });
    const theirs = { formId: "frm_1", layoutId: "lay_2", file: "theirs.yaml", base: { name: "1" } };
    expect(await written()).toEqual(theirs);
    lock.set("a", { layoutId: "lay_2", base: { name: "2" } }, "manifest");
    expect(await written()).toEqual({ layoutId: "lay_2", file: "mine.yaml", base: { name: "2" } });
    lock.set("a", null);
    expect(await written()).toBeUndefined();
  });

  it("has no entry if nothing is known", async () => {
    const { lock } = await openOver(undefined, { cwd: "sub" });
    expect(lock.get("a")).toBeUndefined();
  });

  it("names files relative to the project, for any form of the path argument", async () => {
    const { lock, written } = await openOver(undefined, { cwd: "sub", file: "x/a.yaml" });
    lock.set("a", { base: {} });
    expect(await written()).toEqual({ file: "sub/x/a.yaml", base: {} });
  });
});
