/** What is wrong with manifests that have been read: each draft by itself, and all of them side by side. No request is made. */

import type { Located } from "../../schemas/diagnostic.ts";
import type { Known } from "../../schemas/draft-known.ts";
import { checkDraft, checksNotRun } from "../../schemas/draft-checks.ts";
import { nearest } from "../../schemas/nearest.ts";
import { isCarriedOut } from "./already-made.ts";
import { checkForm, checkLayout } from "./check-members.ts";
import { checkDefaults, checkIdentities, checkOrganizationDefaults } from "./check-together.ts";
import { manifestProblem, sortProblems } from "../problems.ts";
import { objectText } from "../address.ts";
import { knowing, type Knowledge, objectsFor } from "./knowledge.ts";
import { locateContent } from "./locate-content.ts";
import type { Manifest } from "../manifest.ts";
import type { Judged } from "./read-manifest.ts";

/** A check that could not run, and for which manifests. */
export type NotRun = { check: string; manifests: readonly string[] };

export type Checked = {
  problems: Located[];
  /** Those that are about what a layout shows, with the address of the manifest that wants it shown. */
  ofContents: ReadonlyMap<Located, string>;
  notRun: NotRun[];
};

export type Check = {
  /** What one manifest says by itself: afterwards its content is not asked for any more. */
  take(manifest: Manifest): void;
  /** What a manifest that is refused for its other members wants to be shown. */
  takeRefused(judged: Judged): void;
  /** And what all that were taken say together. */
  conclude(): Checked;
};

/** @param knowledge which fields and scripts there are, as far as anybody has said */
export function openCheck(knowledge: Knowledge): Check {
  const manifests: Manifest[] = [];
  const problems: Located[] = [];
  const ofContents = new Map<Located, string>();
  const notRun = new Map<string, string[]>();
  const knownOf = knowing(knowledge);

  function checkContent(judged: Judged, known: Known): Located[] {
    const { content } = judged;
    if (!content) return [];
    const complaints = checkDraft(content, known).filter((each) => !isCarriedOut(each, content, known));
    return locateContent(judged, complaints);
  }

  return {
    take(manifest) {
      const { content: _read, ...members } = manifest;
      manifests.push(members);
      problems.push(...(manifest.kind === "Form" ? checkForm(manifest) : checkLayout(manifest)));
      problems.push(...checkObject(manifest, knowledge));
      if (!manifest.content) return;
      const known = knownOf(manifest);
      for (const problem of checkContent(manifest, known)) {
        problems.push(problem);
        ofContents.set(problem, manifest.address);
      }
      for (const check of checksNotRun(known)) {
        const addresses = notRun.get(check) ?? [];
        addresses.push(manifest.address);
        notRun.set(check, addresses);
      }
    },
    takeRefused: (judged) => void problems.push(...checkContent(judged, knownOf(judged))),
    conclude: () => ({
      problems: sortProblems([
        ...problems,
        ...checkIdentities(manifests),
        ...checkDefaults(manifests),
        ...checkOrganizationDefaults(manifests),
      ]),
      ofContents,
      notRun: [...notRun].map(([check, addresses]) => ({
        check: `${check} (${knowledge.source})`,
        manifests: addresses,
      })),
    }),
  };
}

/** {@link openCheck} for manifests that are at hand. */
export function checkManifests(manifests: readonly Manifest[], knowledge: Knowledge): Checked {
  const check = openCheck(knowledge);
  for (const manifest of manifests) check.take(manifest);
  return check.conclude();
}

/** An organization that is known has the object, and the object may have forms, or the manifest can't be applied to it. */
function checkObject(manifest: Manifest, knowledge: Knowledge): Located[] {
  const objects = objectsFor(manifest, knowledge);
  if (!objects) return [];
  if (objects.kind === "SUBORDINATE" && manifest.kind === "Form") {
    const message = `"${objectText(manifest.object)}" is a subordinate object in ${knowledge.source}, and those have no forms. Remove the manifest, or name another object`;
    return [manifest.locate(manifestProblem("OBJECT_SUBORDINATE", message, "object"))];
  }
  if (objects.isThere) return [];
  const [path, { moduleKey, objectKey }] =
    manifest.kind === "Form"
      ? (["object", manifest.object] as const)
      : (["target.objectKey", manifest.target] as const);
  const wanted = `${moduleKey}/${objectKey}`;
  const meant = nearest(wanted, objects.all);
  const wayOut = meant === undefined ? "" : ` - did you mean "${meant}"?`;
  const message = `there is no object "${wanted}" in ${knowledge.source}${wayOut}`;
  return [manifest.locate(manifestProblem("OBJECT_UNKNOWN", message, path))];
}
