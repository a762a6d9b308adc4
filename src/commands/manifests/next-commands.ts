/** The options of a command, as the arguments that mean the same to the next one. */

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
    ...paths.map(quoted),
    ...(prune ? ["--prune"] : []),
    ...target.flatMap((address) => ["--target", quoted(address)]),
    ...(noPublish ? ["--no-publish"] : []),
    ...(noStamp ? ["--no-stamp"] : []),
    ...(strict ? ["--strict"] : []),
    ...(organizationFile === undefined ? [] : ["--organization-file", quoted(organizationFile)]),
  ];
}

/** The confirmations that a plan needs in addition to `--yes`. */
export function confirmationFlags({ resources }: Plan): string[] {
  const flags = new Set(resources.flatMap(({ needs }) => needs.map(({ consent }) => `--${consent}`)));
  return [...flags].toSorted();
}
