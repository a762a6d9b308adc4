/** Defines the desired state of a project: manifests that were read from files, or computed. */

import type { LayoutCatalog } from "../../schemas/catalog.ts";
import type { Located } from "../../schemas/diagnostic.ts";
import type { SeedOrganization } from "../../schemas/organization.ts";
import type { Service } from "../../service.ts";
import type { Manifest, Wanted } from "../manifest.ts";
import type { ManifestSet } from "../read/read-manifests.ts";
import type { Current } from "../state.ts";

export type LoadedManifests = {
  set: ManifestSet;
  /** The problems found by reading and by checking, in the order of files and lines. */
  problems: readonly Located[];
  /** The problems in the contents of well-formed layouts, each with the address of its manifest. */
  ofContents: ReadonlyMap<Located, string>;
  /** The checks that could not run, why, and for which manifests. */
  notRun: readonly string[];
  /** Returns what is known about the layout of a manifest. */
  knownOf: (manifest: Manifest) => LayoutCatalog;
  /** The organization of an organization file. Absent if it is unknown, or that of the local store. */
  organization?: SeedOrganization;
};

/** A desired state that is computed instead of read from manifest files: by a migration or a promotion. */
export type DesiredState = {
  /** Returns the manifests. The lock is opened for their `file` members. */
  load(): Promise<LoadedManifests>;
  /**
   * Whether the lock in `.formctl` is read and written, and drafts get a stamp. If not, forms and layouts are found by
   * name only, and no base is known or recorded.
   */
  usesLock: boolean;
  /**
   * Wraps the service for the reading of the current state, so that answers which `load` has received are not requested
   * again. Absent if `load` reads nothing of the target.
   */
  over?(service: Service): Service;
  /**
   * Returns the addresses of forms that are not among the manifests and that `prune` must not delete. Absent if there
   * are none.
   */
  described?(): ReadonlySet<string>;
  /** Adds values of the current state to the manifests. Called before the plan is computed. Absent if none are added. */
  complete?(wanted: readonly Wanted[], current: Current): Wanted[];
};
