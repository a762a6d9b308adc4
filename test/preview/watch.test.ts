/** `formctl layouts preview --watch` in a real terminal. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { spawn } from "@lydell/node-pty";
import { expect, it, vi } from "vitest";
import { temporaryFolders } from "../temporary.ts";

const program = fileURLToPath(new URL("typed-preview.ts", import.meta.url));
const newFolder = temporaryFolders();

const draftOf = (label: string) => `schemaVersion: 1
regions:
  - { key: main, label: Main, layout: grid, columns: 12 }
blocks:
  - { id: f, type: field, source: dynamic_field, ref: { fieldKey: full_name }, regionKey: main, config: { label: ${label} } }
`;

/** Starts the watch of a draft file, and collects what the terminal shows since the screen was cleared. */
function watchDraft(draft: string) {
  const folder = newFolder();
  const path = join(folder, "draft.yaml");
  writeFileSync(path, draft);
  const pty = spawn(process.execPath, [program, "layouts", "preview", "draft.yaml", "--watch", "--no-color"], {
    cols: 60,
    rows: 40,
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, FORMCTL_HOME: folder, TERM: "xterm" },
  });
  let output = "";
  pty.onData((data) => (output += data));
  const ended = new Promise<number>((resolve) => pty.onExit(({ exitCode }) => resolve(exitCode)));
  const screen = () => output.slice(output.lastIndexOf("\u001B[2J"));
  const shows = (text: string) => vi.waitFor(() => expect(screen()).toContain(text), 10_000);
  return { pty, path, ended, screen, shows };
}

it("draws again after each save and resize, keeps the last drawing above which it reports a broken file, and ends with Ctrl-C", async () => {
  const { pty, path, ended, screen, shows } = watchDraft(draftOf("First"));
  await shows("Stop with Ctrl-C.");
  expect(screen()).toContain("╭─ First ─");

  writeFileSync(path, draftOf("Second"));
  await shows("╭─ Second ─");
  expect(screen()).not.toContain("First");

  writeFileSync(path, draftOf("] Third"));
  await shows("The drawing shows the last version without a failure.");
  expect(screen()).toMatch(/draft\.yaml:5:\d+ {2}error {2}YAML_SYNTAX[^]*╭─ Second ─/);

  writeFileSync(path, draftOf("Fourth"));
  await shows("╭─ Fourth ─");
  expect(screen()).not.toContain("YAML_SYNTAX");

  pty.resize(100, 40);
  await shows(`━━ Main ${"━".repeat(92)}`);

  pty.write("\u0003");
  expect(await ended).toBe(130);
});
