/**
 * Connects a command with the rehearsal of its script. The command uses the copy instead of its target. It reports its
 * start, writes and end to the rehearsal.
 */

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Failure } from "../commands/failure.ts";
import {
  copiedServer,
  logRehearsal,
  ownEnvironment,
  readScriptRehearsal,
  rehearsedState,
  rehearsedTarget,
  requireRehearsable,
  type ScriptRehearsal,
} from "../config/script-rehearsal.ts";
import type { RemoteTarget, Target } from "../config/target.ts";
import type { FoundToken } from "../config/token.ts";
import type { Host } from "../base/host.ts";
import { recordRaw, recordWrites, type WrittenInRehearsal } from "./rehearsed-writes.ts";
import { hideTokens, Secret } from "../base/secret.ts";
import type { RawAnswer, RawRequest, Service } from "../service.ts";

/** The rehearsal that a command is part of. */
export type CommandRehearsal = {
  /** The environment of the command, without the variables that the rehearsal has added. */
  env: Host["env"];
  /** The store that the command opens. If a server has the copy, no store exists at this path. */
  store: string;
  /** The server that has the copy. Undefined if the copy is a store. */
  server: { target: RemoteTarget; token: FoundToken } | undefined;
  /** @throws USAGE for a command that can't be rehearsed */
  requireRehearsable(path: readonly string[]): void;
  /**
   * Returns the target that the script names, with `isCopied`. Messages then describe the target as a copy.
   *
   * @throws USAGE if the script is rehearsed on a copy of another target
   */
  target(chosen: Target, options: { isNamed: boolean; cwd: string }): Target;
  /** Returns the folder that replaces `.formctl` of the project at `root`. */
  stateFolder(root: string): string;
  /** Returns the service with each write recorded. */
  recordWrites(service: Service): Service;
  /** Returns a function that sends raw requests with `raw`, and records each write. */
  recordRaw(raw: (request: RawRequest) => Promise<RawAnswer>): (request: RawRequest) => Promise<RawAnswer>;
};

/**
 * Opens the rehearsal that this process is part of. Returns undefined outside of a rehearsal.
 *
 * @param commandId the id of the command in the log
 * @throws USAGE if the rehearsal has ended: otherwise the command would reach the real target
 */
export function openRehearsal(env: Host["env"], commandId: string): CommandRehearsal | undefined {
  const rehearsal = readScriptRehearsal(env);
  if (!rehearsal) return undefined;
  const { copy, folder } = rehearsal;
  const record = (write: WrittenInRehearsal) => logRehearsal(rehearsal, { id: commandId, type: "write", ...write });
  return {
    env: ownEnvironment(env, rehearsal),
    store: copy.kind === "local" ? copy.store : join(folder, "none.db"),
    server:
      copy.kind === "remote"
        ? { target: copiedServer(copy), token: { token: new Secret(copy.token), source: "FORMCTL_TOKEN" } }
        : undefined,
    requireRehearsable,
    target: (chosen, options) => rehearsedTarget(rehearsal, { chosen, ...options }),
    stateFolder: (root) => rehearsedState(rehearsal, root),
    recordWrites: (service) => recordWrites(service, record),
    recordRaw: (raw) => recordRaw(raw, record),
  };
}

export type CommandReport = {
  /** Identifies the command in the log of the rehearsal. */
  id: string;
  failed(failure: Failure): void;
  ended(exitCode: number): void;
};

/**
 * Reports that a command starts. Returns undefined if no rehearsal is in progress. After the end of a rehearsal,
 * `openRehearsal` then refuses the command.
 */
export function reportCommand(argv: readonly string[], { env }: Pick<Host, "env">): CommandReport | undefined {
  let rehearsal: ScriptRehearsal | undefined;
  try {
    rehearsal = readScriptRehearsal(env);
  } catch {
    return undefined;
  }
  if (!rehearsal) return undefined;
  const own = rehearsal;
  const id = randomUUID();
  const line = env["FORMCTL_REHEARSAL_LINE"];
  let error: { code: string; message: string } | undefined;
  logRehearsal(own, { id, type: "start", words: argv.map(hideTokens), ...(line && { line }) });
  return {
    id,
    failed({ code, message }) {
      error = { code, message: hideTokens(message) };
    },
    ended: (exitCode) => logRehearsal(own, { id, type: "end", exitCode, ...(error && { error }) }),
  };
}
