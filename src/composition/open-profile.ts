/** Opens the server or store of a profile, as `--profile` does. Loaded when a program opens a profile. */

import { existsSync } from "node:fs";
import { isStoreUrl, storeLocation } from "../base/database-url.ts";
import { openCredentials } from "../config/credentials.ts";
import { parseTimeout, requireStore } from "../config/setting-rows.ts";
import { loadSettings, type LoadedSettings } from "../config/settings.ts";
import { type LocalTarget, profileTarget, type RemoteTarget } from "../config/target.ts";
import { referencesFor } from "../config/target-references.ts";
import { findToken } from "../config/token.ts";
import type { LocalService } from "../local-service.ts";
import type { Service } from "../service.ts";
import { type ProjectTarget, type ServerClient, serverTarget, storeTarget } from "../state/target.ts";
import { keychainOf, sleep, systemProcesses } from "./system-process.ts";

export type ProfileOptions = {
  /**
   * The folder whose project file has the references of the profile. The path of a store in a profile is relative to
   * this folder. Default: the working directory.
   */
  root?: string;
  /**
   * The environment variables. FORMCTL_TOKEN, FORMCTL_TIMEOUT, FORMCTL_MAX_RPS and FORMCTL_ORGANIZATION apply. Default:
   * those of this process.
   */
  env?: Readonly<Record<string, string | undefined>>;
  /**
   * Where the name of the profile comes from. FORMCTL_TOKEN is not sent to a server that a project file names, because
   * any user may have written that file. Default: `program`.
   */
  namedBy?: "program" | "project";
};

export type OpenedTarget = AsyncDisposable & {
  /** The name of the profile. */
  name: string;
  service: Service;
  /** The target of `openProject`, `openMigrations` and `promote`. It has the references of the project file. */
  target: ProjectTarget;
  /** Closes the client or the store. */
  close(): Promise<void>;
};

/** The opened profile of a server (`client`) or of a local store (`local`). */
export type OpenedProfile<C extends ServerClient = ServerClient> =
  | (OpenedTarget & { kind: "server"; client: C })
  | (OpenedTarget & { kind: "store"; local: LocalService });

/** `deadline` is the time limit of the requests of a call in milliseconds. Waits that the server requests do not count. */
type Connect<C> = (options: { baseUrl: string; token: string; maxRequestsPerSecond?: number }, deadline: number) => C;

type ClosableClient = ServerClient & { close(): Promise<void> };

/** @param connect creates the client of a server */
export async function openProfile<C extends ClosableClient>(
  name: string,
  { root = process.cwd(), env = process.env, namedBy = "program" }: ProfileOptions,
  connect: Connect<C>,
): Promise<OpenedProfile<C>> {
  const host = {
    env,
    cwd: root,
    sleep,
    processes: async () => systemProcesses(),
    keychain: () => keychainOf(env),
  };
  const settings = await loadSettings({ host, flags: { profile: name } });
  const target = profileTarget(settings, name, namedBy === "project" ? "project" : "flag");
  if (target.kind === "local") return openStore(name, target, settings, { root, env });
  const { token } = await findToken(target, {
    env,
    credentials: openCredentials(settings.credentialsPath, host),
    tokenFile: undefined,
  });
  const { baseUrl, maxRequestsPerSecond } = target;
  const client = connect(
    { baseUrl, token: token.reveal(), ...(maxRequestsPerSecond !== undefined && { maxRequestsPerSecond }) },
    parseTimeout(settings.get("timeout") ?? ""),
  );
  return {
    kind: "server",
    client,
    ...opened(name, client, () => client.close()),
    target: serverTarget(client, { profile: name, ...referencesOf(name, target, settings, root) }),
  };
}

async function openStore(
  name: string,
  { store, organization }: LocalTarget,
  settings: LoadedSettings,
  { root, env }: { root: string; env: NonNullable<ProfileOptions["env"]> },
): Promise<Extract<OpenedProfile<never>, { kind: "store" }>> {
  requireStore(store);
  const location = isStoreUrl(store) ? store : storeLocation(root, store);
  const { openLocal, requireSqlite } = await import("./local-store.ts");
  requireSqlite();
  const local = openLocal(location, () => new Date(), { env });
  const { references } = referencesOf(name, {}, settings, root);
  return {
    kind: "store",
    local,
    ...opened(name, await local.service(organization), () => local.close()),
    target: storeTarget({
      store: location,
      local,
      organization,
      exists: () => isStoreUrl(store) || existsSync(location),
      references,
    }),
  };
}

function opened(name: string, service: Service, close: () => Promise<void>): Omit<OpenedTarget, "target"> {
  return { name, service, close, [Symbol.asyncDispose]: close };
}

function referencesOf(
  profile: string,
  { origin }: Partial<Pick<RemoteTarget, "origin">>,
  settings: LoadedSettings,
  cwd: string,
) {
  const file = settings.files().find(({ kind }) => kind === "project")?.path;
  return referencesFor({ profile, ...(origin !== undefined && { origin }) }, { ...settings, file, cwd });
}
