/** Finds the manifests that describe exported resources. */

import type { Lock } from "../lock.ts";
import type { Exported } from "./exported.ts";
import type { FolderManifest } from "./folder.ts";

export type OpenManifests = {
  /**
   * Returns the manifest of a resource, found by its address, by its former address, or by the id in the lock. Each
   * manifest is returned only once.
   */
  take: (exported: Exported) => FolderManifest | undefined;
  /** The manifests that were not returned. */
  left: ReadonlySet<FolderManifest>;
};

export function openManifests(manifests: readonly FolderManifest[], lock: Pick<Lock, "get">): OpenManifests {
  const left = new Set(manifests);
  const byAddress = Map.groupBy(manifests, ({ manifest: { kind, address } }) => keyOf(kind, address));
  const byFormerAddress = Map.groupBy(manifests, ({ manifest: { kind, formerAddress } }) => keyOf(kind, formerAddress));
  const byId = Map.groupBy(manifests, ({ manifest: { kind, address } }) => {
    const locked = lock.get(address);
    return keyOf(kind, kind === "Form" ? locked?.formId : locked?.layoutId);
  });
  return {
    take(exported) {
      const { kind, address } = exported;
      const id = exported.kind === "Form" ? exported.formId : exported.layoutId;
      const alike = [
        byAddress.get(keyOf(kind, address)),
        byFormerAddress.get(keyOf(kind, address)),
        byId.get(keyOf(kind, id)),
      ];
      const found = alike.flatMap((each) => each ?? []).find((each) => left.has(each));
      if (found) left.delete(found);
      return found;
    },
    left,
  };
}

/** Returns a key that is different for each kind. Undefined stays undefined, so that it equals no address or id. */
function keyOf(kind: "Form" | "Layout", name: string | undefined): string | undefined {
  return name === undefined ? undefined : `${kind} ${name}`;
}
