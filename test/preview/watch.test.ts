/** `formctl layouts preview --watch` in a real terminal. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { CTRL_C, openPty } from "../pty.ts";
import { temporaryFolders } from "../temporary.ts";

const program = fileURLToPath(new URL("../commands/scripts/typed.ts", import.meta.url));
const newFolder = temporaryFolders();

const draftOf = (label: string) => `schemaVersion: 1
regions:
  - { key: main, label: Main, layout: grid, columns: 12 }
blocks:
  - { id: f, type: field, source: dynamic_field, ref: { fieldKey: full_name }, regionKey: main, config: { label: ${label} } }
`;

function watchDraft(draft: string) {
  const home = newFolder();
  const path = join(home, "draft.yaml");
  writeFileSync(path, draft);
  const command = [process.execPath, program, "layouts", "preview", "draft.yaml", "--watch", "--no-color"];
  return { path, pty: openPty(command, { home, columns: 60, rows: 40 }) };
}

it("draws again after each save and resize, keeps the last drawing above which it reports a broken file, and ends with Ctrl-C", async () => {
  const { path, pty } = watchDraft(draftOf("First"));
  // The note is the last line of each drawing.
  expect(await pty.shows(/Stop with Ctrl-C\./)).toContain("╭─ First ─");

  writeFileSync(path, draftOf("Second"));
  expect(await pty.shows(/╭─ Second ─[^]*Stop with Ctrl-C\./)).not.toContain("First");

  writeFileSync(path, draftOf("] Third"));
  expect(await pty.shows(/The drawing shows the last\s+readable\s+content\.\s+Stop\s+with\s+Ctrl-C\./)).toMatch(
    /draft\.yaml:5:\d+ {2}error {2}YAML_SYNTAX[^]*╭─ Second ─/,
  );

  writeFileSync(path, draftOf("Fourth"));
  expect(await pty.shows(/╭─ Fourth ─[^]*Stop with Ctrl-C\./)).not.toContain("YAML_SYNTAX");

  pty.resize(100, 40);
  await pty.shows(new RegExp(`━━ Main ${"━".repeat(92)}`));

  pty.type(CTRL_C);
  expect(await pty.ended()).toMatchObject({ exitCode: 130 });
});
