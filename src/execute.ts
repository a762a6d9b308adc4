/** Runs an invocation: loads the settings, chooses the target, creates and closes the resources of the command. */

import { resolve } from "node:path";
import { FormctlError } from "./error.ts";
import type { OpenedTarget, ScriptCopyOptions, ServeRequest, Server, TokenSources } from "./commands/command.ts";
import type { GlobalFlags, OutputFormat } from "./commands/global-flags.ts";
import type { Invocation } from "./commands/invocation.ts";
import { outputFormat } from "./commands/output.ts";
import { readNamedFile, runCommand } from "./commands/run-command.ts";
import { extendHost } from "./host.ts";
import { openCredentials } from "./config/credentials.ts";
import { parseTimeout, requireStore } from "./config/setting-rows.ts";
import { loadSettings, type LoadedSettings } from "./config/settings.ts";
import {
  chooseTarget,
  type LocalTarget,
  localStoreTarget,
  namesTarget,
  REHEARSAL_VARIABLE,
  type RemoteTarget,
  type Target,
  targetText,
} from "./config/target.ts";
import type { FoundToken } from "./config/token.ts";
import { isStoreUrl } from "./database-url.ts";
import { refuseLeadingOut } from "./disk/links.ts";
import { openLocalTarget } from "./local-target.ts";
import type { RehearsalRequest } from "./manifests/project/rehearsal.ts";
import { randomUuid } from "./random.ts";
import { openRemoteTarget, type OpenRemoteTarget, type ServiceOptions } from "./remote-target.ts";
import type { OnProgress } from "./local-service.ts";
import type { CommandRehearsal } from "./rehearsed-command.ts";
import type { ProgramHost } from "./system-host.ts";
import type { Terminal } from "./terminal/terminal.ts";

export type ExecuteOptions = {
  host: ProgramHost;
  terminal: Terminal;
  version: string;
  /** Called as soon as the output format is known. A later failure is printed in this format. */
  onFormat: (format: OutputFormat) => void;
  /** Identifies the command in the log of a rehearsal. */
  commandId?: string;
};

/** Runs an invocation. @returns the exit code @throws the error of the command */
export async function execute(
  invocation: Invocation,
  { host: whole, terminal, version, onFormat, commandId = "" }: ExecuteOptions,
): Promise<number> {
  const { flags } = invocation;
  const rehearsal = whole.env[REHEARSAL_VARIABLE]
    ? (await import("./rehearsed-command.ts")).openRehearsal(whole.env, commandId)
    : undefined;
  const host = rehearsal ? extendHost(whole, { env: rehearsal.env }) : whole;
  const settings = await settingsFor(invocation, { host, flags: settingFlags(flags) });
  onFormat(outputFormat(flags, settings));
  const named = targetOf(invocation, settings, host.cwd);
  const target = rehearsal ? targetInRehearsal(rehearsal, invocation, { named, settings, cwd: host.cwd }) : named;
  const store = rehearsal?.store ?? (target.kind === "local" ? target.store : localStoreTarget(settings).store);
  const serves = invocation.path[0] === "serve";
  const local = openLocalTarget(store, host, { serves });
  const credentials = openCredentials(settings.credentialsPath, host);
  const remote = target.kind === "remote" ? openServer(target) : undefined;
  const opened: { close(): Promise<void> }[] = [];
  const { command } = invocation;
  const work = async () =>
    runCommand(
      invocation,
      extendHost(host, {
        terminal,
        prompter: await host.prompter(terminal, flags),
        async openService(options?: ServiceOptions) {
          if (target.kind === "local") refuseTokenWithoutServer(invocation, target, host.env);
          const service = await (target.kind === "remote"
            ? remote!.service(options)
            : (await local.service()).service(target.organization));
          return rehearsal ? rehearsal.recordWrites(service) : service;
        },
        async openLocal() {
          if (target.kind === "remote") throw needsLocal(target);
          refuseTokenWithoutServer(invocation, target, host.env);
          return local.service();
        },
        localStore: local.file,
        server: remote ?? noServer,
        credentials,
        settings,
        newMutationId: randomUuid,
        connect(chosen: RemoteTarget, token: FoundToken) {
          const server = openRemote(chosen, undefined, token);
          opened.push(server);
          return server;
        },
        open: openNamed,
        async copyTarget(folder: string, options: ScriptCopyOptions) {
          const { copyServer, copyStore } = await import("./script-copy.ts");
          if (target.kind === "local") return copyStore(local, folder, target.organization);
          return copyServer({ ...options, service: await remote!.service(), version, now: () => host.now() });
        },
        async copyStore(stores: { from: string; into: string }, onProgress: OnProgress) {
          return (await import("./local-store.ts")).copyStoreTo(stores, host.env, onProgress);
        },
        isTargetNamed: namesTarget(settings, flags.local),
        describe: async (error: unknown) => (await import("./exit.ts")).describeFailure(error),
        rehearse: async (request: RehearsalRequest) => (await import("./target-copy.ts")).rehearseOnCopy(request),
        async serve(request: ServeRequest) {
          const { serve } = await import("./serve.ts");
          const write = (lines: string) => terminal.err(lines);
          const { stop, reload, ...addresses } = await serve(await local.service(), { ...request, version, write });
          if (reload) host.onHangup(reload);
          return { ...addresses, ended: aborted(host.ending).then(stop) };
        },
        target: target.kind === "local" && !rehearsal ? { ...target, store: local.file.location } : target,
        stateFolder: rehearsal?.stateFolder(settings.root),
      }),
    );
  try {
    const mayFinish = command.writes || command.keepsRunning?.(invocation.input);
    return await (mayFinish ? host.finish(work, { endsOnSignal: command.endsOnSignal ?? false }) : work());
  } finally {
    await remote?.close();
    await Promise.all(opened.map((each) => each.close()));
    await local.close();
  }

  /** Opens the server. In a rehearsal, opens the copy of the server instead. */
  function openServer(server: RemoteTarget): Server & OpenRemoteTarget {
    if (!rehearsal?.server) return openRemote(server);
    const copied = openRemote(rehearsal.server.target, undefined, rehearsal.server.token);
    return { ...copied, raw: rehearsal.recordRaw(copied.raw) };
  }

  /** Opens a target that the arguments of the command name. */
  function openNamed(chosen: Target, tokens: TokenSources): OpenedTarget {
    if (chosen.kind === "remote") {
      const server = openRemote(chosen, tokens);
      opened.push(server);
      const noStore = async () => {
        throw needsLocal(chosen);
      };
      return { target: chosen, server, service: () => server.service(), local: noStore, localStore: local.file };
    }
    if (rehearsal) throw notInRehearsal(targetText(chosen));
    requireStore(chosen.store);
    if (chosen.profile === undefined) refuseStoreOutside(chosen.store, settings, host.cwd);
    const chosenStore = openLocalTarget(chosen.store, host);
    opened.push(chosenStore);
    return {
      target: { ...chosen, store: chosenStore.file.location },
      server: noServer,
      service: async () => (await chosenStore.service()).service(chosen.organization),
      local: () => chosenStore.service(),
      localStore: chosenStore.file,
    };
  }

  /** @param known the token to use. If undefined, config/token.ts finds the token */
  function openRemote(
    chosen: RemoteTarget,
    { tokenFile, usesEnvironment }: TokenSources = { tokenFile: flags.tokenFile, usesEnvironment: true },
    known?: FoundToken,
  ): Server & OpenRemoteTarget {
    // In a rehearsal, a command may contact only the copy of the server. An option that names another server is
    // refused.
    if (rehearsal && chosen.baseUrl !== rehearsal.server?.target.baseUrl) throw notInRehearsal(chosen.origin);
    let found = known && Promise.resolve(known);
    const readToken = async () => {
      const { findToken } = await import("./config/token.ts");
      const readFile = async (path: string) => Buffer.from(await readNamedFile(path, host)).toString("utf8");
      const file = tokenFile === undefined ? undefined : () => readFile(tokenFile);
      return findToken(chosen, { env: usesEnvironment ? host.env : {}, credentials, tokenFile: file });
    };
    const token = () => (found ??= readToken());
    const connection = openRemoteTarget(
      chosen,
      extendHost(host, {
        token: async () => (await token()).token,
        timeout: parseTimeout(settings.get("timeout") ?? ""),
        log: flags.verbose ? (line: string) => terminal.err(`${line}\n`) : undefined,
        warn: (text: string) => terminal.warn(text),
      }),
    );
    return { ...connection, token };
  }
}

/**
 * Loads the settings. If a settings file is invalid, `help` and `config path` run without the files. The user may need
 * these commands to correct the file.
 */
async function settingsFor({ path }: Invocation, options: Parameters<typeof loadSettings>[0]): Promise<LoadedSettings> {
  try {
    return await loadSettings(options);
  } catch (error) {
    if (path[0] !== "help" && path.join(" ") !== "config path") throw error;
    return loadSettings({ ...options, readFiles: false });
  }
}

/** Commands that do not use the target of the settings. They work even if this target is invalid. */
const ABOUT_SETTINGS = new Set(["codemod", "config", "profiles", "help", "init"]);

/** Commands that use two targets. The options `--from` and `--to` name the targets. */
const WITH_TWO_TARGETS = new Set(["diff", "promote"]);

/** Whether the command is `local copy`. Its arguments name both stores. */
const isStoreCopy = (path: readonly string[]) => path.join(" ") === "local copy";

/**
 * Returns the target of a command.
 *
 * @throws SETTING_INVALID in these cases:
 * - Settings contradict each other.
 * - The profile is unknown.
 * - The URL of the store is not supported.
 * - The URL of the store contains a password that other users can read.
 * @throws BASE_URL_INVALID
 * @throws USAGE in these cases:
 * - `--organization`, `formctl local` or `formctl serve` is used with a server.
 * - The command names two targets itself, and a flag selects a target.
 * @throws FILE_UNFIT if `--store` leads out of the project through a link
 */
function targetOf({ path, flags }: Invocation, settings: LoadedSettings, cwd: string): Target {
  const [area = ""] = path;
  if (WITH_TWO_TARGETS.has(area)) {
    const hint = "Name the targets: --from TARGET --to TARGET. An organization of a store is selected as PATH#KEY.";
    refuseTargetFlags(flags, "--from and --to", hint);
  }
  if (isStoreCopy(path)) refuseTargetFlags(flags, "FROM and TO", "Name the stores: formctl local copy FROM TO");
  if (WITH_TWO_TARGETS.has(area) || isStoreCopy(path) || ABOUT_SETTINGS.has(area)) return localStoreTarget(settings);
  const target = chooseTarget(settings, flags.local);
  if (target.kind === "remote" && isAboutStore(path)) throw needsLocal(target);
  if (target.kind === "local") {
    const isTyped = settings.at("flag", "store") !== undefined;
    requireStore(target.store, { mayHavePassword: !isTyped && settings.at("environment", "store") === target.store });
    if (isTyped) refuseStoreOutside(target.store, settings, cwd);
    return target;
  }
  if (flags.organization !== undefined) {
    throw new FormctlError(
      "USAGE",
      `--organization is only for a local store: on ${target.origin} the token determines the organization`,
      "Remove --organization, or use --local.",
    );
  }
  return target;
}

/**
 * Refuses a typed path of a store that leads out of the project through a link. A repository may contain a link to the
 * user's own store.
 *
 * @throws FILE_UNFIT
 */
function refuseStoreOutside(store: string, { root }: LoadedSettings, cwd: string): void {
  if (!isStoreUrl(store)) refuseLeadingOut(resolve(cwd, store), root);
}

/**
 * Returns the target of a command in the rehearsal of a script.
 *
 * @throws USAGE if the command can't be rehearsed, or names a target other than the copied target
 */
function targetInRehearsal(
  rehearsal: CommandRehearsal,
  { path, flags }: Invocation,
  { named, settings, cwd }: { named: Target; settings: LoadedSettings; cwd: string },
): Target {
  rehearsal.requireRehearsable(path);
  if (ABOUT_SETTINGS.has(path[0] ?? "")) return named;
  return rehearsal.target(named, { isNamed: namesTarget(settings, flags.local), cwd });
}

/** Refuses the flags that select a target. Used for commands that name their targets in another way. @throws USAGE */
function refuseTargetFlags({ profile, store, local, organization }: GlobalFlags, others: string, hint: string): void {
  const typed = {
    "--profile": profile,
    "--store": store,
    "--organization": organization,
    "--local": local || undefined,
  };
  const [flag] = Object.entries(typed).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (flag === undefined) return;
  throw new FormctlError("USAGE", `${flag} can't be used with ${others}`, hint);
}

/** Whether the command works on a local store only. */
function isAboutStore([area]: readonly string[]): boolean {
  return area === "local" || area === "serve";
}

/**
 * Refuses to use the local store if a token is specified but no server. The user expects a server.
 *
 * @throws USAGE
 */
function refuseTokenWithoutServer(
  { path, flags }: Pick<Invocation, "path" | "flags">,
  { isDefault }: LocalTarget,
  env: Readonly<Record<string, string | undefined>>,
): void {
  if (!isDefault || isAboutStore(path)) return;
  const source = flags.tokenFile === undefined ? env["FORMCTL_TOKEN"] && "FORMCTL_TOKEN" : "--token-file";
  if (!source) return;
  throw new FormctlError(
    "USAGE",
    `${source} is specified, but no server`,
    "Set FORMCTL_BASE_URL, or add --profile NAME. To use the local store, add --local.",
  );
}

function notInRehearsal(where: string): FormctlError {
  return new FormctlError(
    "USAGE",
    `the rehearsal of a script does not use ${where}`,
    "Remove the command from the script, or run it before the script.",
  );
}

function needsLocal(target: RemoteTarget): FormctlError {
  return new FormctlError(
    "USAGE",
    `this command needs the local store, and the target is ${targetText(target)}`,
    "To use the local store, add --local. To see the source of the target: formctl config list",
  );
}

const needsServer = async () => {
  throw new FormctlError(
    "USAGE",
    "this command needs a server, and the target is the local store",
    "Specify a profile: --profile NAME. Add a profile: formctl profiles add NAME --base-url URL",
  );
};
const noServer: Server = { raw: needsServer, token: needsServer, serviceFor: needsServer };

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((end) => signal.addEventListener("abort", () => end(), { once: true }));
}

function settingFlags({ store, organization, output, profile, timeout }: GlobalFlags) {
  return {
    ...(store !== undefined && { store }),
    ...(organization !== undefined && { organization }),
    ...(output !== undefined && { output }),
    ...(profile !== undefined && { profile }),
    ...(timeout !== undefined && { timeout }),
  };
}
