/** The argument PATH of commands that read manifests. Also the arguments of the command that formctl suggests next. */

import type { Plan } from "../../plan/planned.ts";
import { quoted } from "../../base/shell-quote.ts";
import { FormctlError } from "../../base/error.ts";
import { asText, list, optionalRest } from "../command.ts";

/** Defines PATH. It is optional if the project file sets the folder of the manifests. */
export function pathsArgument(about: string) {
  return {
    ...optionalRest("PATH", about, asText, "path"),
    optional: false,
    alternative: "Set the folder of the manifests: add `manifests: FOLDER` to formctl.yaml",
    fallback: ({ manifests }: { manifests: string | undefined }) => (manifests === undefined ? undefined : []),
  };
}

/** The option that confirms that a creation without an answer failed. Its value is the address and the time. */
export const notCreatedOption = list(
  "--not-created <address@time>",
  "Confirm that this unanswered creation failed: repeat it",
  (text) => {
    const [, time = ""] = /^.+@(\d{4}-\d\d-\d\dT[\d:.]+Z)$/.exec(text) ?? [];
    if (!Number.isNaN(Date.parse(time))) return text;
    throw new FormctlError("USAGE", `must be ADDRESS@TIME, as the error shows it, not "${text}"`);
  },
);

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
