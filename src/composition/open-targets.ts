/** Opens the servers and stores that a command uses, and closes them. In a rehearsal, opens the copies instead. */

import type { OpenedTarget, Server, TokenSources } from "../commands/command.ts";
import type { GlobalFlags } from "../commands/global-flags.ts";
import { readNamedFile } from "../commands/run-command.ts";
import { needsLocal, refuseStoreOutside } from "./command-target.ts";
import type { Credentials } from "../config/credentials.ts";
import { parseTimeout, requireStore } from "../config/setting-rows.ts";
import type { LoadedSettings } from "../config/settings.ts";
import { type RemoteTarget, type Target, targetText } from "../config/target.ts";
import type { FoundToken } from "../config/token.ts";
import { FormctlError } from "../base/error.ts";
import { extendHost } from "../base/host.ts";
import { type OpenLocalTarget, openLocalTarget } from "./local-target.ts";
import type { OpenRecording } from "./recording.ts";
import type { CommandRehearsal } from "./rehearsed-command.ts";
import { openRemoteTarget, type OpenRemoteTarget } from "./remote-target.ts";
import type { ProgramHost } from "./system-host.ts";
import type { Terminal } from "../terminal/terminal.ts";

export type OpenTargetsOptions = {
  host: ProgramHost;
  terminal: Terminal;
  version: string;
  flags: GlobalFlags;
  settings: LoadedSettings;
  credentials: Credentials;
  /** The store of the settings, for commands that name no other store. */
  localStore: OpenLocalTarget["file"];
  /** Present if the command belongs to a rehearsed script. */
  rehearsal: CommandRehearsal | undefined;
  /** The longest wait in milliseconds after a 429. Default: a minute. */
  patience: number | undefined;
  /** Present with `--har`. */
  recording: OpenRecording | undefined;
};

export type OpenTargets = {
  /** Opens the server of the command. In a rehearsal, opens the copy of the server. */
  server: (target: RemoteTarget) => Server & OpenRemoteTarget;
  /** Opens a target that the arguments of the command name. @throws USAGE in a rehearsal, FILE_UNFIT */
  named: (target: Target, tokens: TokenSources) => OpenedTarget;
  /** Opens a server with a known token. */
  connect: (target: RemoteTarget, token: FoundToken) => Server & OpenRemoteTarget;
  /** Closes all opened targets. */
  close: () => Promise<void>;
};

/** Prepares the opening of targets. Nothing is opened before a function of the result is called. */
export function openTargets(options: OpenTargetsOptions): OpenTargets {
  const { host, settings, localStore, rehearsal } = options;
  const opened: { close(): Promise<void> }[] = [];
  const keep = <T extends { close(): Promise<void> }>(target: T): T => {
    opened.push(target);
    return target;
  };
  return {
    server(target) {
      if (!rehearsal?.server) return keep(openRemote(options, target));
      const copied = keep(openRemote(options, rehearsal.server.target, { known: rehearsal.server.token }));
      return { ...copied, raw: rehearsal.recordRaw(copied.raw) };
    },
    named(target, tokens) {
      if (target.kind === "remote") {
        const server = keep(openRemote(options, target, { tokens }));
        const noStore = async () => {
          throw needsLocal(target);
        };
        return { target, server, service: () => server.service(), local: noStore, localStore };
      }
      if (rehearsal) throw notInRehearsal(targetText(target));
      requireStore(target.store);
      if (target.profile === undefined) refuseStoreOutside(target.store, settings, host.cwd);
      const store = keep(openLocalTarget(target.store, host));
      return {
        target: { ...target, store: store.file.location },
        server: noServer,
        service: async () => (await store.service()).service(target.organization),
        local: () => store.service(),
        localStore: store.file,
      };
    },
    connect: (target, token) => keep(openRemote(options, target, { known: token })),
    async close() {
      await Promise.all(opened.map((each) => each.close()));
    },
  };
}

type RemoteTokens = {
  /** Where the token is found. Default: in all places of config/token.ts. */
  tokens?: TokenSources;
  /** The token to use. */
  known?: FoundToken;
};

function openRemote(
  { host, terminal, version, flags, settings, credentials, rehearsal, patience, recording }: OpenTargetsOptions,
  target: RemoteTarget,
  { tokens = { tokenFile: flags.tokenFile, usesEnvironment: true }, known }: RemoteTokens = {},
): Server & OpenRemoteTarget {
  // In a rehearsal, a command may contact only the copy of the server. An option that names another server is refused.
  if (rehearsal && target.baseUrl !== rehearsal.server?.target.baseUrl) throw notInRehearsal(target.origin);
  const { tokenFile, usesEnvironment } = tokens;
  let found = known && Promise.resolve(known);
  const readToken = async () => {
    const { findToken } = await import("../config/token.ts");
    const readFile = async (path: string) => Buffer.from(await readNamedFile(path, host)).toString("utf8");
    const file = tokenFile === undefined ? undefined : () => readFile(tokenFile);
    return findToken(target, { env: usesEnvironment ? host.env : {}, credentials, tokenFile: file });
  };
  const token = () => (found ??= readToken());
  const connection = openRemoteTarget(
    target,
    extendHost(host, {
      token: async () => (await token()).token,
      version,
      record: recording?.record,
      timeout: parseTimeout(settings.get("timeout") ?? ""),
      patience,
      log: flags.verbose ? (line: string) => terminal.err(`${line}\n`) : undefined,
      warn: (text: string) => terminal.warn(text),
    }),
  );
  return { ...connection, token };
}

function notInRehearsal(where: string): FormctlError {
  return new FormctlError(
    "USAGE",
    `the rehearsal of a script does not use ${where}`,
    "Remove the command from the script, or run it before the script.",
  );
}

const needsServer = async () => {
  throw new FormctlError(
    "USAGE",
    "this command needs a server, and the target is the local store",
    "Specify a profile: --profile NAME. Add a profile: formctl profiles add NAME --base-url URL",
  );
};
/** The server of a command whose target is a local store. */
export const noServer: Server = {
  raw: needsServer,
  token: needsServer,
  serviceFor: needsServer,
  observed: needsServer,
};
