/** Finds the ids of a target in the project file. */

import { relative } from "node:path";
import type { ProjectReferences } from "./project-settings.ts";

type Project = {
  references: ProjectReferences;
  /** The absolute path of the project file. Undefined if there is none. */
  file: string | undefined;
  /** The folder to which paths in messages are relative. */
  cwd: string;
};

/**
 * Returns the ids of roles and members on a target, from `references` of the project file. The key in `references` is
 * the name of the profile or the server's origin. The name takes precedence. `referencesIn` states for messages where
 * the ids belong.
 */
export function referencesFor(
  { profile, origin }: { profile: string | undefined; origin?: string },
  { references, file, cwd }: Project,
) {
  const keys = [profile, origin].filter((key) => key !== undefined);
  const found = keys.find((key) => Object.hasOwn(references, key));
  return {
    // Without references in the project file, validation does not check the names of roles and members.
    references:
      Object.keys(references).length === 0
        ? undefined
        : found === undefined
          ? { roles: {}, members: {} }
          : references[found],
    // The file may have no ids for this target. Messages then suggest the name of the profile as the key.
    referencesIn: {
      file: file === undefined ? "formctl.yaml" : relative(cwd, file),
      key: found ?? keys[0] ?? "",
    },
  };
}
