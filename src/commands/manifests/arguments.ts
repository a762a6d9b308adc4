/** The argument PATH of commands that read manifests. Also the arguments of the command that formctl suggests next. */

import type { Plan } from "../../plan/planned.ts";
import { quoted } from "../../base/shell-quote.ts";
import { asText, optionalRest } from "../command.ts";

/** Defines PATH. It is optional if the project file sets the folder of the manifests. */
export function pathsArgument(about: string) {
  return {
    ...optionalRest("PATH", about, asText, "path"),
    optional: false,
    alternative: "Set the folder of the manifests: add `manifests: FOLDER` to formctl.yaml",
    fallback: ({ manifests }: { manifests: string | undefined }) => (manifests === undefined ? undefined : []),
  };
}

export type Choices = {
  paths: readonly string[];
  prune?: boolean;
  target: readonly string[];
  noPublish: boolean;
  noStamp?: boolean;
  strict?: boolean;
  organizationFile: string | undefined;
};

/** Returns the options as arguments for the next command. */
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

/** Returns the flags for the confirmations that a plan needs, in addition to `--yes`. */
export function confirmationFlags({ resources }: Plan): string[] {
  const flags = new Set(resources.flatMap(({ needs }) => needs.map(({ consent }) => `--${consent}`)));
  return [...flags].toSorted();
}
