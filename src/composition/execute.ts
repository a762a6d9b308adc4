/** Runs an invocation: loads the settings, chooses the target, creates and closes the resources of the command. */

import type { ScriptCopyOptions, ServeRequest } from "../commands/command.ts";
import type { GlobalFlags, OutputFormat } from "../commands/global-flags.ts";
import type { Invocation } from "../commands/invocation.ts";
import { isTable, outputFormat } from "../commands/output.ts";
import { runCommand } from "../commands/run-command.ts";
import { withSuggestions, withTargetOptions } from "../commands/target-options.ts";
import { needsLocal, refuseTokenWithoutServer, targetInRehearsal, targetOf } from "./command-target.ts";
import { openCredentials } from "../config/credentials.ts";
import { loadSettings, type LoadedSettings } from "../config/settings.ts";
import { localStoreTarget, namesTarget, REHEARSAL_VARIABLE } from "../config/target.ts";
import { extendHost } from "../base/host.ts";
import { nodeCrypto } from "../base/node-modules.ts";
import type { OnProgress } from "../local-service.ts";
import { openLocalTarget } from "./local-target.ts";
import type { RehearsalRequest } from "../rehearsal/rehearsal.ts";
import { noServer, openTargets } from "./open-targets.ts";
import type { ServiceOptions } from "./remote-target.ts";
import type { ProgramHost } from "./system-host.ts";
import type { Terminal } from "../terminal/terminal.ts";

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
export async function execute(invocation: Invocation, typed: ExecuteOptions): Promise<number> {
  const options = { ...typed, terminal: withSuggestions(typed.terminal, invocation) };
  const resources = await openResources(invocation, options);
  const { host, local, targets, recording } = resources;
  const { command } = invocation;
  const own = async () => {
    const prompter = await host.prompter(options.terminal, invocation.flags);
    return runCommand(invocation, extendHost(host, { prompter, ...commandResources(invocation, options, resources) }));
  };
  const work = recording ? () => recording.during(own) : own;
  try {
    // A signal must not end the process before the recording is written.
    const mayFinish = recording || command.writes || command.keepsRunning?.(invocation.input);
    return await (mayFinish ? host.finish(work, { endsOnSignal: command.endsOnSignal ?? false }) : work());
  } finally {
    await targets.close();
    await local.close();
  }
}

type Resources = Awaited<ReturnType<typeof openResources>>;

/** Loads the settings, and prepares the targets. Nothing is opened before the command uses it. */
async function openResources(
  invocation: Invocation,
  { host: whole, terminal, version, onFormat, commandId = "" }: ExecuteOptions,
) {
  const { flags } = invocation;
  const rehearsal = whole.env[REHEARSAL_VARIABLE]
    ? (await import("./rehearsed-command.ts")).openRehearsal(whole.env, commandId)
    : undefined;
  const host = rehearsal ? extendHost(whole, { env: rehearsal.env }) : whole;
  const settings = await outputSettings(invocation, host);
  onFormat(outputFormat(flags, settings));
  const recording = await openRecordingOf(flags, { host, terminal, version, root: settings.root });
  const named = targetOf(invocation, settings, host.cwd);
  const target = rehearsal ? targetInRehearsal(rehearsal, invocation, { named, settings, cwd: host.cwd }) : named;
  const store = rehearsal?.store ?? (target.kind === "local" ? target.store : localStoreTarget(settings).store);
  const local = openLocalTarget(store, host, { serves: invocation.path[0] === "serve" });
  const credentials = openCredentials(settings.credentialsPath, host);
  // The user waits at the prompt of the shell for the completion of a word.
  const patience = invocation.path[0] === "complete" ? 0 : undefined;
  const common = { host, terminal, version, flags, settings, credentials, rehearsal, patience, recording };
  const targets = openTargets({ ...common, localStore: local.file });
  const remote = target.kind === "remote" ? targets.server(target) : undefined;
  return { host, settings, rehearsal, target, local, credentials, targets, remote, recording };
}

async function openRecordingOf(
  { har, harValues = false }: GlobalFlags,
  options: { host: ProgramHost; terminal: Terminal; version: string; root: string },
) {
  if (har === undefined) return undefined;
  return (await import("./recording.ts")).openRecording({ ...options, file: har, keepsValues: harValues });
}

/** Returns what the command gets besides its host. */
function commandResources(
  invocation: Invocation,
  { terminal, version }: ExecuteOptions,
  { host, settings, rehearsal, target, local, credentials, targets, remote }: Resources,
) {
  return {
    terminal,
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
    withTarget: (text: string) => withTargetOptions(text, invocation),
    newMutationId: () => nodeCrypto().randomUUID(),
    connect: targets.connect,
    open: targets.named,
    async copyTarget(folder: string, options: ScriptCopyOptions) {
      const { copyServer, copyStore } = await import("./script-copies.ts");
      const all = { ...options, version, now: () => host.now() };
      if (target.kind === "local") return copyStore(local, target.organization, { ...all, folder });
      return copyServer({ ...all, service: await remote!.service() });
    },
    async copyStore(stores: { from: string; into: string }, onProgress: OnProgress) {
      return (await import("./local-store.ts")).copyStoreTo(stores, host.env, onProgress);
    },
    isTargetNamed: namesTarget(settings, invocation.flags.local),
    describe: async (error: unknown, hint?: string) =>
      (await import("./command-failure.ts")).describeFailureOf(invocation, error, hint),
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
  };
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

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((end) => signal.addEventListener("abort", () => end(), { once: true }));
}

/** Loads the settings. With `--query` and without `-o`, the output is JSON, unless the settings name another document. */
async function outputSettings(invocation: Invocation, host: ProgramHost): Promise<LoadedSettings> {
  const { flags } = invocation;
  const settings = await settingsFor(invocation, { host, flags: settingFlags(flags) });
  if (flags.query === undefined || flags.output !== undefined || !isTable(settings)) return settings;
  return settingsFor(invocation, { host, flags: settingFlags({ ...flags, output: "json" }) });
}

function settingFlags({ store, organization, output, profile, timeout, maxRps }: GlobalFlags) {
  return {
    ...(store !== undefined && { store }),
    ...(organization !== undefined && { organization }),
    ...(output !== undefined && { output }),
    ...(profile !== undefined && { profile }),
    ...(timeout !== undefined && { timeout }),
    ...(maxRps !== undefined && { maxRequestsPerSecond: maxRps }),
  };
}
