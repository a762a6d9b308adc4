/**
 * Defines how the formctl commands of a rehearsed script find the copy of the target. `formctl rehearse` writes a
 * private file, and names the file in the environment of the script. Each command of the script replaces its target
 * with the copy, or refuses to run.
 */

import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { FormctlError } from "../base/error.ts";
import { sha256 } from "../base/sha256.ts";
import { parseBaseUrl } from "../schemas/base-url.ts";
import { storeLocation } from "../base/database-url.ts";
import { type LocalTarget, REHEARSAL_VARIABLE, type RemoteTarget, type Target, targetText } from "./target.ts";

/** The content of the private file that `formctl rehearse` writes. */
export type ScriptRehearsal = {
  /** The original target, of which the rehearsal has a copy. */
  target: LocalTarget | RemoteTarget;
  /**
   * Whether a flag or the environment of `formctl rehearse` named the target. If so, the target of the settings files
   * is ignored. A command without a target then works on the copy.
   */
  isTargetNamed: boolean;
  copy: { kind: "local"; store: string } | { kind: "remote"; baseUrl: string; token: string };
  /** The private folder of the rehearsal. */
  folder: string;
};

/** An event of a command. The log has one line for each event. */
export type RehearsalEvent = { id: string } & (
  | { type: "start"; words: string[]; line?: string; program?: string }
  | { type: "write"; method: string; path: string; outcome: WriteOutcome; status?: number; code?: string }
  | { type: "end"; exitCode: number; error?: { code: string; message: string } }
);

/** The outcome of a write on the copy. */
export type WriteOutcome = "done" | "refused" | "unknown";

/**
 * Returns the rehearsal that this process is part of.
 *
 * @throws USAGE if the file can't be read. Without the file, the command would reach the real target
 */
export function readScriptRehearsal(env: Environment): ScriptRehearsal | undefined {
  const path = env[REHEARSAL_VARIABLE];
  if (!path) return undefined;
  try {
    return JSON.parse(readFileSync(path, "utf8")) as ScriptRehearsal;
  } catch (error) {
    throw new FormctlError(
      "USAGE",
      "the rehearsal of this script has ended, so the command was not run",
      `Wait for background commands at the end of the script, or unset ${REHEARSAL_VARIABLE}.`,
      error,
    );
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the environment of a script. Its variables name the copy instead of the target. Therefore programs other than
 * formctl, such as curl, also use the copy. The token of the target is removed.
 */
export function scriptEnvironment(env: Environment, { copy, target }: ScriptRehearsal): Environment {
  const organization = target.kind === "local" ? target.organization : undefined;
  return {
    ...env,
    FORMCTL_PROFILE: undefined,
    FORMCTL_BASE_URL: undefined,
    FORMCTL_STORE: undefined,
    FORMCTL_TOKEN: undefined,
    ...variablesOf(copy),
    ...(organization !== undefined && { FORMCTL_ORGANIZATION: organization }),
  };
}

function variablesOf(copy: ScriptRehearsal["copy"]): Readonly<Record<string, string>> {
  if (copy.kind === "local") return { FORMCTL_STORE: copy.store };
  return { FORMCTL_BASE_URL: copy.baseUrl, FORMCTL_TOKEN: copy.token };
}

/** Returns the environment without the variables of the copy, which `scriptEnvironment` added. */
export function ownEnvironment(env: Environment, { copy }: ScriptRehearsal): Environment {
  const added = variablesOf(copy);
  return Object.fromEntries(Object.entries(env).filter(([name, value]) => added[name] !== value));
}

/** Commands that change the settings or tokens of the user, use other targets, or rehearse. */
const REFUSED: readonly string[] = [
  "auth login",
  "auth logout",
  "config set",
  "config unset",
  "diff",
  "init",
  "local copy",
  "profiles add",
  "profiles remove",
  "profiles use",
  "promote",
  "rehearse",
];

/** @throws USAGE for a command that can't be rehearsed */
export function requireRehearsable(path: readonly string[]): void {
  const words = path.join(" ");
  if (!REFUSED.includes(words)) return;
  throw new FormctlError(
    "USAGE",
    `formctl ${words} can't be rehearsed, because it does not work on the target alone`,
    "Run it before the script, or remove it from the script.",
  );
}

/**
 * Returns the target of a command in a rehearsal. This is the original target, marked as copied. In a local store, the
 * command can choose another organization.
 *
 * @param chosen the target that the command would use
 * @param isNamed whether a flag or the environment of the command names `chosen`
 * @throws USAGE if `chosen` is neither the original target nor the copy. `chosen` is ignored in one case (see
 *   `isTargetNamed`)
 */
export function rehearsedTarget(
  rehearsal: ScriptRehearsal,
  { chosen, isNamed, cwd }: { chosen: Target; isNamed: boolean; cwd: string },
): Target {
  const { target, copy } = rehearsal;
  const isServed = target.kind === "local" && copy.kind === "remote";
  const copied: Target = { ...(isServed ? copiedServer(copy) : target), isCopied: true };
  if (!isNamed && rehearsal.isTargetNamed) return copied;
  if (isSameTarget(chosen, target, rehearsal, cwd)) {
    if (chosen.kind === "remote" || copied.kind === "remote") return copied;
    return { ...copied, organization: chosen.organization ?? copied.organization };
  }
  throw new FormctlError(
    "USAGE",
    `the target of this command is ${targetText(chosen)}, and the script is rehearsed on a copy of ${targetText(target)}`,
    "Rehearse commands for different targets in different scripts.",
  );
}

/** Whether two targets are the same, or `chosen` is the copy. */
function isSameTarget(chosen: Target, target: Target, { copy }: ScriptRehearsal, cwd: string): boolean {
  if (chosen.kind === "local") {
    if (target.kind !== "local") return false;
    const store = realPath(storeLocation(cwd, chosen.store));
    if (store === realPath(target.store))
      return (chosen.organization ?? target.organization) === target.organization || copy.kind === "local";
    return copy.kind === "local" && store === realPath(copy.store);
  }
  if (copy.kind !== "remote") return false;
  if (chosen.baseUrl === copy.baseUrl) return true;
  if (target.kind !== "remote") return false;
  // Another profile can have another token. Another token can belong to another organization.
  return chosen.baseUrl === target.baseUrl && (chosen.profile ?? target.profile) === target.profile;
}

function realPath(path: string): string {
  return existsSync(path) ? realpathSync.native(path) : path;
}

/** Returns the server that has the copy, as a target for requests. */
export function copiedServer(copy: Extract<ScriptRehearsal["copy"], { kind: "remote" }>): RemoteTarget {
  return { kind: "remote", ...parseBaseUrl(copy.baseUrl), namedBy: "flag" };
}

/**
 * Returns the folder that replaces `.formctl` of a project. The first command copies `.formctl` into this folder.
 * Commands read the lock and the journals from the copy, and the project stays unchanged.
 */
export function rehearsedState({ folder }: ScriptRehearsal, root: string): string {
  const state = join(folder, "state", sha256(root).slice(0, 16));
  if (existsSync(state)) return state;
  mkdirSync(state, { recursive: true });
  const own = join(root, ".formctl");
  if (existsSync(own)) cpSync(own, state, { recursive: true });
  return state;
}

/** Appends an event to the log of the rehearsal. */
export function logRehearsal({ folder }: ScriptRehearsal, event: RehearsalEvent): void {
  appendFileSync(rehearsalLog(folder), `${JSON.stringify(event)}\n`, { mode: 0o600 });
}

export function rehearsalLog(folder: string): string {
  return join(folder, "log.jsonl");
}
