/** Tests the command line that a command prints after its questions: it does the same without questions. */

import { describe, expect, it } from "vitest";
import type { ScriptedAnswer } from "../../src/terminal/prompter.ts";
import type { Cli } from "./cli.ts";
import { openCli } from "./cli.ts";
import { openDemo, wordsOf } from "./demo-cli.ts";
import { aForm, PROFILE } from "./forms-scene.ts";
import { DESK, droppingPayRate, openScene } from "./layouts-scene.ts";
import { openMigrateScene } from "../migrations/migrate-scene.ts";
import { behindNorthwind, openManifestsScene } from "./manifests-scene.ts";

type Scene = {
  title: string;
  open: () => Promise<Cli>;
  argv: readonly string[];
  answers: readonly ScriptedAnswer[];
  /** The words that the answers add. */
  added: string;
};

async function openStagedDeletion(): Promise<Cli> {
  const cli = await openScene();
  await cli.run("layouts", "draft", "push", DESK, "b.yaml", "--publish");
  cli.file("b2.yaml", droppingPayRate());
  await cli.run("layouts", "draft", "push", DESK, "b2.yaml");
  return cli;
}

async function openUnmanagedForm(): Promise<Cli> {
  const { cli } = await openManifestsScene("a local store");
  await cli.run("apply", "manifests", "--yes");
  const form = { moduleKey: "staffing", objectKey: "candidate", body: { name: "By hand", types: ["VIEW" as const] } };
  await behindNorthwind(cli, (service) => service.createForm(form));
  return cli;
}

async function openWithForm(): Promise<Cli> {
  const cli = await openCli();
  await aForm(cli, "Candidate profile", ["VIEW"]);
  return cli;
}

async function openWithMigration(): Promise<Cli> {
  const { cli, script } = await openMigrateScene("a local store");
  script("1-one", "");
  return cli;
}

const SCENES: readonly Scene[] = [
  {
    title: "forms delete",
    open: openWithForm,
    argv: ["forms", "delete", PROFILE],
    answers: [true],
    added: "--allow-delete",
  },
  {
    title: "forms create with an existing name",
    open: openWithForm,
    argv: ["forms", "create", "staffing/candidate", "--name", "Candidate profile", "--types", "VIEW"],
    answers: [true],
    added: "--allow-duplicate",
  },
  {
    title: "layouts publish",
    open: openStagedDeletion,
    argv: ["layouts", "publish", DESK],
    answers: [true],
    added: "--confirm-field-change d_pay",
  },
  {
    title: "apply with several questions",
    open: openUnmanagedForm,
    argv: ["apply", "manifests", "--prune"],
    answers: [true, true],
    added: "--yes --allow-delete",
  },
  { title: "migrate run", open: openWithMigration, argv: ["migrate", "run"], answers: [true], added: "--yes" },
  {
    title: "local reset",
    open: openDemo,
    argv: ["local", "reset"],
    answers: [true],
    added: "--yes",
  },
];

/** Removes ids and the names of files, which differ between stores. */
const comparable = (text: string) => text.replaceAll(/\b(frm|ver|lay|fld)_\w+|\/\S+|\d+ KiB/g, "…");

describe.each(SCENES)("$title", ({ open, argv, answers, added }) => {
  it("prints the command line that does the same without questions", async () => {
    const asked = await (await open()).answering(answers, ...argv);
    expect(asked.code).toBe(0);
    const lines = [...asked.stderr.matchAll(/^Same as: (.*)$/gm)].map(([, line = ""]) => line);
    expect(lines).toHaveLength(1);
    expect(wordsOf(lines[0]!)).toEqual([...argv, ...added.split(" ")]);
    const again = await (await open()).run(...wordsOf(lines[0]!));
    expect({ code: again.code, stdout: comparable(again.stdout) }).toEqual({
      code: 0,
      stdout: comparable(asked.stdout),
    });
  });

  it("prints no command line if the user declines, or needs no question", async () => {
    const cli = await open();
    const declined = await cli.answering([...answers.slice(0, -1), false], ...argv);
    expect(declined.code).toBe(8);
    expect(declined.stderr).not.toContain("Same as");
    const typed = await cli.run(...argv, ...added.split(" "));
    expect(typed.stderr).not.toContain("Same as");
  });
});

it("prints no command line if the command has no option for an answer", async () => {
  const cli = await openStagedDeletion();
  const { code, stderr } = await cli.answering([true], "layouts", "draft", "push", DESK, "b2.yaml", "--publish");
  expect(code).toBe(0);
  expect(stderr).not.toContain("Same as");
});
