import { describe, expect, it } from "vitest";
import { commandLines } from "../../src/terminal/command-lines.ts";
import { labelled, messageLines } from "../../src/terminal/message.ts";
import { plain } from "../../src/terminal/style.ts";
import { textWidth } from "../../src/terminal/width.ts";

const COMMAND = `formctl layouts draft push "compliance/document_check/Document review" $(cat path of file) --publish`;

/** Joins the lines of a command as a shell does. */
const joined = (lines: readonly string[]) =>
  lines
    .join("\n")
    .replaceAll(/ \\\n */g, " ")
    .trim();

describe("a command line", () => {
  it.each([40, 50, 60, 80])("continues after a backslash, between words, at %i columns", (width) => {
    const lines = commandLines(COMMAND, width);
    expect(lines.length).toBeGreaterThan(1);
    expect(joined(lines)).toBe(COMMAND);
    expect(lines.join("\n")).toContain(`"compliance/document_check/Document review"`);
    expect(lines.join("\n")).toContain("$(cat path of file)");
  });

  it("puts a comment on lines of its own, which a shell ignores", () => {
    const line = "formctl migrate run --store other.db  # does the rest, after the cause is corrected";
    expect(commandLines(line, 40)).toEqual([
      "formctl migrate run --store other.db",
      "# does the rest, after the cause is",
      "# corrected",
    ]);
    expect(commandLines(line, 100)).toEqual([line]);
  });
});

describe("a message", () => {
  const hint = (text: string, width: number) => labelled("hint:", text, { paint: plain.cyan, width });

  it("indents all lines but the first", () => {
    expect(hint("OBJECT: a or b\nExample: formctl forms list a", Infinity)).toBe(
      "hint: OBJECT: a or b\n  Example: formctl forms list a",
    );
  });

  it("breaks between words", () => {
    const text = "The draft was published or deleted after the plan was created. Review the changes: formctl plan.";
    const lines = hint(text, 40).split("\n");
    expect(lines.every((line) => textWidth(line) <= 40)).toBe(true);
    expect(lines.map((line) => line.trim()).join(" ")).toBe(`hint: ${text}`);
    expect(lines.slice(1).every((line) => line.startsWith("  "))).toBe(true);
  });

  it.each([40, 60, 80])("breaks a command so that it can be copied, at %i columns", (width) => {
    for (const prose of ["Next:", "To confirm and publish the draft that another user has saved:"]) {
      const lines = messageLines(`${prose} ${COMMAND}`, width);
      const all = joined(lines).replaceAll(/\s+/g, " ");
      expect(all).toBe(`${prose} ${COMMAND}`);
      const wide = lines.filter((line) => textWidth(line) > width && !/^\s*("[^"]*"|\$\([^)]*\)) \\$/.test(line));
      expect(wide).toEqual([]);
    }
  });

  it("keeps a command within a sentence whole, or breaks it so that it can be copied", () => {
    const text = "Save a draft: formctl layouts edit a/b, or formctl layouts draft push a/b FILE. What it's about.";
    expect(messageLines(text, 50)).toEqual([
      "Save a draft: formctl layouts edit a/b, or",
      "  formctl layouts draft push a/b FILE. What it's",
      "  about.",
    ]);
    expect(messageLines(text, 30)).toEqual([
      "Save a draft:",
      "  formctl layouts edit a/b, or",
      "  formctl layouts draft push \\",
      "  a/b FILE. What it's about.",
    ]);
  });

  it("starts a wide command on a line of its own", () => {
    expect(messageLines("Clear the default first: formctl layouts assignments set a/b --no-default", 48)).toEqual([
      "Clear the default first:",
      "  formctl layouts assignments set a/b \\",
      "  --no-default",
    ]);
  });

  it("keeps the indentation of a line, and does not count styles", () => {
    expect(messageLines(`    \u001B[1mleft out:\u001B[22m the layout is not in the files`, 30)).toEqual([
      "    \u001B[1mleft out:\u001B[22m the layout is",
      "      not in the files",
    ]);
  });

  it("does not break a word that is wider than the terminal", () => {
    const url = `https://forms.example.com/${"path/".repeat(12)}`;
    expect(messageLines(`Open the page: ${url}`, 40)).toEqual(["Open the page:", `  ${url}`]);
  });
});
