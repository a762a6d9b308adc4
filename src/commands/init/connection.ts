/** Finds the server, the profile name and the token of `formctl init`, and checks that they work. */

import { FormctlError } from "../../base/error.ts";
import type { ErrorCode, ExitCode } from "../../base/exit-codes.ts";
import type { TokenStorage } from "../../config/credentials.ts";
import { PROFILE_NAME } from "../../config/profiles.ts";
import type { RemoteTarget } from "../../config/target.ts";
import type { FoundToken } from "../../config/token.ts";
import { extendHost } from "../../base/host.ts";
import { parseBaseUrl } from "../../schemas/base-url.ts";
import type { Secret } from "../../base/secret.ts";
import { visible } from "../../terminal/escape.ts";
import type { Prompter } from "../../terminal/prompter.ts";
import { readToken } from "../auth/login.ts";
import type { CommandContext } from "../command.ts";
import { diagnose, findingsText } from "../doctor.ts";
import type { Finding } from "../doctor-checks.ts";
import { confirmReplacement } from "../profiles/add.ts";
import { parseProfileName } from "../profiles/profile-argument.ts";
import { problemOf } from "../read-input.ts";

export type Connection = {
  baseUrl: string;
  /** The scheme, host and port, for which the token is stored. */
  origin: string;
  profile: string;
  token: Secret;
  /** The place of the token if it is stored already. */
  storedIn: TokenStorage | undefined;
  checks: Finding[];
};

type ChosenToken = FoundToken & { storedIn: TokenStorage | undefined };

/**
 * Asks for the values that the options lack, and runs the checks of `formctl doctor`. If a check fails, the user can
 * correct the token or the base URL. Writes nothing.
 *
 * @param typedUrl the base URL of the options
 * @throws BASE_URL_INVALID, CONSENT_MISSING or CREDENTIALS_UNUSABLE
 * @throws USAGE if `--profile` is not a valid name
 * @throws the error of the first failed check
 */
export async function connect(context: CommandContext, typedUrl: string | undefined): Promise<Connection> {
  const { prompter } = context;
  let server = parseBaseUrl(typedUrl ?? (await askBaseUrl(context, savedUrl(context.settings))));
  const profile = await chooseName(context, server.baseUrl);
  await confirmReplacement(context, profile, { baseUrl: server.baseUrl });
  let token = await chooseToken(context, server.origin);
  for (;;) {
    const checks = await check(context, { kind: "remote", ...server, profile, namedBy: "flag" }, token);
    // After Ctrl-C during the checks, nothing more is asked or saved.
    context.ending.throwIfAborted();
    const failed = checks.find(({ state }) => state === "fail");
    if (!failed) return { ...server, profile, token: token.token, storedIn: token.storedIn, checks };
    const correction = prompter && (await askCorrection(prompter));
    if (correction === "server") {
      server = parseBaseUrl(await askBaseUrl(context, server.baseUrl));
      await confirmReplacement(context, profile, { baseUrl: server.baseUrl });
      token = await chooseToken(context, server.origin);
    } else if (correction === "token")
      token = await askToken(extendHost(context, { tokenFile: undefined }), server.origin);
    else throw checkFailed(failed);
  }
}

/** @param byDefault the base URL for an empty answer */
async function askBaseUrl({ prompter }: CommandContext, byDefault: string | undefined): Promise<string> {
  return asking(prompter).input("Base URL of the server, without /v1:", {
    validate: (answer) => problemOf(parseBaseUrl, answer),
    ...(byDefault !== undefined && { byDefault }),
  });
}

/** Returns the base URL of the saved profile that `--profile` names. */
function savedUrl(settings: CommandContext["settings"]): string | undefined {
  const name = settings.at("flag", "profile");
  const saved = settings.profiles().find((each) => each.name === name)?.profile;
  return saved && "baseUrl" in saved ? saved.baseUrl : undefined;
}

async function chooseName({ prompter, settings }: CommandContext, baseUrl: string): Promise<string> {
  const typed = settings.at("flag", "profile");
  const problem = typed === undefined ? undefined : problemOf(parseProfileName, typed);
  if (problem !== undefined) throw new FormctlError("USAGE", `--profile ${problem}`);
  if (typed !== undefined) return typed;
  const { hostname } = new URL(baseUrl);
  return asking(prompter).input("Name of the profile:", {
    validate: (answer) => problemOf(parseProfileName, answer),
    ...(PROFILE_NAME.test(hostname) && { byDefault: hostname }),
  });
}

/**
 * Returns the prompter. It is always defined: `setUpServer` (server.ts) refuses missing options if the user can't be
 * asked.
 */
function asking(prompter: Prompter | undefined): Prompter {
  if (!prompter) throw new Error("an option is missing, and the user can't be asked");
  return prompter;
}

/**
 * Returns the token to use. A stored token is replaced only if the user confirms the replacement.
 *
 * @throws CONSENT_MISSING, CREDENTIALS_UNUSABLE
 */
async function chooseToken(context: CommandContext, origin: string): Promise<ChosenToken> {
  const { credentials, prompter, tokenFile } = context;
  const stored = await credentials.find(origin);
  if (!stored) return askToken(context, origin);
  const kept: ChosenToken = { token: stored.token, source: stored.storage, storedIn: stored.storage };
  const question = `Replace the stored token for ${origin}?`;
  if (tokenFile === undefined) return (await prompter?.confirm(question, false)) ? askToken(context, origin) : kept;
  const given = await askToken(context, origin);
  if (given.token.reveal() === stored.token.reveal()) return kept;
  await context.consent({ question, lost: [], flag: "--yes" });
  return given;
}

async function askToken(
  context: Pick<CommandContext, "tokenFile" | "prompter" | "readFile">,
  origin: string,
): Promise<ChosenToken> {
  const source = context.tokenFile === undefined ? "prompt" : "--token-file";
  return { token: await readToken(context, origin), source, storedIn: undefined };
}

/** Runs the checks of `formctl doctor` with the token. Without prompts or with `--quiet`, prints only warnings. */
async function check(context: CommandContext, target: RemoteTarget, token: FoundToken): Promise<Finding[]> {
  const { terminal, prompter } = context;
  const server = context.connect(target, token);
  terminal.status(`Checking ${target.baseUrl}`);
  const checked = extendHost(context, { target, server, service: () => server.serviceFor(token.token) });
  const findings = await diagnose(checked).finally(() => terminal.status(""));
  if (prompter) terminal.hint(findingsText(findings, terminal.errStyle));
  else for (const each of findings) if (each.state === "warn") terminal.warn(visible(findingText(each)));
  return findings;
}

const findingText = ({ check: name, message, fix }: Finding) => `${name}: ${message}.${fix === null ? "" : ` ${fix}`}`;

/** Returns what the user wants to correct; undefined to end the command. */
async function askCorrection(prompter: Prompter): Promise<"token" | "server" | undefined> {
  const answer = await prompter.select("A check failed. Next step:", [
    { name: "Enter another token", value: "token" },
    { name: "Enter another base URL", value: "server" },
    { name: "Stop without saving anything", value: "stop" },
  ]);
  return answer === "token" || answer === "server" ? answer : undefined;
}

const CODE_OF: Partial<Record<ExitCode, ErrorCode>> = { 4: "CREDENTIALS_UNUSABLE", 5: "NOT_FOUND" };

function checkFailed({ check: name, message, fix, exitCode }: Finding): FormctlError {
  const hint = fix === null ? "Nothing was saved." : `Nothing was saved. ${fix}`;
  return new FormctlError(CODE_OF[exitCode] ?? "UNREACHABLE", `the check of the ${name} failed: ${message}`, hint);
}
