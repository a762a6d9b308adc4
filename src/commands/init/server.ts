/**
 * The first use with a server. Asks for the values and checks them. Then saves the profile, the token and the project
 * file.
 */

import { FormctlError } from "../../base/error.ts";
import type { TokenStorage } from "../../config/credentials.ts";
import { quoted } from "../../base/shell-quote.ts";
import { tokenStorageText } from "../auth/login.ts";
import type { CommandContext } from "../command.ts";
import { addAnswers } from "../same-line.ts";
import type { Finding } from "../doctor-checks.ts";
import { type Connection, connect } from "./connection.ts";
import type { InitOptions } from "./options.ts";
import { chooseProject, MANIFESTS, type ProjectChoice, writeProject } from "./project.ts";

export type ServerSetup = {
  kind: "server";
  profile: string;
  baseUrl: string;
  /** Whether this command has made the profile the default. */
  isDefault: boolean;
  token: { storedIn: TokenStorage; last4: string; text: string };
  /** The findings of `formctl doctor`. */
  checks: Finding[];
  /** The path of the project file; null if none was written. */
  project: string | null;
  /** The commands to run next, with the options of their target. */
  next: string[];
};

/**
 * Connects to a server and saves the connection. Everything is written after the last question. Each write can be
 * repeated, so the command can be run again after an interruption.
 *
 * @throws USAGE if an option is missing, and the user can't be asked
 * @throws CONSENT_MISSING if the user does not confirm the replacement of a profile or a token
 * @throws the error of the first failed check
 */
export async function setUpServer(context: CommandContext, typed: InitOptions): Promise<ServerSetup> {
  const { settings, credentials, terminal, env } = context;
  const isGuided = requireOptions(context, typed);
  const connection = await connect(context, typed.baseUrl);
  const { profile, baseUrl, origin, token, storedIn, checks } = connection;
  const project = await chooseProject(context, { typed, profile, isGuided });
  // After SIGTERM at a question, nothing is saved.
  context.ending.throwIfAborted();
  const isDefault = settings.at("user", "profile") === undefined;
  const former = settings.profiles().find(({ name }) => name === profile)?.profile;
  await settings.setProfile(profile, { ...(former && "baseUrl" in former && former), baseUrl });
  const place = storedIn ?? (await credentials.save(origin, token));
  if (isDefault) await settings.set("profile", profile);
  if (project) await writeProject(project);
  if (env["FORMCTL_TOKEN"]) terminal.warn("FORMCTL_TOKEN is set and is used instead of this token.");
  if (isGuided) addAnswers(context.sameLine, { options: answersOf(context, typed, { connection, project }) });
  const text = tokenStorageText(place, place === "file" ? credentials.path : null);
  return {
    kind: "server",
    profile,
    baseUrl,
    isDefault,
    token: { storedIn: place, last4: token.last4, text },
    checks,
    project: project?.path ?? null,
    next: nextCommands(context, connection, { isDefault, project }),
  };
}

/**
 * Whether the command must ask for missing options. @throws USAGE if options are missing, and the user can't be asked
 */
function requireOptions({ prompter, settings, tokenFile }: CommandContext, { baseUrl }: InitOptions): boolean {
  const options = { "--base-url": baseUrl, "--profile": settings.at("flag", "profile"), "--token-file": tokenFile };
  const missing = Object.entries(options).flatMap(([name, value]) => (value === undefined ? [name] : []));
  if (missing.length === 0 || prompter) return missing.length > 0;
  throw new FormctlError(
    "USAGE",
    `missing ${missing.length === 1 ? "option" : "options:"} ${missing.join(", ")}`,
    "Example: formctl init --base-url https://forms.example.com --profile prod --token-file ./token.txt",
  );
}

/** Returns the options that give the same answers on the command line. */
function answersOf(
  { settings, tokenFile }: CommandContext,
  typed: InitOptions,
  { connection, project }: { connection: Connection; project: ProjectChoice | undefined },
): string[] {
  const { object, manifests = MANIFESTS } = project?.content ?? {};
  return [
    ...(typed.baseUrl !== connection.baseUrl ? ["--base-url", connection.baseUrl] : []),
    ...(settings.at("flag", "profile") === undefined ? ["--profile", connection.profile] : []),
    ...(tokenFile === undefined ? ["--token-file", "FILE"] : []),
    ...(project && !typed.project ? ["--project"] : []),
    ...(object !== undefined && !typed.object ? ["--object", object] : []),
    ...(manifests !== MANIFESTS && typed.manifests === undefined ? ["--manifests", manifests] : []),
  ];
}

function nextCommands(
  { settings }: CommandContext,
  { profile }: Connection,
  { isDefault, project }: { isDefault: boolean; project: ProjectChoice | undefined },
): string[] {
  const object = project?.content.object ?? settings.get("object") ?? "MODULE/OBJECT";
  const lines = [`formctl forms list ${quoted(object)}`, "formctl layouts list", `formctl export ${quoted(object)}`];
  const isUsed = isUsedByDefault(settings, profile, { isDefault, isProject: project !== undefined });
  return lines.map((line) => (isUsed ? line : `${line} --profile ${profile}`));
}

/** Whether a command in this folder uses the profile without an option. */
function isUsedByDefault(
  settings: CommandContext["settings"],
  profile: string,
  { isDefault, isProject }: { isDefault: boolean; isProject: boolean },
): boolean {
  const typed = settings.at("environment", "profile");
  if (typed !== undefined) return typed === profile;
  if (settings.at("environment", "baseUrl") !== undefined) return false;
  if (settings.at("environment", "store") !== undefined) return false;
  if (isProject) return true;
  const ofProject = settings.at("project", "profile");
  return ofProject === undefined ? isDefault || settings.at("user", "profile") === profile : ofProject === profile;
}
