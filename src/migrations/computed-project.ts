/** Opens a project whose desired state is computed from the current state of the target. */

import { openReader, type Reader } from "../state/reader.ts";
import type { Manifest } from "../manifests/manifest.ts";
import {
  type LoadedManifests,
  type ProjectHost,
  openProject,
  type Project,
  type ProjectSetup,
} from "../project/project.ts";
import { type Check, openCheck } from "../manifests/read/check.ts";
import { byAddress } from "./left-out.ts";
import { readKnowledge } from "../state/knowledge.ts";

/** What a desired state is computed with. */
export type Computing = {
  /** Reads the target. The plan reads the same forms and layouts again, from the same reader. */
  reader: Reader;
  /** Checks the computed manifests. `validate` uses the same checks for files. */
  check: Check;
};

export type Computed = Partial<Pick<LoadedManifests, "problems" | "ofContents" | "notRun">> & {
  manifests: readonly Manifest[];
  /** The texts of the files to which problems refer, by path. */
  sources?: ReadonlyMap<string, string>;
};

export type ComputedProject = {
  project: Project;
  /** Returns the reader of the last plan or apply. */
  reader: () => Reader;
};

/**
 * Opens a project with a computed desired state.
 *
 * @param compute returns the desired state. Each `plan` and `apply` calls `compute` and throws its errors
 */
export function openComputed(
  options: Omit<ProjectSetup, "desired" | "manifests" | "variables">,
  host: ProjectHost,
  compute: (computing: Computing) => Promise<Computed>,
): ComputedProject {
  const { target, onProgress } = options;
  const open = () => openReader(() => target.service(), { concurrency: options.concurrency ?? target.concurrency });
  let reader = open();

  async function load(): Promise<LoadedManifests> {
    reader = open();
    const { knowledge, organization } = await readKnowledge({ host, target }, options.organizationFile);
    const check = openCheck(knowledge);
    onProgress?.({ stage: "reading", done: 0, total: undefined });
    const computed = await compute({ reader, check }).catch((error: unknown) => {
      // Many reads may still wait for their turn. They are not sent.
      reader.stop();
      throw error;
    });
    const { manifests, sources = new Map<string, string>(), ...checked } = computed;
    return {
      set: { manifests: manifests.toSorted(byAddress), problems: [], sources, files: [] },
      problems: [],
      ofContents: new Map(),
      notRun: [],
      ...checked,
      ...(organization && { organization }),
      knownOf: (manifest) => check.knownOf(manifest),
    };
  }

  const desired = { load, usesLock: false, reader: () => reader };
  return { project: openProject({ ...options, desired }, host), reader: () => reader };
}
