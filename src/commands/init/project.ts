/** The project file that `formctl init` writes: the profile, the default object, and the folder of the manifests. */

import { dirname, join } from "node:path";
import { FormctlError } from "../../base/error.ts";
import { readProjectSettings } from "../../config/project-settings.ts";
import { asUnwritable } from "../../disk/file-errors.ts";
import { requireWritable, writeNewFile } from "../../disk/write-file.ts";
import { visible } from "../../terminal/escape.ts";
import type { Prompter } from "../../terminal/prompter.ts";
import { parseObject } from "../addresses.ts";
import type { CommandContext } from "../command.ts";
import { problemOf } from "../read-input.ts";
import type { InitOptions } from "./options.ts";
import { objectText } from "../../lists/addresses.ts";

export type ProjectChoice = { path: string; content: { profile: string; object?: string; manifests: string } };

/** The folder of the manifests if the user names none. */
export const MANIFESTS = "forms";

/**
 * Returns the project file to write. Returns undefined if the user wants none, or the folder already has a project
 * file.
 *
 * @param options.isGuided whether the user is asked
 * @throws USAGE if the folder of the manifests is invalid
 * @throws FILE_UNWRITABLE if the project file can't be written
 */
export async function chooseProject(
  context: CommandContext,
  { typed, profile, isGuided }: { typed: InitOptions; profile: string; isGuided: boolean },
): Promise<ProjectChoice | undefined> {
  const { settings, terminal, cwd } = context;
  const prompter = isGuided ? context.prompter : undefined;
  const isTyped = typed.project || typed.object !== undefined || typed.manifests !== undefined;
  if (!isTyped && !prompter) return undefined;
  const path = join(cwd, "formctl.yaml");
  const existing = settings.files().find((file) => file.kind === "project" && dirname(file.path) === cwd);
  if (existing) {
    const isSame = settings.at("project", "profile") === profile;
    const advice = isSame ? "" : ` To use the profile in this folder, set there: profile: ${profile}`;
    terminal.hint(visible(`The project file ${existing.path} exists and is not changed.${advice}`));
    return undefined;
  }
  if (!isTyped && !(await prompter?.confirm("Write the project file formctl.yaml into this folder?", false)))
    return undefined;
  const object = typed.object ? objectText(typed.object) : prompter && (await askObject(prompter));
  const manifests = typed.manifests ?? (await prompter?.input("Folder of the manifests:", FOLDER)) ?? MANIFESTS;
  const problem = folderProblem(manifests);
  if (problem !== undefined) throw new FormctlError("USAGE", `--manifests: ${problem}`);
  await requireWritable(path, dirname(path));
  return { path, content: { profile, ...(object !== undefined && { object }), manifests } };
}

/** Writes the project file. @throws FILE_UNWRITABLE, also if another process has just created the file */
export async function writeProject({ path, content }: ProjectChoice): Promise<void> {
  const { toYaml } = await import("../../documents/write-yaml.ts");
  try {
    await writeNewFile(path, toYaml(content), 0o666);
  } catch (error) {
    throw asUnwritable(path, error);
  }
}

async function askObject(prompter: Prompter): Promise<string | undefined> {
  const validate = (answer: string) => (answer === "" ? undefined : problemOf(parseObject, answer));
  const answer = await prompter.input("Default object (MODULE/OBJECT, empty for none):", { validate });
  return answer === "" ? undefined : answer;
}

const FOLDER = { validate: folderProblem, byDefault: MANIFESTS };

/** Returns why a project file can't have this folder of manifests; undefined if the folder is valid. */
function folderProblem(manifests: string): string | undefined {
  const problems: string[] = [];
  readProjectSettings({ manifests }, (_path, message) => problems.push(message));
  return problems[0];
}
