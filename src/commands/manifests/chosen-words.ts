/** What was typed, as the words with which the next command means the same. */

import type { Plan } from "../../manifests/plan/planned.ts";
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

/** The consents that a plan has said it needs beside `--yes`. */
export function consentWords({ resources }: Plan): string[] {
  const needed = new Set(resources.flatMap(({ needs }) => needs.map(({ consent }) => `--${consent}`)));
  return [...needed].toSorted();
}

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
