/**
 * Tests `formctl layouts edit` with a simulated editor: the opened text, the checks, the prompts, and what is saved and
 * kept.
 */

import { existsSync, readdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { readDocument } from "../../src/documents/document.ts";
import type { Cli } from "./cli.ts";
import { DESK, openScene, PROFILE, publishTwice } from "./layouts-scene.ts";

let cli: Cli;
beforeEach(async () => {
  cli = await openScene();
  cli.env["EDITOR"] = "test-editor";
});

const ENDED = { exitCode: 0, signal: null };
const EDIT = ["layouts", "edit", PROFILE];

/**
 * Lets the editor change the text. Each opening uses the next function.
 *
 * @returns the texts that the editor opened, and their paths
 */
function editing(...changes: ((text: string) => string)[]): { opened: string[]; paths: string[] } {
  const seen = { opened: [] as string[], paths: [] as string[] };
  const left = [...changes];
  cli.edit = (path) => {
    const text = readFileSync(path, "utf8");
    seen.opened.push(text);
    seen.paths.push(path);
    const change = left.shift();
    if (!change) throw new Error("the editor was opened too often");
    writeFileSync(path, change(text));
    return ENDED;
  };
  return seen;
}

const replace = (from: string | RegExp, to: string) => (text: string) => {
  if (text.replace(from, to) === text) throw new Error(`nothing to replace by ${to}`);
  return text.replace(from, to);
};
const unchanged = (text: string) => text;
const saved = async (args: string[] = []) =>
  (await cli.run("layouts", "draft", "show", PROFILE, "-o", "json", ...args)).stdout;
const keptFiles = () => (existsSync(join(cli.home, "edits")) ? readdirSync(join(cli.home, "edits")) : []);
const push = (...more: string[]) => cli.run("layouts", "draft", "push", PROFILE, "a.yaml", ...more);

describe("layouts edit opens", () => {
  it("the draft, with its address, target and schema", async () => {
    await push();
    const { opened, paths } = editing(unchanged);
    const { code } = await cli.answering([], ...EDIT);
    expect(code).toBe(0);
    const [text = ""] = opened;
    const flat = text.replaceAll("\n# ", " ");
    expect(flat).toMatch(
      /^# yaml-language-server: \$schema=\.\/schema\.json Draft ver_\w+ \(version 1\) of 'staffing\/candidate\/Candidate profile' Target: the local store /,
    );
    expect(flat).toContain("To cancel, close the file without a change, or empty it.");
    const comments = text.split("\n").filter((line) => line.startsWith("# ") && !/[/$]/.test(line));
    expect(Math.max(...comments.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(readDocument(text, "opened").value).toEqual(JSON.parse(await saved()));
    expect(paths[0]).toMatch(/\/edits\/edit-\w+\/candidate-profile\.yaml$/);
  });

  it("the published version if there is no draft", async () => {
    await publishTwice(cli);
    const { opened } = editing(unchanged);
    await cli.answering([], ...EDIT);
    expect(opened[0]).toContain("# Published version 2 (there is no draft) of");
    expect(opened[0]).toContain("label: Remarks");
  });

  it("a first draft with a block for every field if nothing is saved yet", async () => {
    const { opened } = editing(replace(/label: .+/, "label: Changed"));
    const { code, stdout } = await cli.answering(["publish"], ...EDIT);
    expect(opened[0]).toContain("id: f_email");
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining("Published it as version") });
  });

  it("a file that only the user can read, and its schema", async () => {
    await push();
    const modes: number[] = [];
    cli.edit = (path) => {
      for (const each of [path, join(dirname(path), "schema.json"), dirname(path)])
        modes.push(statSync(each).mode & 0o777);
      return ENDED;
    };
    await cli.answering([], ...EDIT);
    expect(modes).toEqual([0o600, 0o600, 0o700]);
  });
});

describe("layouts edit saves", () => {
  it("the confirmed draft, after it shows the changes, and removes the file", async () => {
    await push();
    editing(replace("label: Notes", "label: Remarks"));
    const { code, stdout, stderr, asked } = await cli.answering(["push"], ...EDIT);
    expect({ code, asked }).toEqual({ code: 0, asked: ["What next?"] });
    expect(stderr).toContain('config.label (tab_notes): "Notes" → "Remarks"');
    expect(stdout).toMatch(/^Saved draft ver_\w+ \(version \d+\): valid\.\n$/);
    expect(stderr).toContain(`Next: formctl layouts publish '${PROFILE}'`);
    expect(await saved()).toContain('"Remarks"');
    expect(keptFiles()).toEqual([]);
  });

  it("and publishes with the second choice, or as the first choice with --publish", async () => {
    await push();
    editing(replace("label: Notes", "label: Remarks"));
    expect((await cli.answering(["publish"], ...EDIT)).stdout).toContain("Published it as version");
    editing(replace("label: Remarks", "label: More"));
    const { code, json } = await cli.run(...EDIT, "--publish", "--yes", "--json").then(async (refused) => {
      expect(refused.code).toBe(64);
      return cli.answering([], ...EDIT, "--publish", "--yes", "--json");
    });
    expect(code).toBe(0);
    expect(json()).toMatchObject({ published: { versionId: expect.any(String) } });
  });

  it("after the user edits again", async () => {
    await push();
    const { opened } = editing(replace("label: Notes", "label: One"), replace("label: One", "label: Two"));
    const { code } = await cli.answering(["edit", "push"], ...EDIT);
    expect({ code, count: opened.length }).toEqual({ code: 0, count: 2 });
    expect(await saved()).toContain('"Two"');
  });

  it("only the request with --dry-run, and keeps the file", async () => {
    await push();
    const before = await saved();
    editing(replace("label: Notes", "label: Remarks"));
    const { code, stdout, stderr } = await cli.answering([], ...EDIT, "--publish", "--dry-run");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^PUT \/v1\/view-layouts\/lay_\w+\/draft\n/);
    expect(stdout).toMatch(/"expectedDraftVersionId": "ver_\w+"/);
    expect(stderr).toMatch(/Your edit is kept in .*candidate-profile\.yaml\nNext: formctl layouts draft push /);
    expect(await saved()).toBe(before);
  });
});

describe("layouts edit cancels", () => {
  it.each([
    ["is unchanged", unchanged],
    ["is empty", () => ""],
    ["has only comments", () => "# nothing\n\n---\n"],
    ["has only another format", (text: string) => text.replace("schemaVersion: 1", "'schemaVersion':   1")],
  ])("a file that %s", async (_what, change) => {
    await push();
    const before = await saved();
    editing(change);
    const { code, stdout, stderr } = await cli.answering([], ...EDIT, "--json");
    expect({ code, stdout }).toEqual({ code: 0, stdout: "null\n" });
    expect(stderr).toContain("Edit cancelled, no changes made.\n");
    expect(await saved()).toBe(before);
    expect(keptFiles()).toEqual([]);
  });

  it("a file that the editor deletes", async () => {
    await push();
    cli.edit = (path) => {
      unlinkSync(path);
      return ENDED;
    };
    expect(await cli.answering([], ...EDIT)).toMatchObject({ code: 0, stdout: "" });
    expect(keptFiles()).toEqual([]);
  });

  it("changes that the user discards", async () => {
    await push();
    editing(replace("label: Notes", "label: Remarks"));
    const { code, stderr } = await cli.answering(["discard"], ...EDIT);
    expect(code).toBe(0);
    expect(stderr).toContain("The changes are discarded.\n");
    expect(keptFiles()).toEqual([]);
  });
});

describe("layouts edit opens an invalid file again", () => {
  const FIELD = "fieldKey: notes";
  /** Returns the severity and message of each problem in the comments, with the text at its position. */
  const problemLines = (text = "") =>
    [...text.matchAll(/^#! line (\d+), column (\d+): (\w+): (.*)$/gm)].map(([, line, column, severity, message]) => ({
      severity,
      message,
      at: text.split("\n")[Number(line) - 1]!.slice(Number(column) - 1),
    }));

  it("with its problems as comments that name the right lines", async () => {
    await push();
    const { opened } = editing(
      replace(FIELD, "fieldKey: note"),
      replace("schemaVersion: 1\n", "schemaVersion: 1\nmore: {}\n"),
      (text) =>
        text
          .replace("more: {}\n", "")
          .replace("fieldKey: note\n", `${FIELD}\n`)
          .replace("label: Notes", "label: Remarks"),
    );
    const { code } = await cli.answering(["push"], ...EDIT);
    expect(code).toBe(0);
    expect(opened[1]).toContain("#! 1 error. Save the file to check it again.\n");
    expect(problemLines(opened[1])).toEqual([
      { severity: "error", message: expect.stringContaining('unknown field "note"'), at: "note" },
    ]);
    expect(problemLines(opened[2])).toEqual([
      { severity: "error", message: expect.stringContaining("more"), at: expect.stringMatching(/^more: \{\}|^\{\}/) },
    ]);
    expect(await saved()).toContain('"Remarks"');
  });

  it("with a syntax error", async () => {
    await push();
    const { opened } = editing(replace("blocks:", "blocks: ]"), () => "");
    const { code } = await cli.answering([], ...EDIT);
    expect(code).toBe(0);
    expect(problemLines(opened[1])).toMatchObject([{ severity: "error", at: expect.stringMatching(/^\]|^$/) }]);
  });

  it("and ends with exit code 3 if the user leaves it unchanged, and keeps it", async () => {
    await push();
    const draft = (await cli.run("layouts", "draft", "show", PROFILE, "-o", "name")).stdout.trim();
    const { paths } = editing(replace("blocks:", "blocks: ]"), unchanged);
    const { code, stderr } = await cli.answering([], ...EDIT);
    expect(code).toBe(3);
    expect(stderr).toContain(
      `hint: Your edit is kept in ${paths[0]}\n  Next: formctl layouts draft push '${PROFILE}' ${paths[0]} --expect-draft ${draft}\n`,
    );
    expect(readFileSync(paths[0]!, "utf8")).toContain("blocks: ]");
  });

  it("again by default if the draft breaks a rule", async () => {
    await push();
    const { opened } = editing(replace(FIELD, "fieldKey: note"), unchanged, replace("fieldKey: note", FIELD));
    const { asked, stderr } = await cli.answering([""], ...EDIT);
    expect({ asked, opened: opened.length }).toEqual({ asked: ["What next?"], opened: 3 });
    expect(stderr).toContain("Edit cancelled, no changes made.");
  });

  it("and offers to push a draft that breaks a rule if the user leaves it unchanged", async () => {
    await push();
    editing(replace(FIELD, "fieldKey: note"), unchanged);
    const { code, stdout, stderr } = await cli.answering(["push"], ...EDIT);
    expect(code).toBe(3);
    expect(stderr).toMatch(/candidate-profile\.yaml:\d+:\d+ {2}error {2}FIELD_UNKNOWN/);
    expect(stdout).toContain("invalid, so it can't be published.\n");
    expect(stderr).toContain(`Next: formctl layouts edit '${PROFILE}'\n`);
    expect(keptFiles()).toEqual([]);
  });
});

describe("layouts edit keeps the file", () => {
  it("if another user saves a draft in the meantime, and refuses with exit code 6", async () => {
    await push();
    cli.edit = async (path) => {
      writeFileSync(path, readFileSync(path, "utf8").replace("label: Notes", "label: Mine"));
      cli.file("theirs.yaml", (await saved()).replace('"Notes"', '"Theirs"'));
      await cli.run("layouts", "draft", "push", PROFILE, "theirs.yaml");
      return ENDED;
    };
    const { code, stderr } = await cli.answering(["push"], ...EDIT);
    expect(code).toBe(6);
    expect(stderr).toContain("DRAFT_STALE");
    const path = /Your edit is kept in (.*)\n/.exec(stderr)?.[1] ?? "";
    expect(readFileSync(path, "utf8")).toContain("label: Mine");
    expect(await saved()).toContain('"Theirs"');
    // The printed command works.
    expect((await cli.run("layouts", "draft", "push", PROFILE, path)).code).toBe(0);
    expect(await saved()).toContain('"Mine"');
  });

  it("if the editor fails after a change, but not without one", async () => {
    await push();
    cli.edit = (path) => {
      writeFileSync(path, readFileSync(path, "utf8").replace("label: Notes", "label: Mine"));
      return { exitCode: 1, signal: null };
    };
    const failed = await cli.answering([], ...EDIT);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain('error: the editor "test-editor" failed with exit code 1\n');
    expect(failed.stderr).toContain("Your edit is kept in ");
    expect(keptFiles()).toHaveLength(1);
    cli.edit = () => ({ exitCode: null, signal: "SIGKILL" });
    const killed = await cli.answering([], ...EDIT);
    expect(killed).toMatchObject({ code: 1, stderr: expect.stringContaining("was terminated by SIGKILL") });
    expect(keptFiles()).toHaveLength(1);
  });

  it("if a signal arrives while the editor is open", async () => {
    await push();
    cli.edit = (path) => {
      writeFileSync(path, readFileSync(path, "utf8").replace("label: Notes", "label: Mine"));
      cli.ending.abort(new Error("the test interrupts"));
      return ENDED;
    };
    const { stderr } = await cli.answering([], ...EDIT);
    expect(stderr).toContain("Your edit is kept in ");
    expect(await saved()).toContain('"Notes"');
  });
});

describe("layouts edit refuses", () => {
  it("to run without a terminal, and names the commands to use instead", async () => {
    const { code, error } = await cli.run(...EDIT, "--json", "--store", join(cli.home, "local.db"));
    expect(code).toBe(64);
    const { hint } = error();
    expect(hint).toContain(`formctl layouts versions get '${PROFILE}' latest --as-draft --store`);
    expect(hint).toContain(`formctl layouts draft push '${PROFILE}' FILE --store`);
  });

  it("to run without an editor, and reports what to set", async () => {
    await push();
    delete cli.env["EDITOR"];
    cli.env["PATH"] = cli.home;
    const { code, error } = await cli.answering([], ...EDIT, "--json");
    expect(code).toBe(64);
    expect(error()).toMatchObject({ code: "NO_EDITOR", hint: expect.stringContaining("export EDITOR=nano") });
  });

  it("an editor that can't be started", async () => {
    await push();
    cli.edit = () => {
      throw Object.assign(new Error("spawn test-editor ENOENT"), { code: "ENOENT", syscall: "spawn" });
    };
    const { code, stderr } = await cli.answering([], ...EDIT);
    expect(code).toBe(1);
    expect(stderr).toContain('the editor "test-editor" can\'t be started');
  });

  it("an unknown layout before the editor opens", async () => {
    const { code } = await cli.answering([], "layouts", "edit", "staffing/candidate/Missing");
    expect(code).toBe(5);
  });
});

it("takes VISUAL before EDITOR", async () => {
  await cli.run("layouts", "draft", "push", DESK, "b.yaml");
  cli.env["VISUAL"] = "code --wait";
  const commands: string[] = [];
  cli.edit = (_path, command) => {
    commands.push(command);
    return ENDED;
  };
  await cli.answering([], "layouts", "edit", DESK);
  expect(commands).toEqual(["code --wait"]);
});
