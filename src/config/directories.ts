/** The folders of formctl's files. */

import { join } from "node:path";
import envPaths from "env-paths";

export type Directories = { config: string; data: string };

/** FORMCTL_HOME for all files, else the standard folders of the platform (on Linux, the XDG Base Directory Specification). */
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
