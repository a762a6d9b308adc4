/** Finds the versions that a preview shows and compares with. */

import { hasCode } from "../../base/error.ts";
import type { Manifest } from "../../manifests/manifest.ts";
import { findForm } from "../../lists/forms.ts";
import { findLayout } from "../../lists/layouts.ts";
import { contentOf, shownContent } from "../../lists/versions.ts";
import type { PreviewSource } from "../../preview/model.ts";
import type { VersionAnswer } from "../../schemas/answers.ts";
import type { DraftContent } from "../../schemas/draft.ts";
import { layoutIdOf, type Service, ServiceError } from "../../service.ts";
import { findVersion } from "../lookups.ts";
import { versionAndStatus } from "../version-text.ts";

type Compared = NonNullable<PreviewSource["compareWith"]>;

type WholeVersion = VersionAnswer & DraftContent;

/** Returns a version with its content. @throws NOT_FOUND if the layout does not have the version */
export async function readVersion(service: Service, layoutId: string, wanted: string): Promise<WholeVersion> {
  return shownContent(service, layoutId, await findVersion(service, layoutId, wanted));
}

/** Returns the draft, or else the newest published version. @throws NOT_FOUND if the layout has neither */
export async function readDraftOrPublished(service: Service, layoutId: string): Promise<WholeVersion> {
  try {
    return await readVersion(service, layoutId, "draft");
  } catch (error) {
    if (!hasCode(error, "NOT_FOUND")) throw error;
    return readVersion(service, layoutId, "latest");
  }
}

/** Returns the content of a version, and its name. @throws NOT_FOUND if the layout does not have the version */
export async function comparedVersion(service: Service, layoutId: string, wanted: string): Promise<Compared> {
  const version = await readVersion(service, layoutId, wanted);
  return { content: contentOf(version), name: versionAndStatus(version) };
}

const NOTHING: Compared = {
  content: {
    schemaVersion: 1,
    regions: [],
    blocks: [],
    stagedFieldDefinitions: [],
    scriptBindings: [],
    metadata: null,
  },
  name: "nothing, because the target does not have this version",
};

/**
 * Returns a version of the layout that a manifest describes. If the layout, or the wanted draft or published version,
 * does not exist yet, returns an empty content. Everything then counts as added.
 *
 * @throws NOT_FOUND if the layout has no version with this id or number
 */
export async function comparedWithManifest(service: Service, manifest: Manifest, wanted: string): Promise<Compared> {
  const layoutId = await findManifestLayout(service, manifest);
  if (layoutId === undefined) return NOTHING;
  try {
    return await comparedVersion(service, layoutId, wanted);
  } catch (error) {
    const isWord = wanted === "draft" || wanted === "latest";
    if (isWord && hasCode(error, "NOT_FOUND")) return NOTHING;
    throw error;
  }
}

/**
 * Finds the layout that a manifest describes, by name. Returns the id of the layout; undefined if it does not exist.
 */
async function findManifestLayout(service: Service, manifest: Manifest): Promise<string | undefined> {
  try {
    if (manifest.kind === "Layout") return (await findLayout(service, manifest.address)).id;
    return layoutIdOf(await findForm(service, { ...manifest.object, form: manifest.name }));
  } catch (error) {
    if (hasCode(error, "NOT_FOUND") || (error instanceof ServiceError && error.status === 404)) return undefined;
    throw error;
  }
}
