/** Whose base a lock holds, and who brings it up to date. */

import { chmodSync, existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { State } from "../../src/manifests/plan/drift.ts";
import { type LockedResource, openLock } from "../../src/manifests/lock.ts";
import { type Cli, openCli } from "../commands/cli.ts";
import { temporaryFolders } from "../temporary.ts";
import { turns } from "./turns.ts";

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
const lockOf = (cli: Cli) => join(cli.cwd, ".formctl/lock.json");

describe("a layout that was applied as a draft alone", () => {
  it.each([["--no-publish"], ["publish: false"]])("has changed here and not there (%s)", async (how) => {
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
    expect(await moved(cli, "forms")).toEqual({ state: "changed here", drift: { content: "here" } });
    expect((await cli.run("plan", "forms")).stdout).not.toContain("was changed on the target");
    await done(cli, "export", OBJECT, "--into", "forms");
    expect(readFileSync(join(cli.cwd, "forms/card.yaml"), "utf8")).toBe(edited);
    await done(cli, "apply", "forms", "--yes");
    expect(await moved(cli, "forms")).toEqual({ state: "in sync", drift: {} });
  });
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

  it("have bases that do not touch each other: an export into one hides nothing from the other", async () => {
    const cli = await twoFolders();
    expect(await moved(cli, "scratch")).toEqual({ state: "in sync", drift: {} });
    await done(cli, "plan", "scratch");
    await done(cli, "apply", "scratch", "--yes");
    expect(await moved(cli, "forms")).toEqual({ state: "changed there", drift: { config: "there" } });
    expect((await cli.run("plan", "forms")).stdout).toContain("config was changed on the target since the last apply");
    await done(cli, "export", OBJECT, "--into", "forms");
    expect(card(cli)).toBe(CARD.replace("One", "There"));
  });

  it("of which the other has none: what differs there is told as such, and not as somebody's change", async () => {
    const cli = await twoFolders();
    const copy = "scratch/staffing/candidate/card.yaml";
    cli.file(copy, readFileSync(join(cli.cwd, copy), "utf8").replace("title: There", "title: Here"));
    expect(await moved(cli, "scratch")).toEqual({ state: "differs", drift: { config: "differs" } });
    expect(await cli.run("export", OBJECT, "--into", "scratch")).toMatchObject({ code: 6 });
  });

  it("share one again when the other is gone, moved or applied", async () => {
    const gone = await twoFolders();
    rmSync(join(gone.cwd, "forms"), { recursive: true });
    rmSync(join(gone.cwd, "scratch"), { recursive: true });
    await done(gone, "export", OBJECT, "--into", "scratch");
    await retitle(gone, "Later");
    expect(await moved(gone, "scratch")).toEqual({ state: "changed there", drift: { config: "there" } });

    const renamed = await twoFolders();
    renameSync(join(renamed.cwd, "forms/card.yaml"), join(renamed.cwd, "forms/other.yaml"));
    renamed.file("forms/card.yaml", CARD.replace("name: Card", "name: Another"));
    expect(await moved(renamed, "forms/other.yaml")).toMatchObject({ state: "differs" });
    const { stdout } = await renamed.run("status", "forms");
    expect(stdout).toContain("changed there  staffing/candidate/Card");

    const applied = await twoFolders();
    const copy = "scratch/staffing/candidate/card.yaml";
    applied.file(copy, readFileSync(join(applied.cwd, copy), "utf8").replace("title: There", "title: Here"));
    await done(applied, "apply", "scratch", "--yes");
    await retitle(applied, "Later");
    expect(await moved(applied, "scratch")).toEqual({ state: "changed there", drift: { config: "there" } });
    expect(await moved(applied, "forms")).toEqual({ state: "differs", drift: { config: "differs" } });
  });

  it("hold the base of whom it is not known whose it is: a new file does not take it", async () => {
    const cli = await openCli();
    cli.file("forms/card.yaml", CARD);
    await done(cli, "apply", "forms", "--yes");
    cli.file(".formctl/lock.json", readFileSync(lockOf(cli), "utf8").replace(/ *"file": .*\n/, ""));
    await retitle(cli, "There");
    await done(cli, "export", OBJECT, "--into", "scratch");
    expect(await moved(cli, "forms")).toEqual({ state: "changed there", drift: { config: "there" } });
  });
});

describe("a base that is older than what both say", () => {
  /** Applied by somebody else, whose lock has not come here. */
  async function appliedElsewhere(): Promise<Cli> {
    const cli = await openCli();
    cli.file("forms/card.yaml", CARD);
    await done(cli, "apply", "forms", "--yes");
    const old = readFileSync(lockOf(cli), "utf8");
    cli.file("forms/card.yaml", CARD.replace("One", "Two").replace("label: Phone", "label: Telephone"));
    await done(cli, "apply", "forms", "--yes");
    cli.file(".formctl/lock.json", old);
    return cli;
  }

  it.each([["status"], ["plan"], ["export", OBJECT, "--into"]])("is brought up to date by %s", async (...argv) => {
    const cli = await appliedElsewhere();
    await done(cli, ...argv, "forms");
    await retitle(cli, "There");
    expect(await moved(cli, "forms")).toEqual({ state: "changed there", drift: { config: "there" } });
    await done(cli, "export", OBJECT, "--into", "forms");
    expect(await moved(cli, "forms")).toEqual({ state: "in sync", drift: {} });
  });

  it("does not decide where our last stamp is of what the file says", async () => {
    const cli = await appliedElsewhere();
    await byHand(cli, "By hand");
    expect(await moved(cli, "forms")).toEqual({ state: "changed there", drift: { content: "there" } });
    await done(cli, "export", OBJECT, "--into", "forms");
    expect(readFileSync(join(cli.cwd, "forms/card.yaml"), "utf8")).toContain("By hand");
  });

  it("does not make of a version that somebody has restored a change of the file", async () => {
    const cli = await appliedElsewhere();
    await done(cli, "layouts", "versions", "restore", ADDRESS, "1", "--publish");
    expect(await moved(cli, "forms")).toMatchObject({ state: "changed there" });
    await done(cli, "export", OBJECT, "--into", "forms");
    expect(readFileSync(join(cli.cwd, "forms/card.yaml"), "utf8")).toContain("label: Phone");
  });

  it("stays where file and form differ, and where only drafts were compared", async () => {
    const cli = await appliedElsewhere();
    await retitle(cli, "There");
    const before = readFileSync(lockOf(cli), "utf8");
    await done(cli, "status", "forms", "--no-publish");
    expect(readFileSync(lockOf(cli), "utf8")).toBe(before);
    expect(await moved(cli, "forms")).toEqual({ state: "changed on both sides", drift: { config: "both" } });
  });
});

describe("a lock that is behind our own last publish, and the files with it", () => {
  const TWO = CARD.replace("One", "Two").replace("label: Phone", "label: Mobile");

  /** As a commit that is reverted with its lock leaves them, or a checkout that has not heard of a later apply. */
  async function setBack(later = TWO): Promise<Cli> {
    const cli = await openCli();
    cli.file("forms/card.yaml", CARD);
    await done(cli, "apply", "forms", "--yes");
    const old = readFileSync(lockOf(cli), "utf8");
    cli.file("forms/card.yaml", later);
    await done(cli, "apply", "forms", "--yes");
    cli.file("forms/card.yaml", CARD);
    cli.file(".formctl/lock.json", old);
    return cli;
  }

  it("is not somebody's change there: neither side is known to have moved, and the plan says why", async () => {
    const cli = await setBack();
    expect(await moved(cli, "forms")).toEqual({ state: "differs", drift: { config: "differs", content: "differs" } });
    const { stdout } = await cli.run("plan", "forms");
    expect(stdout).toContain("i the lock is outdated: an apply that it does not know published version 2. ");
    expect(stdout).not.toContain("was changed on the target");
    expect((await cli.run("status", "forms")).stderr).not.toContain("formctl export");
  });

  it("is told the same where drafts are compared, and there is none", async () => {
    const cli = await setBack();
    const { stdout, stderr } = await cli.run("status", "forms", "--no-publish");
    expect(stdout).toMatch(/^differs .*content: differs$/m);
    expect(stderr).not.toContain("formctl export");
    expect((await cli.run("plan", "forms", "--no-publish")).stdout).toMatch(
      /i the lock is outdated: .* with the lock: this apply leaves it published\n/,
    );
  });

  it("is no change there where the later apply has saved a draft only", async () => {
    const cli = await openCli();
    cli.file("forms/card.yaml", CARD);
    await done(cli, "apply", "forms", "--yes");
    cli.file("forms/card.yaml", CARD.replace("label: Phone", "label: Mobile"));
    await done(cli, "apply", "forms", "--yes", "--no-publish");
    cli.file("forms/card.yaml", CARD);
    await done(cli, "plan", "forms");
    const { stdout, stderr } = await cli.run("status", "forms", "--no-publish");
    expect(stdout).toMatch(/^differs .*content: differs$/m);
    expect(stderr).not.toContain("formctl layouts draft show");
  });

  it("does not have the revert undone by an export, unless that is typed", async () => {
    const cli = await setBack();
    expect(await cli.run("export", OBJECT, "--into", "forms")).toMatchObject({ code: 6 });
    expect(readFileSync(join(cli.cwd, "forms/card.yaml"), "utf8")).toBe(CARD);
    expect(await moved(cli, "forms")).toMatchObject({ state: "differs" });
    await done(cli, "export", OBJECT, "--into", "forms", "--overwrite");
    expect(readFileSync(join(cli.cwd, "forms/card.yaml"), "utf8")).toBe(TWO);
    expect(await moved(cli, "forms")).toEqual({ state: "in sync", drift: {} });
  });

  it("is brought forward by the apply that goes back", async () => {
    const cli = await setBack();
    await done(cli, "apply", "forms", "--yes");
    expect(await moved(cli, "forms")).toEqual({ state: "in sync", drift: {} });
    await retitle(cli, "There");
    expect(await moved(cli, "forms")).toEqual({ state: "changed there", drift: { config: "there" } });
  });

  it.each([
    ["was published by hand since", async (cli: Cli) => byHand(cli, "By hand")],
    [
      "was restored by hand since",
      async (cli: Cli) => done(cli, "layouts", "versions", "restore", ADDRESS, "2", "--publish"),
    ],
  ])("is not what is told where a version %s: that is a change there", async (_, change) => {
    const cli = await setBack();
    await change(cli);
    expect(await moved(cli, "forms")).toEqual({ state: "changed there", drift: { config: "there", content: "there" } });
  });

  it("can't be told by what no version holds", async () => {
    const cli = await setBack(CARD.replace("One", "Two"));
    expect(await moved(cli, "forms")).toEqual({ state: "changed there", drift: { config: "there" } });
  });
});

/** Publishes a content with another label, as somebody does who has no manifests. */
async function byHand(cli: Cli, label: string): Promise<void> {
  const head = "schemaVersion: 1\nregions: [{ key: main, layout: grid, columns: 12 }]\nblocks:\n";
  cli.file("draft.yaml", `${head}${block(label).slice(2)}`);
  await done(cli, "layouts", "draft", "push", ADDRESS, "draft.yaml", "--publish");
}

it("begins with the first look at what is in sync, and is not written again where nothing is new", async () => {
  const cli = await openCli();
  cli.file("forms/card.yaml", CARD);
  await done(cli, "apply", "forms", "--yes", "--dry-run");
  expect(existsSync(lockOf(cli))).toBe(false);
  await done(cli, "apply", "forms", "--yes");
  const full = readFileSync(lockOf(cli), "utf8");
  rmSync(lockOf(cli));
  await done(cli, "status", "forms");
  expect(readFileSync(lockOf(cli), "utf8")).toBe(full);
  const { ino } = statSync(lockOf(cli));
  await done(cli, "plan", "forms");
  expect(statSync(lockOf(cli)).ino).toBe(ino);
});

it.skipIf(process.getuid?.() === 0)(
  "is not needed for looking: a folder that can't be written is looked at all the same (skipped for root)",
  async () => {
    const cli = await openCli();
    cli.file("forms/card.yaml", CARD);
    await done(cli, "apply", "forms", "--yes");
    rmSync(lockOf(cli));
    chmodSync(join(cli.cwd, ".formctl"), 0o500);
    expect(await moved(cli, "forms")).toEqual({ state: "in sync", drift: {} });
    chmodSync(join(cli.cwd, ".formctl"), 0o700);
  },
);

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
    const saved = await openLock(path, "place", turns);
    if (resource) saved.set("a", resource);
    await saved.save();
    const lock = await openLock(path, "place", turns, {
      root,
      cwd: join(root, cwd),
      files: [],
      manifests: [{ address: "a", file }],
    });
    const written = async () => {
      await lock.save();
      return (await openLock(path, "place", turns)).get("a");
    };
    return { lock, written };
  }

  it("has the base of another file once that file does not exist any more", async () => {
    const { lock } = await openOver({ layoutId: "lay_1", file: "deleted.yaml", base: { name: "1" } });
    expect(lock.get("a")?.base).toEqual({ name: "1" });
  });

  it("has ids whatever file the base belongs to, and writes them for that file", async () => {
    const { lock, written } = await openOver({ layoutId: "lay_1", file: "theirs.yaml", base: { name: "1" } });
    expect(lock.get("a")).toMatchObject({ layoutId: "lay_1", base: {} });
    lock.set("a", { formId: "frm_1", layoutId: "lay_2", base: { name: "2" } });
    const theirs = { formId: "frm_1", layoutId: "lay_2", file: "theirs.yaml", base: { name: "1" } };
    expect(await written()).toEqual(theirs);
    lock.claim("a");
    lock.set("a", { layoutId: "lay_2", base: { name: "2" } });
    expect(await written()).toEqual({ layoutId: "lay_2", file: "mine.yaml", base: { name: "2" } });
    lock.set("a", null);
    expect(await written()).toBeUndefined();
  });

  it("has nothing where nothing is known", async () => {
    const { lock } = await openOver(undefined, { cwd: "sub" });
    expect(lock.get("a")).toBeUndefined();
  });

  it("names files relative to the project, wherever the user typed them", async () => {
    const { lock, written } = await openOver(undefined, { cwd: "sub", file: "x/a.yaml" });
    lock.set("a", { base: {} });
    expect(await written()).toEqual({ file: "sub/x/a.yaml", base: {} });
  });
});
