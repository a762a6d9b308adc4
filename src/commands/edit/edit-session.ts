/**
 * Lets the user edit a record as a file. Opens the editor, checks each save, shows the changes, and asks what to do
 * with the changes. If the changes can't be sent, the file is kept.
 */

import { type Document, readDocument } from "../../documents/document.ts";
import { LocatedError } from "../../documents/located-error.ts";
import { invalidDocument } from "../../documents/problems.ts";
import { FormctlError } from "../../base/error.ts";
import { reasonOf } from "../../disk/file-errors.ts";
import type { Change } from "../../schemas/content-diff.ts";
import type { Located } from "../../schemas/diagnostic.ts";
import { NotConfirmed } from "../../service.ts";
import { renderDiagnostics } from "../../terminal/diagnostics.ts";
import { renderDiff } from "../../terminal/diff.ts";
import { findEditor } from "../../terminal/editor.ts";
import { visible } from "../../terminal/escape.ts";
import type { Choice } from "../../terminal/prompter.ts";
import { proseWidth, wrap } from "../../terminal/width.ts";
import type { CommandContext } from "../command.ts";
import { FailedWithKeptFile } from "../failure.ts";
import { DryRunEnd } from "../watched-service.ts";
import { createEditFile, type EditFile } from "./edit-file.ts";
import { isEmptied, withProblems } from "./edit-text.ts";

/** The end of the comment at the top of each file. */
export const HOW_TO_EDIT =
  "When you save and close the file, formctl checks it, shows the changes and asks before it sends them. " +
  "To cancel, close the file without a change, or empty it. Comments are not sent.";

export type EditTask<T> = {
  /** The name of the file. */
  name: string;
  /** The JSON Schema of the file, for the editor. */
  schema: unknown;
  /** The paragraphs of the comment at the top of the file. */
  about: readonly string[];
  /** The record as YAML. */
  yaml: string;
  /** Reads the edited file. @throws INVALID_FILE with the problems, if the file can't be sent */
  read(document: Document): Promise<T>;
  /** Checks the value that `read` returned. For a value with errors, `choices` determines whether it can be sent. */
  check(value: T, document: Document): Promise<Located[]>;
  /** Returns the changes since the record was opened. */
  changes(value: T): Change[];
  /** What the user can do with the changes. @param isValid whether the check found no error */
  choices(isValid: boolean): Choice[];
  /** Returns the command that sends a kept file. @param error the error because of which the file is kept */
  send(path: string, error?: unknown): string;
};

/** The value that the user has edited and confirmed. `choice` is the value of the selected choice. */
export type Edited<T> = { value: T; document: Document; choice: string };

/**
 * Edits a record and sends the result. If a step fails after the user changed the file, keeps the file and adds its
 * path to the error.
 *
 * @returns the result of `send`; undefined if the user changed nothing or discarded the changes
 * @throws NO_EDITOR
 * @throws EDITOR_FAILED
 * @throws INVALID_FILE if the editor showed the problems of the file, and the user closed it without a further change
 * @throws the errors of `send`
 */
export async function editAndSend<T, R>(
  context: CommandContext,
  task: EditTask<T>,
  send: (edited: Edited<T>) => Promise<R>,
): Promise<R | undefined> {
  const { terminal } = context;
  const { name, schema, yaml } = task;
  const editor = editorOf(context);
  const about = task.about.flatMap((paragraph) => wrap(visible(paragraph), commentWidth(context), { splits: false }));
  const text = [...about.map((line) => `# ${line}`.trimEnd()), "", yaml].join("\n");
  const file = await createEditFile(context.settings.editsFolder, { name, schema, text });
  try {
    const edited = await editUntilConfirmed(context, task, { editor, file, opened: file.text });
    const result = edited && (await send(edited));
    if (edited && context.dryRun) terminal.hint(keptText(task, file));
    else await file.remove();
    return result;
  } catch (error) {
    const left = await file.read().then(String, () => file.text);
    if (left === file.text || isEmptied(left)) {
      await file.remove();
      throw error;
    }
    const kept = keptText(task, file, error);
    if (!(error instanceof NotConfirmed || error instanceof DryRunEnd)) throw new FailedWithKeptFile(kept, error);
    terminal.hint(kept);
    throw error;
  }
}

/**
 * @param command the command that edits
 * @param instead the command line that has the same effect without a terminal
 * @throws USAGE if the user can't be prompted
 */
export function requirePrompts({ prompter }: CommandContext, command: string, instead: string): void {
  if (prompter) return;
  throw new FormctlError(
    "USAGE",
    `\`${command}\` needs a terminal, and prompts must be allowed`,
    `Without a terminal: ${instead}`,
  );
}

function editorOf({ env }: CommandContext): string {
  const editor = findEditor(env);
  if (editor) return editor.command;
  throw new FormctlError(
    "NO_EDITOR",
    "no editor found: VISUAL and EDITOR are not set, and vi is not installed",
    'Set your editor, such as: export EDITOR=nano or export EDITOR="code --wait"',
  );
}

type Session = { editor: string; file: EditFile; opened: string };

/**
 * Opens the editor, if necessary several times. Returns the changes that the user confirms; undefined if the user
 * cancels.
 */
async function editUntilConfirmed<T>(
  context: CommandContext,
  task: EditTask<T>,
  { editor, file, opened }: Session,
): Promise<Edited<T> | undefined> {
  const { terminal } = context;
  const cancelled = (text: string) => {
    terminal.hint(text);
    return undefined;
  };
  let shown = opened;
  for (;;) {
    await openEditor(context, editor, file.path);
    const bytes = await file.read();
    const text = bytes.toString("utf8");
    if (isEmptied(text) || text === opened) return cancelled("Edit cancelled, no changes made.");
    const checked = await checkFile(task, bytes, file.path);
    const { problems, error } = checked;
    // Whether the editor has shown these problems, and the user has closed the file unchanged.
    const isSeen = text === shown;
    const hasErrors = problems.some(({ severity }) => severity === "error");
    if (error && (isSeen || !(error instanceof LocatedError))) throw error;
    if (hasErrors && !isSeen) {
      await file.write((shown = withProblems(text, problems, commentWidth(context))));
      continue;
    }
    if (!("value" in checked)) throw error;
    const { value, document } = checked;
    const changes = task.changes(value);
    if (changes.length === 0) return cancelled("Edit cancelled, no changes made.");
    if (hasErrors && (context.dryRun || context.yes)) throw invalidDocument(file.path, document.text, problems);
    terminal.err(renderDiff(changes, terminal.errStyle));
    terminal.err(
      renderDiagnostics(problems, new Map([[document.file, document.text]]), terminal.errStyle, terminal.errWidth),
    );
    const choice = await askWhatNext(context, task.choices(!hasErrors), !hasErrors);
    if (choice === "discard") return cancelled("The changes are discarded.");
    if (choice !== "edit") return { value, document, choice };
    await file.write((shown = withProblems(text, problems, commentWidth(context))));
  }
}

type Checked<T> =
  | { value: T; document: Document; problems: readonly Located[]; error?: undefined }
  | { problems: readonly Located[]; error: unknown };

/** The columns of comments: the editor usually opens in the same terminal. */
function commentWidth({ terminal }: CommandContext): number {
  return proseWidth(terminal.errWidth) - "# ".length;
}

/** Reads and checks the edited file. `error` is set if the file can't be sent. */
async function checkFile<T>(task: EditTask<T>, bytes: Buffer, path: string): Promise<Checked<T>> {
  try {
    const document = readDocument(bytes, path);
    const value = await task.read(document);
    return { value, document, problems: await task.check(value, document) };
  } catch (error) {
    return { problems: error instanceof LocatedError ? error.problems : [], error };
  }
}

/**
 * @throws EDITOR_FAILED
 * @throws Interrupted if a signal arrived while the editor was open
 */
async function openEditor(context: CommandContext, editor: string, path: string) {
  // The path is printed first. The user then finds the file even if this process is killed.
  context.terminal.hint(`Editing ${path}`);
  const failed = (reason: string, cause?: unknown) =>
    new FormctlError(
      "EDITOR_FAILED",
      `the editor "${visible(editor)}" ${reason}`,
      "Set another editor with VISUAL or EDITOR.",
      cause,
    );
  const { exitCode, signal } = await context.runEditor(editor, path).catch((error: unknown) => {
    throw failed(`can't be started: ${reasonOf(error)}`, error);
  });
  context.ending.throwIfAborted();
  if (signal) throw failed(`was terminated by ${signal}`);
  if (exitCode !== 0) throw failed(`failed with exit code ${exitCode}`);
}

/** Asks the user what to do with the changes. In a dry run, and with `--yes`, the first of the choices is taken. */
async function askWhatNext(
  { prompter, ending, dryRun, yes }: CommandContext,
  choices: Choice[],
  isValid: boolean,
): Promise<string> {
  if (dryRun || yes) return choices[0]!.value;
  const edit = { name: "Edit again", value: "edit" };
  const discard = { name: "Discard the changes", value: "discard" };
  // The first choice is the default.
  const all = isValid ? [...choices, edit, discard] : [edit, ...choices, discard];
  const choice = await prompter!.select("What next?", all);
  ending.throwIfAborted();
  return choice;
}

function keptText<T>(task: EditTask<T>, { path }: EditFile, error?: unknown): string {
  return `Your edit is kept in ${path}\nNext: ${task.send(path, error)}`;
}
