/** Runs an invocation where its settings say, and closes what it opened. */

import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { FormctlError } from "./error.ts";
import type { Server } from "./commands/command.ts";
import type { GlobalFlags, OutputFormat } from "./commands/global-flags.ts";
import type { Invocation } from "./commands/invocation.ts";
import { outputFormat } from "./commands/output.ts";
import { readInput, runCommand } from "./commands/run-command.ts";
import type { Turns } from "./disk/hold-in-turn.ts";
import { openCredentials } from "./config/credentials.ts";
import { parseTimeout, requireStorePath } from "./config/setting-rows.ts";
import { loadSettings, type LoadedSettings } from "./config/settings.ts";
import { chooseTarget, localPlace, type RemotePlace, type Target } from "./config/target.ts";
import type { FoundToken } from "./config/token.ts";
import { localTarget } from "./local-target.ts";
import { remoteTarget } from "./remote-target.ts";
import type { World } from "./system-world.ts";
import type { Terminal } from "./terminal/terminal.ts";

export type Surroundings = {
  world: World;
  terminal: Terminal;
  version: string;
  /** Told how the answer is printed, as soon as that is known: a failure is printed in the same way. */
  onFormat: (format: OutputFormat) => void;
};

/** @returns the exit code @throws whatever the command throws */
export async function execute(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { flags } = invocation;
  const { world, terminal, version, onFormat } = surroundings;
  const turns: Turns = {
    processes: () => world.processes(),
    sleep: (milliseconds) => world.sleep(milliseconds),
  };
  const { env, cwd } = world;
  const settings = await settingsFor(invocation, { env, cwd, flags: settingFlags(flags), turns });
  onFormat(outputFormat(flags, settings));
  const target = targetOf(invocation, settings);
  const store = target.kind === "local" ? target.store : localPlace(settings).store;
  const local = localTarget(resolve(world.cwd, store), () => world.now(), {
    serves: invocation.path[0] === "serve",
  });
  const credentials = openCredentials(settings.credentialsPath, () => world.keychain(), turns);
  const remote = target.kind === "remote" ? openRemote(target) : undefined;
  const { command } = invocation;
  const work = async () =>
    runCommand(invocation, {
      terminal,
      prompter: await world.prompter(terminal, flags),
      openService: async () => (remote ? remote.service() : (await local.service()).service(localOrganization(target))),
      openLocal: async () => {
        if (target.kind === "remote") throw needsLocal(target);
        return local.service();
      },
      localStore: local.file,
      server: remote ?? noServer,
      credentials,
      settings,
      readFile: (path) => world.readFile(path),
      env,
      cwd,
      now: () => world.now(),
      newMutationId: () => randomUUID(),
      sleep: (milliseconds, ending) => world.sleep(milliseconds, ending),
      get ending() {
        return world.ending;
      },
      processes: () => world.processes(),
      describe: async (error) => (await import("./exit.ts")).describeFailure(error),
      async serve(address) {
        const { serve } = await import("./serve.ts");
        const write = (lines: string) => terminal.err(lines);
        const listening = await serve(await local.service(), { ...address, version, write });
        return { url: listening.url, ended: aborted(world.ending).then(() => listening.stop()) };
      },
      target: target.kind === "local" ? { ...target, store: local.file.location } : target,
    });
  try {
    return await (command.writes || command.lasts ? world.finish(work) : work());
  } finally {
    await remote?.close();
    await local.close();
  }

  function openRemote(place: RemotePlace): Server & ReturnType<typeof remoteTarget> {
    let found: Promise<FoundToken> | undefined;
    const { tokenFile } = flags;
    const readToken = async () => {
      const { findToken } = await import("./config/token.ts");
      const readFile = async (path: string) => Buffer.from(await readInput(path, world)).toString("utf8");
      const file = tokenFile === undefined ? undefined : () => readFile(tokenFile);
      return findToken(place, { env: world.env, credentials, tokenFile: file });
    };
    const token = () => (found ??= readToken());
    const opened = remoteTarget(place, {
      token: async () => (await token()).token,
      env: world.env,
      timeout: parseTimeout(settings.get("timeout") ?? ""),
      now: () => world.now(),
      sleep: (milliseconds, ending) => world.sleep(milliseconds, ending),
      ending: world.ending,
      log: flags.verbose ? (line) => terminal.err(`${line}\n`) : undefined,
      warn: (text) => terminal.warn(text),
    });
    return { ...opened, token };
  }
}

/** A settings file that is broken stops every command but those that say where it is and what could stand in it. */
async function settingsFor({ path }: Invocation, options: Parameters<typeof loadSettings>[0]): Promise<LoadedSettings> {
  try {
    return await loadSettings(options);
  } catch (error) {
    if (path[0] !== "help" && path.join(" ") !== "config path") throw error;
    return loadSettings({ ...options, readFiles: false });
  }
}

/** The groups whose commands read and change settings: they go nowhere, and must work when a setting is wrong. */
const ABOUT_SETTINGS = new Set(["config", "profiles", "help"]);

/**
 * Commands that are about a local store work in it whatever the profile says.
 *
 * @throws SETTING_INVALID for two places at once, for one that is not there, and for the address of a database
 */
function targetOf({ path, flags }: Invocation, settings: LoadedSettings): Target {
  if (ABOUT_SETTINGS.has(path[0] ?? "")) return localPlace(settings);
  const chosen = chooseTarget(settings, flags.local);
  const isAboutStore = path[0] === "local" || path[0] === "serve";
  const target = isAboutStore && chosen.kind === "remote" ? localPlace(settings) : chosen;
  if (target.kind === "local") {
    requireStorePath(target.store);
    return target;
  }
  if (flags.organization !== undefined) {
    throw new FormctlError(
      "USAGE",
      `${target.origin} knows the organization by the token`,
      "Leave --organization out, or use --local.",
    );
  }
  return target;
}

function localOrganization(target: Target): string | undefined {
  return target.kind === "local" ? target.organization : undefined;
}

function needsLocal({ origin }: RemotePlace): FormctlError {
  return new FormctlError(
    "USAGE",
    `only a local store can tell this, and ${origin} is a server`,
    "Use the local store: --local",
  );
}

const needsServer = async () => {
  throw new FormctlError(
    "USAGE",
    "this needs a server, and the local store is in use",
    "Name one: --profile NAME. Add one: formctl profiles add NAME --base-url URL",
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
