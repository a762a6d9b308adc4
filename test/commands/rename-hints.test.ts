/**
 * Tests rename hints. A hint warns the user before formctl would delete a renamed form, or create the form a second
 * time.
 */

import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { renameNote } from "../../src/plan/rename-hints.ts";
import type { Located } from "../../src/schemas/diagnostic.ts";
import { form as wantedForm } from "../plan/plan-scene.ts";
import { type Cli, openCli } from "./cli.ts";
import { behindNorthwind, contractorCard, layoutText, openManifestsScene } from "./manifests-scene.ts";
import { followsDocument } from "../proxy/manners.ts";
import { insertProxy } from "../proxy/proxy.ts";

const LAYOUT = "layout: ./card.layout.yaml\n";
const form = (name: string, more = "") =>
  `kind: Form\nobject: staffing/candidate\nname: ${name}\n${more}types: [VIEW]\n`;

type Planned = { problems: Located[]; resources: { address: string; notes: string[] }[] };

async function planned(cli: Cli, ...words: string[]): Promise<{ problems: Located[]; notes: string[] }> {
  const { problems, resources } = (await cli.run("plan", ...words, "-o", "json")).json() as Planned;
  return { problems, notes: resources.flatMap(({ notes }) => notes) };
}

/** The rename hints of `plan`. */
async function told(cli: Cli, ...words: string[]): Promise<string[]> {
  const { problems, notes } = await planned(cli, ...words);
  const messages = problems.filter(({ code }) => code === "RENAME_LIKELY").map(({ message }) => message);
  expect(notes.filter((note) => note.startsWith("looks like"))).toEqual(messages);
  return messages;
}

/** Applies a form, and then changes its name in the file. */
async function renamed(more = ""): Promise<Cli> {
  const cli = await openCli();
  cli.file("forms/card.layout.yaml", layoutText("phone"));
  cli.file("forms/card.yaml", form("One") + LAYOUT);
  expect((await cli.run("apply", "forms", "--yes")).code).toBe(0);
  cli.file("forms/card.yaml", form("Two", more) + LAYOUT);
  return cli;
}

describe("a manifest with another name than the form that was applied from its file", () => {
  const message =
    'looks like a rename of "One", which no manifest describes. Add renamedFrom: "One". Otherwise another form will be created';

  it("has a rename hint at its line in text, markdown and JSON", async () => {
    const cli = await renamed();
    const text = await cli.run("plan", "forms");
    expect(text.code).toBe(0);
    expect(text.stderr).toContain(`forms/card.yaml:3:7  warning  RENAME_LIKELY  ${message}`);
    expect(text.stdout).toContain(`    i ${message}\n`);
    expect((await cli.run("plan", "forms", "--format", "markdown")).stdout).toContain(`i ${message}\n`);
    const { problems, notes } = await planned(cli, "forms");
    expect(problems).toMatchObject([{ severity: "warning", file: "forms/card.yaml", line: 3, message }]);
    expect(notes).toEqual([message]);
    const status = await cli.run("status", "forms");
    expect([status.code, status.stdout]).toEqual([
      0,
      expect.stringMatching(/missing {2}staffing\/candidate\/Two {2}looks like/),
    ]);
    expect(await cli.run("plan", "forms", "--strict")).toMatchObject({ code: 3, stdout: "" });
  });

  it("has the hint next to the deletion that --prune plans", async () => {
    const cli = await renamed();
    const what = 'it looks like "Two" of forms/card.yaml:3, and renamedFrom: "One" there would keep it';
    expect((await cli.run("plan", "forms", "--prune")).stdout).toContain(
      `which no manifest names; but ${what}: requires --allow-delete`,
    );
    const refused = await cli.run("apply", "forms", "--prune", "--yes");
    expect([refused.code, refused.stderr]).toEqual([8, expect.stringContaining(what)]);
  });

  it("is renamed as the hint states, and then has no hint", async () => {
    const cli = await renamed('renamedFrom: "One"\n');
    expect(await told(cli, "forms", "--prune")).toEqual([]);
    expect((await cli.run("apply", "forms", "--prune", "--yes")).code).toBe(0);
    expect((await cli.run("forms", "list", "staffing/candidate", "-o", "json", "--query", "[].name")).json()).toEqual([
      "Two",
    ]);
  });

  it("has a hint if renamedFrom is a name that the target never had", async () => {
    const cli = await renamed("renamedFrom: Oneandahalf\n");
    const [warning] = (await planned(cli, "forms")).problems;
    expect(warning).toMatchObject({
      line: 4,
      message: expect.stringContaining('renamedFrom is "Oneandahalf", which does not exist. Change it to "One"'),
    });
  });

  it("has a hint with the current name on the target", async () => {
    const cli = await renamed();
    await cli.run("forms", "update", "staffing/candidate/One", "--name", "Uno");
    expect(await told(cli, "forms")).toEqual([message.replaceAll("One", "Uno")]);
  });

  it("has the hint to rename another form first, if renamedFrom would mean both", async () => {
    const cli = await renamed();
    cli.file("other.yaml", form("Other"));
    expect((await cli.run("apply", "other.yaml", "--yes")).code).toBe(0);
    await cli.run("forms", "update", "staffing/candidate/Other", "--name", "One");
    const twins = message.replace(
      ". Add",
      '. More than one is named "One" on the target: rename the others first. Add',
    );
    expect(await told(cli, "forms")).toEqual([twins]);
    cli.file("forms/card.yaml", form("Two", "renamedFrom: One\n") + LAYOUT);
    expect((await cli.run("plan", "forms")).stderr).toContain("AMBIGUOUS_NAME");
    expect((await cli.run("apply", "other.yaml", "--yes")).code).toBe(0);
    expect((await cli.run("plan", "forms")).stdout).toContain('~ name: "One" → "Two"');
  });

  it("has a hint if its file was renamed too and its content is equal", async () => {
    const cli = await renamed();
    renameSync(join(cli.cwd, "forms/card.yaml"), join(cli.cwd, "forms/two.yaml"));
    expect(await told(cli, "forms")).toEqual([message]);
    cli.file("forms/card.layout.yaml", layoutText("phone").replace("label: phone", "label: Mobile"));
    expect(await told(cli, "forms")).toEqual([]);
  });
});

describe("several renamed forms of one file", () => {
  const labelled = (label: string) => layoutText("phone").replace("label: phone", `label: ${label}`);
  const both = (...forms: [name: string, label: string][]) =>
    forms.map(([name, label]) => form(name) + `layout: ./${label}.layout.yaml\n`).join("---\n");

  async function applied(): Promise<Cli> {
    const cli = await openCli();
    for (const label of ["a", "b", "c"]) cli.file(`forms/${label}.layout.yaml`, labelled(label));
    cli.file("forms/both.yaml", both(["A", "a"], ["B", "b"]));
    expect((await cli.run("apply", "forms", "--yes")).code).toBe(0);
    return cli;
  }

  it("have hints with the form of equal content", async () => {
    const cli = await applied();
    cli.file("forms/both.yaml", both(["B2", "b"], ["A2", "a"]));
    expect(await told(cli, "forms")).toEqual([
      expect.stringMatching(/rename of "B", .*Add renamedFrom: "B"\. Otherwise/),
      expect.stringMatching(/rename of "A", .*Add renamedFrom: "A"\. Otherwise/),
    ]);
    cli.file("forms/both.yaml", both(["A2", "a"], ["C", "c"]));
    expect(await told(cli, "forms")).toEqual([
      expect.stringContaining('rename of "A", which no manifest describes. Add renamedFrom: "A"'),
      expect.stringContaining('rename of "B", which no manifest describes. Add renamedFrom: "B"'),
    ]);
  });

  it("have the hint that only one of them can be the renamed form", async () => {
    const cli = await applied();
    cli.file("forms/both.yaml", both(["A", "a"], ["C", "c"], ["D", "c"]));
    const message =
      'looks like a rename of "B", which no manifest describes; another manifest does too, and each record can be ' +
      "renamed once. Add renamedFrom with its former name. Otherwise another form will be created";
    expect(await told(cli, "forms")).toEqual([message, message]);
    expect((await cli.run("plan", "forms", "--prune")).stdout).toMatch(
      /looks like "C" of forms\/both.yaml:\d+ or "D" of forms\/both.yaml:\d+, and renamedFrom: "B" there/,
    );
  });

  it("are not all listed if there are many", async () => {
    const cli = await applied();
    const many = ["C", "D", "E", "F", "G"].map((name): [string, string] => [name, "c"]);
    cli.file("forms/both.yaml", both(["A", "a"], ...many));
    expect((await cli.run("plan", "forms", "--prune")).stdout).toMatch(
      /"E" of forms\/both.yaml:\d+ or one of 2 more, and/,
    );
  });

  it("have no hint if they are empty and in separate files", async () => {
    const cli = await applied();
    cli.file("forms/a.layout.yaml", layoutText("phone").replace(/blocks:[^]*/, "blocks: []\n"));
    expect((await cli.run("apply", "forms", "--yes")).code).toBe(0);
    cli.file("forms/both.yaml", both(["B", "b"]));
    cli.file("forms/new.yaml", both(["New", "a"]));
    expect(await told(cli, "forms")).toEqual([]);
    cli.file("forms/both.yaml", both(["B", "b"], ["New", "a"]));
    rmSync(join(cli.cwd, "forms/new.yaml"));
    expect(await told(cli, "forms")).toEqual([expect.stringContaining('rename of "A"')]);
  });
});

it("a hint with several ambiguous names explains the first one", () => {
  const from = ["One", "Two"].map((name) => ({ id: name, name, isTwin: true }));
  const note = renameNote({ wanted: wantedForm("Three"), from, alike: 1 });
  expect(note).toContain('looks like a rename of "One" or "Two", ');
  expect(note).toContain('. More than one is named "One" on the target: rename the others first. ');
});

it.each([
  [2, "another manifest does too"],
  [4, "3 other manifests do too"],
])("a hint counts the other manifests if %i are a likely rename of one record", (alike, others) => {
  const note = renameNote({ wanted: wantedForm("Three"), from: [{ id: "One", name: "One", isTwin: false }], alike });
  expect(note).toContain(`, which no manifest describes; ${others}, and each record can be renamed once. `);
});

it("the deletion of a form names a file in another folder that had it last", async () => {
  const cli = await renamed();
  cli.file("forms/card.yaml", form("One") + LAYOUT);
  cli.file("others/card.layout.yaml", layoutText("phone"));
  cli.file("others/other.yaml", form("Other") + LAYOUT);
  expect((await cli.run("apply", "others", "--yes")).code).toBe(0);
  const what =
    'delete the form "Other", which no manifest names; but it was last applied from others/other.yaml, which this command did not read';
  expect((await cli.run("plan", "forms", "--prune")).stdout).toContain(what);
  expect((await cli.run("plan", "forms", "others", "--prune")).stdout).toContain("2 in sync");
  rmSync(join(cli.cwd, "others"), { recursive: true });
  expect((await cli.run("plan", "forms", "--prune")).stdout).toContain(
    "which no manifest names: requires --allow-delete",
  );
});

describe("there is no rename hint", () => {
  it("if another manifest describes the form, also a neighboring one or as a former name", async () => {
    const cli = await renamed();
    cli.file("forms/other.yaml", form("One") + LAYOUT);
    expect(await told(cli, "forms/card.yaml")).toEqual([]);
    cli.file("forms/other.yaml", form("Three", "renamedFrom: One\n") + LAYOUT);
    expect(await told(cli, "forms")).toEqual([]);
  });

  it("if the other form is deleted, or belongs to another object", async () => {
    const cli = await renamed();
    cli.file("forms/card.yaml", form("Two").replace("candidate", "placement"));
    expect(await told(cli, "forms")).toEqual([]);
    cli.file("forms/card.yaml", form("Two") + LAYOUT);
    await cli.run("forms", "delete", "staffing/candidate/One", "--yes", "--allow-delete");
    expect(await told(cli, "forms")).toEqual([]);
  });

  it("for a form that exists under its own name", async () => {
    const cli = await renamed();
    cli.file("forms/both.yaml", form("One") + LAYOUT);
    expect((await cli.run("apply", "forms", "--yes")).code).toBe(0);
    await cli.run("forms", "delete", "staffing/candidate/Two", "--yes", "--allow-delete");
    rmSync(join(cli.cwd, "forms/both.yaml"));
    expect(await told(cli, "forms")).toEqual([]);
  });
});

it.each(["lists layouts", "lists none"])("a layout has a rename hint too, on a server that %s", async (how) => {
  const { cli } = await openManifestsScene("a server");
  if (how === "lists none") await insertProxy(cli, followsDocument());
  cli.file("cards/card.yaml", contractorCard("Risk"));
  expect((await cli.run("apply", "cards", "--yes")).code).toBe(0);
  cli.file("cards/card.yaml", contractorCard("Danger").replace("name: Card", "name: Face"));
  const [message, ...more] = await told(cli, "cards");
  expect([message, more]).toEqual([
    expect.stringContaining('Add renamedFrom: "Card". Otherwise another layout will be created'),
    [],
  ]);
  cli.file("cards/other.yaml", contractorCard("Risk"));
  expect(await told(cli, "cards")).toEqual([]);
});

it("a layout has the hint to rename another layout first, if renamedFrom would mean both", async () => {
  const { cli } = await openManifestsScene("a local store");
  cli.file("cards/card.yaml", contractorCard("Risk"));
  cli.file("cards/other.yaml", contractorCard("Other").replace("name: Card", "name: Other"));
  expect((await cli.run("apply", "cards", "--yes")).code).toBe(0);
  await behindNorthwind(cli, async (service) => {
    const other = (await service.listLayouts({})).find(({ name }) => name === "Other")!;
    await service.updateLayout({ layoutId: other.id, body: { name: "Card" } });
  });
  cli.file("cards/card.yaml", contractorCard("Risk").replace("name: Card", "name: Face"));
  expect(await told(cli, "cards")).toEqual([
    expect.stringContaining('More than one is named "Card" on the target: rename the others first'),
  ]);
});
