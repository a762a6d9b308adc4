/** Converts the options of a command to arguments for the next command that formctl suggests. */

import type { Plan } from "../../manifests/plan/planned.ts";
import { quoted } from "../../shell-quote.ts";

export type Choices = {
  paths: readonly string[];
  prune?: boolean;
  target: readonly string[];
  noPublish: boolean;
  noStamp?: boolean;
  strict?: boolean;
  organizationFile: string | undefined;
};

export function chosenArguments(choices: Choices): string[] {
  const { paths, prune, target, noPublish, noStamp, strict, organizationFile } = choices;
  return [
    ...paths.map((path) => quoted(path)),
    ...(prune ? ["--prune"] : []),
    ...target.flatMap((address) => ["--target", quoted(address)]),
    ...(noPublish ? ["--no-publish"] : []),
    ...(noStamp ? ["--no-stamp"] : []),
    ...(strict ? ["--strict"] : []),
    ...(organizationFile === undefined ? [] : ["--organization-file", quoted(organizationFile)]),
  ];
}

/** Returns the flags that confirm the needs of a plan, in addition to `--yes`. */
export function confirmationFlags({ resources }: Plan): string[] {
  const flags = new Set(resources.flatMap(({ needs }) => needs.map(({ consent }) => `--${consent}`)));
  return [...flags].toSorted();
}
