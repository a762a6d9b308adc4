/** Where formctl keeps its files: XDG folders, or all in FORMCTL_HOME. */

import { join } from "node:path";
import envPaths from "env-paths";

export type Directories = { config: string; data: string };

/** `$FORMCTL_HOME` for everything, else the platform's own places (XDG Base Directory Specification on Linux). */
export function directories(env: Readonly<Record<string, string | undefined>>): Directories {
  const home = env["FORMCTL_HOME"];
  if (home) return { config: home, data: home };
  const { config, data } = envPaths("formctl", { suffix: "" });
  return { config, data };
}

export function defaultStorePath({ data }: Directories): string {
  return join(data, "local.db");
}

export function userFilePath({ config }: Directories): string {
  return join(config, "config.yaml");
}

export function credentialsPath({ config }: Directories): string {
  return join(config, "credentials.yaml");
}
