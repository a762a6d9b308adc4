/** The argument of commands that read manifests. */

import { asText, optionalRest } from "../command.ts";

/** Defines PATH, which is optional if the project file sets the folder of the manifests. */
export function pathsArgument(about: string) {
  return {
    ...optionalRest("PATH", about, asText, "path"),
    optional: false,
    alternative: "Set the folder of the manifests: add `manifests: FOLDER` to formctl.yaml",
    fallback: ({ manifests }: { manifests: string | undefined }) => (manifests === undefined ? undefined : []),
  };
}
