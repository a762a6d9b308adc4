/**
 * Tests `layouts edit` and `forms edit` in a real terminal, with an editor process. The target is a local store or a
 * server.
 */

import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { quoted } from "../../src/base/shell-quote.ts";
import { CTRL_C, DOWN, ENTER, type Pty, type Step } from "../pty.ts";
import { reasonWithout } from "../skip.ts";
import { demoHome, ending, FORMCTL, formctl, ROOT, start } from "./program.ts";
import { type EditorOutcome, runWithEditor } from "./scripted-editor.ts";

const PROFILE = "staffing/candidate/Candidate profile";
const EDIT = ["layouts", "edit", PROFILE];
const QUESTION = /What next\?[^]*Discard the changes/;
const RELABEL = { replace: ["label: Notes", "label: Remarks"] as [string, string] };

type Place = { home: string; env: Record<string, string> };

const places: [name: string, open: () => Promise<Place>][] = [
  ["a local store", async () => ({ home: await demoHome(), env: {} })],
  ["a server", served],
];

/** Opens a home folder with the demo, and a server on its store. */
async function served(): Promise<Place> {
  const home = await demoHome();
  const words = ["local", "tokens", "create", "--name", "edit", "--permission", "all", "-q"];
  const token = (await formctl(words, { home })).stdout.trim();
  const server = start(process.execPath, [FORMCTL, "serve", "--port", "0", "-o", "json"], { home });
  const ended = ending(server);
  onTestFinished(async () => {
    server.kill();
    await ended;
  });
  const line: unknown = await new Promise((resolve) => server.stdout.once("data", resolve));
  const { url } = JSON.parse(String(line)) as { url: string };
  return { home, env: { FORMCTL_BASE_URL: url, FORMCTL_TOKEN: token } };
}

const show = async (place: Place, version: string) =>
  (await formctl(["layouts", "versions", "get", PROFILE, version, "--as-draft", "-o", "json"], place)).stdout;

/** Removes what breaks long lines: spaces, line feeds, and the backslashes in commands. */
const unwrapped = (text: string) => text.replaceAll(/[\s\\]+/g, "");

/**
 * Expects that the changed file is kept, and that only its user can read the file. The screen names the file and the
 * next step.
 */
function expectKept({ kept, screen }: EditorOutcome): string {
  expect(kept).toHaveLength(1);
  const [path = ""] = kept;
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readFileSync(path, "utf8")).toContain("label: Remarks");
  const shown = unwrapped(screen);
  expect(shown).toContain(unwrapped(`Your edit is kept in ${path}`));
  expect(shown).toContain(unwrapped(`Next: formctl layouts draft push '${PROFILE}' ${quoted(path)}`));
  return path;
}

describe.each(places)("in a terminal, on %s", (_name, open) => {
  it("pushes and publishes with the arrow keys", async () => {
    const place = await open();
    const outcome = await runWithEditor(place, EDIT, { steps: [RELABEL], reactions: [[QUESTION, DOWN + ENTER]] });
    expect(outcome).toMatchObject({ exitCode: 0, kept: [] });
    expect(outcome.screen).toContain('config.label (tab_notes): "Notes" → "Remarks"');
    expect(outcome.stdout).toMatch(/^Saved draft ver_\w+ \(version 3\): valid\.\nPublished it as version 3\.\n$/);
    expect(await show(place, "latest")).toContain('"Remarks"');
  });

  it("opens an invalid file again, edits again on request, and pushes", async () => {
    const place = await open();
    const steps = [
      { replace: ["label: Notes", "label: [Notes"] as [string, string] },
      { replace: ["label: [Notes", "label: Notice"] as [string, string] },
      { replace: ["label: Notice", "label: Remarks"] as [string, string] },
    ];
    const reactions: Step[] = [
      [QUESTION, DOWN + DOWN + ENTER],
      // The terminal draws the question again for each key. So each answer must wait until the editor was opened.
      [/the editor is open[^]*What next\?[^]*Discard the changes/, ENTER],
    ];
    const { exitCode, opened, stdout } = await runWithEditor(place, EDIT, { steps, reactions });
    expect({ exitCode, count: opened.length }).toEqual({ exitCode: 0, count: 3 });
    expect(opened[1]).toMatch(/^#! 1 error\. Save the file to check it again\.\n#! line \d+, column \d+: error: /m);
    expect(opened[2]).not.toContain("#!");
    expect(stdout).toMatch(/^Saved draft ver_\w+ \(version 3\): valid\.\n$/);
    expect(await show(place, "draft")).toContain('"Remarks"');
  });

  it.each([
    ["unchanged", {}],
    ["deleted", { remove: true }],
  ])("cancels if the file is %s", async (_how, step) => {
    const place = await open();
    const { exitCode, screen, stdout, kept } = await runWithEditor(place, EDIT, { steps: [step] });
    expect({ exitCode, stdout, kept }).toEqual({ exitCode: 0, stdout: "", kept: [] });
    expect(screen).toContain("Edit cancelled, no changes made.\n");
  });

  it("keeps the file if the editor fails", async () => {
    const place = await open();
    const outcome = await runWithEditor(place, EDIT, { steps: [{ ...RELABEL, exitCode: 1 }] });
    expect(outcome.exitCode).toBe(1);
    expectKept(outcome);
  });

  it("refuses to replace the draft of another user, and keeps the file", async () => {
    const place = await open();
    const file = join(ROOT, "examples/northwind/drafts/candidate-profile.yaml");
    const theirs = [FORMCTL, "layouts", "draft", "push", PROFILE, file];
    const steps = [{ ...RELABEL, run: theirs }];
    const outcome = await runWithEditor(place, EDIT, { steps, reactions: [[QUESTION, ENTER]] });
    expect(outcome.exitCode).toBe(6);
    const path = expectKept(outcome);
    expect(await show(place, "draft")).not.toContain('"Remarks"');
    expect((await formctl(["layouts", "draft", "push", PROFILE, path], place)).code).toBe(0);
    expect(await show(place, "draft")).toContain('"Remarks"');
  });

  it("keeps the file after Ctrl-C at the question", async () => {
    const place = await open();
    const outcome = await runWithEditor(place, EDIT, { steps: [RELABEL], reactions: [[QUESTION, CTRL_C]] });
    expect(outcome.exitCode).toBe(130);
    expectKept(outcome);
  });
});

describe("in a terminal", () => {
  const local = async (): Promise<Place> => ({ home: await demoHome(), env: {} });
  const waiting = [{ ...RELABEL, waits: true }];

  it.each([
    ["Ctrl-C", 130, CTRL_C],
    ["SIGTERM", 143, ({ pid }: Pty) => void process.kill(pid, "SIGTERM")],
  ] as const)("keeps the file after %s while the editor is open", async (_name, code, react) => {
    const outcome = await runWithEditor(await local(), EDIT, {
      steps: waiting,
      reactions: [[/the editor is open/, react]],
    });
    expect(outcome.exitCode).toBe(code);
    expectKept(outcome);
  });

  it("keeps the file after SIGTERM at the question", async () => {
    const reactions: Step[] = [[QUESTION, ({ pid }) => void process.kill(pid, "SIGTERM")]];
    const outcome = await runWithEditor(await local(), EDIT, { steps: [RELABEL], reactions });
    expect(outcome.exitCode).toBe(143);
    expectKept(outcome);
  });

  it("has shown the path of the file if the process is killed", async () => {
    const reactions: Step[] = [[QUESTION, ({ pid }) => void process.kill(pid, "SIGKILL")]];
    const { kept, screen } = await runWithEditor(await local(), EDIT, { steps: [RELABEL], reactions });
    expect(kept).toHaveLength(1);
    expect(unwrapped(screen)).toContain(unwrapped(`Editing ${kept[0]}`));
  });

  it("opens a full-screen editor twice, although stdout is not the terminal", async ({ skip }) => {
    const reason = reasonWithout("vim");
    skip(reason !== undefined, reason);
    const place = await local();
    const reactions: Step[] = [
      [/\d+ lines, \d+ bytes/, ":%s/label: Notes/label: Notice/\r:wq\r"],
      [QUESTION, DOWN + DOWN + ENTER],
      [/\d+ lines, \d+ bytes/, ":%s/label: Notice/label: Remarks/\r:wq\r"],
      [QUESTION, ENTER],
    ];
    const { exitCode, stdout } = await runWithEditor(place, [...EDIT, "-o", "name"], {
      steps: [],
      reactions,
      editor: "vim -u NONE",
    });
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^ver_\w+\n$/) });
    expect(await show(place, "draft")).toContain('"Remarks"');
  });

  it("starts an editor whose command line needs a shell", async () => {
    const { exitCode, screen } = await runWithEditor(await local(), EDIT, {
      steps: [{}],
      editor: `'${process.execPath}' "${import.meta.dirname}/scripts/editor.ts"`,
    });
    expect({ exitCode, screen }).toMatchObject({ exitCode: 0, screen: expect.stringContaining("Edit cancelled") });
  });

  it("pushes a file on each save, until Ctrl-C", async () => {
    const place = await local();
    const file = join(place.home, "draft.yaml");
    const text = await show(place, "latest");
    writeFileSync(file, text);
    const reactions: Step[] = [
      [/Saved draft .*\n/, () => writeFileSync(file, text.replaceAll('"Notes"', '"Remarks"'))],
      // The terminal shows Ctrl-C as ^C, so the line must be complete.
      [/Saved draft .*\n/, CTRL_C],
    ];
    const words = ["layouts", "draft", "push", PROFILE, "draft.yaml", "--watch", "-o", "name"];
    const { exitCode, screen, stdout } = await runWithEditor(place, words, { steps: [], reactions });
    expect(exitCode).toBe(130);
    expect(screen.match(/^\d\d:\d\d:\d\d Saved draft ver_\w+ \(version \d\): valid\.$/gm)).toHaveLength(2);
    expect(stdout).toMatch(/^ver_\w+\n$/);
    expect(await show(place, "draft")).toContain('"Remarks"');
  });

  it("edits a form", async () => {
    const place = await local();
    const { exitCode, screen, stdout } = await runWithEditor(place, ["forms", "edit", PROFILE], {
      steps: [{ replace: ["isActive: true", "isActive: false"] }],
      reactions: [[QUESTION, ENTER]],
    });
    expect(exitCode).toBe(6);
    expect(screen).toContain("is the default for");
    expect(stdout).toBe("");
    const renamed = await runWithEditor(place, ["forms", "edit", PROFILE, "-o", "name"], {
      steps: [{ replace: ["name: Candidate profile", "name: Card"] }],
      reactions: [[QUESTION, ENTER]],
    });
    expect(renamed.exitCode).toBe(0);
    expect((await formctl(["forms", "get", "staffing/candidate/Card", "-o", "name"], place)).stdout).toBe(
      renamed.stdout,
    );
  });
});
