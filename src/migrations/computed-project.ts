/** Opens a project whose desired state is computed from the current state of the target. */

import { limitConcurrency, type Limited, limitedService } from "../manifests/requests.ts";
import type { Manifest } from "../manifests/manifest.ts";
import type { LoadedManifests, ProjectHost } from "../manifests/project/context.ts";
import { readKnowledge } from "../manifests/project/load.ts";
import { openProject, type Project, type ProjectOptions } from "../manifests/project/project.ts";
import { type Check, openCheck } from "../manifests/read/check.ts";
import type { Service } from "../service.ts";
import { byAddress } from "./left-out.ts";
import { type RememberedReads, rememberReads } from "./remembered-reads.ts";

/** What a desired state is computed with. */
export type Computing = {
  /** Remembers its reads, because the plan reads the same forms and layouts again. */
  service: Service;
  reads: RememberedReads;
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
  /** Returns the service of the target. What the last plan or apply has read is not requested again. */
  service: () => Promise<Service>;
};

/**
 * Opens a project with a computed desired state.
 *
 * @param compute returns the desired state. Each `plan` and `apply` calls `compute` and throws its errors
 */
export function openComputed(
  options: Omit<ProjectOptions, "desired" | "manifests" | "variables">,
  host: ProjectHost,
  compute: (computing: Computing) => Promise<Computed>,
): ComputedProject {
  const { target, onProgress } = options;
  let reads = rememberReads();

  async function load(): Promise<LoadedManifests> {
    reads = rememberReads();
    const limited = limitConcurrency(options.concurrency ?? target.concurrency);
    let hasFailed = false;
    const stopping: Limited = (task) =>
      limited(async () => {
        // When `compute` fails, many reads may still wait for their turn. They are not sent.
        if (hasFailed) throw new Error("stopped");
        return task();
      });
    const service = reads.over(limitedService(await target.service(), stopping));
    const { knowledge, organization } = await readKnowledge({ host, target }, options.organizationFile);
    const check = openCheck(knowledge);
    onProgress?.({ stage: "reading", done: 0, total: undefined });
    const computed = await compute({ service, reads, check }).catch((error: unknown) => {
      hasFailed = true;
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

  const desired = { load, usesLock: false, over: (service: Service) => reads.over(service) };
  return {
    project: openProject({ ...options, desired }, host),
    service: async () => reads.over(await target.service()),
  };
}
