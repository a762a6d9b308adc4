/** Chooses the target of a command, and refuses targets on which the command can't run. */

import { resolve } from "node:path";
import type { GlobalFlags } from "../commands/global-flags.ts";
import type { Invocation } from "../commands/invocation.ts";
import { ABOUT_SETTINGS, isStoreCopy, WITH_TWO_TARGETS } from "../commands/target-options.ts";
import { requireStore } from "../config/setting-rows.ts";
import type { LoadedSettings } from "../config/settings.ts";
import {
  chooseTarget,
  type LocalTarget,
  localStoreTarget,
  namesTarget,
  type RemoteTarget,
  type Target,
  targetText,
} from "../config/target.ts";
import { isStoreUrl } from "../base/database-url.ts";
import { refuseLeadingOut } from "../disk/links.ts";
import { FormctlError } from "../base/error.ts";
import type { CommandRehearsal } from "./rehearsed-command.ts";

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
 * @throws FILE_UNFIT if `--store` or FORMCTL_STORE leads out of the project through a link
 */
export function targetOf({ path, flags }: Invocation, settings: LoadedSettings, cwd: string): Target {
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
    const isFromEnvironment = !isTyped && settings.at("environment", "store") === target.store;
    requireStore(target.store, { mayHavePassword: isFromEnvironment });
    if (isTyped || isFromEnvironment) refuseStoreOutside(target.store, settings, cwd);
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
 * Refuses the path of a store, typed or in the environment, that leads out of the project through a link. A repository
 * may contain a link to the user's own store.
 *
 * @throws FILE_UNFIT
 */
export function refuseStoreOutside(store: string, { root }: LoadedSettings, cwd: string): void {
  if (!isStoreUrl(store)) refuseLeadingOut(resolve(cwd, store), root);
}

/**
 * Returns the target of a command in the rehearsal of a script.
 *
 * @throws USAGE if the command can't be rehearsed, or names a target other than the copied target
 */
export function targetInRehearsal(
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
export function refuseTokenWithoutServer(
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

export function needsLocal(target: RemoteTarget): FormctlError {
  return new FormctlError(
    "USAGE",
    `this command needs the local store, and the target is ${targetText(target)}`,
    "To use the local store, add --local. To see the source of the target: formctl config list",
  );
}
