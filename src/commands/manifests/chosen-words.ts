/** What was typed, as the words with which the next command means the same. */

import { quoted } from "../addresses.ts";

export type Choices = {
  paths: readonly string[];
  prune?: boolean;
  target: readonly string[];
  noPublish: boolean;
  noStamp?: boolean;
  strict?: boolean;
  organizationFile: string | undefined;
};

export function chosenWords({ paths, prune, target, noPublish, noStamp, strict, organizationFile }: Choices): string[] {
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
