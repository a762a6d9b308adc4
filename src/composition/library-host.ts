/** The default system of the library functions. A caller can replace parts of the system. */

import { resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import { MAX_NAMED_BYTES } from "../base/file-limits.ts";
import { readWithin } from "../disk/read-file.ts";
import type { ProjectHost, ProjectOptions } from "../project/project.ts";
import type { Rehearse } from "../rehearsal/rehearsal.ts";
import { sleep, systemProcesses } from "./system-process.ts";

/** Replaces parts of the system, such as the clock, files and processes. Default: those of this process. */
export type WithHost = { host?: Partial<ProjectHost> };

export const rehearse: Rehearse = async (request) => (await import("./target-copy.ts")).rehearseOnCopy(request);

export function hostOf(
  { root, cwd = root }: Pick<ProjectOptions, "root" | "cwd">,
  host: WithHost["host"],
): ProjectHost {
  return {
    env: process.env,
    readFile: async (path) => (path === "-" ? buffer(process.stdin) : readWithin(resolve(cwd, path), MAX_NAMED_BYTES)),
    now: () => new Date(),
    sleep,
    processes: async () => systemProcesses(),
    ...host,
  };
}
