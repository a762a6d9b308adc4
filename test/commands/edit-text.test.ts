import { expect, it } from "vitest";
import { withProblems } from "../../src/commands/edit/edit-text.ts";
import type { Located } from "../../src/schemas/diagnostic.ts";

const problem = (line: number, message: string): Located => ({
  severity: "error",
  code: "BAD",
  message,
  file: "a.yaml",
  line,
  column: 1,
});

it.each([30, 44, 58, 80])("wraps the problems of an edited file at %i columns, with the new line numbers", (width) => {
  const text = `# Draft\n\n${"a: 1\n".repeat(6)}b: bad\nc: bad\n`;
  const message = "must be one of the fields of the form: candidate_id, kind";
  const shown = withProblems(text, [problem(9, message), problem(10, message)], width).split("\n");
  const comments = shown.filter((line) => line.startsWith("#!"));
  expect(Math.max(...comments.map((line) => line.length))).toBeLessThanOrEqual(width);
  const words = comments.map((line) => line.replace(/^#!\s*/, "")).join(" ");
  for (const start of ["b", "c"]) {
    const line = shown.findIndex((each) => each.startsWith(`${start}: bad`)) + 1;
    expect(words).toContain(`line ${line}, column 1: error: ${message}`);
  }
  // A second save replaces the comments.
  expect(withProblems(shown.join("\n"), [], width)).toBe(text);
});
