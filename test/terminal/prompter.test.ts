import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { Interrupted } from "../../src/terminal/interrupted.ts";
import { canPrompt, matching, scriptedPrompter } from "../../src/terminal/prompter.ts";
import { CTRL_C, DOWN, ENTER, runInPty, type Step } from "../pty.ts";
import { temporaryFolders } from "../temporary.ts";

const program = fileURLToPath(new URL("ask.ts", import.meta.url));
const folder = temporaryFolders();

/** Runs the program in a real terminal. Stdout is a file. Types each answer when its question appears. */
const ask = (kind: string, ...answers: Step[]) =>
  runInPty([process.execPath, program, kind], { home: folder(), hasStdoutFile: true }, answers);

describe("the prompter in a real terminal", () => {
  it("prompts on stderr and prints only the result on stdout", async () => {
    const { screen, exitCode, stdout } = await ask("confirm", [/profile\?.*\(y\/N\)/, `y${ENTER}`]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "true\n" });
    expect(screen).toContain("Delete Candidate\\u202e profile?");
  });

  it("returns the default value for Enter", async () => {
    expect(await ask("confirm", [/\(y\/N\)/, ENTER])).toMatchObject({ stdout: "false\n" });
  });

  it("returns the selected choice", async () => {
    expect(await ask("select", [/Contractor/, DOWN + ENTER])).toMatchObject({ stdout: '"frm_2"\n' });
  });

  it("returns the selected choices, and requires at least one", async () => {
    const { screen, stdout } = await ask(
      "checkbox",
      [/Modes:/, ENTER],
      [/[Aa]t least one/, ` ${DOWN}${DOWN} ${ENTER}`],
    );
    expect(stdout).toBe('["CREATE","EDIT"]\n');
    expect(screen).toContain("◉ EDIT");
  });

  it("refuses an invalid answer and prompts again", async () => {
    const { screen, stdout } = await ask("input", [/Name\?/, ENTER], [/blank/, `Timesheet${ENTER}`]);
    expect(stdout).toBe('"Timesheet"\n');
    expect(screen).toContain("must not be blank");
  });

  it("breaks a message between words", async () => {
    const { screen } = await ask("wide", [/\(y\/N\)/, ENTER]);
    const words = screen.split(/\s+/).filter((word) => word.startsWith("cand"));
    expect(new Set(words)).toEqual(new Set(["candidates", "candidates?"]));
  });

  it("is interrupted by Ctrl-C", async () => {
    expect(await ask("confirm", [/\(y\/N\)/, CTRL_C])).toMatchObject({ exitCode: 130, stdout: "" });
  });
});

describe("matching", () => {
  const choices = ["Contractor card", "Candidate card", "Card of candidates"].map((name) => ({ name, value: name }));
  const found = (typed: string) => matching(choices, typed).map(({ name }) => name);

  it("returns the choices with every typed word, and first those that start with the text", () => {
    expect(found("")).toHaveLength(3);
    expect(found("card")).toEqual(["Card of candidates", "Contractor card", "Candidate card"]);
    expect(found("cand CARD ")).toEqual(["Candidate card", "Card of candidates"]);
    expect(found("none")).toEqual([]);
  });

  it("searches descriptions", () => {
    expect(matching([{ name: "PLN", value: "PLN", description: "Zloty" }], "zlo")).toHaveLength(1);
  });
});

describe("canPrompt", () => {
  const terminal = { inIsTTY: true, errIsTTY: true };

  it.each([
    [true, terminal, {}],
    [false, { ...terminal, inIsTTY: false }, {}],
    [false, { ...terminal, errIsTTY: false }, {}],
    [false, terminal, { env: { CI: "true" } }],
    [false, terminal, { noInput: true }],
  ])("is %j with %j and %j", (expected, at, options) => {
    expect(canPrompt(at, { env: {}, ...options })).toBe(expected);
  });
});

describe("scriptedPrompter", () => {
  it("takes the answers in order and records the questions", async () => {
    const prompter = scriptedPrompter([true, "frm_2", "Timesheet"]);
    expect(await prompter.confirm("Sure?", false)).toBe(true);
    expect(await prompter.select("Which?", [{ name: "Two", value: "frm_2" }])).toBe("frm_2");
    expect(await prompter.input("Name?")).toBe("Timesheet");
    expect(prompter.asked).toEqual(["Sure?", "Which?", "Name?"]);
    const modes = [{ name: "View", value: "VIEW" }];
    expect(await scriptedPrompter([["VIEW"]]).checkbox("Modes?", modes)).toEqual(["VIEW"]);
  });

  it("accepts a choice of a search, and another text if the search is open", async () => {
    const choices = [{ name: "Two", value: "frm_2" }];
    expect(await scriptedPrompter(["frm_2"]).search("Which?", choices)).toBe("frm_2");
    expect(await scriptedPrompter(["frm_3"]).search("Which?", choices, { other: () => undefined })).toBe("frm_3");
    await expect(scriptedPrompter(["x"]).search("Which?", choices, { other: () => "no" })).rejects.toThrow(
      "not a choice",
    );
    await expect(scriptedPrompter([new Interrupted()]).search("Which?", choices)).rejects.toThrow(Interrupted);
  });

  it("fails without an answer, or with an answer that is refused", async () => {
    await expect(scriptedPrompter([]).confirm("Sure?", true)).rejects.toThrow("no answer left for: Sure?");
    await expect(scriptedPrompter(["x"]).select("Which?", [])).rejects.toThrow('"x" is not a choice of: Which?');
    await expect(scriptedPrompter([["x"]]).checkbox("Modes?", [])).rejects.toThrow('"x" is not a choice of: Modes?');
    await expect(scriptedPrompter([[]]).checkbox("Modes?", [])).rejects.toThrow("a list of choices is required");
    const input = scriptedPrompter([""]).input("Name?", { validate: () => "must not be blank" });
    await expect(input).rejects.toThrow("must not be blank");
  });
});
