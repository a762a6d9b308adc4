/** The options of `formctl init`. The profile, the token file and the store are global options. */

import { objectOption } from "../address-arguments.ts";
import { flag, option } from "../command.ts";
import { intoOption } from "../local/example-files.ts";

export const initOptions = {
  demo: flag("--demo", "Create the local store with the example organization Northwind Staffing"),
  into: intoOption,
  baseUrl: option("--base-url <url>", "Address of the server, without /v1"),
  project: flag("--project", "Write the project file formctl.yaml into this folder"),
  object: objectOption("--object <module/object>", "Default object of the project file: MODULE/OBJECT"),
  manifests: option("--manifests <folder>", "Folder of the manifests in the project file (default: forms)"),
};

/** The values of {@link initOptions}. */
export type InitOptions = {
  demo: boolean;
  into: string | undefined;
  baseUrl: string | undefined;
  project: boolean;
  object: { moduleKey: string; objectKey: string } | undefined;
  manifests: string | undefined;
};
